"""Views over batches equal measuring their rows at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    Completeness,
    CustomSql,
    Entropy,
    Maximum,
    Mean,
    Median,
    Size,
    StandardDeviation,
    Sum,
    Uniqueness,
)
from assay.demo import flights
from assay.engine import Metric, measure
from assay.store import Batch, EmbeddedStore, Selection, view
from tests.realdata import at_hand

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ANALYZERS: list[Analyzer] = [
    Size(),
    Completeness("dep_time"),
    Mean("dep_delay"),
    StandardDeviation("dep_delay"),
    Sum("distance"),
    Maximum("time_hour"),
    ApproxCountDistinct("tailnum"),
    Median("dep_delay"),
    Uniqueness("tailnum"),
    Entropy("tailnum"),
]


@pytest.fixture(scope="module")
def week(spark: SparkSession) -> DataFrame:
    return at_hand(flights(spark).where("day BETWEEN 5 AND 8"))


@pytest.fixture(scope="module")
def store(week: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> EmbeddedStore:
    kept = EmbeddedStore(tmp_path_factory.mktemp("views"))
    for (day, origin), measured in measure(week, ANALYZERS, by=["day", "origin"]).items():
        kept.write(Batch("flights", f"day={day}/origin={origin}"), measured)
    return kept


@pytest.mark.parametrize(
    "where", ["day BETWEEN 6 AND 7", "origin = 'JFK'", "day = 8 AND origin <> 'EWR'"]
)
def test_a_view_is_the_measurement_of_its_rows(
    store: EmbeddedStore, week: DataFrame, where: str
) -> None:
    viewed = view(store, Selection("flights", where=where), ANALYZERS)
    direct = measure(week.where(where), ANALYZERS)
    for analyzer in ANALYZERS:
        expected: Any = direct.value(analyzer)
        if analyzer == Median("dep_delay"):
            assert abs(viewed.number(analyzer) - direct.number(analyzer)) <= 2
        elif analyzer == ApproxCountDistinct("tailnum"):
            assert viewed.number(analyzer) == pytest.approx(direct.number(analyzer), rel=0.05)
        elif isinstance(expected, int | float):
            assert viewed.number(analyzer) == pytest.approx(direct.number(analyzer), rel=1e-12), (
                analyzer
            )
        else:
            assert viewed.value(analyzer) == expected


def code_of(metric: Metric) -> str | None:
    return None if metric.problem is None else metric.problem.code


def test_a_metric_without_stored_states_has_a_problem(store: EmbeddedStore) -> None:
    some = view(store, Selection("flights", where="day = 8"), [Mean("arr_delay"), Size()])
    assert str(some[Mean("arr_delay")].problem) == "3 of 3 batches have no state of this metric"
    assert code_of(some[Mean("arr_delay")]) == "no_state"
    assert some.value(Size()) == 930
    empty = view(store, Selection("nothing"), [Size()])
    assert code_of(empty[Size()]) == "no_batches"


def test_a_metric_without_merging_states_has_a_problem(spark: SparkSession, tmp_path: Path) -> None:
    store, custom = EmbeddedStore(tmp_path), CustomSql("max(id) - min(id)")
    for part in (1, 2):
        store.write(Batch("numbers", f"p={part}"), measure(spark.range(part * 3), [custom]))
    assert view(store, Selection("numbers", keys=("p=1",)), [custom]).value(custom) == 2
    both = view(store, Selection("numbers"), [custom])
    assert code_of(both[custom]) == "not_incremental"
