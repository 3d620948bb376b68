"""States: mergeable sufficient statistics (differential-icde19, section II).

A state is the commutative monoid ``(S, +, identity)`` with ``s(A ∪ B) = s(A) + s(B)`` for disjoint
A and B, and ``metric()`` reads the answer off it. An `Invertible` one also has ``-``, so that a
slice that was deleted or corrected can be taken out again.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import reduce
from typing import Any, ClassVar, Self, cast

from assay.analyzers.codec import decode, decode_all, encode
from assay.analyzers.metric import Undefined, Value
from assay.errors import StateError

__all__ = ["Invertible", "State"]

_MAGIC = b"assay"
_KINDS: dict[str, type[State]] = {}


class State(ABC):
    """Sufficient statistics of some rows; immutable."""

    #: the name in the binary form, and its version; a reader refuses newer ones
    kind: ClassVar[str] = ""
    version: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in cls.__dict__:
            _KINDS[cls.kind] = cls

    @classmethod
    @abstractmethod
    def identity(cls) -> Self:
        """The state of no rows."""

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """The state of both selections of rows together."""

    @classmethod
    def merged(cls, states: Iterable[Self]) -> Self:
        """All of these states as one."""
        return reduce(operator.add, states, cls.identity())

    @abstractmethod
    def metric(self) -> Value | Undefined:
        """What this state says, at its plainest; an analyzer may ask for something finer."""

    def payload(self) -> bytes:
        """The fields as JSON; a state of another make overrides this and `from_payload`."""
        return encode(tuple(getattr(self, each.name) for each in fields(cast(Any, self))))

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        """The inverse of `payload`."""
        return cls(*decode(payload))

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Self:
        """`merged` of the states that these hold: views have them by the ten thousand.

        A state whose payload is not JSON overrides this; so does one that can do without an object
        for each.
        """
        return cls.merged(cls(*fields) for fields in decode_all(payloads))

    @property
    def head(self) -> str:
        """The kind and its version, which tell how the payload is read."""
        return f"{self.kind} {self.version}"

    def to_bytes(self) -> bytes:
        """The binary form: a mark, the kind, its version, the payload.

        >>> from assay.analyzers.counting import Ratio
        >>> Ratio(3, 4).to_bytes()
        b'assay ratio 1\\n[3,4]'
        """
        return b"%s %s\n%s" % (_MAGIC, self.head.encode(), self.payload())

    @staticmethod
    def from_bytes(data: bytes) -> State:
        """The state that `to_bytes` wrote, of whichever kind it is."""
        head, _, payload = bytes(data).partition(b"\n")
        mark, _, kind = head.partition(b" ")
        if mark != _MAGIC or len(kind.split(b" ")) != 2:
            raise StateError.not_a_state(data)
        return State.kind_of(kind.decode()).from_payload(payload)

    @staticmethod
    def kind_of(head: str) -> type[State]:
        """The kind that a head names; one that is not known here, or newer, is refused."""
        kind, _, version = head.partition(" ")
        known = _KINDS.get(kind)
        if known is None or int(version) > known.version:
            raise StateError.unknown_kind(kind, int(version))
        return known


class Invertible(State):
    """A state from which another can be taken out: ``(a + b) - b == a``."""

    @abstractmethod
    def __sub__(self, other: Self) -> Self:
        """The state without those rows."""
