"""That a metric is what its own history lets one expect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Protocol

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem, Value
from assay.analyzers.state import State
from assay.checks.assertions.expectation import Detector, Expectation, NotEnough, Point
from assay.store.protocol import Scope

__all__ = ["NOT_ENOUGH", "AnomalyAssertion", "History", "number"]

#: the code of the problem that there are too few batches: no reason to hold one
NOT_ENOUGH = "not_enough_history"


class History(Protocol):
    """The past of a dataset, as seen from the batch that is judged."""

    @property
    def time(self) -> datetime:
        """When the judged batch came."""

    def points(self, analyzer: Analyzer, scope: Scope, per: Sequence[str]) -> Sequence[Point]:
        """A metric of the batches before it, oldest first, without those held or marked bad.

        `per` names parts of the batch's key (``region``): only batches that have the same.
        """

    def states(self, analyzer: Analyzer, latest: int) -> Sequence[State]:
        """Its states of the `latest` batches before, oldest first, without the same ones."""


@dataclass(frozen=True, slots=True)
class AnomalyAssertion:
    """That a metric is what a detector expects of it."""

    detector: Detector
    scope: Scope = "batch"
    per: tuple[str, ...] = ()

    def expectation(self, analyzer: Analyzer, history: History | None) -> Expectation | Problem:
        """The range in which the metric is expected, or why there is none."""
        if history is None:
            return Problem("no_history", "there is no history here; append the batch to a Dataset")
        found = self.detector.expect(history.points(analyzer, self.scope, self.per), history.time)
        return Problem(NOT_ENOUGH, str(found)) if isinstance(found, NotEnough) else found

    def __str__(self) -> str:
        return f"as {self.detector} expects"


def number(value: Value | None) -> float:
    """A metric as the number that its history is made of; NaN where it is none."""
    match value:
        case bool() | int() | float() | Decimal():
            return float(value)
        case timedelta():
            return value.total_seconds()
        case _:
            return math.nan
