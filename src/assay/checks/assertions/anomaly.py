"""Require a metric to be in the range that is expected from its history."""

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

__all__ = ["NOT_ENOUGH", "AnomalyAssertion", "History", "to_number"]

#: code of the problem that there are too few batches: it stops no batch
NOT_ENOUGH = "not_enough_history"


class History(Protocol):
    """The batches of a dataset before the judged one."""

    @property
    def time(self) -> datetime:
        """The time of the judged batch."""

    def points(self, analyzer: Analyzer, scope: Scope, per: Sequence[str]) -> Sequence[Point]:
        """Return a metric of the earlier batches, oldest first, without those held or marked bad.

        Parameters
        ----------
        analyzer
            The metric.
        scope
            True if the metric is of each batch, or of the whole dataset with it.
        per
            Parts of the batch's key, such as ``region``. Only batches with the same values count.
        """

    def states(self, analyzer: Analyzer, latest: int) -> Sequence[State]:
        """Return the states of the `latest` earlier batches, oldest first, without the same."""


@dataclass(frozen=True, slots=True)
class AnomalyAssertion:
    """A metric lies in the range that a detector computes from its history.

    Attributes
    ----------
    detector
        Computes the range.
    scope
        True if the metric is of the batch, or of the whole dataset with it.
    per
        Parts of the batch's key: only batches with the same values are compared.
    """

    detector: Detector
    scope: Scope = "batch"
    per: tuple[str, ...] = ()

    def expectation(self, analyzer: Analyzer, history: History | None) -> Expectation | Problem:
        """Return the range in which the metric is expected, or why there is none."""
        if history is None:
            return Problem("no_history", "no history is available; append the batch to a Dataset")
        points = history.points(analyzer, self.scope, self.per)
        expected = self.detector.expect(points, history.time)
        return Problem(NOT_ENOUGH, str(expected)) if isinstance(expected, NotEnough) else expected

    def __str__(self) -> str:
        return f"as {self.detector} expects"


def to_number(value: Value | None) -> float:
    """Return a metric as the number that its history consists of; NaN if it is not one."""
    match value:
        case bool() | int() | float() | Decimal():
            return float(value)
        case timedelta():
            return value.total_seconds()
        case _:
            return math.nan
