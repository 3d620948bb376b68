"""Types for text: columns whose every value looks like one get it, in one pass over the data.

Unlike Spark's own inference it never changes a value: ``00501`` stays text, and so does a column
of numbers with one word in it; what kept it from being more is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.analyzers import Compliance, DataType, MaxLength, PatternMatch
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.leaf import sql_string
from assay.analyzers.schema import Column
from assay.analyzers.text import TYPE_PATTERNS
from assay.engine.frame import schema_of, unambiguous
from assay.engine.measure import measure
from assay.engine.measurement import Measurement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Untyped", "typed"]

_LEADING_ZERO = "[+-]?0[0-9]+"
#: a column that so much of looks like one type was probably meant to be of it
_NEARLY = 0.9


@dataclass(frozen=True)
class Untyped:
    """A column that stays text because of some of its values."""

    column: str
    kind: str
    others: int
    present: int

    def __str__(self) -> str:
        return (
            f"{self.column} stays text: {self.others:,} of {self.present:,} values are"
            f" not {self.kind}"
        )


def typed(df: DataFrame, *, rows: int | None = None) -> tuple[DataFrame, tuple[Untyped, ...]]:
    """The frame with types for its strings, and the columns that nearly got one.

    With `rows` only the first so many are looked at: enough for a plan, not for a judgement.
    """
    from pyspark.sql import functions as F

    schema = schema_of(df)
    columns = [schema.column(each.name) for each in _strings(df)]
    if not columns:
        return df, ()
    seen = df if rows is None else df.limit(rows)
    measured = measure(seen, [each for column in columns for each in _asked(column)])
    types = {column.name: _type(column, measured) for column in columns}
    casts = [
        F.expr(f"cast({schema.column(name).plain} AS {types[name]})").alias(name)
        if types.get(name)
        else F.expr(schema.column(name).plain).alias(name)
        for name in schema.names
    ]
    nearly = tuple(each for column in columns for each in _nearly(column, types, measured))
    return unambiguous(df, schema).select(*casts), nearly


def _strings(df: DataFrame) -> Iterator[Any]:
    names = [each.name.lower() for each in df.schema.fields]
    for each in df.schema.fields:
        if each.dataType.simpleString() == "string" and names.count(each.name.lower()) == 1:
            yield each


def _asked(column: Column) -> Iterator[Analyzer]:
    yield DataType(column.name)
    yield MaxLength(column.name)
    yield PatternMatch(column.name, _LEADING_ZERO)
    yield _real(column)


def _real(column: Column) -> Compliance:
    """That what looks like a day is one: the 31st of February is none."""
    looks = sql_string(f"{TYPE_PATTERNS['date']}|{TYPE_PATTERNS['timestamp']}")
    moment = f"try_cast({column.plain} AS timestamp)"
    return Compliance(f"if({column.plain} rlike {looks}, {moment} IS NOT NULL, true)")


def _type(column: Column, measured: Measurement) -> str | None:
    looks = _looks(column, measured)
    kinds = {kind for kind, n in looks.items() if n}
    state: Any = measured.states.get(PatternMatch(column.name, _LEADING_ZERO))
    coded = state is None or state.matches > 0
    length = measured[MaxLength(column.name)].value
    if kinds == {"integral"} and not coded and isinstance(length, int | float):
        return "bigint" if length <= 18 else "decimal(38,0)" if length <= 38 else None
    if kinds in ({"fractional"}, {"integral", "fractional"}) and not coded:
        return "double"
    if kinds == {"boolean"}:
        return "boolean"
    real: Any = measured.states.get(_real(column))
    if kinds and kinds <= {"date", "timestamp"} and real is not None and real.matches == real.rows:
        return "date" if kinds == {"date"} else "timestamp"
    return None


def _nearly(
    column: Column, types: Mapping[str, str | None], measured: Measurement
) -> Iterator[Untyped]:
    looks = _looks(column, measured)
    present = sum(looks.values())
    if types[column.name] is not None or not present:
        return
    for kinds, name in ((("integral", "fractional"), "numbers"), (("date", "timestamp"), "dates")):
        own = sum(looks.get(kind, 0) for kind in kinds)
        if _NEARLY * present <= own < present:
            yield Untyped(column.name, name, present - own, present)


def _looks(column: Column, measured: Measurement) -> dict[str, int]:
    state: Any = measured.states.get(DataType(column.name))
    counts = () if state is None else state.counts
    return {kind: n for kind, n in counts if kind != "null"}
