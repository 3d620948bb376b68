"""Every analyzer agrees with DuckDB on unusual rows, on no rows and on nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.analyzers import Analyzer, registry
from tests.oracle import frames, two
from tests.oracle.oracles import ORACLES, Measured, every_analyzer

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SELECTIONS = {
    "n > 20": ["n", "odd", "word", "wide"],  # null for some rows
    "flag OR x > 60": ["region", "x", "y"],
    "n > 1000": ["word", "x", "ts"],  # for no row
}

ONE_OF_EACH = ["big", "odd", "wide", "word", "d", "ts", "ntz", "flag", "raw", "place"]
GROUPED = ["n", *ONE_OF_EACH, "region", "tags", "single"]
FEW = ["odd", "word", "raw", "place"]


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> Measured:
    return Measured.of(frames.generated(spark), None, SELECTIONS, GROUPED)


@pytest.fixture(scope="module")
def no_rows(spark: SparkSession) -> Measured:
    return Measured.of(frames.empty(spark), ONE_OF_EACH, {"n > 20": ["n", "word"]}, FEW)


@pytest.fixture(scope="module")
def nulls(spark: SparkSession) -> Measured:
    return Measured.of(frames.nothing(spark), ONE_OF_EACH, {"n > 20": ["n", "word"]}, FEW)


def test_every_analyzer_has_an_oracle() -> None:
    assert {kind.__name__ for kind in (*ORACLES, *two.ORACLES)} == registry().keys()


@every_analyzer
def test_generated_rows(kind: type[Analyzer], rows: Measured) -> None:
    assert any(type(analyzer) is kind for analyzer in rows.measurement)
    assert rows.disagreements(kind) == []


@every_analyzer
def test_no_rows(kind: type[Analyzer], no_rows: Measured) -> None:
    assert no_rows.disagreements(kind) == []


@every_analyzer
def test_only_nulls(kind: type[Analyzer], nulls: Measured) -> None:
    assert nulls.disagreements(kind) == []
