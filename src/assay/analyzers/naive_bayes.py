"""Naive Bayes as a state: its counts, and a sample of rows on which it is evaluated.

The counts of two parts add up to those of the whole (deequ-vldb18, section 3.2). The sample has the
distinct rows with the smallest hashes, each with its count. The smallest hashes of the whole are
among the smallest of each part, so samples can be merged too. Only hashes of values are kept.
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
from assay.analyzers.prediction_scores import Scores, scores
from assay.analyzers.state import State
from assay.errors import StateError

__all__ = ["MOST_COUNTS", "Example", "NaiveBayes"]

#: counts of features by class: more do not fit on the driver
MOST_COUNTS = 1_000_000

_NO_ROWS = Undefined("it has no values")
_ONE_ROW = Undefined("there is only one row, and no other to learn from")


class Example(NamedTuple):
    """A row as hashes: its own, that of its class, and its features in order."""

    hash: int
    label: int
    features: tuple[int, ...]


@dataclass(frozen=True)
class NaiveBayes(State):
    """Counts of classes and of their features, and example rows with their counts.

    `size` is the largest number of distinct examples; the state of no rows has size 0.
    """

    kind: ClassVar[str] = "naive_bayes"
    rows: Mapping[int, int]
    counts: Mapping[int, Mapping[int, int]]
    sample: Mapping[Example, int]
    size: int

    @classmethod
    def identity(cls) -> NaiveBayes:
        """Return the state of no rows."""
        return cls({}, {}, {}, 0)

    def __add__(self, other: NaiveBayes) -> NaiveBayes:
        return NaiveBayes.merged((self, other))

    @classmethod
    def merged(cls, states: Iterable[NaiveBayes]) -> NaiveBayes:
        """Merge states; raise StateError if the result has too many counts."""
        rows: Counter[int] = Counter()
        counts: dict[int, Counter[int]] = {}
        sample: Counter[Example] = Counter()
        sizes = []
        for state in states:
            if state.size:
                sizes.append(state.size)
                rows.update(state.rows)
                sample.update(state.sample)
                for label, features in state.counts.items():
                    counts.setdefault(label, Counter()).update(features)
        if sum(map(len, counts.values())) > MOST_COUNTS:
            raise StateError.too_many_counts(MOST_COUNTS)
        size = min(sizes, default=0)
        kept = {example: sample[example] for example in sorted(sample)[:size]}
        by_label = {label: dict(features) for label, features in counts.items()}
        return cls(dict(rows), by_label, kept, size)

    def payload(self) -> bytes:
        """Return compressed JSON: the numbers of each class follow each other, in order."""
        labels = {label: i for i, label in enumerate(sorted(self.rows))}
        classes = [[label, self.rows[label], _flat(self.counts.get(label, {}))] for label in labels]
        sample = [
            [example.hash, labels[example.label], self.sample[example], *example.features]
            for example in sorted(self.sample)
        ]
        text = json.dumps([self.size, classes, sample], separators=(",", ":"))
        return zlib.compress(text.encode())

    @classmethod
    def from_payload(cls, payload: bytes) -> NaiveBayes:
        """Create the state from what `payload` returns."""
        size, classes, sample = json.loads(zlib.decompress(payload))
        return cls(
            {label: rows for label, rows, _ in classes},
            {label: dict(zip(*[iter(flat)] * 2, strict=True)) for label, _, flat in classes},
            {
                Example(row_hash, classes[i][0], tuple(features)): n
                for row_hash, i, n, *features in sample
            },
            size,
        )

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> NaiveBayes:
        """Merge the states of many payloads."""
        return cls.merged(map(cls.from_payload, payloads))

    @cached_property
    def scores(self) -> Scores | None:
        """The scores of predicting each example from all other rows."""
        model = Model.of(self.rows, self.counts)
        outcomes: Counter[tuple[Any, Any]] = Counter()
        for example, n in self.sample.items():
            guess = model.predicted(example.features, example.label)
            outcomes[example.label, guess] += n
        return scores(outcomes)

    def score(self, name: str) -> Value | Undefined:
        """Return one of the scores."""
        if sum(self.rows.values()) < 2:
            return _ONE_ROW if self.rows else _NO_ROWS
        return _NO_ROWS if self.scores is None else self.scores.of(name)

    def metric(self) -> Value | Undefined:
        """Return the F1 score."""
        return self.score("f1")


def _flat(counts: Mapping[int, int]) -> list[int]:
    return [number for pair in sorted(counts.items()) for number in pair]
