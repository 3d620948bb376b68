"""Predict each metric of each segment, and score how far the batch is from the prediction.

There are three predictions: the median of the last 14 batches, the last value, and the median of
the last batches of the same weekday. The last value or the weekday is used only if its past errors
were at least 10 % smaller. The scale of a series is the usual size of its past errors: the larger
of their mean and of 1.48 times their median. It is at least the sampling error, so that the limits
of small segments are wide.

    z = (actual - predicted) / scale

>>> weekly = np.array([100.0, 101, 99, 100, 102, 50, 52] * 6)[:, None]
>>> saturday = score(np.vstack([weekly[:-1], [[50.0]]]), np.arange(42) % 7, np.sqrt)
>>> bool(abs(saturday.z[-1, 0]) < 1), float(saturday.predicted[-1, 0])
(True, 52.0)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.learn.dependency import import_optional
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.feature_matrix import lasts

__all__ = ["Scores", "limit_of", "score"]

#: batches of the median, and batches of one phase of the season
_RECENT, _RECENT_OF_PHASE = 14, 5
_MIN_OF_PHASE = 2
_MAX_ERROR_RATIO = 0.9
#: the smallest number of past errors from which a scale is estimated
MIN_ERRORS = 7
#: the median of absolute errors of a normal distribution is 1/1.48 of its standard deviation
_MEDIAN_TO_DEVIATION = 1.4826
#: Student's distribution with these degrees of freedom has heavier tails than the normal one. The
#: largest past error of each series allows for still heavier ones (benchmarks.segments).
_DEGREES_OF_FREEDOM = 12


@dataclass(frozen=True, eq=False)
class Scores:
    """One row for each batch, the judged one last, and one column for each series.

    Parameters
    ----------
    predicted
        The predictions.
    errors
        The differences of the values from them.
    z
        The errors in scales; 0 if a series is too short.
    """

    predicted: Floats
    errors: Floats
    z: Floats


def score(
    values: Floats, phases: NDArray[np.int64], min_scale: Callable[[Floats], Floats]
) -> Scores:
    """Score the values of each batch by those of earlier batches.

    Parameters
    ----------
    values
        A row for each batch, the judged one last; a column for each series. NaN if undefined.
    phases
        The weekday of each batch, or another phase of a season.
    min_scale
        Returns the smallest scale for predictions.
    """
    earlier = values[:-1]
    predicted = _recent_medians(earlier)
    errors = values - predicted
    for other in (lasts(earlier), _phase_medians(values, phases)):
        other_errors = values - other
        both = np.isfinite(errors[:-1]) & np.isfinite(other_errors[:-1])
        size, other_size = (_mean_size(e[:-1], both) for e in (errors, other_errors))
        better = both.sum(axis=0) >= MIN_ERRORS
        better &= (other_size < _MAX_ERROR_RATIO * size) & np.isfinite(other[-1])
        replaced = better & np.isfinite(other)
        predicted = np.where(replaced, other, predicted)
        errors = values - predicted
    sizes = np.abs(errors[:-1])
    defined = np.isfinite(sizes)
    scale = np.maximum(_MEDIAN_TO_DEVIATION * _median(sizes), _mean_size(sizes, defined))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = errors / np.maximum(scale, min_scale(predicted))
    z[:, defined.sum(axis=0) < MIN_ERRORS] = 0.0
    return Scores(predicted, errors, np.where(np.isfinite(z), z, 0.0))


def limit_of(rate: float, n_series: int) -> float:
    """Return the score that one of n series exceeds at this rate in a good batch."""
    tail = rate / max(1, n_series) / 2
    return -float(import_optional("scipy.special").stdtrit(_DEGREES_OF_FREEDOM, tail))


def _recent_medians(earlier: Floats) -> Floats:
    """Return the median of the last values before each batch, and before the judged one."""
    before = np.full((_RECENT, earlier.shape[1]), np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(
        np.vstack([before, earlier]), _RECENT, axis=0
    )
    return _median(windows, axis=2)


def _phase_medians(values: Floats, phases: NDArray[np.int64]) -> Floats:
    """Return the median of the last batches in the same phase before each batch."""
    predicted = np.full(values.shape, np.nan)
    for phase in np.unique(phases):
        places = np.flatnonzero(phases == phase)
        for i in range(_MIN_OF_PHASE, len(places)):
            earlier = places[max(0, i - _RECENT_OF_PHASE) : i]
            predicted[places[i]] = _median(values[earlier])
    return predicted


def _median(values: Floats, axis: int = 0) -> Floats:
    """Return the median without NaN; NaN if all values are NaN."""
    ordered = np.sort(values, axis=axis)  # NaN are last
    counts = np.expand_dims(np.isfinite(ordered).sum(axis=axis), axis)
    low = np.take_along_axis(ordered, np.maximum(counts - 1, 0) // 2, axis)
    high = np.take_along_axis(ordered, np.minimum(counts // 2, values.shape[axis] - 1), axis)
    medians: Floats = np.where(counts > 0, (low + high) / 2, np.nan).squeeze(axis)
    return medians


def _mean_size(errors: Floats, of: NDArray[np.bool_]) -> Floats:
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        sums = np.where(of, np.abs(errors), 0.0).sum(axis=0)
    means = np.full(errors.shape[1], np.nan)
    np.divide(sums, of.sum(axis=0), out=means, where=of.any(axis=0))
    return means
