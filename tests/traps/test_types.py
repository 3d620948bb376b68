"""Every analyzer over every type that a column can have: a value or one sentence, never a crash."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from assay import Measurement, measure
from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    Completeness,
    Compliance,
    CountDistinct,
    DataType,
    Distinctness,
    DuplicateRowCount,
    Entropy,
    Histogram,
    MostFrequentRatio,
    MutualInformation,
    Size,
    TopK,
    Uniqueness,
    registry,
)
from assay.analyzers.analyzer import ScanAnalyzer
from assay.analyzers.other_table import ComparisonAnalyzer
from tests.oracle.questions import COLUMN, PAIR, WHOLE
from tests.traps.reasons import badly_worded, problem_code

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: the value of two rows; the third row is null
TYPES = {
    "flag": "true",
    "tiny": "7Y",
    "small": "7S",
    "whole": "7",
    "big": "9223372036854775807L",
    "single": "float(0.1)",
    "double": "double('NaN')",
    "cents": "12.50BD",
    "most": "cast(repeat('9', 38) AS decimal(38,0))",
    "text": "'a'",
    "collated": "'a' COLLATE UNICODE_CI",
    "lowered": "'a' COLLATE UTF8_LCASE",
    "fixed": "cast('a' AS char(3))",
    "raw": "X'00FF'",
    "day": "DATE'2024-02-29'",
    "moment": "TIMESTAMP'2024-02-29 10:00:00'",
    "wall": "TIMESTAMP_NTZ'2024-02-29 10:00:00'",
    "years": "INTERVAL '1-2' YEAR TO MONTH",
    "months": "INTERVAL '3' MONTH",
    "span": "INTERVAL '1 02:03:04' DAY TO SECOND",
    "hours": "INTERVAL '5' HOUR",
    "calendar": "make_interval(1, 2, 3)",
    "list": "array(1, NULL)",
    "lists": "array(array('a'), array())",
    "texts": "array('a' COLLATE UNICODE_CI)",
    "spans": "array(INTERVAL '3' MONTH)",
    "calendars": "array(make_interval(1, 2, 3))",
    "maps": "array(map('a', 1))",
    "map": "map('b', 1, 'a', 2)",
    "map_of_maps": "map('a', map('b', 1))",
    "map_by_struct": "map(named_struct('a', 1), 2)",
    "map_by_bytes": "map(X'00FF', 1)",
    "map_by_day": "map(DATE'2024-02-29', 1)",
    "struct": "named_struct('a', 1, 'collate', 'x', 'variant', CAST(NULL AS int))",
    "struct_of_map": "named_struct('m', map('a', 1))",
    "struct_of_variant": "named_struct('v', parse_json('[1]'))",
    "hollow": "named_struct()",
    "variant": 'parse_json(\'{"b": 1, "a": null}\')',
    "none": "NULL",
    "nones": "array()",
    "place": "st_geomfromwkb(X'0101000000000000000000F03F0000000000000040')",
}
#: types that Spark can neither compare nor hash nor write as JSON
NO_KEY = {"place"}
#: types without a hash: no hash respects a collation
NO_HASH = {"collated", "lowered", "texts", "place"}


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    columns = (f"if(id = 2, NULL, {value}) AS {name}" for name, value in TYPES.items())
    return spark.range(0, 3, 1, 1).selectExpr("id", *columns)


#: columns that are measured together with another column
PAIRED = ["double", "collated", "years", "calendar", "list", "map", "struct", "variant", "none"]
#: columns whose values Spark Connect may return in another form
CONNECT = ["double", "most", "collated", "raw", "moment", "wall", "years", "calendar"]
CONNECT += ["list", "map", "struct", "variant", "none", "place"]


def parametrize_columns(names: Iterable[str]) -> pytest.MarkDecorator:
    connect = pytest.mark.connect
    columns = [pytest.param(n, marks=connect) if n in CONNECT else n for n in sorted(names)]
    return pytest.mark.parametrize("column", columns)


def everything(columns: list[str], paired: list[str]) -> list[Analyzer]:
    """Return every analyzer of every column of any type."""
    analyzers: list[Analyzer] = [pair("id", name) for name in paired for _, pair in PAIR.values()]
    for kind, (_, about) in COLUMN.items():
        for name in columns:
            spelled = [Compliance(f"{name} = {name}")] if kind is Compliance else about(name)
            analyzers += spelled
    return analyzers


@pytest.fixture(scope="module")
def measured(frame: DataFrame) -> Measurement:
    remote = os.environ.get("ASSAY_TEST_REMOTE")
    analyzers = everything(CONNECT, []) if remote else everything([*TYPES], PAIRED)
    return measure(frame, [Size(), *analyzers])


@pytest.fixture(scope="module")
def without_rows(frame: DataFrame) -> Measurement:
    analyzers = everything([*TYPES], PAIRED)
    few = [analyzer for analyzer in analyzers if isinstance(analyzer, ScanAnalyzer | CountDistinct)]
    return measure(frame.where("id > 2"), [Size(), *few])


def test_every_analyzer_is_measured() -> None:
    alone = {name for name, kind in registry().items() if not issubclass(kind, ComparisonAnalyzer)}
    assert {kind.__name__ for kind in (*COLUMN, *PAIR, *WHOLE)} == alone


@pytest.mark.connect
def test_every_problem_is_one_sentence(measured: Measurement) -> None:
    assert measured.value(Size()) == 3
    assert badly_worded(measured.values()) == []


def test_every_problem_without_rows_is_one_sentence(without_rows: Measurement) -> None:
    assert without_rows.value(Size()) == 0
    assert badly_worded(without_rows.values()) == []


def test_an_empty_table_refuses_the_same_types(
    measured: Measurement, without_rows: Measurement
) -> None:
    """The same analyzers are refused with and without rows."""
    codes = {analyzer: problem_code(measured[analyzer]) for analyzer in without_rows}
    again = {analyzer: problem_code(without_rows[analyzer]) for analyzer in without_rows}
    assert {analyzer for analyzer, code in codes.items() if code == "wrong_type"} == {
        analyzer for analyzer, code in again.items() if code == "wrong_type"
    }


@parametrize_columns(TYPES)
def test_completeness_supports_every_type(column: str, measured: Measurement) -> None:
    share = 0 if column == "none" else 2 / 3
    assert measured.value(Completeness(column)) == share
    types = measured.value(DataType(column))
    assert (types.total, types.nulls) == (3, 3 - 3 * share)  # type: ignore[union-attr]


@parametrize_columns(TYPES.keys() - NO_KEY - {"none"})
def test_frequencies_support_every_type(column: str, measured: Measurement) -> None:
    assert measured.value(CountDistinct(column)) == 1
    assert measured.value(Distinctness(column)) == 0.5
    assert measured.value(Uniqueness(column)) == 0.0
    assert measured.value(DuplicateRowCount(column)) == 1
    assert measured.value(Entropy(column)) == 0.0
    histogram = measured.value(Histogram(column))
    assert (list(histogram.counts.values()), histogram.nulls) == ([2], 1)  # type: ignore[union-attr]
    assert measured.value(MostFrequentRatio(column)) == 1.0
    assert measured.value(TopK(column)).counts == histogram.counts  # type: ignore[union-attr]


@pytest.mark.parametrize("column", [name for name in PAIRED if name != "none"])
def test_pairs_support_every_type(column: str, measured: Measurement) -> None:
    """One of three values of `id` has no value in the column, the others have the same one."""
    assert measured.value(CountDistinct(("id", column))) == 3
    information = math.log(3) - 2 / 3 * math.log(2)
    assert measured.value(MutualInformation(("id", column))) == pytest.approx(information)


@parametrize_columns(TYPES.keys() - NO_HASH - {"none"})
def test_hashes_support_every_type(column: str, measured: Measurement) -> None:
    assert measured.value(ApproxCountDistinct(column)) == 1


@parametrize_columns(NO_KEY)
def test_a_type_without_comparison_is_a_problem(column: str, measured: Measurement) -> None:
    assert measured[CountDistinct(column)].problem is not None


@parametrize_columns(NO_HASH)
def test_a_type_without_hash_is_a_problem(column: str, measured: Measurement) -> None:
    assert measured[ApproxCountDistinct(column)].problem is not None


@pytest.mark.connect
def test_a_void_column_has_no_values(measured: Measurement) -> None:
    assert measured.value(CountDistinct("none")) == 0
    assert measured.value(ApproxCountDistinct("none")) == 0
    assert problem_code(measured[Uniqueness("none")]) == "undefined"


@pytest.mark.connect
def test_an_invalid_comparison_is_a_problem(measured: Measurement) -> None:
    assert measured.value(Compliance("double = double")) == 2 / 3
    assert measured[Compliance("map = map")].problem is not None
