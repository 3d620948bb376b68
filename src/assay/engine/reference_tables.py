"""The other tables: DataFrames by the names under which comparisons ask for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.comparison import PairedAnalyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.engine.failure import capture_failure
from assay.engine.frame import schema_of, unambiguous
from assay.engine.resolve import unresolved
from assay.errors import CheckError, UnknownTableError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["ReferenceTables", "examined", "require_reference_tables", "unresolved_there"]

#: other tables by name
ReferenceTables = Mapping[str, "DataFrame"]


def require_reference_tables(reference_tables: object) -> None:
    """Raise unless reference tables are given as a mapping from names to DataFrames."""
    if reference_tables is not None and not isinstance(reference_tables, Mapping):
        raise CheckError(
            "reference_tables takes DataFrames by the names that checks give them, such as"
            f" {{'customers': customers}}, not {type(reference_tables).__name__}."
        )


def examined(
    df: DataFrame, reference_tables: ReferenceTables | None
) -> dict[str, Schema | Problem]:
    """The schema of each table, or why it cannot be compared with."""
    require_reference_tables(reference_tables)
    return {
        name: capture_failure(partial(_examined, df, name, other))()
        for name, other in (reference_tables or {}).items()
    }


def _examined(df: DataFrame, name: str, other: Any) -> Schema:
    from pyspark.sql import DataFrame

    if not isinstance(other, DataFrame):
        raise UnknownTableError.no_frame(name, other)
    if not _same_session(df, other):
        raise UnknownTableError.other_session(name)
    return schema_of(other)


def _same_session(df: DataFrame, other: DataFrame) -> bool:
    """Whether Spark can compare them: classic sessions share a context, Connect's share nothing."""
    ours, theirs = df.sparkSession, other.sparkSession
    if type(ours) is not type(theirs):
        return False
    return getattr(ours, "session_id", None) == getattr(theirs, "session_id", None)


def unresolved_there(
    reference_tables: ReferenceTables | None,
    analyzers: Iterable[Analyzer],
    tables: Mapping[str, Schema | Problem],
) -> dict[Analyzer, Problem]:
    """The analyzers whose SQL for the other table Spark does not understand there, and why."""
    wrong: dict[Analyzer, Problem] = {}
    pairs = [each for each in analyzers if isinstance(each, PairedAnalyzer)]
    for name in dict.fromkeys(each.table for each in pairs):
        schema, asked = tables[name], [each for each in pairs if each.table == name]
        if not isinstance(schema, Schema) or reference_tables is None:
            continue
        found = unresolved(
            unambiguous(reference_tables[name], schema), [a.theirs for a in asked], schema
        )
        for each in asked:
            if each.theirs in found:
                problem = found[each.theirs]
                wrong[each] = Problem(problem.code, f"in {name!r}: {problem.reason}")
    return wrong
