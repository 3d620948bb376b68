"""Real deliveries, appended day by day: what is remembered equals measuring all days at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import Dataset, EmbeddedStore, measure
from assay.analyzers import (
    Completeness,
    CountDistinct,
    DataType,
    Histogram,
    Maximum,
    Mean,
    MinLength,
    PatternMatch,
    Size,
    StandardDeviation,
    Sum,
    UniqueValueRatio,
)
from tests.realdata import batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = (
    "InvoiceNo string, StockCode string, Description string, Quantity int,"
    " InvoiceDate string, UnitPrice double, CustomerID string, Country string"
)
ANALYZERS: list[Any] = [
    Size(),
    Completeness("CustomerID"),
    Mean("Quantity"),
    StandardDeviation("UnitPrice"),
    Sum("UnitPrice", where="Country = 'France'"),
    Maximum("InvoiceDate"),
    MinLength("Description"),
    DataType("InvoiceNo"),
    PatternMatch("StockCode", "[0-9]{5}[A-Z]?"),
    CountDistinct("InvoiceNo"),
    UniqueValueRatio("CustomerID"),
    Histogram("Country"),
]
#: three days; one of them is delivered again with corrections
DAYS = (0, 1, 100)


@pytest.fixture(scope="module")
def days(spark: SparkSession) -> dict[str, DataFrame]:
    files = [batches("online_retail_by_day")[at] for at in DAYS]
    return {day.key: spark.read.csv(str(day.path), SCHEMA, header=True) for day in files}


def test_days_are_appended_replaced_viewed_and_retracted(
    days: dict[str, DataFrame], tmp_path: Path
) -> None:
    dataset = Dataset("retail", EmbeddedStore(tmp_path), analyzers=ANALYZERS)
    keys = list(days)
    for key, df in days.items():
        appended = dataset.append(df, f"date={key}")
    _same(appended.whole.measurement, [days[key] for key in keys])
    corrected = days[keys[1]].where("Quantity > 0")
    proposal = dataset.propose(corrected, f"date={keys[1]}").accept()
    now = {**days, keys[1]: corrected}
    _same(proposal.whole.measurement, list(now.values()))
    view = dataset.verify(where=f"date >= '{keys[0]}' AND date < '{keys[2]}'")
    _same(view.measurement, [now[key] for key in keys[:2]])
    remaining = dataset.retract(f"date={keys[0]}")
    _same(remaining.measurement, [now[key] for key in keys[1:]])


def _same(measurement: Any, parts: list[DataFrame]) -> None:
    rows = parts[0]
    for part in parts[1:]:
        rows = rows.unionByName(part)
    direct = measure(rows, ANALYZERS)
    for analyzer in ANALYZERS:
        expected = direct.value(analyzer)
        if isinstance(expected, float):
            assert measurement.number(analyzer) == pytest.approx(expected, rel=1e-12), analyzer
        else:
            assert measurement.value(analyzer) == expected, analyzer
