"""Match the rows of two tables by key, with one join in Spark.

Each table is grouped by its key first, so that repeated keys do not multiply in the join. Each row
of the join becomes one event for each of its changes. The events are counted in parts with one
example each, so that the result is small, however large the tables are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from assay.analyzers.metric import Problem
from assay.analyzers.schema import COMPARABLE, Column, Schema
from assay.engine.failure import capture_failure
from assay.engine.frame import schema_of, unambiguous
from assay.engine.query_log import unlogged
from assay.errors import SourceError
from assay.gate.compare.row_matches import ChangedRow, RowMatches
from assay.gate.judges.schema import NUMBERS

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

__all__ = ["MAX_EXAMPLES", "match_rows"]

#: examples of each kind of change
MAX_EXAMPLES = 5
#: parts of each kind of change: five changes are in five parts in 95 % of the cases
_PARTS = 200
#: characters of a value in an example
_MAX_LENGTH = 60
#: kinds of events
_ADDED, _REMOVED, _REPEATED_OLD, _REPEATED_NEW, _CHANGED_ROW = "+", "-", "old", "new", "row"
#: types within which Spark compares no values, so that their text is compared
_INCOMPARABLE = ("map", "variant", "interval", "geometry", "geography")


@dataclass(frozen=True, slots=True)
class _Pair:
    """A column in both tables, whose values are in a field of the grouped rows."""

    name: str
    field: str
    old: Column
    new: Column

    @property
    def is_comparable(self) -> bool:
        """Return whether Spark compares the values without a cast that may fail."""
        if {self.old.family, self.new.family} <= NUMBERS:
            return True
        return self.old.type == self.new.type and not any(
            name in self.old.type for name in _INCOMPARABLE
        )

    def values(self) -> tuple[SparkColumn, SparkColumn]:
        """Return the values in both tables, or their text if Spark does not compare them."""
        from pyspark.sql import functions as F

        if self.is_comparable:
            return F.col(f"old.{self.field}"), F.col(f"new.{self.field}")
        return self.texts()

    def texts(self) -> tuple[SparkColumn, SparkColumn]:
        """Return the text of the values in both tables."""
        return (
            _text(f"old.{self.field}", self.old.family),
            _text(f"new.{self.field}", self.new.family),
        )


def match_rows(
    old: DataFrame,
    new: DataFrame,
    key: Sequence[str],
    *,
    private: Collection[str] = (),
    ignored: Collection[str] = (),
) -> RowMatches:
    """Match rows by key, and compare the columns that both tables have.

    Null is a value: null in both tables is not a change, and null keys match each other.

    Parameters
    ----------
    old, new
        The tables.
    key
        Columns that identify a row in both tables.
    private
        Columns whose values are not in examples.
    ignored
        Columns that are not compared, since they cannot be read.

    Raises
    ------
    SourceError
        If a row cannot be read.
    UnknownColumnError
        If a table lacks a column of the key.
    WrongTypeError
        If Spark cannot group by a column of the key.
    """
    schemas = schema_of(old), schema_of(new)
    keys = [_key_pair(number, name, *schemas) for number, name in enumerate(key)]
    pairs = [
        _Pair(name, f"row.c{number}", schemas[0].column(name), schemas[1].column(name))
        for number, name in enumerate(_common_names(*schemas, {*key, *ignored}))
    ]
    grouped_old = _grouped(old, schemas[0], [p.old for p in keys], [p.old for p in pairs])
    grouped_new = _grouped(new, schemas[1], [p.new for p in keys], [p.new for p in pairs])
    joined = _join(grouped_old, grouped_new, keys)
    hidden = {pair.name for pair in (*keys, *pairs) if pair.name in private}
    counted = _count(joined, keys, pairs, hidden)
    job = capture_failure(lambda: counted.toArrow().to_pylist())
    rows = (unlogged(job) if private else job)()
    if isinstance(rows, Problem):
        quotes = bool(private) and rows.may_quote_values
        reason = "its error may quote values of private columns" if quotes else rows.reason
        raise SourceError.unreadable("a row", reason)
    return _matches_of(rows, keys, pairs, hidden)


def _key_pair(number: int, name: str, old: Schema, new: Schema) -> _Pair:
    columns = [schema.column(name).require(COMPARABLE, "a key") for schema in (old, new)]
    return _Pair(name, f"k{number}", *columns)


def _common_names(old: Schema, new: Schema, but: Set[str]) -> list[str]:
    """Return the columns that both tables have, but some."""
    names = [name for name in new.names if name in old.names and name not in but]
    return [name for name in names if new.names.count(name) == old.names.count(name) == 1]


def _grouped(
    df: DataFrame, schema: Schema, key: Sequence[Column], columns: Sequence[Column]
) -> DataFrame:
    """Return one row for each key: its number of rows, and the values of one of them."""
    from pyspark.sql import functions as F

    names = [f"k{number}" for number in range(len(key))]
    keys = [F.expr(column.plain).alias(name) for column, name in zip(key, names, strict=True)]
    values = [F.expr(column.plain).alias(f"c{number}") for number, column in enumerate(columns)]
    row = F.struct(*values, F.lit(0).alias("none"))
    selected = unambiguous(df, schema).select(*keys, row.alias("row"))
    return selected.groupBy(*names).agg(F.count(F.lit(1)).alias("n"), F.first("row").alias("row"))


def _join(old: DataFrame, new: DataFrame, keys: Sequence[_Pair]) -> DataFrame:
    old, new = old.alias("old"), new.alias("new")
    conditions = [one.eqNullSafe(other) for one, other in (pair.values() for pair in keys)]
    return old.join(new, reduce(lambda one, other: one & other, conditions), "full_outer")


def _count(
    joined: DataFrame, keys: Sequence[_Pair], pairs: Sequence[_Pair], hidden: Set[str]
) -> DataFrame:
    """Return the number of events by kind and part, with an example of each."""
    from pyspark.sql import functions as F

    key = F.array(*(_cut(F.coalesce(*pair.texts())) for pair in keys))
    shown_key = F.lit(None).cast("array<string>") if hidden & {p.name for p in keys} else key
    exploded = joined.select(
        shown_key.alias("key"),
        F.pmod(F.xxhash64(key), F.lit(_PARTS)).alias("part"),
        F.explode(F.array_compact(F.array(*_events(pairs, hidden)))).alias("event"),
    )
    return exploded.groupBy("event.kind", "part").agg(
        F.count(F.lit(1)).alias("n"),
        F.min(F.struct("key", "event.old", "event.new")).alias("example"),
    )


def _events(pairs: Sequence[_Pair], hidden: Set[str]) -> Iterator[SparkColumn]:
    """Return the events of a joined row; null if a row has no such event."""
    from pyspark.sql import functions as F

    n_old, n_new = F.col("old.n"), F.col("new.n")
    yield _event(_ADDED, n_old.isNull())
    yield _event(_REMOVED, n_new.isNull())
    yield _event(_REPEATED_OLD, n_old > 1)
    yield _event(_REPEATED_NEW, n_new > 1)
    is_matched = (n_old == 1) & (n_new == 1)
    changes = [~one.eqNullSafe(other) for one, other in (pair.values() for pair in pairs)]
    if changes:
        yield _event(_CHANGED_ROW, is_matched & reduce(or_, changes))
    for pair, change in zip(pairs, changes, strict=True):
        texts = () if pair.name in hidden else pair.texts()
        yield _event(pair.field, is_matched & change, *texts)


def _event(kind: str, when: SparkColumn, *texts: SparkColumn) -> SparkColumn:
    from pyspark.sql import functions as F

    nothing = F.lit(None).cast("string")
    old, new = map(_cut, texts or (nothing, nothing))
    return F.when(when, F.struct(F.lit(kind).alias("kind"), old.alias("old"), new.alias("new")))


def _text(path: str, column_family: str) -> SparkColumn:
    from pyspark.sql import functions as F

    column = F.col(path)
    if column_family == "variant":
        return F.to_json(column)
    return F.hex(column) if column_family == "binary" else column.cast("string")


def _cut(text: SparkColumn) -> SparkColumn:
    from pyspark.sql import functions as F

    return F.substring(text, 1, _MAX_LENGTH)


def _matches_of(
    rows: Sequence[Mapping[str, Any]],
    keys: Sequence[_Pair],
    pairs: Sequence[_Pair],
    hidden: Set[str],
) -> RowMatches:
    counts: dict[str, int] = {}
    examples: dict[str, list[ChangedRow]] = {}
    for row in rows:
        kind, example = row["kind"], row["example"]
        counts[kind] = counts.get(kind, 0) + row["n"]
        changed = ChangedRow(tuple(example["key"] or ()), example["old"], example["new"])
        examples.setdefault(kind, []).append(changed)
    hides_keys = bool(hidden & {pair.name for pair in keys})
    changed_pairs = [pair for pair in pairs if pair.field in counts]
    changed_pairs.sort(key=lambda pair: -counts[pair.field])
    shown = {pair.field: pair.name for pair in changed_pairs if pair.name not in hidden}
    shown |= {} if hides_keys else {_ADDED: "+", _REMOVED: "-"}
    return RowMatches(
        key=tuple(pair.name for pair in keys),
        added=counts.get(_ADDED, 0),
        removed=counts.get(_REMOVED, 0),
        changed_rows=counts.get(_CHANGED_ROW, 0),
        changed={pair.name: counts[pair.field] for pair in changed_pairs},
        repeated_old=counts.get(_REPEATED_OLD, 0),
        repeated_new=counts.get(_REPEATED_NEW, 0),
        examples={
            name: tuple(sorted(examples[kind], key=_order)[:MAX_EXAMPLES])
            for kind, name in shown.items()
            if kind in examples
        },
    )


def _order(row: ChangedRow) -> list[tuple[bool, str]]:
    return [(part is None, part or "") for part in (*row.key, row.old, row.new)]
