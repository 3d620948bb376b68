"""A sample of the different values of a column, which adds up exactly.

Of all different values it holds those with the least hashes, each with how often it occurs. The
values with the least hashes of the whole are among those with the least of each part, so that
samples of parts make the sample of the whole, with exact counts.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

from assay.analyzers.aggregate_expr import check_positive
from assay.analyzers.analyzer import COLUMN, Analyzer
from assay.analyzers.frequencies import Grouping, GroupKey
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.schema import TEXT, Schema
from assay.analyzers.state import State

__all__ = ["LONGEST", "Hashed", "Sample", "Sampled"]

#: longer values are cut to one more than this, so that it shows
LONGEST = 500
_SHOWN = 10


class Hashed(NamedTuple):
    """A value after its hash."""

    hash: int
    value: str


@dataclass(frozen=True)
class Sampled(State):
    """Different values with their counts; `size` is how many there are at most, 0 of no rows."""

    kind: ClassVar[str] = "sample"
    counts: Mapping[Hashed, int]
    size: int

    @classmethod
    def identity(cls) -> Sampled:
        """No rows."""
        return cls({}, 0)

    def __add__(self, other: Sampled) -> Sampled:
        return Sampled.merged((self, other))

    @classmethod
    def merged(cls, states: Iterable[Sampled]) -> Sampled:
        """All of these as one; of samples of several sizes, one of the least."""
        total: Counter[Hashed] = Counter()
        sizes = []
        for state in states:
            if state.size:
                sizes.append(state.size)
                total.update(state.counts)
        return cls(dict(total), min(sizes, default=0)).cut()

    def cut(self, size: int | None = None) -> Sampled:
        """The sample of at most so many values."""
        size = self.size if size is None else min(size, self.size)
        return Sampled({each: self.counts[each] for each in sorted(self.counts)[:size]}, size)

    @cached_property
    def values(self) -> dict[str, int]:
        """How often each value occurs."""
        return {each.value: n for each, n in self.counts.items()}

    @property
    def complete(self) -> bool:
        """Whether it is no sample, but all there is."""
        return len(self.counts) < self.size

    def payload(self) -> bytes:
        """Plain lists in JSON, packed, in the order of the hashes."""
        rows = [[*each, self.counts[each]] for each in sorted(self.counts)]
        return zlib.compress(json.dumps([self.size, rows], separators=(",", ":")).encode())

    @classmethod
    def from_payload(cls, payload: bytes) -> Sampled:
        """The inverse of `payload`."""
        size, rows = json.loads(zlib.decompress(payload))
        return cls({Hashed(own, value): n for own, value, n in rows}, size)

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Sampled:
        """All of these as one."""
        return cls.merged(map(cls.from_payload, payloads))

    def metric(self) -> Value | Undefined:
        """The most frequent of the sampled values."""
        if not self.counts:
            return Undefined("there are no values")
        ordered = sorted(self.values.items(), key=lambda pair: (-pair[1], pair[0]))
        head, rest = dict(ordered[:_SHOWN]), ordered[_SHOWN:]
        return Distribution(head, other=sum(n for _, n in rest), groups=len(ordered))


@dataclass(frozen=True)
class Sample(Analyzer):
    """The different values of a string column, with how often each occurs: at most `k` of them.

    Of more, those with the least hashes: as good as drawn by lot, and always the same. Values of
    more than 500 characters are cut to 501. The metric shows the ten most frequent.
    """

    column: str = field(metadata=COLUMN)
    k: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("k", self.k)

    def grouping(self, schema: Schema) -> Grouping:
        """By what rows are grouped: the value, as far as it is kept."""
        column = schema.column(self.column).require(TEXT, "Sample")
        key = GroupKey(column.name, f"left({column.plain}, {LONGEST + 1})", "{}", column.root)
        return Grouping((key,), self.on(schema).where)

    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""
        self.grouping(schema)

    def metric(self, state: Sampled) -> Value | Undefined:
        """The most frequent of the sampled values."""
        return state.metric()
