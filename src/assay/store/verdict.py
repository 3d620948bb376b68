"""Verdicts and marks: what was decided about a batch, and what people said of it afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from assay.errors import StoreError

__all__ = ["Decision", "Kind", "Mark", "Verdict"]

E = TypeVar("E", bound=StrEnum)


class Decision(StrEnum):
    """What becomes of a batch."""

    ACCEPT = "accept"
    WARN = "warn"
    HOLD = "hold"


class Kind(StrEnum):
    """What a person says of a batch.

    *expected*, *new normal* and *released* batches are fine, *bad* and *rejected* ones are not.
    """

    EXPECTED = "expected"
    BAD = "bad"
    NEW_NORMAL = "new normal"
    RELEASED = "released"
    REJECTED = "rejected"

    @staticmethod
    def read(text: str) -> Kind:
        """The kind of this name."""
        return _one_of(Kind, text)

    @property
    def fine(self) -> bool:
        """Whether history may be learned from the batch."""
        return self not in {Kind.BAD, Kind.REJECTED}


@dataclass(frozen=True)
class Verdict:
    """A decision on a batch, with what was found."""

    dataset: str
    key: str
    decision: Decision
    findings: tuple[Mapping[str, Any], ...] = ()
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        object.__setattr__(self, "decision", _one_of(Decision, self.decision))
        object.__setattr__(self, "time", self.time.astimezone(UTC))


@dataclass(frozen=True)
class Mark:
    """What somebody said of a batch, and why."""

    dataset: str
    key: str
    kind: Kind
    author: str = ""
    reason: str = ""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _one_of(Kind, self.kind))
        object.__setattr__(self, "time", self.time.astimezone(UTC))


def _one_of(kind: type[E], value: str) -> E:
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(repr(each.value) for each in kind)
        raise StoreError(f"a {kind.__name__.lower()} is one of {known}, not {value!r}.") from error
