"""The default novelty detector: a band for each feature. The feature farthest outside decides.

A feature is predicted by its mean, or by its last value if that had an error at least 10 % lower.
With a season, the value one season earlier is a third candidate. With the times of the batches,
there are also calendars: the mean of earlier batches of the same weekday or hour, for example. A
calendar must have an error at least 20 % lower. The scale of a feature is the
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
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_number
from assay.learn.dependency import import_optional
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.calendars import CALENDARS, Holidays
from assay.learn.novelty.feature_matrix import FeatureMatrix, lasts, matrix, means, seasons
from assay.learn.novelty.features import ROW_COUNT, Feature, Features
from assay.learn.novelty.novelty_result import Detector, Level, Novelty, Reason, not_enough
from assay.learn.novelty.sampling_error import SamplingError

__all__ = ["Bands", "LearnedBands", "judge"]

#: Another prediction replaces the mean only if its error is at least 10 % lower: with few batches,
#: smaller differences are chance.
_MAX_ERROR_RATIO = 0.9
#: A calendar must be better by 20 %. At 10 % and at 30 %, one of 430 good batches of four recurring
#: data sets is novel that was not: a holiday that is not declared.
_MAX_CALENDAR_ERROR_RATIO = 0.8
#: The smallest scale of a feature, relative to its largest value.
_MIN_RELATIVE_SCALE = 1e-3
#: Degrees of freedom of Student's distribution. They do not grow with the number of batches, since
#: the tails of real features are heavy (benchmarks.novelty).
_DEGREES_OF_FREEDOM = 6
#: A band reaches at least 25 % beyond the largest past error.
_MARGIN = 1.25
#: The largest number of features in a result.
_MAX_REASONS = 20
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
    holidays
        Days that are unlike other days of the same weekday, as ISO dates.
    """

    alpha: float = 0.005
    hold: float = 3.0
    batches: int = 8
    season: int | None = None
    holidays: Holidays = ()

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(
                f"invalid alpha: expected a share between 0 and 1, got {self.alpha!r}."
            )
        if self.season is not None and self.season < 2:
            raise ValueError(f"invalid season: expected at least 2 batches, got {self.season!r}.")
        if self.batches < 3:
            raise ValueError(f"invalid batches: expected at least 3, got {self.batches!r}.")

    def learn(
        self, history: Sequence[Features], times: Sequence[datetime] = ()
    ) -> LearnedBands | NotEnough:
        """Learn the bands for the next batch.

        Parameters
        ----------
        history
            The features of accepted batches, oldest first.
        times
            The times of these batches, and that of the next one. Without them, calendars are not
            considered.
        """
        if len(history) < self.batches:
            return NotEnough(len(history), self.batches)
        past_batches = matrix(history)
        candidates = self._candidates(past_batches.values, times)
        chosen = np.zeros(len(past_batches.features), np.int64)
        predicted = candidates[0].values[-1].copy()
        errors = past_batches.values - candidates[0].values[:-1]
        for at, candidate in enumerate(candidates[1:], start=1):
            better = _is_better(candidate, past_batches.values, errors, self.batches - 1)
            chosen[better], predicted[better] = at, candidate.values[-1, better]
            errors[:, better] = (past_batches.values - candidate.values[:-1])[:, better]
        size = _root_mean_square(errors)
        usable = np.isfinite(errors).sum(axis=0) >= self.batches - 1
        features = tuple(
            feature for feature, use in zip(past_batches.features, usable, strict=True) if use
        )
        return LearnedBands(
            self,
            features,
            len(history),
            tuple(candidate.words for candidate in candidates),
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

    def _candidates(self, values: Floats, times: Sequence[datetime]) -> list[_Prediction]:
        """Return predictions of each batch and of the next one, the simplest first."""
        candidates = [
            _Prediction(means(values), ("", "mean"), 1.0),
            _Prediction(lasts(values), ("", "last"), _MAX_ERROR_RATIO),
        ]
        if self.season is not None:
            of_season = seasons(values, self.season)
            candidates.append(_Prediction(of_season, ("", "a season ago"), _MAX_ERROR_RATIO))
        if times:
            candidates += (
                _Prediction(
                    calendar.predict(values, times, self.holidays),
                    (f"{calendar.phrase(times[-1], self.holidays)}: ", "mean"),
                    _MAX_CALENDAR_ERROR_RATIO,
                )
                for calendar in CALENDARS
                if calendar.divides(times, self.holidays)
            )
        return candidates


@dataclass(frozen=True)
class _Prediction:
    """Predictions of each past batch and of the next one.

    Parameters
    ----------
    values
        One row per batch, and one for the next batch.
    words
        When the prediction applies, and what it is.
    max_error_ratio
        It replaces a simpler prediction if its error is at most this part of the other one.
    """

    values: Floats
    words: tuple[str, str]
    max_error_ratio: float


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
    words
        For each kind of prediction, when it applies and what it is.
    chosen
        The kind of prediction of each feature.
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
    words: tuple[tuple[str, str], ...]
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
        when, prediction = self.words[self.chosen[j]]
        return Reason(
            feature,
            ratio,
            feature.from_scale(value),
            feature.from_scale(middle - width),
            feature.from_scale(middle + width),
            f"{prediction} {format_number(feature.from_scale(middle))}, {self.batches} batches",
            when,
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


def _is_better(
    candidate: _Prediction, values: Floats, errors: Floats, min_batches: int
) -> NDArray[np.bool_]:
    """Return for which features a candidate predicts better than the prediction so far.

    Both are compared on the same batches.
    """
    own_errors = values - candidate.values[:-1]
    both = np.isfinite(own_errors) & np.isfinite(errors)
    # The history may be too short for a season or a calendar.
    enough = np.isfinite(own_errors).sum(axis=0) >= min_batches
    simpler = _root_mean_square(np.where(both, errors, np.nan))
    lower = _root_mean_square(own_errors) < candidate.max_error_ratio * simpler
    better: NDArray[np.bool_] = enough & lower & np.isfinite(candidate.values[-1])
    return better


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
