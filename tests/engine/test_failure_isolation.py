"""What fails a query is found in few queries: without Spark."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import log2

import pytest

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.metric import Problem
from assay.engine.failure_isolation import isolate_failures
from assay.engine.frame import Segment
from assay.engine.passes.scan import Values
from assay.errors import SourceError

COLUMNS = [f"c{i}" for i in range(60)]
LEAVES = [
    AggregateExpr(f"{what}({name})", (name,))
    for name in COLUMNS
    for what in ("count", "min", "sum")
]


@dataclass
class Table:
    """A table of which some columns, some aggregates, or all rows fail whoever asks."""

    broken: Collection[str] = ()
    failing: Collection[AggregateExpr] = ()
    #: aggregates that have a way around the row that fails
    guarded: Collection[AggregateExpr] = ()
    unreadable: bool = False
    queries: list[int] = field(default_factory=list)

    def ask(self, exprs: Sequence[AggregateExpr]) -> dict[Segment, Values]:
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
        """The reasons; all else has a value in both segments."""
        found = isolate_failures(self.ask, self.probe, exprs, COLUMNS, most)
        blamed = found.pop((), {})
        assert all(isinstance(each, Problem) for each in blamed.values())
        for segment, value in ((("a",), 1), (("b",), 2)):
            fine = {expr: value for expr in exprs if expr not in blamed}
            assert found.get(segment, {}) == fine
        return {expr: each.reason for expr, each in blamed.items()}


def test_what_does_not_fail_is_one_query() -> None:
    table = Table()
    assert table.blamed(LEAVES) == {}
    assert table.queries == [len(LEAVES)]


def test_a_broken_column_is_found_as_in_a_sorted_list() -> None:
    for name in COLUMNS:
        table = Table(broken={name})
        assert table.blamed(LEAVES) == {
            expr: f"{name} is broken" for expr in LEAVES if expr.columns == (name,)
        }
        # the first, all columns and none, a search, the columns behind it, and the rest
        assert len(table.queries) <= 3 + log2(64) + 2
        assert len([each for each in table.queries if each]) == 2


def test_several_broken_columns_are_found_one_by_one() -> None:
    broken = {"c0", "c7", "c8", "c59"}
    table = Table(broken)
    assert {expr.columns[0] for expr in table.blamed(LEAVES)} == broken
    assert len(table.queries) <= 4 + 4 * (log2(64) + 1)


def test_what_may_have_a_way_around_a_broken_column_is_tried() -> None:
    pair, other = (
        AggregateExpr("corr(c1, c5)", ("c1", "c5")),
        AggregateExpr("corr(c1, c2)", ("c1", "c2")),
    )
    own, guarded = (AggregateExpr(f"count_if({i})", ("c5",), written=True) for i in range(2))
    table = Table(broken={"c5"}, guarded={guarded})
    blamed = table.blamed([*LEAVES, pair, other, own, guarded])
    assert set(blamed) == {own, pair, *(expr for expr in LEAVES if expr.columns == ("c5",))}


@pytest.mark.parametrize("at", [0, 1, 77, 90, 178, 179])
def test_an_aggregate_that_fails_alone_is_found_by_halves(at: int) -> None:
    table = Table(failing={LEAVES[at]})
    assert table.blamed(LEAVES) == {LEAVES[at]: f"{LEAVES[at].sql} fails"}
    assert len(table.queries) <= 2 + 2 * log2(256)


def test_what_people_wrote_is_told_apart_first() -> None:
    written = [AggregateExpr(f"count_if({i})", ("c1",), written=True) for i in range(8)]
    table = Table(failing={written[7]})
    assert set(table.blamed([*LEAVES, *written])) == {written[7]}
    # all, a probe, ours, then quarters and so on: that the others fail is known
    assert table.queries == [188, 0, 180, 4, 2, 1, 1]


def test_where_rows_cannot_be_read_nobody_is_looked_for() -> None:
    table = Table(unreadable=True)
    assert set(table.blamed(LEAVES).values()) == {"torn"}
    assert len(table.queries) == 3


@pytest.mark.parametrize("most", [0, 1, 2, 5, 11])
def test_where_no_query_is_left_all_that_may_fail_share_the_blame(most: int) -> None:
    for table in (Table(broken={"c3", "c50"}), Table(failing={LEAVES[5], LEAVES[100]})):
        blamed = table.blamed(LEAVES, most)
        assert {expr for expr in LEAVES if {*expr.columns} & {*table.broken}} <= set(blamed)
        assert set(table.failing) <= set(blamed)
        assert len(table.queries) <= most + 1


def test_a_session_that_is_gone_is_asked_once() -> None:
    def ask(exprs: Sequence[AggregateExpr]) -> dict[Segment, Values]:
        asked.append(len(exprs))
        raise RuntimeError("Cannot call methods on a stopped SparkContext.")

    asked: list[int] = []
    found = isolate_failures(ask, asked.append, LEAVES, COLUMNS, 99)  # type: ignore[arg-type]
    assert {each.code for each in found[()].values()} == {"session_closed"}
    assert asked == [len(LEAVES)]
