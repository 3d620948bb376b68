"""Oracles of two tables, which DuckDB compares by subqueries and set operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from assay.analyzers import (
    AggregateMatch,
    Analyzer,
    DatasetMatch,
    DistributionDistance,
    ReferentialIntegrity,
    RowCountMatch,
    TableSchemaMatch,
)
from tests.oracle.duck import hashable, ref
from tests.oracle.expected import UNDEFINED, Close

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Rows = Counter[tuple[Any, ...]]


class Ducks:
    """A table `t` with our rows, and `o` with those of the other table."""

    def __init__(self, ours: DataFrame, theirs: DataFrame) -> None:
        self._db = duckdb.connect()
        self._db.execute("SET timezone = 'UTC'")
        for name, frame in (("t", ours), ("o", theirs)):
            self._db.register("arrow", frame.toArrow())
            self._db.execute(f"CREATE TABLE {name} AS SELECT * FROM arrow")
            self._db.unregister("arrow")

    def row(self, sql: str) -> tuple[Any, ...]:
        first: tuple[Any, ...] = self._db.execute(sql).fetchall()[0]
        return first

    def rows(self, sql: str) -> Rows:
        return Counter(tuple(map(hashable, row)) for row in self._db.execute(sql).fetchall())

    def types(self, table: str) -> dict[str, str]:
        return {name: kind for name, kind, *_ in self._db.execute(f"DESCRIBE {table}").fetchall()}


def references(analyzer: ReferentialIntegrity) -> str:
    """Return a query of our rows with a key, and of whether the key exists."""
    pairs = list(zip(analyzer.columns, analyzer.to or analyzer.columns, strict=True))
    same = " AND ".join(f"t.{ref(ours)} = o.{ref(theirs)}" for ours, theirs in pairs)
    some = " AND ".join(f"t.{ref(ours)} IS NOT NULL" for ours, _ in pairs)
    there = f"EXISTS (SELECT 1 FROM o WHERE {same})"
    return f"SELECT *, {there} AS hit FROM t WHERE {some} AND ({analyzer.where or 'true'})"


def _integrity(analyzer: ReferentialIntegrity, ducks: Ducks) -> object:
    query = f"SELECT count(*) FILTER (hit), count(*) FROM ({references(analyzer)})"
    hits, rows = ducks.row(query)
    return hits / rows if rows else UNDEFINED


def compared(analyzer: DatasetMatch, ducks: Ducks) -> list[str]:
    """Return the columns that are compared, keys first."""
    theirs = ducks.types("o")
    columns = analyzer.columns or [name for name in ducks.types("t") if name in theirs]
    return [*analyzer.keys, *(name for name in columns if name not in analyzer.keys)]


def unmatched(analyzer: DatasetMatch, columns: Sequence[str]) -> str:
    """Return a query of the rows that occur more often in one of the tables."""
    listed = ", ".join(map(ref, columns))
    ours = f"(SELECT {listed} FROM t WHERE {analyzer.where or 'true'})"
    theirs = f"(SELECT {listed} FROM o)"
    return f"(({ours} EXCEPT ALL {theirs}) UNION ({theirs} EXCEPT ALL {ours}))"


def _match(analyzer: DatasetMatch, ducks: Ducks) -> object:
    keys, where = ", ".join(map(ref, analyzer.keys)), analyzer.where or "true"
    differing = unmatched(analyzer, compared(analyzer, ducks))
    (wrong,) = ducks.row(f"SELECT count(*) FROM (SELECT DISTINCT {keys} FROM {differing})")
    union = f"(SELECT {keys} FROM t WHERE {where} UNION SELECT {keys} FROM o)"
    (number,) = ducks.row(f"SELECT count(*) FROM {union}")
    return (number - wrong) / number if number else UNDEFINED


def without_counterpart(analyzer: DatasetMatch, ducks: Ducks, table: str) -> str:
    """Return a query of the rows that occur more often in this table than in the other."""
    columns = compared(analyzer, ducks)
    where = analyzer.where if table == "t" and analyzer.where else "true"
    same = " AND ".join(f"d.{ref(name)} IS NOT DISTINCT FROM r.{ref(name)}" for name in columns)
    rows = f"(SELECT * FROM {table} WHERE {where}) r"
    return f"SELECT r.* FROM {rows} WHERE EXISTS (SELECT 1 FROM {unmatched(analyzer, columns)} d WHERE {same})"  # noqa: E501


def _over(ours: Any, theirs: Any) -> object:
    if ours is None or theirs is None or (theirs == 0 and ours != 0):
        return UNDEFINED
    return 1.0 if ours == theirs else Close(float(ours) / float(theirs))


def _row_count(analyzer: RowCountMatch, ducks: Ducks) -> object:
    (ours,) = ducks.row(f"SELECT count(*) FROM t WHERE {analyzer.where or 'true'}")
    return _over(ours, *ducks.row("SELECT count(*) FROM o"))


def _aggregate(analyzer: AggregateMatch, ducks: Ducks) -> object:
    (ours,) = ducks.row(f"SELECT {analyzer.expression} FROM t")
    (theirs,) = ducks.row(f"SELECT {analyzer.other_expression or analyzer.expression} FROM o")
    return _over(ours, theirs)


def _l1(analyzer: DistributionDistance, ducks: Ducks) -> object:
    column, where = ref(analyzer.column), analyzer.where or "true"
    shares = (
        f"SELECT {column} AS v, count(*) / sum(count(*)) OVER () AS share FROM {table}"
        f" WHERE {column} IS NOT NULL AND ({condition}) GROUP BY 1"
        for table, condition in (("t", where), ("o", "true"))
    )
    ours, theirs = (f"({sql})" for sql in shares)
    difference = "sum(abs(coalesce(a.share, 0) - coalesce(b.share, 0)))"
    (distance,) = ducks.row(f"SELECT {difference} FROM {ours} a FULL JOIN {theirs} b ON a.v = b.v")
    return Close(distance)


def _schema(analyzer: TableSchemaMatch, ducks: Ducks) -> object:
    ours, theirs = ducks.types("t"), ducks.types("o")
    compared_names = {*theirs, *ours} if analyzer.exact else {*theirs}
    return sum(ours.get(name) == theirs.get(name) for name in compared_names) / len(compared_names)


ORACLES: Mapping[type[Analyzer], Callable[[Any, Ducks], object]] = {
    ReferentialIntegrity: _integrity,
    DatasetMatch: _match,
    RowCountMatch: _row_count,
    AggregateMatch: _aggregate,
    DistributionDistance: _l1,
    TableSchemaMatch: _schema,
}
