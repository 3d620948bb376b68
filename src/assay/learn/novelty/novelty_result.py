"""How unlike the accepted batches a batch is, and why; and who says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_value
from assay.learn.novelty.metrics import Feature, Features

__all__ = ["Detector", "Level", "Method", "Model", "Novelty", "Reason", "not_enough"]

#: the paper's detectors (section 4, Table 1)
Method = Literal[
    "average knn", "knn", "one-class svm", "abod", "feature bagging", "hbos", "isolation forest"
]
Level = Literal["accept", "warn", "hold", "not enough history"]


@dataclass(frozen=True)
class Reason:
    """A feature of the batch, where it was expected to be, and how far beyond that it is.

    `ratio` is the distance from what was predicted in parts of what was allowed: above 1 the
    observed number lies outside of `low` to `high`.
    """

    feature: Feature
    ratio: float
    observed: float
    low: float
    high: float
    origin: str

    def __str__(self) -> str:
        expected = format_value(self.low)
        if self.high > self.low:
            expected = f"{expected} to {format_value(self.high)}"
        return (
            f"{self.feature} is {format_value(self.observed)}, expected {expected} ({self.origin})."
        )


@dataclass(frozen=True)
class Novelty:
    """How unlike the accepted batches one is: above `limit` it is an alarm.

    The reasons come with the strongest first, whether they are an alarm or not.
    """

    level: Level
    score: float
    limit: float
    reasons: tuple[Reason, ...]
    batches: int
    needed: int = 0

    @property
    def alarm(self) -> bool:
        """Whether it is one."""
        return self.level in ("warn", "hold")

    def __str__(self) -> str:
        if self.level == "not enough history":
            return f"{NotEnough(self.batches, self.needed)}."
        if not self.alarm:
            return f"like the {self.batches} batches before."
        why = f": {self.reasons[0]}" if self.reasons else "."
        return f"unlike the {self.batches} batches before{why}"


def not_enough(have: int, need: int) -> Novelty:
    """Too few batches to say anything: never a guess."""
    return Novelty("not enough history", math.nan, math.nan, (), have, need)


class Model(Protocol):
    """What was learned from accepted batches."""

    def judge(self, observed: Features) -> Novelty:
        """A batch that came after them."""
        ...


class Detector(Protocol):
    """Learns from the features of accepted batches, oldest first, what the next should be like."""

    def learn(self, history: Sequence[Features]) -> Model | NotEnough:
        """A model, or how many batches it takes."""
        ...
