"""Verdicts and marks: what was decided about a batch, and what people said of it afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from assay.errors import StoreError

__all__ = ["Decision", "Mark", "MarkKind", "VerdictRecord"]

E = TypeVar("E", bound=StrEnum)


class Decision(StrEnum):
    """What becomes of a batch."""

    ACCEPT = "accept"
    WARN = "warn"
    HOLD = "hold"


class MarkKind(StrEnum):
    """What a person says of a batch.

    *expected*, *new normal* and *released* batches are fine, *bad* and *rejected* ones are not.
    """

    EXPECTED = "expected"
    BAD = "bad"
    NEW_NORMAL = "new normal"
    RELEASED = "released"
    REJECTED = "rejected"

    @staticmethod
    def read(text: str) -> MarkKind:
        """The kind of this name."""
        return _one_of(MarkKind, text, "kind")

    @property
    def usable_for_learning(self) -> bool:
        """Whether history may be learned from the batch."""
        return self not in {MarkKind.BAD, MarkKind.REJECTED}


@dataclass(frozen=True)
class VerdictRecord:
    """A decision on a batch, with what was found."""

    dataset: str
    key: str
    decision: Decision
    findings: tuple[Mapping[str, Any], ...] = ()
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        object.__setattr__(self, "decision", _one_of(Decision, self.decision, "decision"))
        object.__setattr__(self, "time", self.time.astimezone(UTC))


@dataclass(frozen=True)
class Mark:
    """What somebody said of a batch, and why."""

    dataset: str
    key: str
    kind: MarkKind
    author: str = ""
    reason: str = ""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _one_of(MarkKind, self.kind, "kind"))
        object.__setattr__(self, "time", self.time.astimezone(UTC))


def _one_of(enumeration: type[E], value: str, noun: str) -> E:
    try:
        return enumeration(value)
    except ValueError as error:
        names = ", ".join(repr(member.value) for member in enumeration)
        raise StoreError(f"a {noun} is one of {names}, not {value!r}.") from error
