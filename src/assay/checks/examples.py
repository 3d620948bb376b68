"""Read example values of the rows that fail constraints: one query for all constraints.

>>> lost = ExampleValue((("status", "lost"),), "'lost'", 3)
>>> print(Examples((lost,), other_rows=1))
'lost' (3), 1 other row
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Completeness, Compliance
from assay.analyzers.hashing import key_of, label_of
from assay.analyzers.matches import DatasetMatch
from assay.analyzers.schema import TEXT, Column, Schema
from assay.checks.builder import column_names
from assay.checks.constraint import Constraint
from assay.checks.failing_rows import with_predicates
from assay.checks.formatting import count_noun, format_literal, visible, whole_seconds
from assay.engine.frame import unambiguous
from assay.engine.query_log import without_query_log
from assay.engine.reference_tables import ReferenceTables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "ExampleValue",
    "Examples",
    "FailingRows",
    "named_columns",
    "read_failing_rows",
    "shown_columns",
]

#: columns of an example: more do not fit on a line
_MAX_COLUMNS = 4
#: characters of a text: longer ones are cut
_MAX_LENGTH = 100
#: a string literal, and a name in backticks
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'")
_QUOTED = re.compile(r"`((?:[^`]|``)+)`")
_CONSTRAINT, _VALUES = "__assay_constraint", "__assay_values"


@dataclass(frozen=True, slots=True)
class ExampleValue:
    """A value, or a combination of values, of rows that fail a constraint.

    Attributes
    ----------
    values
        The name and the value of each column, as text; None for null.
    text
        The values for people. Strings are quoted.
    rows
        The number of failing rows with this value.
    """

    values: tuple[tuple[str, str | None], ...]
    text: str
    rows: int

    def __str__(self) -> str:
        return f"{self.text} ({self.rows:,})"

    def to_dict(self) -> dict[str, Any]:
        """Return the example as values that JSON can hold."""
        return {"values": dict(self.values), "rows": self.rows}


@dataclass(frozen=True, slots=True)
class Examples:
    """The most frequent values of the rows that fail a constraint.

    Attributes
    ----------
    values
        The values, the most frequent first.
    other_rows
        The number of failing rows with other values.
    """

    values: tuple[ExampleValue, ...]
    other_rows: int = 0

    def __str__(self) -> str:
        others = [count_noun(self.other_rows, "other row")] if self.other_rows else []
        return ", ".join([*map(str, self.values), *others])


@dataclass(frozen=True, slots=True)
class FailingRows:
    """The number of rows that fail a constraint, and examples of their values if any are shown."""

    number: int
    examples: Examples | None


def named_columns(analyzer: Analyzer, schema: Schema) -> tuple[str, ...]:
    """Return the columns that an analyzer names; none if it is about the rows as a whole.

    >>> schema = Schema.of(status="string", home={"zip": "string"})
    >>> named_columns(Compliance("`home.zip` <> 'status'"), schema)
    ('home.zip',)
    """
    match analyzer:
        case Compliance():
            sql = _STRING.sub(" ", analyzer.predicate)
            quoted = [name.replace("``", "`") for name in _QUOTED.findall(sql)]
            # the schema of a stored batch has no members of structs, only their columns
            names: Iterable[str] = filter(
                lambda name: schema.top_level([name]), quoted or schema.mentioned(sql)
            )
        case DatasetMatch():
            names = analyzer.keys
        case _:
            values = [
                getattr(analyzer, parameter.name)
                for parameter in fields(analyzer)
                if parameter.metadata.get("column")
            ]
            names = column_names(values)
    return tuple(dict.fromkeys(names))


def shown_columns(
    constraint: Constraint, schema: Schema, private: Collection[str] = ()
) -> tuple[Column, ...]:
    """Return the columns whose values show why a row fails.

    There are none for nulls, which have no other value, and none if a column is private.
    """
    if isinstance(constraint.analyzer, Completeness):
        return ()
    names = named_columns(constraint.analyzer, schema)
    columns = tuple(dict.fromkeys(map(schema.column, filter(schema.has, names))))
    if not columns and not isinstance(constraint.analyzer, Compliance):
        columns = schema.columns
    if any(column.root in private for column in columns):
        return ()
    return columns[:_MAX_COLUMNS]


def read_failing_rows(
    df: DataFrame,
    schema: Schema,
    columns: Mapping[Constraint, Sequence[Column]],
    number: int,
    reference_tables: ReferenceTables,
    *,
    private: Collection[str] = (),
) -> dict[Constraint, FailingRows]:
    """Count the rows that fail each constraint, and return their most frequent values.

    The rows are read once, for all constraints.

    Parameters
    ----------
    columns
        The columns that are shown for each constraint.
    number
        The number of examples for each constraint.
    private
        Private columns. If there are any, PySpark does not log a failed query.
    """
    tested = with_predicates(unambiguous(df, schema), schema, columns, reference_tables)
    if not tested.predicates:
        return {}
    constraints = list(tested.predicates)
    counts = _count_values(tested.df, tested.predicates, columns, number)
    with without_query_log() if private else nullcontext():
        rows = counts.collect()
    totals = {constraints[row[0]]: row[2] for row in rows if row[1] is None}
    return {
        constraint: FailingRows(
            totals.get(constraint, 0),
            _examples(
                columns[constraint],
                [(row[1], row[2]) for row in rows if row[0] == position and row[1] is not None],
                totals.get(constraint, 0),
            ),
        )
        for position, constraint in enumerate(constraints)
    }


def _count_values(
    df: DataFrame,
    predicates: Mapping[Constraint, str],
    columns: Mapping[Constraint, Sequence[Column]],
    number: int,
) -> DataFrame:
    """Return the most frequent values of each constraint, and before them its failing rows.

    A rollup counts the values and the rows of a constraint in one aggregation. Spark keeps only
    the first rows of each rank group before it shuffles them, however many values there are.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    flags = [f"__assay_fails_{position}" for position in range(len(predicates))]
    tests = [F.expr(sql).alias(flag) for flag, sql in zip(flags, predicates.values(), strict=True)]
    structs = [
        F.when(
            F.col(flag),
            F.struct(
                F.lit(position).alias(_CONSTRAINT),
                F.expr(_texts(columns[constraint])).alias(_VALUES),
            ),
        )
        for position, (flag, constraint) in enumerate(zip(flags, predicates, strict=True))
    ]
    # a window function of a predicate can stand neither in a filter nor in a generator
    failing = df.select("*", *tests).select(
        F.explode(F.filter(F.array(*structs), lambda entry: entry.isNotNull())).alias("e")
    )
    counts = (
        failing.select(f"e.{_CONSTRAINT}", f"e.{_VALUES}")
        .rollup(_CONSTRAINT, _VALUES)
        .agg(F.count(F.lit(1)).alias("n"))
        .where(F.col(_CONSTRAINT).isNotNull())
    )
    ranks = Window.partitionBy(_CONSTRAINT).orderBy(
        F.col(_VALUES).isNotNull(), F.col("n").desc(), F.col(_VALUES)
    )
    ranked = counts.withColumn("rank", F.row_number().over(ranks))
    return ranked.where(F.col("rank") <= number + 1).select(
        _CONSTRAINT, F.transform(_VALUES, _cut), "n"
    )


