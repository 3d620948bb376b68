"""Failing rows are found lazily and without a limit, whatever names and ids are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Result, verify
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = [
    (1, "a", 10, "x"),
    (2, "b", 20, "x"),
    (2, "c", None, None),
    (None, "d", -5, None),
    (None, None, None, None),
    (3, "e", 30, "y"),
]
CHECK = (
    Check("orders")
    .is_unique("id")
    .is_complete("name")
    .is_non_negative("amount", hint="refunds have a table of their own")
    .is_unique("id", "kind", where="amount > 0 OR amount IS NULL")
    .has_completeness("kind", at_least=0.4)
    .has_max("amount", at_least=30)
    .is_complete("id")
    .warn()
    .has_mean("amount", at_least=1000)
)


@pytest.fixture(scope="module")
def df(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, "id int, name string, amount int, kind string")


@pytest.fixture(scope="module")
def result(df: DataFrame) -> Result:
    return verify(df, CHECK)


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


@pytest.mark.connect
def test_failing_by_id_name_constraint_or_result(result: Result) -> None:
    unique = rows(result.failing("is_unique(id)"))
    assert unique == [ROWS[1], ROWS[2]]
    assert rows(result.failing(CHECK.constraints[0])) == unique
    assert rows(result.failing(result.results[0])) == unique
    assert result.failing("is_complete(name)").collect() == [ROWS[4]]
    selected = "is_unique(id, kind) where amount > 0 OR amount IS NULL"
    assert result.failing(selected).collect() == []
    assert result.failing("is_unique(id, kind)").columns == ["id", "name", "amount", "kind"]


@pytest.mark.connect
def test_split_tells_good_rows_from_bad_ones_by_id(result: Result, df: DataFrame) -> None:
    good, bad = result.split()
    assert rows(good.drop("warnings")) == sorted([ROWS[0], ROWS[5]], key=repr)
    failed = {row["name"]: (row["errors"], row["warnings"]) for row in bad.collect()}
    assert failed == {
        "b": (["is_unique(id)"], []),
        "c": (["is_unique(id)"], []),
        "d": (["is_non_negative(amount)"], ["is_complete(id)"]),
        None: (["is_complete(name)"], ["is_complete(id)"]),
    }
    assert rows(good.drop("warnings").unionAll(bad.drop("errors", "warnings"))) == rows(df)
    assert good.drop("warnings").schema == df.schema
    assert bad.drop("errors", "warnings").schema == df.schema


def test_rows_with_warnings_stay_good_unless_warnings_count(df: DataFrame) -> None:
    result = verify(df, Check("c").is_complete("amount").is_complete("kind").warn())
    good, bad = result.split()
    assert {row["name"]: row["warnings"] for row in good.collect()} == {
        "a": [],
        "b": [],
        "d": ["is_complete(kind)"],
        "e": [],
    }
    assert bad.columns == [*df.columns, "errors", "warnings"]
    strict_good, strict_bad = result.split(warnings=True)
    assert strict_good.columns == df.columns
    assert (strict_good.count(), strict_bad.count()) == (3, 3)


def test_the_old_name_of_the_column_is_deprecated(result: Result) -> None:
    with pytest.warns(DeprecationWarning, match="error_column"):
        _, bad = result.split(column="broken")  # type: ignore[call-arg]
    assert bad.columns[-2:] == ["broken", "warnings"]


def test_constraints_that_passed_make_no_row_bad(df: DataFrame) -> None:
    lenient = Check("c").has_completeness("kind", at_least=0.4).has_max("amount", at_least=30)
    result = verify(df, lenient.has_min("amount", at_most=0))
    assert result.status == "passed"
    good, bad = result.split()
    assert rows(good) == rows(df)
    assert rows(bad) == []
    assert bad.columns == [*df.columns, "errors", "warnings"]
    # they are available by name nevertheless
    assert result.failing("has_completeness(kind)").count() == 3


def test_a_bound_from_above_blames_the_rows_that_match(df: DataFrame) -> None:
    check = (
        Check("c")
        .satisfies("amount > 15", at_most=0.1, id="few are large")
        .has_completeness("kind", equals=0.0)
        .has_uniqueness("kind", less_than=0.1)
    )
    result = verify(df, check)
    assert rows(result.failing("few are large")) == [ROWS[1], ROWS[5]]
    assert rows(result.failing("has_completeness(kind)")) == [ROWS[0], ROWS[1], ROWS[5]]
    assert rows(result.failing("has_uniqueness(kind)")) == [ROWS[5]]


def test_duplicates_are_all_the_rows_that_are_alike(df: DataFrame) -> None:
    result = verify(df, Check("c").has_duplicate_rows("id", equals=0))
    assert rows(result.failing("has_duplicate_rows(id)")) == [ROWS[1], ROWS[2]]
    twice = verify(df.unionAll(df.limit(1)), Check("c").has_duplicate_rows(equals=0))
    assert rows(twice.failing("has_duplicate_rows()")) == [ROWS[0], ROWS[0]]
    wanted = verify(df, Check("c").has_duplicate_rows("id", at_least=9))
    with pytest.raises(CheckError, match="about the rows as a whole"):
        wanted.failing("has_duplicate_rows(id)")


def test_equal_ids_of_two_checks_are_listed_once(df: DataFrame) -> None:
    _, bad = verify(df, Check("a").is_complete("id"), Check("b").is_complete("id")).split()
    assert [row["errors"] for row in bad.collect()] == [["is_complete(id)"]] * 2


def test_no_cap(spark: SparkSession) -> None:
    many = verify(spark.range(5000), Check("c").satisfies("id % 5 = 0"))
    assert many.failing("satisfies(id % 5 = 0)").count() == 4000
    good, bad = many.split()
    assert (good.count(), bad.count()) == (1000, 4000)


def test_rows_are_lazy(spark: SparkSession, result: Result) -> None:
    context = spark.sparkContext
    tracker = context.statusTracker()
    context.setJobGroup("lazy rows", "")
    try:
        good, bad = result.split()
        failing = result.failing("is_unique(id)")
        assert list(tracker.getJobIdsForGroup("lazy rows")) == []
        assert (good.count(), bad.count(), failing.count()) == (2, 4, 2)
        assert len(tracker.getJobIdsForGroup("lazy rows")) >= 3
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]


WHOLE = ("has_mean(amount)", "has_max(amount)")


@pytest.mark.parametrize("name", WHOLE)
def test_the_rows_as_a_whole(result: Result, name: str) -> None:
    with pytest.raises(CheckError) as caught:
        result.failing(name)
    message = f"{name} is about the rows as a whole: no single row fails it."
    assert str(caught.value) == message


def test_unknown_ambiguous_and_taken_names_are_refused(result: Result, df: DataFrame) -> None:
    with pytest.raises(CheckError, match=r"^no constraint is called 'is_uniqe\(id\)'; did you"):
        result.failing("is_uniqe(id)")
    two = Check("c").is_complete("id", where="amount > 0").is_complete("id", where="amount < 0")
    with pytest.raises(
        CheckError, match=r"^2 constraints are called 'is_complete\(id\)': expected one"
    ):
        verify(df, two).failing("is_complete(id)")
    for taken_name in ("amount", "AMOUNT"):
        with pytest.raises(CheckError) as caught:
            result.split(warning_column=taken_name)
        assert f"the column {taken_name!r} exists already" in str(caught.value)
    with pytest.raises(CheckError, match="expected two names, got"):
        result.split(error_column="why", warning_column="why")


def test_failing_rows_of_an_unevaluated_constraint_are_an_error(df: DataFrame) -> None:
    check = Check("c").satisfies("amount >", id="typo").is_complete("nam").is_complete("name")
    result = verify(df, check)
    for name in ("typo", "is_complete(nam)"):
        with pytest.raises(CheckError, match=r"^the failing rows are not known: .* could not be"):
            result.failing(name)
    good, bad = result.split()
    assert (good.count(), bad.count()) == (5, 1)


@pytest.mark.connect
def test_odd_names_are_kept(spark: SparkSession) -> None:
    names = ["a.b", "with space", "Dup", "dup", "tick`", "[red]", "same", "same", "né"]
    twice, once = (1,) * 9, (2, *[None] * 8)
    df = spark.createDataFrame([twice, twice, once], ", ".join(f"c{i} int" for i in range(9)))
    df = df.toDF(*names)
    odd = [name for name in names if name != "same"]
    result = verify(df, Check("c").is_complete(odd).is_unique("a.b", "Dup").is_complete("same"))
    assert [constraint_result.outcome.value for constraint_result in result] == [
        "passed",
        *["failed"] * 7,
        "not evaluated",
    ]
    good, bad = result.split(error_column="what.broke")
    assert good.columns == names
    assert bad.columns == [*names, "what.broke", "warnings"]
    complete = [constraint_result.constraint.id for constraint_result in result.results[1:7]]
    assert sorted((row[0], row[-2]) for row in bad.collect()) == [
        (1, ["is_unique(a.b, Dup)"]),
        (1, ["is_unique(a.b, Dup)"]),
        (2, complete),
    ]
    assert result.failing("is_complete(`with space`)").columns == names
    assert rows(result.failing("is_complete(dup)")) == [once]
