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

from assay.analyzers.codec import decode, encode
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
    def from_payloads(cls, payloads: Sequence[bytes]) -> list[Self]:
        """`from_payload` of each, all JSON in one go: views read states by the ten thousand."""
        # a payload of another make is no JSON to be joined
        if cls.from_payload.__func__ is not State.from_payload.__func__:  # type: ignore[attr-defined]
            return [cls.from_payload(payload) for payload in payloads]
        return [cls(*values) for values in decode(b"[" + b",".join(payloads) + b"]")]

    def to_bytes(self) -> bytes:
        """The binary form: a mark, the kind, its version, the payload.

        >>> from assay.analyzers.counting import Ratio
        >>> Ratio(3, 4).to_bytes()
        b'assay ratio 1\\n[3,4]'
        """
        return b"%s %s %d\n%s" % (_MAGIC, self.kind.encode(), self.version, self.payload())

    @staticmethod
    def from_bytes(data: bytes) -> State:
        """The state that `to_bytes` wrote, of whichever kind it is."""
        head, _, payload = bytes(data).partition(b"\n")
        words = head.split(b" ")
        if len(words) != 3 or words[0] != _MAGIC:
            raise StateError.not_a_state(data)
        kind, version = words[1].decode(), int(words[2])
        known = _KINDS.get(kind)
        if known is None or version > known.version:
            raise StateError.unknown_kind(kind, version)
        return known.from_payload(payload)

    @staticmethod
    def all_from_bytes(many: Sequence[bytes]) -> list[State]:
        """`from_bytes` of each; those of one kind are read at once."""
        head = many[0].partition(b"\n")[0] + b"\n" if many else b""
        if not all(data.startswith(head) for data in many):
            return [State.from_bytes(data) for data in many]
        if not many:
            return []
        kind = type(State.from_bytes(many[0]))  # which says so if it is none that we know
        return list(kind.from_payloads([data[len(head) :] for data in many]))


class Invertible(State):
    """A state from which another can be taken out: ``(a + b) - b == a``."""

    @abstractmethod
    def __sub__(self, other: Self) -> Self:
        """The state without those rows."""
