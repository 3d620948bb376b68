"""The default detector: every feature has a band, and the one farthest outside decides.

A feature is predicted by its mean or by its last value, whichever had the lower error one step
ahead (the last must be better by a tenth; so must the value a season ago, if there is a season).
Its scale is that error, but never less than

- a thousandth of its largest absolute value,
- for a share p of n rows the sampling error ``sqrt(p (1 - p) / n)``, p at least ``.5 / (N + 1)``
  where N rows were seen before: what never happened may still happen once,
- the standard error of any other feature, where it is known (see `sampling_error`).

With ``z = |observed - predicted| / scale`` and F features,

    r = z / max(t(1 - alpha / 2F), 1.25 · the largest past z),    score = max r

t being Student's with 6 degrees of freedom, however many batches there are: few tell no more of
their spread, and over many it is the tails that count, which are heavy. For the number of rows, F
is the number of columns. In a column of whole numbers a step of 1 of an extreme or a quartile is
always allowed: there is no smaller one.

Above 1 is a warning, above 3 the batch is held. Ranges scaled from 0 to 1, as the paper has them,
would drown what is the strongest signal of all: a feature that never changed, and does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_value
from assay.learn.dependency import needed
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.feature_matrix import FeatureMatrix, lasts, matrix, means, seasons
from assay.learn.novelty.metrics import METRICS, Feature, Features, Metric
from assay.learn.novelty.novelty_result import Detector, Level, Novelty, Reason, not_enough
from assay.learn.novelty.sampling_error import SamplingError

__all__ = ["Bands", "LearnedBands", "judge"]

_HANDICAP = 0.9
_RELATIVE = 1e-3
_DEGREES = 6
_BEYOND = 1.25
#: so many features are told of
_TOLD = 20
_WAYS = ("mean", "last", "a season ago")
#: the logarithm of more rows than there are
_MOST = 100.0
#: metrics that are one of the column's own numbers
_PLACES = frozenset(("min", "max", "q25", "q50", "q75"))
_ROUNDING = 1 + 1e-9
_ROWS = Feature(None, "rows")
_PLAIN = Metric("", "")
_NEVER = SamplingError()


@dataclass(frozen=True)
class Bands:
    """Learns a band for each feature; `alpha` is the share of batches that may be false alarms.

    `season` is a number of batches, such as 7 of daily ones with a weekly rhythm.
    """

    alpha: float = 0.005
    hold: float = 3.0
    batches: int = 8
    season: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is between 0 and 1, not {self.alpha!r}.")
        if self.season is not None and self.season < 2:
            raise ValueError(f"a season is 2 batches or more, not {self.season!r}.")
        if self.batches < 3:
            raise ValueError(f"at least 3 batches are needed, not {self.batches!r}.")

    def learn(self, history: Sequence[Features]) -> LearnedBands | NotEnough:
        """The bands for the batch to come."""
        if len(history) < self.batches:
            return NotEnough(len(history), self.batches)
        past = matrix(history)
        ways = [means(past.values), lasts(past.values)]
        if self.season is not None:
            ways.append(seasons(past.values, self.season))
        errors = past.values - ways[0][:-1]
        predicted, size = ways[0][-1].copy(), _root_mean_square(errors)
        chosen = np.zeros(len(past.features), np.int64)
        for way, each in enumerate(ways[1:], start=1):
            apart = past.values - each[:-1]
            # a season may not have come round often enough
            enough = np.isfinite(apart).sum(axis=0) >= self.batches - 1
            lower = _root_mean_square(apart) < _HANDICAP * size
            better = enough & lower & np.isfinite(each[-1])
            chosen[better], predicted[better] = way, each[-1, better]
            errors[:, better] = apart[:, better]
            size = _root_mean_square(errors)
        known = np.isfinite(errors).sum(axis=0) >= self.batches - 1
        features = tuple(each for each, has in zip(past.features, known, strict=True) if has)
        return LearnedBands(
            self,
            features,
            len(history),
            chosen[known],
            predicted[known],
            np.maximum(size, _RELATIVE * np.maximum(_largest(past.values), _RELATIVE))[known],
            np.maximum(_BEYOND * _largest(errors)[known], _steps(past, features, predicted[known])),
            np.array([_trials(past, each) for each in features]),
        )


@dataclass(frozen=True)
class LearnedBands:
    """For the batch to come, of each feature: a prediction, and how wrong such predictions were.

    `scales` before the sampling error of shares, which depends on the batch; `least` is the
    width that a band has at least, `trials` are the rows or values that a share was one of, in all.
    """

    detector: Bands
    features: tuple[Feature, ...]
    batches: int
    ways: NDArray[np.int64]
    predicted: Floats
    scales: Floats
    least: Floats
    trials: Floats

    def judge(
        self, observed: Features, sampling_errors: Mapping[Feature, SamplingError] | None = None
    ) -> Novelty:
        """By the feature that is farthest outside of its band."""
        values = np.array([observed.get(each, math.nan) for each in self.features], np.float64)
        judged = np.isfinite(values)
        widths = self._widths(observed, max(1, int(judged.sum())), sampling_errors or {})
        ratios = np.where(judged, np.abs(values - self.predicted) / widths, -1.0)
        order = np.argsort(-ratios, kind="stable")[:_TOLD].tolist()
        order += (j for j, each in enumerate(self.features) if each == _ROWS and j not in order)
        found = tuple(
            self._reason(j, float(values[j]), float(widths[j]), float(ratios[j]))
            for j in order
            if judged[j]
        )
        score = found[0].ratio if found else 0.0
        level: Level = "hold" if score > self.detector.hold else "warn" if score > 1 else "accept"
        return Novelty(level, score, 1.0, found, self.batches)

    def _widths(
        self, observed: Features, judged: int, sampling_errors: Mapping[Feature, SamplingError]
    ) -> Floats:
        """How far from the prediction is not too far."""
        rows = np.array([trials(observed, each) for each in self.features], np.float64)
        least = 0.5 / (self.trials + 1)
        p = np.minimum(np.maximum(self.predicted, least), 1 - least)
        sampling = np.sqrt(np.maximum(p * (1 - p), 0.0) / np.maximum(rows, 1.0))
        scales = np.where(rows > 0, np.maximum(self.scales, sampling), self.scales)
        known = [sampling_errors.get(each, _NEVER) for each in self.features]
        errors, steps = np.array(known, np.float64).reshape(-1, 2).T
        # the number of rows, which is one thing, has as much as a column, which is many features
        columns = len({each.column for each in self.features})
        shares = [columns if each == _ROWS else judged for each in self.features]
        tails = self.detector.alpha / np.maximum(shares, 1) / 2
        deviations = -needed("scipy.special").stdtrit(_DEGREES, tails)
        widths = np.maximum(deviations * np.maximum(scales, errors), self.least)
        found: Floats = np.maximum(widths, _ROUNDING * steps)
        return found

    def _reason(self, j: int, value: float, width: float, ratio: float) -> Reason:
        outward = METRICS.get(self.features[j].metric, _PLAIN).outward
        middle = float(self.predicted[j])
        way = _WAYS[self.ways[j]]
        return Reason(
            self.features[j],
            ratio,
            outward(value),
            outward(middle - width),
            outward(middle + width),
            f"{way} {format_value(outward(middle))}, {self.batches} batches",
        )


def judge(
    history: Sequence[Features], observed: Features, detector: Detector | None = None
) -> Novelty:
    """Hold a batch against the accepted ones before it, oldest first.

    Held batches, and those marked bad, are no part of the history.
    """
    model = (Bands() if detector is None else detector).learn(history)
    if isinstance(model, NotEnough):
        return not_enough(model.have, model.need)
    return model.judge(observed)


def trials(batch: Features, feature: Feature) -> float:
    """Of how many rows or values a share is one, in a batch; 0 of what is no share."""
    of = METRICS.get(feature.metric, _PLAIN).of
    if of is None:
        return 0.0
    rows = math.expm1(min(batch.get(_ROWS, 0.0), _MOST))
    if of == "rows":
        return rows
    complete = batch.get(Feature(feature.column, "completeness"), 0.0)
    return rows * complete if complete == complete else 0.0


def _trials(past: FeatureMatrix, feature: Feature) -> float:
    of = METRICS.get(feature.metric, _PLAIN).of
    if of is None:
        return 0.0
    rows = np.expm1(np.minimum(past.of(_ROWS), _MOST))
    if of == "values":
        rows = rows * past.of(Feature(feature.column, "completeness"))
    return float(np.nansum(rows))


def _steps(past: FeatureMatrix, features: Sequence[Feature], predicted: Floats) -> Floats:
    """The step from a whole number to the next, as features have it; 0 where others occurred."""
    found = np.zeros(len(features))
    for j, (column, metric) in enumerate(features):
        whole = past.of(Feature(column, "integers")) if metric in _PLACES else np.zeros(1)
        if np.nanmin(whole, initial=1.0) == 1.0:
            # that of the larger distance: towards 0
            number = abs(math.sinh(min(abs(float(predicted[j])), _MOST)))
            found[j] = _ROUNDING * (math.asinh(number) - math.asinh(number - 1))
    return found


def _largest(values: Floats) -> Floats:
    found: Floats = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0)
    return found


def _root_mean_square(errors: Floats) -> Floats:
    counts = np.isfinite(errors).sum(axis=0)
    sums = np.nansum(errors * errors, axis=0)
    found = np.full(errors.shape[1], np.inf)
    np.divide(sums, counts, out=found, where=counts > 0)
    roots: Floats = np.sqrt(found)
    return roots
