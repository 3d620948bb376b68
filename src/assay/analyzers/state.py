"""States: mergeable sufficient statistics (differential-icde19, section II).

A state is a commutative monoid ``(S, +, identity)`` with ``s(A ∪ B) = s(A) + s(B)`` for disjoint
rows A and B. Metrics are computed from it. An `Invertible` state also has ``-``, so that rows
that were deleted or corrected can be subtracted.
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
    """Immutable sufficient statistics of some rows."""

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
        """Return the state of no rows."""

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """Return the state of both sets of rows together."""

    @classmethod
    def merged(cls, states: Iterable[Self]) -> Self:
        """Merge states."""
        return reduce(operator.add, states, cls.identity())

    @abstractmethod
    def metric(self) -> Value | Undefined:
        """Compute the default metric; an analyzer may compute another one."""

    def payload(self) -> bytes:
        """Return the fields as JSON; other formats override this and `from_payload`."""
        return encode(tuple(getattr(self, part.name) for part in fields(cast(Any, self))))

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        """Create the state from what `payload` returns."""
        return cls(*decode(payload))

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Self:
        """Merge the states of many payloads.

        A state whose payload is not JSON overrides this. Others override it to merge thousands of
        payloads without creating an object for each.
        """
        return cls.merged(cls(*fields) for fields in decode_all(payloads))

    @property
    def head(self) -> str:
        """The kind and its version, which determine how the payload is parsed."""
        return f"{self.kind} {self.version}"

    def to_bytes(self) -> bytes:
        """Return the binary form: a mark, the kind, its version and the payload.

        >>> from assay.analyzers.counting import Ratio
        >>> Ratio(3, 4).to_bytes()
        b'assay ratio 1\\n[3,4]'
        """
        return b"%s %s\n%s" % (_MAGIC, self.head.encode(), self.payload())

    @staticmethod
    def from_bytes(data: bytes) -> State:
        """Create the state from what `to_bytes` returned, of any kind."""
        head, _, payload = bytes(data).partition(b"\n")
        mark, _, kind = head.partition(b" ")
        if mark != _MAGIC or len(kind.split(b" ")) != 2:
            raise StateError.not_a_state(data)
        return State.kind_of(kind.decode()).from_payload(payload)

    @staticmethod
    def kind_of(head: str) -> type[State]:
        """Return the class of a head; raise StateError if it is unknown or newer."""
        kind, _, version = head.partition(" ")
        state_class = _KINDS.get(kind)
        if state_class is None or int(version) > state_class.version:
            raise StateError.unknown_kind(kind, int(version))
        return state_class


class Invertible(State):
    """A state from which another can be subtracted: ``(a + b) - b == a``."""

    @abstractmethod
    def __sub__(self, other: Self) -> Self:
        """Return the state without those rows."""
