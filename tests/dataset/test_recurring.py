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
asked: list[Any] = [
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
#: three days, of which one is delivered again, corrected
DAYS = (0, 1, 100)


@pytest.fixture(scope="module")
def days(spark: SparkSession) -> dict[str, DataFrame]:
    found = [batches("online_retail_by_day")[at] for at in DAYS]
    return {day.key: spark.read.csv(str(day.path), SCHEMA, header=True) for day in found}


def test_appended_replaced_viewed_and_taken_back(
    days: dict[str, DataFrame], tmp_path: Path
) -> None:
    dataset = Dataset("retail", EmbeddedStore(tmp_path), analyzers=asked)
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
    rest = dataset.retract(f"date={keys[0]}")
    _same(rest.measurement, [now[key] for key in keys[1:]])


def _same(found: Any, parts: list[DataFrame]) -> None:
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part)
    direct = measure(whole, asked)
    for each in asked:
        expected = direct.value(each)
        if isinstance(expected, float):
            assert found.number(each) == pytest.approx(expected, rel=1e-12), each
        else:
            assert found.value(each) == expected, each