def _texts(columns: Sequence[Column]) -> str:
    labels = ", ".join(label_of(key_of(column), column) for column in columns)
    return f"cast(array({labels}) AS array<string>)"


def _cut(text: Any) -> Any:
    from pyspark.sql import functions as F

    is_long = F.length(text) > _MAX_LENGTH
    return F.when(is_long, F.concat(F.left(text, F.lit(_MAX_LENGTH - 1)), F.lit("…"))).otherwise(
        text
    )


def _examples(
    columns: Sequence[Column], counted: Sequence[tuple[Sequence[str | None], int]], total: int
) -> Examples | None:
    if not columns:
        return None
    ordered = sorted(counted, key=lambda pair: (-pair[1], _sortable(pair[0])))
    values = tuple(_example(columns, texts, rows) for texts, rows in ordered)
    return Examples(values, total - sum(example.rows for example in values))


def _example(columns: Sequence[Column], texts: Sequence[str | None], rows: int) -> ExampleValue:
    pairs = list(zip(columns, texts, strict=True))
    shown = ", ".join(_show(text, column) for column, text in pairs)
    return ExampleValue(
        tuple((column.name, text) for column, text in pairs),
        shown if len(pairs) == 1 else f"({shown})",
        rows,
    )


def _sortable(texts: Sequence[str | None]) -> list[tuple[bool, str]]:
    return [(text is None, text or "") for text in texts]


def _show(text: str | None, column: Column) -> str:
    if text is None:
        return "null"
    return format_literal(text) if column.family in TEXT else visible(whole_seconds(text))
