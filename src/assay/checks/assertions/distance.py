"""Require the distribution of a column to be close to that of the batch before."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.distribution import DistanceName, distance_between
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.checks.assertions.anomaly import NOT_ENOUGH, History
from assay.checks.assertions.bounds import Assertion
from assay.errors import AssayError

__all__ = ["DistanceAssertion"]


@dataclass(frozen=True, slots=True)
class DistanceAssertion:
    """A distance to the distribution in the last accepted batch lies within bounds.

    Attributes
    ----------
    distance
        Name of the distance.
    bounds
        The bounds on the distance.
    """

    distance: DistanceName
    bounds: Assertion

    def measure(
        self, analyzer: Analyzer, state: State | None, history: History | None
    ) -> float | Problem:
        """Return the distance to the last accepted batch, or why there is none."""
        if history is None:
            return Problem("no_history", "no history is available; append the batch to a Dataset")
        earlier = history.states(analyzer, 1)
        if not earlier:
            return Problem(NOT_ENOUGH, "not enough history: 0 batches, 1 needed")
        if state is None:
            return Problem("no_state", "only its metric is known, not its distribution")
        try:
            distance = distance_between(self.distance, state, earlier[-1])
        except AssayError as error:
            return Problem(error.code, str(error))
        if math.isnan(distance):
            return Problem("undefined", "one of the batches has no values")
        return distance

    def __str__(self) -> str:
        return str(self.bounds)
