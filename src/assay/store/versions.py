"""Assign verdicts and marks to the versions of batches that they are about.

A batch that was wrong is delivered again under its key. A version that is held waits in quarantine
beside the accepted one. A mark is about one version and does not affect the other.

`assay.store.statements` decides the same in SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from assay.store.verdict import Decision, Mark, MarkKind, VerdictCounts, VerdictRecord

__all__ = [
    "FALSE_ALARMS",
    "Version",
    "count_alarms",
    "count_verdicts",
    "keys_marked_bad",
    "versions",
]

#: marks that say that an alarm was false
FALSE_ALARMS = (MarkKind.EXPECTED, MarkKind.RELEASED, MarkKind.NEW_NORMAL)
#: marks that say that an alarm was right
_CONFIRMED = (MarkKind.BAD, MarkKind.REJECTED)


@dataclass(frozen=True)
class Version:
    """One delivery of a key, with its verdict if it was judged, and its last mark.

    `accepted` is true for the version that is part of the dataset.
    """

    key: str
    verdict: VerdictRecord | None = None
    mark: Mark | None = None
    accepted: bool = False

    def has_mark(self, *kinds: MarkKind) -> bool:
        """Return whether the last mark is of one of these kinds."""
        return self.mark is not None and self.mark.kind in kinds


def versions(verdicts: Iterable[VerdictRecord], marks: Iterable[Mark]) -> tuple[Version, ...]:
    """Return the versions that these verdicts and marks are about, the oldest first.

    Each verdict is about a new version. A mark is about the held version if it rejects it, or if
    it is usable for learning and so releases it. Any other mark is about the accepted version.
    """
    result: list[Version] = []
    accepted: dict[str, int] = {}
    held: dict[str, int] = {}
    records: list[VerdictRecord | Mark] = [*verdicts, *marks]
    for record in sorted(records, key=lambda record: record.time):
        key = record.key
        if isinstance(record, VerdictRecord):
            if record.decision is Decision.HOLD:
                held[key] = len(result)
            else:
                held.pop(key, None)
                accepted[key] = len(result)
            result.append(Version(key, record))
            continue
        is_rejection = record.kind is MarkKind.REJECTED
        if is_rejection or (record.kind.usable_for_learning and key in held):
            position = held.pop(key, len(result))
        else:
            position = accepted.get(key, len(result))
        if position == len(result):
            result.append(Version(key))
        if not is_rejection:
            accepted[key] = position
        result[position] = replace(result[position], mark=record)
    return tuple(
        replace(version, accepted=accepted.get(version.key) == position)
        for position, version in enumerate(result)
    )


def count_verdicts(verdicts: Iterable[VerdictRecord], marks: Iterable[Mark]) -> VerdictCounts:
    """Count verdicts by decision, and alarms by the last mark of their version."""
    judged = [
        (version.verdict.decision, version.mark)
        for version in versions(verdicts, marks)
        if version.verdict is not None
    ]
    marked = Counter((decision, mark.kind) for decision, mark in judged if mark is not None)
    return count_alarms(Counter(decision for decision, _ in judged), marked)


def count_alarms(
    decisions: Mapping[Decision, int], marked: Mapping[tuple[Decision, MarkKind], int]
) -> VerdictCounts:
    """Return the counts of a dataset.

    Parameters
    ----------
    decisions
        The number of verdicts by decision.
    marked
        The number of marked verdicts by decision and last mark.
    """

    def alarms(kinds: Iterable[MarkKind], *of: Decision) -> int:
        return sum(marked.get((decision, kind), 0) for decision in of for kind in kinds)

    return VerdictCounts(
        sum(decisions.values()),
        decisions.get(Decision.HOLD, 0),
        decisions.get(Decision.WARN, 0),
        false_alarms=alarms(FALSE_ALARMS, Decision.HOLD, Decision.WARN),
        false_holds=alarms(FALSE_ALARMS, Decision.HOLD),
        confirmed=alarms(_CONFIRMED, Decision.HOLD, Decision.WARN),
    )


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
