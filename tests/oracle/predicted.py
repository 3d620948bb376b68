"""Oracles of predictability: DuckDB counts, and plain Python trains and evaluates.

The code is deliberately simple. It subtracts a row from the counts, scores every class by the
formula, and adds the row again.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from assay.analyzers import Analyzer, Predictability, PredictabilityWith
from tests.oracle.duck import Ask, Duck
from tests.oracle.expected import UNDEFINED, Close
from tests.oracle.xxhash import xxhash64


class Row(NamedTuple):
    """A distinct row: its hash, its class, its features and its count."""

    hash: int
    label: int
    features: Sequence[int]
    n: int


class Never:
    """A classifier that is always wrong, however rows are held out."""

    def fit(self, features: Any, labels: Any) -> None:
        """Learn nothing."""

    def predict(self, features: Any) -> list[str]:
        return ["never"] * len(features)


def words(text: str) -> list[str]:
    runs = groupby(text.lower(), key=lambda sign: unicodedata.category(sign)[0] in "LMN")
    return ["".join(signs) for inside, signs in runs if inside][:64]


def names(position: int, value: object) -> list[str]:
    """The names of a value's features."""
    if value is None:
        return [f"{position}?"]
    if not isinstance(value, str):
        return [f"{position}={value}"]
    text_words = words(value)
    value_feature = [f"{position}={value}"] if len(text_words) <= 4 else []
    return value_feature + [f"{position}:{word}" for word in text_words]


def rows(analyzer: Predictability, duck: Duck) -> list[Row]:
    """Return the distinct rows that have a target, in the order of their hashes."""
    kind = duck.schema.column(analyzer.target).type
    examples = []
    for (target, *inputs), n in duck.counts(
        [analyzer.target, *analyzer.inputs], analyzer.where
    ).items():
        if target is None:
            continue
        label = xxhash64(target, kind=kind)
        texts = [None if value is None else str(value) for value in inputs]
        row_hash = xxhash64(label, *(part for text in texts for part in (text is None, text)))
        feature_names = [name for i, value in enumerate(inputs) for name in names(i, value)]
        buckets = [xxhash64(name) % analyzer.buckets for name in feature_names]
        examples.append(Row(row_hash, label, sorted(buckets), n))
    return sorted(examples)


def predictability(analyzer: Predictability, duck: Duck) -> object:
    """Return the score; undefined for fewer than two rows."""
    examples = rows(analyzer, duck)
    if sum(row.n for row in examples) < 2:
        return UNDEFINED
    return Close(score(examples, examples[: analyzer.sample], analyzer.score), scale=1e3)


def score(training: Sequence[Row], evaluated: Sequence[Row], name: str) -> float:
    """Score the predictions of some rows by a model of all others."""
    classes: Counter[int] = Counter()
    counts: dict[int, Counter[int]] = {}
    for row in training:
        classes[row.label] += row.n
        for feature in row.features:
            counts.setdefault(row.label, Counter())[feature] += row.n
    outcomes: Counter[tuple[int, int]] = Counter()
    for row in evaluated:
        classes[row.label] -= 1
        counts[row.label].subtract(row.features)
        outcomes[row.label, predicted(row.features, classes, counts)] += row.n
        classes[row.label] += 1
        counts[row.label].update(row.features)
    return weighted(outcomes, name)


def predicted(
    features: Sequence[int], classes: Mapping[int, int], counts: Mapping[int, Counter[int]]
) -> int:
    """Return the class with the highest score. Ties: the larger class, then the lower hash."""
    occurs = {i: sum(class_counts[i] for class_counts in counts.values()) for i in set(features)}
    total = sum(class_counts.total() for class_counts in counts.values())
    known_features = [i for i in features if occurs[i]]
    scored = {
        label: math.log(n)
        + sum(
            math.log((counts[label][i] + occurs[i] / total) / (counts[label].total() + 1))
            / math.sqrt(len(known_features))
            for i in known_features
        )
        for label, n in classes.items()
        if n
    }
    best = max(scored.values())
    return min((-classes[k], k) for k, score in scored.items() if best - score < 1e-9)[1]


def weighted(outcomes: Counter[tuple[int, int]], name: str) -> float:
    """Return the mean of a score of each class, weighted by its rows."""
    total = 0.0
    for label in {true for true, _ in outcomes}:
        occurs = sum(n for (true, _), n in outcomes.items() if true == label)
        guessed = sum(n for (_, guess), n in outcomes.items() if guess == label)
        hits = outcomes[label, label]
        precision = hits / guessed if guessed else 0.0
        recall = hits / occurs
        f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
        total += occurs * {"precision": precision, "recall": recall, "f1": f1}[name]
    return total / outcomes.total()


def _never_right(analyzer: PredictabilityWith, duck: Duck) -> object:
    return 0.0 if duck.one(f"count({analyzer.target})") else UNDEFINED


ORACLES: Mapping[type[Analyzer], Ask] = {
    Predictability: predictability,
    PredictabilityWith: _never_right,
}
