"""Find the aggregates that fail a query, so that all others still have a result.

A query fails as a whole. A column may be unreadable, or a value may break an aggregate. Unreadable
columns are found first, by counting the values of ever fewer columns with a binary search. The
remaining failures are found by running halves of the aggregates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.metric import Problem
from assay.engine.failure import capture_failure

if TYPE_CHECKING:
    from assay.engine.frame import Segment
    from assay.engine.passes.scan_pass import Values

__all__ = ["Compute", "Probe", "isolate_failures"]

#: computes some aggregates
Compute = Callable[[Sequence[AggregateExpr]], "dict[Segment, Values]"]
#: reads some columns and fails if one of them is unreadable; without columns, reads the rows
Probe = Callable[[Sequence[str]], object]
T = TypeVar("T")


def isolate_failures(
    compute: Compute,
    probe: Probe,
    exprs: Sequence[AggregateExpr],
    readable: Collection[str],
    max_queries: int,
) -> dict[Segment, Values]:
    """Compute aggregates; each aggregate that fails has a problem instead of a value.

    Parameters
    ----------
    compute
        Computes some aggregates in one query.
    probe
        Reads some columns in one query.
    exprs
        The aggregates.
    readable
        The columns that `probe` can read on their own.
    max_queries
        Queries that may follow the first failure. Aggregates that are not separated by then share
        the problem.
    """
    result = capture_failure(partial(compute, exprs))()
    if not isinstance(result, Problem):
        return result
    if _is_final(exprs, result):
        return _blame(exprs, result)
    budget = iter(range(max_queries))
    names = dict.fromkeys(name for expr in exprs for name in expr.columns)
    columns = [name for name in names if name in readable]
    problem = _spend(partial(probe, columns), budget, result) if columns else None
    if not isinstance(problem, Problem):
        return _split(compute, exprs, result, budget)
    rows_problem = _spend(partial(probe, ()), budget, result)
    if isinstance(rows_problem, Problem):
        # No column is at fault: a file is damaged, or the key of a segment. The first query may
        # only report that several of its branches failed, so this problem says more.
        return _blame(exprs, rows_problem)
    unreadable = _find_unreadable(probe, columns, problem, budget)
    return _compute_without(compute, exprs, unreadable, budget)


def _find_unreadable(
    probe: Probe, columns: Sequence[str], problem: object, budget: Iterator[int]
) -> dict[str, Problem]:
    """Return the columns that fail every query, with their problems."""
    unreadable: dict[str, Problem] = {}
    while isinstance(problem, Problem):
        problems = {len(columns): problem}
        fails = partial(_first_columns_fail, probe, columns, problems, budget)
        position = bisect_left(range(1, len(columns)), True, key=fails)
        unreadable[columns[position]] = problems[position + 1]
        columns = columns[position + 1 :]
        problem = _spend(partial(probe, columns), budget, problem) if columns else None
    return unreadable


def _first_columns_fail(
    probe: Probe,
    columns: Sequence[str],
    problems: dict[int, Problem],
    budget: Iterator[int],
    count: int,
) -> bool:
    """Return whether one of the first `count` columns is unreadable; record the problem."""
    problem = _spend(partial(probe, columns[:count]), budget, problems[len(columns)])
    if isinstance(problem, Problem):
        problems[count] = problem
    return isinstance(problem, Problem)


def _compute_without(
    compute: Compute,
    exprs: Sequence[AggregateExpr],
    unreadable: Mapping[str, Problem],
    budget: Iterator[int],
) -> dict[Segment, Values]:
    """Compute the aggregates that do not need an unreadable column.

    Assay's aggregates of one column read it on every row, so they fail. SQL that the user wrote
    may avoid the row that fails, so it is tried.
    """
    values: dict[Segment, Values] = {}
    unaffected: list[AggregateExpr] = []
    affected: list[AggregateExpr] = []
    for expr in exprs:
        names = [name for name in expr.columns if name in unreadable]
        if names and len(expr.columns) == 1 and not expr.has_user_sql:
            values.setdefault((), {})[expr] = unreadable[names[0]]
        else:
            (affected if names else unaffected).append(expr)
    problem = next(iter(unreadable.values()))
    parts = [_retry(compute, part, problem, budget) for part in (unaffected, affected) if part]
    return _merge(values, *parts)


def _split(
    compute: Compute, exprs: Sequence[AggregateExpr], problem: Problem, budget: Iterator[int]
) -> dict[Segment, Values]:
    """Compute two halves of aggregates that fail together."""
    if _is_final(exprs, problem):
        return _blame(exprs, problem)
    # SQL that the user wrote fails most often: try all other aggregates at once
    user_written = [expr for expr in exprs if expr.has_user_sql]
    built_in = [expr for expr in exprs if not expr.has_user_sql]
    half = len(exprs) // 2
    first, second = (exprs[:half], exprs[half:])
    if built_in and user_written:
        first, second = built_in, user_written
    values = _retry(compute, first, problem, budget)
    first_fails = any(isinstance(value, Problem) for value in values.get((), {}).values())
    # if the first half succeeds, the second must fail: do not try it as a whole
    retry_second = first_fails or len(second) == 1
    other_values = (_retry if retry_second else _split)(compute, second, problem, budget)
    return _merge(values, other_values)


def _retry(
    compute: Compute, exprs: Sequence[AggregateExpr], problem: Problem, budget: Iterator[int]
) -> dict[Segment, Values]:
    result = _spend(partial(compute, exprs), budget, problem)
    return _split(compute, exprs, result, budget) if isinstance(result, Problem) else result


def _spend(run: Callable[[], T], budget: Iterator[int], problem: Problem) -> T | Problem:
    """Run a query and return its result or problem; without budget, return the last problem."""
    return problem if next(budget, None) is None else capture_failure(run)()


def _is_final(exprs: Sequence[AggregateExpr], problem: Problem) -> bool:
    """Return whether no further query can separate these aggregates."""
    return len(exprs) == 1 or problem.code == "session_closed"


def _blame(exprs: Sequence[AggregateExpr], problem: Problem) -> dict[Segment, Values]:
    return {(): dict.fromkeys(exprs, problem)}


def _merge(*parts: Mapping[Segment, Values]) -> dict[Segment, Values]:
    merged: dict[Segment, Values] = {}
    for part in parts:
        for segment, values in part.items():
            merged.setdefault(segment, {}).update(values)
    return merged
