"""Names that several columns have, or that differ only in case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from assay import measure
from assay.analyzers import (
    Analyzer,
    ColumnCount,
    Completeness,
    Compliance,
    CountDistinct,
    DuplicateRowCount,
    Entropy,
    Maximum,
    Minimum,
    MutualInformation,
    Size,
    Uniqueness,
)
from tests.traps.reasons import badly_worded, problem_code

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def case_sensitive(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.caseSensitive", "true")
    yield spark
    spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.connect
def test_a_name_that_two_columns_have(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS x, 2 AS x, 3 AS y UNION ALL SELECT 1, 2, 3")
    asked: list[Analyzer] = [
        Minimum("x"),
        Compliance("`x` = 1"),
        Compliance("x = 1"),
        CountDistinct(["x", "y"]),
        Size(where="x = 1"),
        Minimum("y"),
        Size(where="y = 3"),
        CountDistinct("y"),
        DuplicateRowCount(),
        ColumnCount(),
    ]
    found = measure(frame, asked)
    assert problem_code(found[Minimum("x")]) == "ambiguous_column"
    assert problem_code(found[Compliance("`x` = 1")]) == "ambiguous_column"
    assert problem_code(found[CountDistinct(["x", "y"])]) == "ambiguous_column"
    assert found[Compliance("x = 1")].problem is not None
    assert found[Size(where="x = 1")].problem is not None
    assert badly_worded(found.values()) == []
    assert found.value(Minimum("y")) == 3
    assert found.value(Size(where="y = 3")) == 2
    assert found.value(CountDistinct("y")) == 1
    assert found.value(DuplicateRowCount()) == 1
    assert found.value(ColumnCount()) == 3


@pytest.mark.connect
def test_names_that_differ_only_in_case_are_told_apart(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS id, 2 AS ID, 3 AS Id2")
    asked: list[Analyzer] = [
        *(Minimum(name) for name in ("id", "ID", "iD", "ID2")),
        Compliance("`ID` = 2 AND `id` = 1"),
        Maximum("ID", where="`id` = 1"),
        CountDistinct(["id", "ID"]),
        Uniqueness("ID", where="`ID` = 2"),
    ]
    found = measure(frame, asked)
    assert [found.value(each) for each in asked[:2]] == [1, 2]
    assert problem_code(found[Minimum("iD")]) == "ambiguous_column"
    assert found.value(Minimum("ID2")) == 3
    assert [found.value(each) for each in asked[4:]] == [1.0, 2, 1, 1.0]
    by = measure(frame, [Size(), CountDistinct("id")], by=["ID"])
    assert {segment: each.value(CountDistinct("id")) for segment, each in by.items()} == {(2,): 1}


@pytest.mark.connect
def test_names_that_differ_only_in_case_where_case_counts(case_sensitive: SparkSession) -> None:
    frame = case_sensitive.sql("SELECT 1 AS id, 2 AS ID, named_struct('x', 3, 'X', 4) AS s")
    asked: list[Analyzer] = [
        Minimum("id"),
        Minimum("ID"),
        Minimum("s.x"),
        Minimum("s.X"),
        Compliance("ID = 2 AND id = 1"),
        CountDistinct(["id", "ID"]),
        Minimum("Id"),
    ]
    found = measure(frame, asked)
    assert [found.value(each) for each in asked[:-1]] == [1, 2, 3, 4, 1.0, 1]
    assert problem_code(found[Minimum("Id")]) == "unknown_column"


def test_members_that_differ_only_in_case(spark: SparkSession) -> None:
    frame = spark.sql("SELECT named_struct('x', 1, 'X', 2, 'y', 3) AS s")
    found = measure(frame, [Minimum("s.x"), Minimum("s.y"), Completeness("s")])
    assert problem_code(found[Minimum("s.x")]) == "ambiguous_column"
    assert badly_worded(found.values()) == []
    assert found.value(Minimum("s.y")) == 3
    assert found.value(Completeness("s")) == 1.0


def test_one_column_under_two_spellings_is_one_column(spark: SparkSession) -> None:
    frame = spark.sql("SELECT id % 3 AS x, named_struct('a', id % 2) AS s FROM range(6)")
    both = MutualInformation(["x", "X"])
    twice = CountDistinct(["x", "X", "s.a", "S.A"])
    found = measure(frame, [both, Entropy("x"), twice])
    assert both not in found.states or found.value(both) == found.value(Entropy("x"))
    assert found.value(twice) == 6


def test_a_name_that_is_not_there(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS amount, named_struct('city', 'Ulm') AS address")
    asked: list[Analyzer] = [
        Minimum("amonut"),
        Completeness("address.ctiy"),
        Uniqueness("amonut"),
        Compliance("`amonut` = 1"),
        Size(where="`amonut` = 1"),
        Size(where="amonut = 1"),
        CountDistinct("amount", where="`amonut` = 1"),
    ]
    found = measure(frame, [*asked, Size()])
    assert found.value(Size()) == 1
    assert all(found[each].problem is not None for each in asked)
    assert badly_worded(found.values()) == []
    problem = found[Minimum("amonut")].problem
    assert problem is not None
    assert "did you mean 'amount'?" in problem.reason
