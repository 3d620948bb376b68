"""Which aggregates fail a query: those of columns that nobody can read, and those that fail alone.

A query fails as a whole. A column that cannot be read or computed on some row fails whoever reads
it: such columns are found first, by counting the values of fewer and fewer columns, in as many
queries as a search in a sorted list takes. Whatever else fails is found by running halves.
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
    from assay.engine.passes.scan import Values

__all__ = ["Ask", "Probe", "isolate_failures"]

#: gives what some aggregates come to
Ask = Callable[[Sequence[AggregateExpr]], "dict[Segment, Values]"]
#: fails where the values of some columns cannot be told; of none, where the rows cannot
Probe = Callable[[Sequence[str]], object]
T = TypeVar("T")


def isolate_failures(
    ask: Ask, probe: Probe, exprs: Sequence[AggregateExpr], probed: Collection[str], most: int
) -> dict[Segment, Values]:
    """What these aggregates come to; of each that fails, the reason.

    `probed` are the columns that can be probed; `most` is how many more queries are spent once the
    first has failed. What is not told apart by then shares the blame.
    """
    found = capture_failure(partial(ask, exprs))()
    if not isinstance(found, Problem):
        return found
    if _alone(exprs, found):
        return _blamed(exprs, found)
    tries = iter(range(most))
    read = dict.fromkeys(name for expr in exprs for name in expr.columns)
    columns = [name for name in read if name in probed]
    why = _tried(partial(probe, columns), tries, found) if columns else None
    if not isinstance(why, Problem):
        return _halved(ask, exprs, found, tries)
    unread = _tried(partial(probe, ()), tries, found)
    if isinstance(unread, Problem):  # no column is to blame: a file is torn, or a segment's key
        # which a query of several branches may only say to have failed several times
        return _blamed(exprs, unread)
    return _without(ask, exprs, _broken(probe, columns, why, tries), tries)


def _broken(
    probe: Probe, columns: Sequence[str], why: object, tries: Iterator[int]
) -> dict[str, Problem]:
    """Which of these columns fail whoever reads them, if together they fail: the first, then on."""
    found: dict[str, Problem] = {}
    while isinstance(why, Problem):
        reasons = {len(columns): why}
        fails = partial(_fails, probe, columns, reasons, tries)
        at = bisect_left(range(1, len(columns)), True, key=fails)
        found[columns[at]] = reasons[at + 1]
        columns = columns[at + 1 :]
        why = _tried(partial(probe, columns), tries, why) if columns else None
    return found


def _fails(
    probe: Probe,
    columns: Sequence[str],
    reasons: dict[int, Problem],
    tries: Iterator[int],
    number: int,
) -> bool:
    """Whether one of the first columns fails; the reason is noted."""
    why = _tried(partial(probe, columns[:number]), tries, reasons[len(columns)])
    if isinstance(why, Problem):
        reasons[number] = why
    return isinstance(why, Problem)


def _without(
    ask: Ask, exprs: Sequence[AggregateExpr], broken: Mapping[str, Problem], tries: Iterator[int]
) -> dict[Segment, Values]:
    """What the aggregates come to that do not need a broken column.

    Ours of one column read it on every row. Others, such as what the user wrote, may have a way
    around the row that fails: they are tried.
    """
    found: dict[Segment, Values] = {}
    clean: list[AggregateExpr] = []
    reading: list[AggregateExpr] = []
    for expr in exprs:
        names = [name for name in expr.columns if name in broken]
        if names and len(expr.columns) == 1 and not expr.written:
            found.setdefault((), {})[expr] = broken[names[0]]
        else:
            (reading if names else clean).append(expr)
    why = next(iter(broken.values()))
    parts = [_retried(ask, part, why, tries) for part in (clean, reading) if part]
    return _together(found, *parts)


def _halved(
    ask: Ask, exprs: Sequence[AggregateExpr], why: Problem, tries: Iterator[int]
) -> dict[Segment, Values]:
    """What aggregates come to that fail together: half of them, and the other half."""
    if _alone(exprs, why):
        return _blamed(exprs, why)
    # what the user wrote is what fails: the rest is computed at once
    written = [expr for expr in exprs if expr.written]
    own = [expr for expr in exprs if not expr.written]
    half = len(exprs) // 2
    first, second = (own, written) if own and written else (exprs[:half], exprs[half:])
    found = _retried(ask, first, why, tries)
    fails = any(isinstance(each, Problem) for each in found.get((), {}).values())
    # where one half does not fail, the other does: that need not be tried
    rest = (_retried if fails or len(second) == 1 else _halved)(ask, second, why, tries)
    return _together(found, rest)


def _retried(
    ask: Ask, exprs: Sequence[AggregateExpr], why: Problem, tries: Iterator[int]
) -> dict[Segment, Values]:
    found = _tried(partial(ask, exprs), tries, why)
    return _halved(ask, exprs, found, tries) if isinstance(found, Problem) else found


def _tried(run: Callable[[], T], tries: Iterator[int], why: Problem) -> T | Problem:
    """What a query gives, or why it fails; if none is left to try, the reason known so far."""
    return why if next(tries, None) is None else capture_failure(run)()


def _alone(exprs: Sequence[AggregateExpr], why: Problem) -> bool:
    """Whether there is nothing to tell apart."""
    return len(exprs) == 1 or why.code == "session_closed"


def _blamed(exprs: Sequence[AggregateExpr], why: Problem) -> dict[Segment, Values]:
    return {(): dict.fromkeys(exprs, why)}


def _together(*parts: Mapping[Segment, Values]) -> dict[Segment, Values]:
    found: dict[Segment, Values] = {}
    for part in parts:
        for segment, values in part.items():
            found.setdefault(segment, {}).update(values)
    return found
