"""Verdicts and marks: what a gate decided on a batch, and what people said about it later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from assay.errors import StoreError

__all__ = ["Decision", "Mark", "MarkKind", "VerdictCounts", "VerdictRecord"]

E = TypeVar("E", bound=StrEnum)


class Decision(StrEnum):
    """A gate's decision on a batch."""

    ACCEPT = "accept"
    WARN = "warn"
    HOLD = "hold"


class MarkKind(StrEnum):
    """The kind of a mark that a person gives a batch.

    History may be learned from *expected*, *new normal* and *released* batches, and not from
    *bad* and *rejected* ones.
    """

    EXPECTED = "expected"
    BAD = "bad"
    NEW_NORMAL = "new normal"
    RELEASED = "released"
    REJECTED = "rejected"

    @staticmethod
    def read(text: str) -> MarkKind:
        """Return the kind of this name."""
        return _one_of(MarkKind, text, "kind of a mark")

    @property
    def usable_for_learning(self) -> bool:
        """True if history may be learned from a batch with this mark."""
        return self not in {MarkKind.BAD, MarkKind.REJECTED}


@dataclass(frozen=True)
class VerdictRecord:
    """A gate's decision on a batch, as the store keeps it. A stored verdict never changes.

    Parameters
    ----------
    dataset, key
        The batch.
    decision
        Accept, warn or hold.
    findings
        The findings that led to the decision, as JSON objects.
    time
        When the gate decided.
    document
        Everything else that is shown of the verdict, as a JSON object: evidence, the limits that
        were applied, the batches that were compared, versions. Empty in old stores.
    """

    dataset: str
    key: str
    decision: Decision
    findings: tuple[Mapping[str, Any], ...] = ()
    time: datetime = field(default_factory=lambda: datetime.now(UTC))
    document: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "decision", _one_of(Decision, self.decision, "decision"))
        object.__setattr__(self, "time", self.time.astimezone(UTC))

    def is_identical(self, other: VerdictRecord) -> bool:
        """Return whether both have the same content. NaN equals NaN."""
        return self._content() == other._content()

    def _content(self) -> tuple[str, ...]:
        findings = [dict(finding) for finding in self.findings]
        documents = (json.dumps(part, sort_keys=True) for part in (findings, dict(self.document)))
        return (self.dataset, self.key, self.decision, self.time.isoformat(), *documents)


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Numbers of batches that were judged, held and warned about, and of reviewed alarms.

    An alarm (held or warned) is false if the last mark of that version of the batch is
    *released*, *expected* or *new normal*. It is confirmed if that mark is *bad* or *rejected*.
    `false_holds` are the false alarms that held their batch.
    """

    judged: int = 0
    held: int = 0
    warned: int = 0
    false_alarms: int = 0
    false_holds: int = 0
    confirmed: int = 0


@dataclass(frozen=True)
class Mark:
    """A person's mark of a batch, with the reason."""

    dataset: str
    key: str
    kind: MarkKind
    author: str = ""
    reason: str = ""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _one_of(MarkKind, self.kind, "kind of a mark"))
        object.__setattr__(self, "time", self.time.astimezone(UTC))


def _one_of(enumeration: type[E], value: str, noun: str) -> E:
    try:
        return enumeration(value)
    except ValueError as error:
        names = ", ".join(repr(member.value) for member in enumeration)
        raise StoreError.unexpected(f"invalid {noun}", f"one of {names}", value) from error
