"""The aggregates that fail a query are found in few queries. No Spark is needed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import log2

import pytest

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.metric import Problem
from assay.engine.failure_isolation import isolate_failures
from assay.engine.frame import Segment
from assay.engine.passes.scan_pass import Values
from assay.errors import SourceError

COLUMNS = [f"c{i}" for i in range(60)]
EXPRS = [
    AggregateExpr(f"{what}({name})", (name,))
    for name in COLUMNS
    for what in ("count", "min", "sum")
]


@dataclass
class Table:
    """A table in which some columns, some aggregates or all rows fail."""

    broken: Collection[str] = ()
    failing: Collection[AggregateExpr] = ()
    #: aggregates that avoid the failing row
    guarded: Collection[AggregateExpr] = ()
    unreadable: bool = False
    queries: list[int] = field(default_factory=list)

    def compute(self, exprs: Sequence[AggregateExpr]) -> dict[Segment, Values]:
        self.queries.append(len(exprs))
        for expr in exprs:
            if expr in self.failing:
                raise SourceError(f"{expr.sql} fails")
            self._read([] if expr in self.guarded else expr.columns)
        return {("a",): dict.fromkeys(exprs, 1), ("b",): dict.fromkeys(exprs, 2)}

    def probe(self, columns: Sequence[str]) -> None:
        self.queries.append(0)
        self._read(columns)

    def _read(self, columns: Sequence[str]) -> None:
        for name in columns:
            if name in self.broken:
                raise SourceError(f"{name} is broken")
        if self.unreadable:
            raise SourceError("torn")

    def blamed(self, exprs: Sequence[AggregateExpr], most: int = 200) -> dict[AggregateExpr, str]:
        """Return the problem of each failing aggregate; the others must have values."""
        values = isolate_failures(self.compute, self.probe, exprs, COLUMNS, most)
        blamed = values.pop((), {})
        assert all(isinstance(problem, Problem) for problem in blamed.values())
        for segment, value in ((("a",), 1), (("b",), 2)):
            fine = {expr: value for expr in exprs if expr not in blamed}
            assert values.get(segment, {}) == fine
        return {expr: problem.reason for expr, problem in blamed.items()}


def test_aggregates_that_do_not_fail_take_one_query() -> None:
    table = Table()
    assert table.blamed(EXPRS) == {}
    assert table.queries == [len(EXPRS)]


def test_an_unreadable_column_is_found_by_binary_search() -> None:
    for name in COLUMNS:
        table = Table(broken={name})
        assert table.blamed(EXPRS) == {
            expr: f"{name} is broken" for expr in EXPRS if expr.columns == (name,)
        }
        # the query, probes of all and of no columns, the search, the columns after it, a retry
        assert len(table.queries) <= 3 + log2(64) + 2
        assert len([count for count in table.queries if count]) == 2


def test_several_unreadable_columns_are_found_one_by_one() -> None:
    broken = {"c0", "c7", "c8", "c59"}
    table = Table(broken)
    assert {expr.columns[0] for expr in table.blamed(EXPRS)} == broken
    assert len(table.queries) <= 4 + 4 * (log2(64) + 1)


def test_sql_that_may_avoid_the_failing_row_is_tried() -> None:
    pair, other = (
        AggregateExpr("corr(c1, c5)", ("c1", "c5")),
        AggregateExpr("corr(c1, c2)", ("c1", "c2")),
    )
    unguarded, guarded = (
        AggregateExpr(f"count_if({i})", ("c5",), has_user_sql=True) for i in range(2)
    )
    table = Table(broken={"c5"}, guarded={guarded})
    blamed = table.blamed([*EXPRS, pair, other, unguarded, guarded])
    assert set(blamed) == {unguarded, pair, *(expr for expr in EXPRS if expr.columns == ("c5",))}


@pytest.mark.parametrize("at", [0, 1, 77, 90, 178, 179])
def test_an_aggregate_that_fails_alone_is_found_by_halves(at: int) -> None:
    table = Table(failing={EXPRS[at]})
    assert table.blamed(EXPRS) == {EXPRS[at]: f"{EXPRS[at].sql} fails"}
    assert len(table.queries) <= 2 + 2 * log2(256)


def test_sql_of_the_user_is_separated_first() -> None:
    user_sql = [AggregateExpr(f"count_if({i})", ("c1",), has_user_sql=True) for i in range(8)]
    table = Table(failing={user_sql[7]})
    assert set(table.blamed([*EXPRS, *user_sql])) == {user_sql[7]}
    # all, a probe, the built-in ones, then quarters: the second half must fail
    assert table.queries == [188, 0, 180, 4, 2, 1, 1]


def test_no_aggregate_is_searched_for_if_the_rows_are_unreadable() -> None:
    table = Table(unreadable=True)
    assert set(table.blamed(EXPRS).values()) == {"torn"}
    assert len(table.queries) == 3


@pytest.mark.parametrize("most", [0, 1, 2, 5, 11])
def test_aggregates_share_the_problem_if_no_query_may_follow(most: int) -> None:
    for table in (Table(broken={"c3", "c50"}), Table(failing={EXPRS[5], EXPRS[100]})):
        blamed = table.blamed(EXPRS, most)
        assert {expr for expr in EXPRS if {*expr.columns} & {*table.broken}} <= set(blamed)
        assert set(table.failing) <= set(blamed)
        assert len(table.queries) <= most + 1


def test_a_closed_session_gets_one_query() -> None:
    def compute(exprs: Sequence[AggregateExpr]) -> dict[Segment, Values]:
        queries.append(len(exprs))
        raise RuntimeError("Cannot call methods on a stopped SparkContext.")

    queries: list[int] = []
    values = isolate_failures(compute, queries.append, EXPRS, COLUMNS, 99)  # type: ignore[arg-type]
    assert {problem.code for problem in values[()].values()} == {"session_closed"}
    assert queries == [len(EXPRS)]
