"""Every analyzer on awkward rows, on none, and on nulls alone: what DuckDB says."""

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


def test_there_is_an_oracle_for_every_analyzer() -> None:
    assert {kind.__name__ for kind in (*ORACLES, *two.ORACLES)} == registry().keys()


@every_analyzer
def test_awkward_rows(kind: type[Analyzer], rows: Measured) -> None:
    assert any(type(each) is kind for each in rows.measurement), "it was not asked"
    assert rows.disagreements(kind) == []


@every_analyzer
def test_a_frame_without_rows(kind: type[Analyzer], no_rows: Measured) -> None:
    assert no_rows.disagreements(kind) == []


@every_analyzer
def test_a_frame_of_nulls(kind: type[Analyzer], nulls: Measured) -> None:
    assert nulls.disagreements(kind) == []
