"""The result of a novelty detector, and the protocol of a detector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_number
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.metric_format import format_metric, format_range
from assay.learn.novelty.features import Feature, Features
from assay.learn.novelty.method_names import Method

__all__ = ["Detector", "Level", "Method", "Model", "Novelty", "Reason", "not_enough"]

Level = Literal["accept", "warn", "hold", "not enough history"]


@dataclass(frozen=True)
class Reason:
    """A feature of the batch with its expected range.

    Parameters
    ----------
    feature
        The feature.
    ratio
        Its distance from the prediction, divided by the allowed distance. Above 1, the observed
        value lies outside of `low` to `high`.
    observed
        The value in the batch.
    low, high
        The expected range.
    origin
        The evidence for the range, in a few words.
    when
        The batches that the range is for, with a colon; empty for all batches.
    """

    feature: Feature
    ratio: float
    observed: float
    low: float
    high: float
    origin: str
    when: str = ""

    def __str__(self) -> str:
        expected = f"expected {self.when}{self._expected}"
        return f"{self.feature} is {self._actual}, {expected} ({self.origin})."

    @property
    def _actual(self) -> str:
        if metrics.find(self.feature.metric) is None:
            return format_number(self.observed, other_than=(self.low, self.high))
        return format_metric(self.feature.metric, self.observed, limits=(self.low, self.high))

    @property
    def _expected(self) -> str:
        metric = metrics.find(self.feature.metric)
        if metric is not None and self.high > self.low:
            return format_range(metric.name, self.low, self.high)
        if metric is not None:
            return format_metric(metric.name, self.low)
        if self.low == self.high:
            return format_number(self.low)
        low = format_number(self.low, other_than=[self.high])
        return f"{low} to {format_number(self.high, other_than=[self.low])}"


@dataclass(frozen=True)
class Novelty:
    """The result of comparing a batch with the accepted batches.

    Parameters
    ----------
    level
        The recommended decision.
    score, limit
        A score above the limit is an alarm.
    reasons
        The features with the highest ratios first, with or without an alarm.
    batches
        The number of accepted batches.
    needed
        The number of batches that the detector needs. It is 0 if there are enough.
    """

    level: Level
    score: float
    limit: float
    reasons: tuple[Reason, ...]
    batches: int
    needed: int = 0

    @property
    def alarm(self) -> bool:
        """True if the batch raises an alarm."""
        return self.level in ("warn", "hold")

    def __str__(self) -> str:
        if self.level == "not enough history":
            return f"{NotEnough(self.batches, self.needed)}."
        if not self.alarm:
            return f"like the {self.batches} earlier batches."
        why = f": {self.reasons[0]}" if self.reasons else "."
        return f"unlike the {self.batches} earlier batches{why}"


def not_enough(have: int, need: int) -> Novelty:
    """Return the result for too few batches."""
    return Novelty("not enough history", math.nan, math.nan, (), have, need)


class Model(Protocol):
    """A model of the accepted batches."""

    def judge(self, observed: Features) -> Novelty:
        """Compare the next batch with them."""
        ...


class Detector(Protocol):
    """Learns a model from the features of accepted batches, oldest first."""

    def learn(self, history: Sequence[Features]) -> Model | NotEnough:
        """Return a model, or `NotEnough` if there are too few batches."""
        ...
