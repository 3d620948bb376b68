"""Every analyzer agrees with DuckDB on real deliveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from assay.analyzers import Analyzer
from assay.data import flights_path
from tests.oracle.oracles import Measured, every_analyzer
from tests.realdata import batches, data_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Delivery(NamedTuple):
    """Files of one kind, the columns to measure, and for some a selection of rows.

    The generated rows test three selections with every analyzer. For real rows, a selection by a
    number and one by a text are enough.
    """

    files: Callable[[], list[Path]]
    columns: list[str]
    where: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})


def _batches(dataset: str, *positions: int, part: str = "batches") -> Callable[[], list[Path]]:
    return lambda: [batches(dataset, part)[at].path for at in positions]


DELIVERIES = {
    "flights": Delivery(
        lambda: sorted(flights_path().glob("*.csv.gz"))[6:9],
        ["dep_delay", "air_time", "tailnum", "dest", "time_hour"],
        "dep_delay > 60",
        {"nullValue": "NA"},
    ),
    "retail": Delivery(
        _batches("online_retail_by_day", 0, 100),
        ["InvoiceNo", "Description", "Quantity", "UnitPrice", "InvoiceDate"],
    ),
    "epidemic": Delivery(
        _batches("jhu_us_daily", 0, 1, 200),
        ["Province_State", "Confirmed", "Recovered", "Mortality_Rate", "Last_Update"],
    ),
    "regions": Delivery(_batches("ourairports_regions", 0), ["code", "name", "keywords"]),
    "hospital": Delivery(
        lambda: [data_path("errors", "hospital", "dirty.csv.gz")],
        ["zip", "phone", "city", "score"],
        "state = 'al'",
    ),
    "posts": Delivery(
        _batches("fbposts", 0, 20, 52, part="dirty"),
        ["num_likes", "domain", "title", "text"],
        options={"sep": "\t"},
    ),
}


@pytest.fixture(
    scope="module",
    params=[pytest.param("flights", marks=pytest.mark.connect), *list(DELIVERIES)[1:]],
)
def delivery(spark: SparkSession, request: pytest.FixtureRequest) -> Measured:
    files, columns, where, options = DELIVERIES[request.param]
    paths = [str(path) for path in files()]
    frame = spark.read.csv(paths, header=True, inferSchema=True, **options)
    return Measured.of(frame, columns, {where: columns[:2]} if where else {}, columns[:2])


@every_analyzer
def test_real_data(kind: type[Analyzer], delivery: Measured) -> None:
    assert delivery.disagreements(kind) == []
