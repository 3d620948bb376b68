"""Sample the distinct values of a column; samples can be merged exactly.

The sample has the distinct values with the smallest hashes, each with its count. The smallest
hashes of the whole are among the smallest of each part. Samples of parts therefore merge into the
sample of the whole, with exact counts.
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

#: characters of a value; longer values are cut to one more, which shows that they were cut
LONGEST = 500
#: values of the metric
_SHOWN = 10


class Hashed(NamedTuple):
    """A hash and the value that it belongs to."""

    hash: int
    value: str


@dataclass(frozen=True)
class Sampled(State):
    """Distinct values with their counts; `size` is the largest number of them, 0 without rows."""

    kind: ClassVar[str] = "sample"
    counts: Mapping[Hashed, int]
    size: int

    @classmethod
    def identity(cls) -> Sampled:
        """Return the state of no rows."""
        return cls({}, 0)

    def __add__(self, other: Sampled) -> Sampled:
        return Sampled.merged((self, other))

    @classmethod
    def merged(cls, states: Iterable[Sampled]) -> Sampled:
        """Merge samples; the result has the smallest of their sizes."""
        total: Counter[Hashed] = Counter()
        sizes = []
        for state in states:
            if state.size:
                sizes.append(state.size)
                total.update(state.counts)
        return cls(dict(total), min(sizes, default=0)).cut()

    def cut(self, size: int | None = None) -> Sampled:
        """Return the sample of at most `size` values."""
        size = self.size if size is None else min(size, self.size)
        return Sampled({item: self.counts[item] for item in sorted(self.counts)[:size]}, size)

    @cached_property
    def values(self) -> dict[str, int]:
        """The count of each value."""
        return {item.value: n for item, n in self.counts.items()}

    @property
    def complete(self) -> bool:
        """True if it contains all distinct values."""
        return len(self.counts) < self.size

    def payload(self) -> bytes:
        """Return compressed JSON, in the order of the hashes."""
        rows = [[*item, self.counts[item]] for item in sorted(self.counts)]
        return zlib.compress(json.dumps([self.size, rows], separators=(",", ":")).encode())

    @classmethod
    def from_payload(cls, payload: bytes) -> Sampled:
        """Create the state from what `payload` returns."""
        size, rows = json.loads(zlib.decompress(payload))
        return cls({Hashed(value_hash, value): n for value_hash, value, n in rows}, size)

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Sampled:
        """Merge the states of many payloads."""
        return cls.merged(map(cls.from_payload, payloads))

    def metric(self) -> Value | Undefined:
        """Return the most frequent of the sampled values."""
        if not self.counts:
            return Undefined("it has no values")
        ordered = sorted(self.values.items(), key=lambda pair: (-pair[1], pair[0]))
        other = sum(n for _, n in ordered[_SHOWN:])
        return Distribution(dict(ordered[:_SHOWN]), other=other, groups=len(ordered))


@dataclass(frozen=True)
class Sample(Analyzer):
    """Draw a sample of the distinct values of a string column, with their counts.

    Parameters
    ----------
    column
        Name of a string column; nested fields as ``address.zip``.
    k
        The largest number of values.

    Notes
    -----
    The sample has the values with the smallest hashes. It is random with respect to the values, and
    always the same. Counts are exact. Values of more than 500 characters are cut to 501. The metric
    shows the ten most frequent values. Undefined without values.

    Examples
    --------
    >>> Sample("sku", 100).key
    'Sample(sku, k=100)'
    """

    column: str = field(metadata=COLUMN)
    k: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("k", self.k)

    def grouping(self, schema: Schema) -> Grouping:
        """Return the grouping by value, cut to the length that is kept."""
        column = schema.column(self.column).require(TEXT, "Sample")
        key = GroupKey(column.name, f"left({column.plain}, {LONGEST + 1})", "{}", column.root)
        return Grouping((key,), self.on(schema).where)

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        self.grouping(schema)

    def metric(self, state: Sampled) -> Value | Undefined:
        """Return the most frequent of the sampled values."""
        return state.metric()
