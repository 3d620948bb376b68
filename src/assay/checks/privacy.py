"""Keep the values of private columns out of results."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import GroupingAnalyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.checks.constraint_result import ConstraintResult

__all__ = ["private_roots", "withhold_values", "without_quotes"]


def private_roots(names: Iterable[str], schema: Schema) -> frozenset[str]:
    """Return the top-level columns of these names; a name that the schema lacks stays."""
    return frozenset(root for name in names for root in schema.top_level([name]) or (name,))


def withhold_values(
    result: ConstraintResult, schema: Schema, private: Collection[str]
) -> ConstraintResult:
    """Return the result without the metric, if it may contain values of private columns.

    Counts and shares stay. The text of an error may quote values, and only its code stays.
    """
    if not private:
        return result
    if result.problem is not None:
        return replace(result, problem=without_quotes(result.problem, private))
    analyzers = result.constraint.analyzers
    exposed = {name for a in analyzers for name in _exposed_columns(a, schema) if name in private}
    if not exposed or result.value is None or result.counts is not None:
        return result
    return replace(result, value=None, detail="", withheld=tuple(sorted(exposed)))


def without_quotes(problem: Problem, private: Collection[str]) -> Problem:
    """Return the problem without a reason that may quote values of private columns."""
    if not private or not problem.may_quote_values:
        return problem
    return Problem(problem.code, "the error may quote values of private columns and is not shown")


def _exposed_columns(analyzer: Analyzer, schema: Schema) -> frozenset[str]:
    if isinstance(analyzer, GroupingAnalyzer):  # a share of unique values shows none of them
        return analyzer.exposed_columns(schema, hash_values=True)
    return analyzer.exposed_columns(schema)
