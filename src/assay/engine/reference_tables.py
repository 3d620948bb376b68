"""Check the tables that comparisons refer to by name, before a query runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.other_table import PairedAnalyzer
from assay.analyzers.schema import Schema
from assay.engine.failure import capture_failure
from assay.engine.frame import schema_of, unambiguous
from assay.engine.resolve import unresolved
from assay.errors import CheckError, UnknownTableError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["ReferenceTables", "read_schemas", "require_reference_tables", "unresolved_there"]

#: DataFrames by the names that comparisons give them
ReferenceTables = Mapping[str, "DataFrame"]


def require_reference_tables(reference_tables: object) -> None:
    """Raise unless reference tables are given as a mapping from names to DataFrames."""
    if reference_tables is not None and not isinstance(reference_tables, Mapping):
        expected = "DataFrames by the names that checks give them, such as {'customers': customers}"
        raise CheckError.unexpected("invalid reference_tables", expected, reference_tables)


def read_schemas(
    df: DataFrame, reference_tables: ReferenceTables | None
) -> dict[str, Schema | Problem]:
    """Return the schema of each table, or why it cannot be compared."""
    require_reference_tables(reference_tables)
    return {
        name: capture_failure(partial(_read_schema, df, name, other))()
        for name, other in (reference_tables or {}).items()
    }


def _read_schema(df: DataFrame, name: str, other: Any) -> Schema:
    from pyspark.sql import DataFrame

    if not isinstance(other, DataFrame):
        raise UnknownTableError.no_frame(name, other)
    if not _same_session(df, other):
        raise UnknownTableError.other_session(name)
    return schema_of(other)


def _same_session(df: DataFrame, other: DataFrame) -> bool:
    """Return whether Spark can join them. Connect sessions share no context."""
    ours, theirs = df.sparkSession, other.sparkSession
    if type(ours) is not type(theirs):
        return False
    return getattr(ours, "session_id", None) == getattr(theirs, "session_id", None)


def unresolved_there(
    reference_tables: ReferenceTables | None,
    analyzers: Iterable[Analyzer],
    schemas: Mapping[str, Schema | Problem],
) -> dict[Analyzer, Problem]:
    """Return the analyzers whose SQL for another table Spark cannot resolve, with the problem."""
    problems: dict[Analyzer, Problem] = {}
    pairs = [analyzer for analyzer in analyzers if isinstance(analyzer, PairedAnalyzer)]
    for name in dict.fromkeys(pair.table for pair in pairs):
        schema, table_pairs = schemas[name], [pair for pair in pairs if pair.table == name]
        if not isinstance(schema, Schema) or reference_tables is None:
            continue
        frame = unambiguous(reference_tables[name], schema)
        unresolvable = unresolved(frame, [pair.theirs for pair in table_pairs], schema)
        for pair in table_pairs:
            if pair.theirs in unresolvable:
                problem = unresolvable[pair.theirs]
                problems[pair] = Problem(problem.code, f"in {name!r}: {problem.reason}")
    return problems
