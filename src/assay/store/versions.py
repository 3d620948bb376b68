"""Versions of batches: what was decided on each delivery of a key, and the last word on it.

A key is delivered again where a batch was wrong. What is held is a version beside the one that is
in the dataset, until somebody lets it in, and what is said of one is not said of the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from assay.store.verdict import Decision, Mark, MarkKind, VerdictCounts, VerdictRecord

__all__ = ["FALSE_ALARMS", "Version", "count_verdicts", "keys_marked_bad", "versions"]

#: marks that say that an alarm was false
FALSE_ALARMS = (MarkKind.EXPECTED, MarkKind.RELEASED, MarkKind.NEW_NORMAL)


@dataclass(frozen=True)
class Version:
    """A delivery of a key: the verdict, if it was judged, and what somebody said of it last.

    `here` is that it was the last of its key that was let in.
    """

    key: str
    verdict: VerdictRecord | None = None
    mark: Mark | None = None
    here: bool = False


def versions(verdicts: Iterable[VerdictRecord], marks: Iterable[Mark]) -> tuple[Version, ...]:
    """The versions that these are about, each verdict on a new one, as they were first spoken of.

    Rejecting is of the one that is held. Another mark lets the held one in if it is a good one, and
    is else of the one that is in the dataset.
    """
    found: list[Version] = []
    here: dict[str, int] = {}
    held: dict[str, int] = {}
    said: list[VerdictRecord | Mark] = [*verdicts, *marks]
    for each in sorted(said, key=lambda each: each.time):
        if isinstance(each, VerdictRecord):
            if each.decision is Decision.HOLD:
                held[each.key] = len(found)
            else:
                held.pop(each.key, None)
                here[each.key] = len(found)
            found.append(Version(each.key, each))
            continue
        if each.kind is MarkKind.REJECTED or (each.kind.usable_for_learning and each.key in held):
            at = held.pop(each.key, len(found))
        else:
            at = here.get(each.key, len(found))
        if at == len(found):
            found.append(Version(each.key))
        if each.kind is not MarkKind.REJECTED:
            here[each.key] = at
        found[at] = replace(found[at], mark=each)
    return tuple(replace(each, here=here.get(each.key) == at) for at, each in enumerate(found))


def count_verdicts(verdicts: Iterable[VerdictRecord], marks: Iterable[Mark]) -> VerdictCounts:
    """Count verdicts by decision, and alarms that were false by the last mark of their version."""
    judged = [version for version in versions(verdicts, marks) if version.verdict is not None]
    decisions = Counter(version.verdict.decision for version in judged if version.verdict)
    false_alarms = sum(
        version.verdict.decision is not Decision.ACCEPT and version.mark.kind in FALSE_ALARMS
        for version in judged
        if version.verdict is not None and version.mark is not None
    )
    held, warned = decisions[Decision.HOLD], decisions[Decision.WARN]
    return VerdictCounts(len(judged), held, warned, false_alarms)


def keys_marked_bad(
    dataset: str, verdicts: Iterable[VerdictRecord], marks: Iterable[Mark]
) -> frozenset[str]:
    """Return the keys of accepted batches whose last mark is *bad*.

    A later mark that is usable for learning takes it back. A later verdict that did not hold the
    batch is about a newer version.
    """
    last: dict[str, datetime] = {}
    usable: dict[str, datetime] = {}
    for mark in marks:
        if mark.dataset == dataset and mark.kind is not MarkKind.REJECTED:
            times = last if mark.kind is MarkKind.BAD else usable
            times[mark.key] = max(mark.time, times.get(mark.key, mark.time))
    for verdict in verdicts if last else ():
        if verdict.dataset == dataset and verdict.decision is not Decision.HOLD:
            usable[verdict.key] = max(verdict.time, usable.get(verdict.key, verdict.time))
    return frozenset(key for key, time in last.items() if key not in usable or usable[key] <= time)
