"""The default novelty detector: a band for each feature. The feature farthest outside decides.

A feature is predicted by its mean, or by its last value if that had an error at least 10 % lower.
With a season, the value one season earlier is a third candidate. The scale of a feature is the
error of its predictions of the next batch, but at least

- 1/1,000 of its largest absolute value,
- for a share p of n rows, the sampling error ``sqrt(p (1 - p) / n)``, with p at least
  ``0.5 / (N + 1)`` after N earlier rows,
- the standard error of any other feature, where it is known (see `sampling_error`).

With ``z = |observed - predicted| / scale`` and F features,

    r = z / max(t(1 - alpha / 2F), 1.25 · the largest past z),    score = max r

where t is a quantile of Student's distribution with 6 degrees of freedom. For the row count, F is
the number of columns. In a column of whole numbers, a change of the minimum, the maximum or a
quartile by 1 is always allowed.

A score above 1 is a warning. Above 3, the batch is held. The paper scales features to 0 to 1
instead. This hides the strongest signal, which is the first change of a constant feature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_number
from assay.learn.dependency import import_optional
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.feature_matrix import FeatureMatrix, lasts, matrix, means, seasons
from assay.learn.novelty.features import ROW_COUNT, Feature, Features
from assay.learn.novelty.novelty_result import Detector, Level, Novelty, Reason, not_enough
from assay.learn.novelty.sampling_error import SamplingError

__all__ = ["Bands", "LearnedBands", "judge"]

#: Another prediction replaces the mean only if its error is at least 10 % lower: with few batches,
#: smaller differences are chance.
_MAX_ERROR_RATIO = 0.9
#: The smallest scale of a feature, relative to its largest value.
_MIN_RELATIVE_SCALE = 1e-3
#: Degrees of freedom of Student's distribution. They do not grow with the number of batches, since
#: the tails of real features are heavy (benchmarks.novelty).
_DEGREES_OF_FREEDOM = 6
#: A band reaches at least 25 % beyond the largest past error.
_MARGIN = 1.25
#: The largest number of features in a result.
_MAX_REASONS = 20
_PREDICTIONS = ("mean", "last", "a season ago")
#: The logarithm of more rows than any batch has. It keeps exponentials finite.
_MAX_LOG_ROWS = 100.0
_ROUNDING = 1 + 1e-9
_NO_ERROR = SamplingError()


@dataclass(frozen=True)
class Bands:
    """Learns a band for each feature.

    Parameters
    ----------
    alpha
        The share of batches that may be false alarms: 0.005 is 1 in 200 batches.
    hold
        The score above which a batch is held.
    batches
        The smallest number of batches to learn from.
    season
        The number of batches after which features repeat, such as 7 for daily batches.
    """

    alpha: float = 0.005
    hold: float = 3.0
    batches: int = 8
    season: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(
                f"invalid alpha: expected a share between 0 and 1, got {self.alpha!r}."
            )
        if self.season is not None and self.season < 2:
            raise ValueError(f"invalid season: expected at least 2 batches, got {self.season!r}.")
        if self.batches < 3:
            raise ValueError(f"invalid batches: expected at least 3, got {self.batches!r}.")

    def learn(self, history: Sequence[Features]) -> LearnedBands | NotEnough:
        """Learn the bands for the next batch, from accepted batches, oldest first."""
        if len(history) < self.batches:
            return NotEnough(len(history), self.batches)
        past_batches = matrix(history)
        predictions = [means(past_batches.values), lasts(past_batches.values)]
        if self.season is not None:
            predictions.append(seasons(past_batches.values, self.season))
        errors = past_batches.values - predictions[0][:-1]
        predicted, size = predictions[0][-1].copy(), _root_mean_square(errors)
        chosen = np.zeros(len(past_batches.features), np.int64)
        for at, prediction in enumerate(predictions[1:], start=1):
            other_errors = past_batches.values - prediction[:-1]
            # The history may be too short for the season.
            enough = np.isfinite(other_errors).sum(axis=0) >= self.batches - 1
            lower = _root_mean_square(other_errors) < _MAX_ERROR_RATIO * size
            better = enough & lower & np.isfinite(prediction[-1])
            chosen[better], predicted[better] = at, prediction[-1, better]
            errors[:, better] = other_errors[:, better]
            size = _root_mean_square(errors)
        usable = np.isfinite(errors).sum(axis=0) >= self.batches - 1
        features = tuple(
            feature for feature, use in zip(past_batches.features, usable, strict=True) if use
        )
        return LearnedBands(
            self,
            features,
            len(history),
            chosen[usable],
            predicted[usable],
            np.maximum(
                size,
                _MIN_RELATIVE_SCALE
                * np.maximum(_largest(past_batches.values), _MIN_RELATIVE_SCALE),
            )[usable],
            np.maximum(
                _MARGIN * _largest(errors)[usable],
                _steps(past_batches, features, predicted[usable]),
            ),
            np.array([_past_sample_size(past_batches, feature) for feature in features]),
        )


@dataclass(frozen=True)
class LearnedBands:
    """The bands for the next batch.

    Parameters
    ----------
    detector
        The settings.
    features
        The features with a band. The arrays are in their order.
    batches
        The number of batches that the bands were learned from.
    chosen
        The prediction of each feature: 0 is the mean, 1 the last value, 2 the value a season ago.
    predicted
        The predicted values.
    scales
        The errors of earlier predictions, without the sampling error of shares.
    min_widths
        The smallest width of each band.
    past_sizes
        For a share, the number of rows or values in all earlier batches.
    """

    detector: Bands
    features: tuple[Feature, ...]
    batches: int
    chosen: NDArray[np.int64]
    predicted: Floats
    scales: Floats
    min_widths: Floats
    past_sizes: Floats

    def judge(
        self, observed: Features, sampling_errors: Mapping[Feature, SamplingError] | None = None
    ) -> Novelty:
        """Compare a batch with the bands. The feature with the highest ratio decides."""
        values = np.array(
            [observed.get(feature, math.nan) for feature in self.features], np.float64
        )
        defined = np.isfinite(values)
        widths = self._widths(observed, max(1, int(defined.sum())), sampling_errors or {})
        ratios = np.where(defined, np.abs(values - self.predicted) / widths, -1.0)
        order = np.argsort(-ratios, kind="stable")[:_MAX_REASONS].tolist()
        order += (
            j for j, feature in enumerate(self.features) if feature == ROW_COUNT and j not in order
        )
        reasons = tuple(
            self._reason(j, float(values[j]), float(widths[j]), float(ratios[j]))
            for j in order
            if defined[j]
        )
        score = reasons[0].ratio if reasons else 0.0
        level: Level = "hold" if score > self.detector.hold else "warn" if score > 1 else "accept"
        return Novelty(level, score, 1.0, reasons, self.batches)

    def _widths(
        self, observed: Features, n_features: int, sampling_errors: Mapping[Feature, SamplingError]
    ) -> Floats:
        """Return the allowed distance from each prediction."""
        sizes = np.array([sample_size(observed, feature) for feature in self.features], np.float64)
        min_share = 0.5 / (self.past_sizes + 1)
        p = np.minimum(np.maximum(self.predicted, min_share), 1 - min_share)
        sampling = np.sqrt(np.maximum(p * (1 - p), 0.0) / np.maximum(sizes, 1.0))
        scales = np.where(sizes > 0, np.maximum(self.scales, sampling), self.scales)
        pairs = [sampling_errors.get(feature, _NO_ERROR) for feature in self.features]
        errors, steps = np.array(pairs, np.float64).reshape(-1, 2).T
        # The row count gets the same part of alpha as a column with all its features.
        n_columns = len({feature.column for feature in self.features})
        parts = [n_columns if feature == ROW_COUNT else n_features for feature in self.features]
        tails = self.detector.alpha / np.maximum(parts, 1) / 2
        deviations = -import_optional("scipy.special").stdtrit(_DEGREES_OF_FREEDOM, tails)
        widths = np.maximum(deviations * np.maximum(scales, errors), self.min_widths)
        allowed: Floats = np.maximum(widths, _ROUNDING * steps)
        return allowed

    def _reason(self, j: int, value: float, width: float, ratio: float) -> Reason:
        feature, middle = self.features[j], float(self.predicted[j])
        prediction = _PREDICTIONS[self.chosen[j]]
        return Reason(
            feature,
            ratio,
            feature.from_scale(value),
            feature.from_scale(middle - width),
            feature.from_scale(middle + width),
            f"{prediction} {format_number(feature.from_scale(middle))}, {self.batches} batches",
        )


def judge(
    history: Sequence[Features], observed: Features, detector: Detector | None = None
) -> Novelty:
    """Compare a batch with the accepted batches before it.

    Parameters
    ----------
    history
        The features of the accepted batches, oldest first, without held and bad batches.
    observed
        The features of the batch.
    detector
        The detector; `Bands` by default.
    """
    model = (Bands() if detector is None else detector).learn(history)
    if isinstance(model, NotEnough):
        return not_enough(model.have, model.need)
    return model.judge(observed)


def sample_size(batch: Features, feature: Feature) -> float:
    """Return the number of rows or values that a share is computed from; 0 for other features."""
    if feature.share_of is None:
        return 0.0
    rows = math.expm1(min(batch.get(ROW_COUNT, 0.0), _MAX_LOG_ROWS))
    if feature.share_of == "rows":
        return rows
    completeness = batch.get(Feature(feature.column, catalogue.COMPLETENESS), 0.0)
    return 0.0 if math.isnan(completeness) else rows * completeness


def _past_sample_size(past_batches: FeatureMatrix, feature: Feature) -> float:
    if feature.share_of is None:
        return 0.0
    rows = np.expm1(np.minimum(past_batches.of(ROW_COUNT), _MAX_LOG_ROWS))
    if feature.share_of == "values":
        rows = rows * past_batches.of(Feature(feature.column, catalogue.COMPLETENESS))
    return float(np.nansum(rows))


def _steps(past_batches: FeatureMatrix, features: Sequence[Feature], predicted: Floats) -> Floats:
    """Return the step to the next whole number, on the scale of the feature.

    It is 0 for a column with fractions, and for metrics that are not values of a row.
    """
    steps = np.zeros(len(features))
    for j, (column, name) in enumerate(features):
        metric = catalogue.find(name)
        if metric is None or not metric.is_value or metric.scale != "asinh":
            continue
        integer_ratios = past_batches.of(Feature(column, catalogue.INTEGER_RATIO))
        if np.nanmin(integer_ratios, initial=1.0) == 1.0:
            # The step towards 0 is the larger one.
            number = abs(math.sinh(min(abs(float(predicted[j])), _MAX_LOG_ROWS)))
            steps[j] = _ROUNDING * (math.asinh(number) - math.asinh(number - 1))
    return steps


def _largest(values: Floats) -> Floats:
    largest: Floats = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0)
    return largest


def _root_mean_square(errors: Floats) -> Floats:
    counts = np.isfinite(errors).sum(axis=0)
    sums = np.nansum(errors * errors, axis=0)
    mean_squares = np.full(errors.shape[1], np.inf)
    np.divide(sums, counts, out=mean_squares, where=counts > 0)
    roots: Floats = np.sqrt(mean_squares)
    return roots
