"""Select the rows that fail a constraint: lazily and without a limit on their number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, time, timedelta
from decimal import Decimal
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.other_table import KeyedAnalyzer
from assay.analyzers.row_predicate import CountedRows, ExtremeRows, MatchingRows
from assay.analyzers.schema import Column, Schema, quote
from assay.checks.assertions.bounds import Assertion, instant
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.constraint import Constraint
from assay.checks.formatting import visible
from assay.checks.sql import literal
from assay.engine.frame import schema_of, unambiguous
from assay.engine.passes.comparison_pass import with_counterpart, with_counterpart_here
from assay.engine.reference_tables import ReferenceTables
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

__all__ = [
    "JudgedRows",
    "failing_rows",
    "judges_rows",
    "missing_rows",
    "offending",
    "split_rows",
    "with_predicates",
]

#: a helper column: whether a row has a partner in another table
_FLAG = "__assay_partner"
#: bounds on a minimum or a maximum are bounds on every row: the comparisons that fail them
_BELOW = {"at_least": "<", "more_than": "<=", "equals": "<"}
_ABOVE = {"at_most": ">", "less_than": ">=", "equals": ">"}


def offending(constraint: Constraint, schema: Schema) -> str | None:
    """Return the SQL predicate that is true for a row that fails the constraint.

    It is None where the constraint is about the rows as a whole, such as one on a mean. If a share
    is only bounded from above, the rows that match are the failing ones.
    """
    match constraint.assertion:
        case Assertion() as assertion:
            broken = _broken(constraint.analyzer, assertion, schema)
        case ProportionTest():
            broken = _broken(constraint.analyzer, Assertion(equals=1.0), schema)
        case _:
            return None
    where = constraint.analyzer.where
    if broken is None:
        return None
    selected = broken if where is None else f"{condition(where)} AND {broken}"
    return f"coalesce({selected}, false)"


def _broken(analyzer: Analyzer, assertion: Assertion, schema: Schema) -> str | None:
    match analyzer.row_predicate(schema):
        case MatchingRows(matches, None):
            return _against(matches, assertion)
        case MatchingRows(matches, among):
            return f"({among} AND {_against(matches, assertion)})"
        case CountedRows(counted):
            return _surplus(counted, assertion)
        case ExtremeRows(column, end):
            return _beyond(column, assertion, _BELOW if end == "lowest" else _ABOVE)
        case None:
            return None


def _against(matches: str, assertion: Assertion) -> str:
    """Return the predicate of the rows that move a share away from its bounds."""
    return f"({matches})" if assertion.sides == (False, True) else f"NOT ({matches})"


def _surplus(matches: str, assertion: Assertion) -> str | None:
    """Return the predicate of counted rows, unless there are too few of them."""
    return None if assertion.sides == (True, False) else matches


def _beyond(column: Column, assertion: Assertion, signs: Mapping[str, str]) -> str | None:
    bounds = ((sign, getattr(assertion, name)) for name, sign in signs.items())
    tests = [f"{column.sql} {sign} {_bound(b, column)}" for sign, b in bounds if b is not None]
    return f"({' OR '.join(tests)})" if tests else None


def _bound(bound: Any, column: Column) -> str:
    """Return a bound as a SQL literal, converted as it is for the metric."""
    match column.family, bound:
        case "timestamp", str() | date():
            return literal(instant(bound))
        case "date" | "timestamp_ntz", str() | date():
            return literal(instant(bound).astimezone(UTC).replace(tzinfo=None))
        case "time", str():
            return literal(time.fromisoformat(bound))
        case "day interval", int() | float():
            return literal(timedelta(seconds=bound))
        case "decimal", float() if isfinite(bound):
            return literal(Decimal(repr(float(bound))))
        case _:
            return literal(bound)


def judges_rows(constraint: Constraint, schema: Schema, reference_tables: ReferenceTables) -> bool:
    """Return whether single rows fail the constraint, and all tables to find them are here."""
    analyzer = constraint.analyzer
    if isinstance(analyzer, KeyedAnalyzer):
        return isinstance(constraint.assertion, Assertion) and analyzer.table in reference_tables
    return offending(constraint, schema) is not None


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """Rows with helper columns, and the predicate of the rows that fail each constraint.

    Constraints that are about the rows as a whole have no predicate.
    """

    df: DataFrame
    predicates: Mapping[Constraint, str]


def failing_rows(
    df: DataFrame, schema: Schema, constraint: Constraint, reference_tables: ReferenceTables
) -> DataFrame:
    """Return all rows that fail the constraint, as a lazy DataFrame."""
    from pyspark.sql import functions as F

    tested = with_predicates(unambiguous(df, schema), schema, [constraint], reference_tables)
    if not tested.predicates:
        raise CheckError(
            f"{visible(constraint.name)} is about the rows as a whole: no single row fails it."
        )
    flag = "__assay_broken"  # a window cannot stand in a filter
    marked = tested.df.withColumn(flag, F.expr(tested.predicates[constraint]))
    return marked.where(F.col(flag)).select(*_original_columns(schema)).toDF(*schema.names)


def missing_rows(
    df: DataFrame, schema: Schema, constraint: Constraint, reference_tables: ReferenceTables
) -> DataFrame:
    """Return all rows of the other table without a partner here, as a lazy DataFrame."""
    analyzer = constraint.analyzer
    if not (isinstance(analyzer, KeyedAnalyzer) and analyzer.symmetric):
        raise CheckError(
            f"{visible(constraint.name)} does not compare rows with another table. Use agrees_with."
        )
    other, other_schema = _reference_table(analyzer.table, reference_tables)
    sides = analyzer.against(schema, other_schema)
    frame = with_counterpart_here(unambiguous(df, schema), other, analyzer.on(schema), sides, _FLAG)
    return frame.where(f"NOT {_FLAG}").drop(_FLAG).toDF(*other_schema.names)


def with_predicates(
    df: DataFrame,
    schema: Schema,
    constraints: Iterable[Constraint],
    reference_tables: ReferenceTables,
) -> JudgedRows:
    """Return the rows with helper columns, and a predicate per constraint that judges rows."""
    predicates: dict[Constraint, str] = {}
    for number, constraint in enumerate(constraints):
        predicate = offending(constraint, schema)
        analyzer, assertion = constraint.analyzer, constraint.assertion
        if isinstance(analyzer, KeyedAnalyzer) and isinstance(assertion, Assertion):
            other, other_schema = _reference_table(analyzer.table, reference_tables)
            sides, flag = analyzer.against(schema, other_schema), f"{_FLAG}_{number}"
            df = with_counterpart(df, other, analyzer.on(schema), sides, flag)
            predicate = f"coalesce({_against(flag, assertion)}, false)"
        if predicate is not None:
            predicates[constraint] = predicate
    return JudgedRows(df, predicates)


def _reference_table(name: str, reference_tables: ReferenceTables) -> tuple[DataFrame, Schema]:
    """Return a reference table with unambiguous column names, and its schema."""
    if name not in reference_tables:
        raise CheckError(f"the rows of {name!r} are not available. Pass it in reference_tables.")
    schema = schema_of(reference_tables[name])
    return unambiguous(reference_tables[name], schema), schema


def split_rows(
    df: DataFrame,
    schema: Schema,
    failed: Mapping[str, Sequence[Constraint]],
    bad: Collection[str],
    reference_tables: ReferenceTables,
) -> tuple[DataFrame, DataFrame]:
    """Split the rows by the constraints that they fail.

    Parameters
    ----------
    failed
        Names of new columns. Each holds the ids of those of its constraints that a row fails.
    bad
        The new columns that make a row bad, unless they are empty.

    Returns
    -------
    tuple
        The good rows and the bad rows, both with all new columns.
    """
    from pyspark.sql import functions as F

    for column in failed:
        if schema.has(column):
            raise CheckError(
                f"the column {column!r} exists already. Choose another name:"
                " split(error_column=…, warning_column=…)."
            )
    constraints = dict.fromkeys(chain.from_iterable(failed.values()))
    tested = with_predicates(unambiguous(df, schema), schema, constraints, reference_tables)

    def ids(judged: Sequence[Constraint]) -> Expression:
        flags = [
            F.when(F.expr(tested.predicates[constraint]), F.lit(constraint.id))
            for constraint in judged
            if constraint in tested.predicates
        ]
        if not flags:
            return F.expr("cast(array() AS array<string>)")
        return F.array_distinct(F.filter(F.array(*flags), lambda failed_id: failed_id.isNotNull()))

    names = [f"__assay_failed_{position}" for position in range(len(failed))]
    added = [ids(judged).alias(name) for name, judged in zip(names, failed.values(), strict=True)]
    marked = tested.df.select(*_original_columns(schema), *added)
    is_bad = F.lit(False)
    for name, column in zip(names, failed, strict=True):
        if column in bad:
            is_bad = is_bad | (F.size(name) > 0)
    columns = (*schema.names, *failed)
    return marked.where(~is_bad).toDF(*columns), marked.where(is_bad).toDF(*columns)


def _original_columns(schema: Schema) -> list[Expression]:
    """Return the columns of the verified rows, without helper columns."""
    from pyspark.sql import functions as F

    return [F.col(quote(alias)) for alias in schema.aliases]
