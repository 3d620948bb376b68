"""Versions of batches: what was decided on each delivery of a key, and the last word on it.

A key is delivered again where a batch was wrong. What is held is a version beside the one that is
in the dataset, until somebody lets it in, and what is said of one is not said of the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from assay.store.verdict import Decision, Mark, MarkKind, VerdictRecord

__all__ = ["Version", "versions"]


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
