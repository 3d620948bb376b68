"""AggregateExpr aggregates: the SQL that a scan computes, in pieces that analyzers share.

Two analyzers that need the same number write the same `AggregateExpr`, and it is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.analyzers.schema import Column, Schema

__all__ = [
    "AggregateExpr",
    "check_choice",
    "check_positive",
    "condition",
    "count_of",
    "filtered",
    "rows",
    "sql_string",
]


@dataclass(frozen=True, slots=True)
class AggregateExpr:
    """One aggregate expression of Spark SQL.

    `buffers` is how many aggregation buffers Spark keeps for it (a count 1, a variance 3): the
    planner keeps each aggregation under the limits of code generation by them. A `sketch` is an
    imperative aggregate, which must not share an aggregation with plain ones.
    """

    sql: str
    columns: tuple[str, ...] = ()
    buffers: int = 1
    sketch: bool = False
    #: whether it holds SQL of the user's
    written: bool = field(default=False, compare=False)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise where an option is none of those there are."""
    if value not in choices:
        legal = " or ".join(map(repr, choices))
        raise ValueError(f"{name} is {legal}, not {value!r}")


def check_positive(name: str, value: int) -> None:
    """Raise where a number is not at least one."""
    if value < 1:
        raise ValueError(f"{name} is at least 1, not {value!r}")


def sql_string(text: str) -> str:
    """A string as a literal of Spark SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def condition(sql: str) -> str:
    """A predicate that someone wrote, in brackets that even a trailing comment cannot break."""
    return f"({sql}\n)" if "--" in sql else f"({sql})"


def filtered(sql: str, where: str | None) -> str:
    """An expression that is null outside the selection."""
    return sql if where is None else f"CASE WHEN {condition(where)} THEN {sql} END"


def rows(schema: Schema, where: str | None) -> AggregateExpr:
    """The number of rows of the selection."""
    if where is None:
        return AggregateExpr("count(1)")
    return AggregateExpr(f"count_if({condition(where)})", schema.mentioned(where))


def count_of(schema: Schema, predicate: str, where: str | None, *columns: Column) -> AggregateExpr:
    """The number of rows of the selection for which a predicate is true."""
    # CASE, not AND: of what several predicates share, Spark computes the right side of AND first
    return AggregateExpr(f"count_if({filtered(predicate, where)})", reads(schema, where, *columns))


def reads(schema: Schema, where: str | None, *columns: Column) -> tuple[str, ...]:
    """The top-level columns that these and the selection read."""
    named = [column.root for column in columns]
    return tuple(dict.fromkeys([*named, *(schema.mentioned(where) if where else ())]))
