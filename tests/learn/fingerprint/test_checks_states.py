"""A fingerprint does not contain the states of checks."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import pytest

from assay import Check, Gate
from assay.store import Decision, MemoryStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BOUNDS = {
    "day": (date(2020, 1, 1), date(2030, 1, 1)),
    "at": (datetime(2020, 1, 1), datetime(2030, 1, 1)),
    "word": ("a", "z"),
}


@pytest.mark.parametrize("column", BOUNDS)
def test_bounds_on_columns_that_are_not_numeric_are_judged(
    spark: SparkSession, column: str
) -> None:
    low, high = BOUNDS[column]
    check = Check("bounds").has_min(column, at_least=low).has_max(column, at_most=high)
    gate = Gate("orders", MemoryStore(), check)
    for day in (1, 2):
        rows = [(date(2026, 11, day), datetime(2026, 11, day, n), f"m{n}") for n in range(9)]
        df = spark.createDataFrame(rows, "day date, at timestamp, word string")

        verdict = gate.submit(df, f"day={day}")

        assert verdict.decision is Decision.ACCEPT, str(verdict)
