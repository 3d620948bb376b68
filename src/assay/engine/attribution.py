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

from assay.analyzers.leaf import Leaf
from assay.analyzers.metric import Problem
from assay.engine.failure import telling

if TYPE_CHECKING:
    from assay.engine.scan import Segment, Values

__all__ = ["Ask", "Probe", "attributed"]

#: gives what some aggregates come to
Ask = Callable[[Sequence[Leaf]], "dict[Segment, Values]"]
#: fails where the values of some columns cannot be told; of none, where the rows cannot
Probe = Callable[[Sequence[str]], object]
T = TypeVar("T")


def attributed(
    ask: Ask, probe: Probe, leaves: Sequence[Leaf], probed: Collection[str], most: int
) -> dict[Segment, Values]:
    """What these aggregates come to; of each that fails, the reason.

    `probed` are the columns that can be probed; `most` is how many more queries are spent once the
    first has failed. What is not told apart by then shares the blame.
    """
    found = telling(partial(ask, leaves))()
    if not isinstance(found, Problem):
        return found
    if _alone(leaves, found):
        return _blamed(leaves, found)
    tries = iter(range(most))
    read = dict.fromkeys(name for leaf in leaves for name in leaf.columns)
    columns = [name for name in read if name in probed]
    why = _tried(partial(probe, columns), tries, found) if columns else None
    if not isinstance(why, Problem):
        return _halved(ask, leaves, found, tries)
    unread = _tried(partial(probe, ()), tries, found)
    if isinstance(unread, Problem):  # no column is to blame: a file is torn, or a segment's key
        # which a query of several branches may only say to have failed several times
        return _blamed(leaves, unread)
    return _without(ask, leaves, _broken(probe, columns, why, tries), tries)


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
    ask: Ask, leaves: Sequence[Leaf], broken: Mapping[str, Problem], tries: Iterator[int]
) -> dict[Segment, Values]:
    """What the aggregates come to that do not need a broken column.

    Ours of one column read it on every row. Others, such as what the user wrote, may have a way
    around the row that fails: they are tried.
    """
    found: dict[Segment, Values] = {}
    clean: list[Leaf] = []
    reading: list[Leaf] = []
    for leaf in leaves:
        names = [name for name in leaf.columns if name in broken]
        if names and len(leaf.columns) == 1 and not leaf.written:
            found.setdefault((), {})[leaf] = broken[names[0]]
        else:
            (reading if names else clean).append(leaf)
    why = next(iter(broken.values()))
    parts = [_retried(ask, part, why, tries) for part in (clean, reading) if part]
    return _together(found, *parts)


def _halved(
    ask: Ask, leaves: Sequence[Leaf], why: Problem, tries: Iterator[int]
) -> dict[Segment, Values]:
    """What aggregates come to that fail together: half of them, and the other half."""
    if _alone(leaves, why):
        return _blamed(leaves, why)
    # what the user wrote is what fails: the rest is computed at once
    written = [leaf for leaf in leaves if leaf.written]
    own = [leaf for leaf in leaves if not leaf.written]
    half = len(leaves) // 2
    first, second = (own, written) if own and written else (leaves[:half], leaves[half:])
    found = _retried(ask, first, why, tries)
    fails = any(isinstance(each, Problem) for each in found.get((), {}).values())
    # where one half does not fail, the other does: that need not be tried
    rest = (_retried if fails or len(second) == 1 else _halved)(ask, second, why, tries)
    return _together(found, rest)


def _retried(
    ask: Ask, leaves: Sequence[Leaf], why: Problem, tries: Iterator[int]
) -> dict[Segment, Values]:
    found = _tried(partial(ask, leaves), tries, why)
    return _halved(ask, leaves, found, tries) if isinstance(found, Problem) else found


def _tried(run: Callable[[], T], tries: Iterator[int], why: Problem) -> T | Problem:
    """What a query gives, or why it fails; if none is left to try, the reason known so far."""
    return why if next(tries, None) is None else telling(run)()


def _alone(leaves: Sequence[Leaf], why: Problem) -> bool:
    """Whether there is nothing to tell apart."""
    return len(leaves) == 1 or why.code == "session_closed"


def _blamed(leaves: Sequence[Leaf], why: Problem) -> dict[Segment, Values]:
    return {(): dict.fromkeys(leaves, why)}


def _together(*parts: Mapping[Segment, Values]) -> dict[Segment, Values]:
    found: dict[Segment, Values] = {}
    for part in parts:
        for segment, values in part.items():
            found.setdefault(segment, {}).update(values)
    return found
