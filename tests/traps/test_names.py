"""Any name works: of a column, of a struct's member, of a segment's column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import Measurement, measure
from assay.analyzers import (
    Completeness,
    Compliance,
    Correlation,
    CountDistinct,
    Histogram,
    Maximum,
    Median,
    Minimum,
    Size,
    Sum,
    TopK,
    Uniqueness,
    parse_key,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.connect

NAMES = [
    "plain",
    "a.b",
    "a.b.c",
    "two words",
    " around ",
    "`quoted`",
    "tick`tock",
    "it's",
    'say "hi"',
    "back\\slash",
    "new\nline",
    "{brace}",
    "100%",
    "a,b;c",
    "x-y",
    "1st",
    "größe",
    "日本",
    "🦆",
    "UPPER",
    "select",
    "where",
    "null",
    "inf",
    "count(1)",
    "-- comment",
    "k0",
    "n",
    "x0",
    "",
]
#: members of a struct, and one deeper
MEMBERS = ["x.y", "two words", "tick`tock", "größe", "from", "Mixed"]


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    """Three rows; column number i holds i, i + 1 and a null."""
    values = spark.range(0, 3, 1, 1)
    columns = [f"if(id = 2, NULL, int(id) + {i}) AS {_quoted(n)}" for i, n in enumerate(NAMES)]
    members = ", ".join(f"'{name}', int(id) + {i}" for i, name in enumerate(MEMBERS))
    inner = f"if(id = 2, NULL, named_struct({members}, 'in ner', named_struct('a.b', id)))"
    return values.selectExpr(*columns, f"{inner} AS nested", f"{inner} AS `odd.struct`")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


PATHS = {
    **{name: i for i, name in enumerate(NAMES)},
    **{f"nested.{name}": i for i, name in enumerate(MEMBERS)},
    **{f"odd.struct.{name}": i for i, name in enumerate(MEMBERS)},
    "`odd.struct`.`x.y`": 0,
    "nested.in ner.a.b": 0,
    "nested.`in ner`.`a.b`": 0,
    "NESTED.mixed": MEMBERS.index("Mixed"),
    "upper": NAMES.index("UPPER"),
}


@pytest.fixture(scope="module")
def measured(frame: DataFrame) -> Measurement:
    scanned = [
        made(path) for path in PATHS for made in (Completeness, Minimum, Maximum, Sum, Median, TopK)
    ]
    where = [Size(where=f"{_quoted(name)} IS NULL") for name in NAMES]
    predicates = [
        Compliance(f"{_quoted(name)} >= {i}") for name, i in PATHS.items() if "`" not in name
    ]
    grouped = [CountDistinct([*NAMES, "nested.x.y"]), Uniqueness("new\nline"), Histogram("a.b")]
    correlated = [Correlation("{brace}", "nested.two words")]
    return measure(frame, [*scanned, *where, *predicates, *grouped, *correlated])


@pytest.mark.parametrize("path", PATHS)
def test_a_column_may_have_any_name(path: str, measured: Measurement) -> None:
    i = PATHS[path]
    assert measured.value(Completeness(path)) == 2 / 3
    assert measured.value(Minimum(path)) == i
    assert measured.value(Maximum(path)) == i + 1
    assert measured.value(Sum(path)) == 2 * i + 1
    assert measured.value(Median(path)) == i
    assert measured.value(TopK(path)).counts == {str(i): 1, str(i + 1): 1}  # type: ignore[union-attr]


@pytest.mark.parametrize("name", NAMES)
def test_a_condition_may_use_any_name(name: str, measured: Measurement) -> None:
    assert measured.value(Size(where=f"{_quoted(name)} IS NULL")) == 1


@pytest.mark.parametrize("path", [path for path in PATHS if "`" not in path])
def test_a_predicate_may_use_any_path(path: str, measured: Measurement) -> None:
    assert measured.value(Compliance(f"{_quoted(path)} >= {PATHS[path]}")) == 2 / 3


def test_a_grouping_may_use_any_name(measured: Measurement) -> None:
    assert measured.value(CountDistinct([*NAMES, "nested.x.y"])) == 2
    assert measured.value(Uniqueness("new\nline")) == 1.0
    assert measured.value(Histogram("a.b")).nulls == 1  # type: ignore[union-attr]
    assert measured.value(Correlation("{brace}", "nested.two words")) == 1.0


@pytest.mark.parametrize("path", PATHS)
def test_a_key_may_contain_any_name(path: str) -> None:
    assert parse_key(Completeness(path).key) == Completeness(path)
    assert parse_key(CountDistinct((path, "other")).key) == CountDistinct((path, "other"))


def test_segments_may_have_any_name(frame: DataFrame) -> None:
    by = ["a.b", "tick`tock", "nested.two words"]
    segments = measure(frame, [Size(), Sum("100%"), CountDistinct("x-y")], by=by)
    assert segments.keys() == {(1, 6, 1), (2, 7, 2), (None, None, None)}
    assert [segment.value(Size()) for segment in segments.values()] == [1, 1, 1]
    assert {segment.value(CountDistinct("x-y")) for segment in segments.values()} == {0, 1}
