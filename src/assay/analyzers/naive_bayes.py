"""Multinomial naive Bayes as a state: its counts, and a sample of rows to try it on.

The counts of two parts add up to those of the whole (deequ-vldb18, section 3.2). So does the
sample: of all different rows it holds those with the least hashes, each with how often it occurs,
and the rows with the least hashes of the whole are among those with the least of each part.
Values are known by their hashes alone.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from assay.analyzers.leave_one_out import Model
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.scores import Scores, scores
from assay.analyzers.state import State
from assay.errors import StateError

__all__ = ["MOST_COUNTS", "Example", "NaiveBayes"]

#: a state of more counts does not belong on the driver
MOST_COUNTS = 1_000_000

_NO_ROWS = Undefined("there are no values")
_ONE_ROW = Undefined("there is one row only, and no other to learn from")


class Example(NamedTuple):
    """A row as hashes: its own, that of its class, and its features in order."""

    hash: int
    label: int
    features: tuple[int, ...]


@dataclass(frozen=True)
class NaiveBayes(State):
    """How often each class occurs, and each feature with it; and examples with their counts.

    `size` is how many different examples are kept at most; the state of no rows has none.
    """

    kind: ClassVar[str] = "naive_bayes"
    rows: Mapping[int, int]
    counts: Mapping[int, Mapping[int, int]]
    sample: Mapping[Example, int]
    size: int

    @classmethod
    def identity(cls) -> NaiveBayes:
        """No rows."""
        return cls({}, {}, {}, 0)

    def __add__(self, other: NaiveBayes) -> NaiveBayes:
        return NaiveBayes.merged((self, other))

    @classmethod
    def merged(cls, states: Iterable[NaiveBayes]) -> NaiveBayes:
        """All of these as one; refused where it has too many counts, in whatever order."""
        rows: Counter[int] = Counter()
        counts: dict[int, Counter[int]] = {}
        sample: Counter[Example] = Counter()
        sizes = []
        for state in states:
            if state.size:
                sizes.append(state.size)
                rows.update(state.rows)
                sample.update(state.sample)
                for label, found in state.counts.items():
                    counts.setdefault(label, Counter()).update(found)
        if sum(map(len, counts.values())) > MOST_COUNTS:
            raise StateError.too_many_counts(MOST_COUNTS)
        size = min(sizes, default=0)
        kept = {each: sample[each] for each in sorted(sample)[:size]}
        return cls(dict(rows), {label: dict(each) for label, each in counts.items()}, kept, size)

    def payload(self) -> bytes:
        """Plain lists in JSON, packed: numbers of a class follow each other, in order."""
        labels = {label: at for at, label in enumerate(sorted(self.rows))}
        classes = [[label, self.rows[label], _flat(self.counts.get(label, {}))] for label in labels]
        sample = [
            [each.hash, labels[each.label], self.sample[each], *each.features]
            for each in sorted(self.sample)
        ]
        text = json.dumps([self.size, classes, sample], separators=(",", ":"))
        return zlib.compress(text.encode())

    @classmethod
    def from_payload(cls, payload: bytes) -> NaiveBayes:
        """The inverse of `payload`."""
        size, classes, sample = json.loads(zlib.decompress(payload))
        return cls(
            {label: rows for label, rows, _ in classes},
            {label: dict(zip(*[iter(flat)] * 2, strict=True)) for label, _, flat in classes},
            {Example(own, classes[at][0], tuple(features)): n for own, at, n, *features in sample},
            size,
        )

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> NaiveBayes:
        """All of these as one."""
        return cls.merged(map(cls.from_payload, payloads))

    @cached_property
    def scores(self) -> Scores | None:
        """How well the model predicts the sample, each row by the model of all others."""
        model = Model.of(self.rows, self.counts)
        outcomes: Counter[tuple[Any, Any]] = Counter()
        for example, n in self.sample.items():
            guess = model.predicted(example.features, example.label)
            outcomes[example.label, guess] += n
        return scores(outcomes)

    def score(self, name: str) -> Value | Undefined:
        """One of the scores."""
        if sum(self.rows.values()) < 2:
            return _ONE_ROW if self.rows else _NO_ROWS
        return _NO_ROWS if self.scores is None else self.scores.of(name)

    def metric(self) -> Value | Undefined:
        """F1."""
        return self.score("f1")


def _flat(counts: Mapping[int, int]) -> list[int]:
    return [number for pair in sorted(counts.items()) for number in pair]
