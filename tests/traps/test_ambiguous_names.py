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
def test_a_name_of_two_columns_is_ambiguous(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS x, 2 AS x, 3 AS y UNION ALL SELECT 1, 2, 3")
    analyzers: list[Analyzer] = [
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
    measured = measure(frame, analyzers)
    assert problem_code(measured[Minimum("x")]) == "ambiguous_column"
    assert problem_code(measured[Compliance("`x` = 1")]) == "ambiguous_column"
    assert problem_code(measured[CountDistinct(["x", "y"])]) == "ambiguous_column"
    assert measured[Compliance("x = 1")].problem is not None
    assert measured[Size(where="x = 1")].problem is not None
    assert badly_worded(measured.values()) == []
    assert measured.value(Minimum("y")) == 3
    assert measured.value(Size(where="y = 3")) == 2
    assert measured.value(CountDistinct("y")) == 1
    assert measured.value(DuplicateRowCount()) == 1
    assert measured.value(ColumnCount()) == 3


@pytest.mark.connect
def test_names_that_differ_only_in_case_are_different_columns(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS id, 2 AS ID, 3 AS Id2")
    analyzers: list[Analyzer] = [
        *(Minimum(name) for name in ("id", "ID", "iD", "ID2")),
        Compliance("`ID` = 2 AND `id` = 1"),
        Maximum("ID", where="`id` = 1"),
        CountDistinct(["id", "ID"]),
        Uniqueness("ID", where="`ID` = 2"),
    ]
    measured = measure(frame, analyzers)
    assert [measured.value(analyzer) for analyzer in analyzers[:2]] == [1, 2]
    assert problem_code(measured[Minimum("iD")]) == "ambiguous_column"
    assert measured.value(Minimum("ID2")) == 3
    assert [measured.value(analyzer) for analyzer in analyzers[4:]] == [1.0, 2, 1, 1.0]
    by = measure(frame, [Size(), CountDistinct("id")], by=["ID"])
    values = {key: segment.value(CountDistinct("id")) for key, segment in by.items()}
    assert values == {(2,): 1}


@pytest.mark.connect
def test_names_that_differ_only_in_case_in_a_case_sensitive_session(
    case_sensitive: SparkSession,
) -> None:
    frame = case_sensitive.sql("SELECT 1 AS id, 2 AS ID, named_struct('x', 3, 'X', 4) AS s")
    analyzers: list[Analyzer] = [
        Minimum("id"),
        Minimum("ID"),
        Minimum("s.x"),
        Minimum("s.X"),
        Compliance("ID = 2 AND id = 1"),
        CountDistinct(["id", "ID"]),
        Minimum("Id"),
    ]
    measured = measure(frame, analyzers)
    assert [measured.value(analyzer) for analyzer in analyzers[:-1]] == [1, 2, 3, 4, 1.0, 1]
    assert problem_code(measured[Minimum("Id")]) == "unknown_column"


def test_members_that_differ_only_in_case_are_ambiguous(spark: SparkSession) -> None:
    frame = spark.sql("SELECT named_struct('x', 1, 'X', 2, 'y', 3) AS s")
    measured = measure(frame, [Minimum("s.x"), Minimum("s.y"), Completeness("s")])
    assert problem_code(measured[Minimum("s.x")]) == "ambiguous_column"
    assert badly_worded(measured.values()) == []
    assert measured.value(Minimum("s.y")) == 3
    assert measured.value(Completeness("s")) == 1.0


def test_one_column_under_two_spellings_is_one_column(spark: SparkSession) -> None:
    frame = spark.sql("SELECT id % 3 AS x, named_struct('a', id % 2) AS s FROM range(6)")
    both = MutualInformation(["x", "X"])
    twice = CountDistinct(["x", "X", "s.a", "S.A"])
    measured = measure(frame, [both, Entropy("x"), twice])
    assert both not in measured.states or measured.value(both) == measured.value(Entropy("x"))
    assert measured.value(twice) == 6


def test_an_unknown_name_is_a_problem_with_a_suggestion(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS amount, named_struct('city', 'Ulm') AS address")
    analyzers: list[Analyzer] = [
        Minimum("amonut"),
        Completeness("address.ctiy"),
        Uniqueness("amonut"),
        Compliance("`amonut` = 1"),
        Size(where="`amonut` = 1"),
        Size(where="amonut = 1"),
        CountDistinct("amount", where="`amonut` = 1"),
    ]
    measured = measure(frame, [*analyzers, Size()])
    assert measured.value(Size()) == 1
    assert all(measured[analyzer].problem is not None for analyzer in analyzers)
    assert badly_worded(measured.values()) == []
    problem = measured[Minimum("amonut")].problem
    assert problem is not None
    assert "did you mean 'amount'?" in problem.reason
