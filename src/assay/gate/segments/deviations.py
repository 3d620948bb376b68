"""Find the segments of a batch that deviate from their own history, while the others do not.

The row count of a segment is compared with its history in two ways: as a number, and as a share of
all other rows. It deviates only if both are unusual. If the whole batch lacks rows, the shares are
as usual, so that no segment deviates. If one segment is missing, the row counts of the others are
as usual. A metric of a column is compared with its history, and with the median change of all
segments.

A score is unusual if it is larger than

- the score that one of all segments exceeds at the allowed rate,
- the largest score of any segment in the earlier batches, and
- 1.25 times the largest earlier score of the segment itself.

The change must also be large enough to matter: a quarter of the rows for row counts, a quarter of
a standard deviation for means, and 5 % of the rows for shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.gate.segments.batch_segments import BatchSegments, SegmentName
from assay.gate.segments.scores import MIN_ERRORS, Scores, limit_of, score
from assay.gate.segments.segment_series import SegmentSeries, align_segments
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Floats

__all__ = ["MIN_BATCHES", "Deviation", "Rates", "find_deviations"]

#: earlier batches that are needed
MIN_BATCHES = MIN_ERRORS + 1
#: kinds of metrics that share the rates: row counts, means, shares
_N_FAMILIES = 3
#: metrics of fewer rows say nothing about a column
_MIN_ROWS = 10
#: the smallest changes that matter
_MIN_CHANGE_OF_ROWS, _MIN_ROWS_CHANGED = 0.25, 5
_MIN_DEVIATIONS = 0.25
#: the absence of a segment is unusual if it was in at least this number of batches
_MIN_BATCHES_TO_VANISH = 20
_MIN_CHANGE_OF_SHARE = 0.05
_MAX_DIFFERENCE_OF_FACTORS = 0.1
#: how far an alarm must exceed earlier scores: of the segment, and of all segments to hold
_MARGIN, _MARGIN_TO_HOLD = 1.25, 2.0
_MIN_RELATIVE_SCALE, _MIN_RELATIVE_SCALE_OF_MEANS = 0.02, 1e-3
#: the smallest number of segments that can have a common movement
_MIN_SEGMENTS = 3
#: the median of absolute scores is 1/1.48 of the standard deviation of a normal distribution
_MEDIAN_TO_DEVIATION = 1.4826


@dataclass(frozen=True, slots=True)
class Rates:
    """The shares of good batches that segments may hold, and warn of."""

    hold: float
    warn: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """A metric of a segment that is far from its own history.

    Parameters
    ----------
    segment
        The value of the column that splits the batch; None for null.
    column, metric
        The metric; without a column it is the row count.
    actual, expected
        The value, and the predicted one.
    low, high
        The limits that it leaves.
    severity
        How far outside it is, in widths of the limits.
    holds
        True if it is far enough outside to hold the batch.
    size
        The number of rows of the segment, or of values for a mean or a share of values.
    factor
        The factor by which all values seem to be multiplied; 1 otherwise.
    missing_rows
        The rows that are missing in the whole batch, by the predictions for all segments.
    """

    segment: SegmentName
    column: str | None
    metric: str
    actual: float
    expected: float
    low: float
    high: float
    severity: float
    holds: bool
    size: float = 0.0
    factor: float = 1.0
    missing_rows: float = 0.0


def find_deviations(
    history: Sequence[BatchSegments],
    batch: BatchSegments,
    phases: Sequence[int],
    rates: Rates,
) -> list[Deviation]:
    """Return what deviates in the segments of a batch, the most severe first.

    Parameters
    ----------
    history
        The segments of accepted batches, oldest first, by the same column.
    batch
        The segments of the batch.
    phases
        The weekday of each batch, or its place in the season, that of the batch last.
    rates
        The false-alarm rates.
    """
    if len(history) < MIN_BATCHES or not batch.n_rows:
        return []
    series = align_segments([*history, batch])
    at = np.asarray(phases, np.int64)
    part = Rates(rates.hold / _N_FAMILIES, rates.warn / _N_FAMILIES)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations = [
            *_of_rows(series, at, part, batch),
            *_of_means(series, at, part),
            *_of_shares(series, at, part),
        ]
    return sorted(deviations, key=lambda deviation: -deviation.severity)


def _of_rows(
    series: SegmentSeries, phases: NDArray[np.int64], rates: Rates, batch: BatchSegments
) -> Iterator[Deviation]:
    rows = series.rows
    counts, scores = _score_counts(rows, phases)
    if len(series.names) > 1:
        others = np.nansum(rows, axis=1, keepdims=True) + batch.other_rows - np.nan_to_num(rows)
        typical = _nan_median(np.where(others > 0, others, np.nan)[:-1])
        _, relative = _score_counts(np.where(others > 0, rows / others, np.nan) * typical, phases)
        scores = _smallest([scores, relative])
    if len(series.names) >= _MIN_SEGMENTS:
        scores = scores / _spread(scores)
    combined = replace(counts, z=scores)
    change = np.abs(counts.errors[-1])
    matters = series.are_usual & (change >= _MIN_ROWS_CHANGED)
    matters &= change >= _MIN_CHANGE_OF_ROWS * counts.predicted[-1]
    subjects: list[tuple[SegmentName, str | None]] = [(name, None) for name in series.names]
    outside = [
        deviation
        for _, deviation in _outside(combined, rows, subjects, catalogue.ROW_COUNT, matters, rates)
    ]
    reported = {deviation.segment for deviation in outside}
    outside += (gone for gone in _vanished(series) if gone.segment not in reported)
    missing = float(np.nansum(counts.predicted[-1] - rows[-1]))
    for deviation in outside:
        yield replace(deviation, size=deviation.actual, missing_rows=missing)


def _vanished(series: SegmentSeries) -> Iterator[Deviation]:
    """Yield the segments without rows that all batches have had, each with several rows.

    A segment of few rows must have had the same number in all batches.
    """
    earlier, now = series.rows[:-1], series.rows[-1]
    for at in np.flatnonzero(now == 0).tolist():
        rows = earlier[np.isfinite(earlier[:, at]), at]
        if len(rows) < _MIN_BATCHES_TO_VANISH:
            continue
        least, most = float(rows.min()), float(rows.max())
        if least >= _MIN_ROWS_CHANGED or least == most > 0:
            yield Deviation(
                segment=series.names[at],
                column=None,
                metric=catalogue.ROW_COUNT,
                actual=0.0,
                expected=float(np.median(rows)),
                low=least,
                high=most,
                severity=least / max(1.0, most - least),
                holds=False,
            )


def _score_counts(rows: Floats, phases: NDArray[np.int64]) -> tuple[Scores, Floats]:
    """Score row counts. If there are more rows than predicted, their logarithm must deviate too."""
    counts = score(rows, phases, _count_scale)
    logs = score(np.log1p(rows), phases, _log_scale)
    return counts, np.where(counts.z > 0, _smallest([counts.z, logs.z]), counts.z)


def _of_means(
    series: SegmentSeries, phases: NDArray[np.int64], rates: Rates
) -> Iterator[Deviation]:
    columns, means = series.of(catalogue.MEAN)
    if not columns:
        return
    _, deviations = series.of(catalogue.STANDARD_DEVIATION)
    counts = series.counts(columns)
    usual = _nan_median(deviations[:-1])
    # A single extreme value raises the deviation with the mean, and must not alarm. If all values
    # are multiplied, both are multiplied by the same factor.
    factors = means / _nan_median(means[:-1]), deviations / usual
    is_scaled = np.abs(factors[0] / factors[1] - 1) < _MAX_DIFFERENCE_OF_FACTORS
    spread = np.where(is_scaled, usual, np.fmax(usual, deviations))
    standard_errors = (spread / np.sqrt(np.maximum(counts, 1))).reshape(len(means), -1)
    scores = score(
        means.reshape(len(means), -1),
        phases,
        lambda predicted: np.maximum(
            np.nan_to_num(standard_errors), _MIN_RELATIVE_SCALE_OF_MEANS * np.abs(predicted)
        ),
    )
    scores = _without_common_movement(scores, means.shape, np.where(usual > 0, usual, np.nan))
    matters = ((counts[-1] >= _MIN_ROWS) & series.are_usual[:, None]).ravel()
    matters &= np.abs(scores.errors[-1]) >= _MIN_DEVIATIONS * np.nan_to_num(usual).ravel()
    subjects = [(name, column) for name in series.names for column in columns]
    factor = np.where(is_scaled, factors[0], 1.0)[-1].ravel()
    for at, deviation in _outside(
        scores, means.reshape(len(means), -1), subjects, catalogue.MEAN, matters, rates
    ):
        yield replace(deviation, size=float(counts[-1].ravel()[at]), factor=float(factor[at]))


def _of_shares(
    series: SegmentSeries, phases: NDArray[np.int64], rates: Rates
) -> Iterator[Deviation]:
    names = [m for m in (catalogue.COMPLETENESS, catalogue.ZERO_RATIO) if series.of(m)[0]]
    for metric in names:
        columns, shares = series.of(metric)
        counts = series.counts(columns)
        if metric == catalogue.COMPLETENESS:
            counts = np.broadcast_to(series.rows[:, :, None], shares.shape)
        sizes = np.maximum(np.nan_to_num(counts), 1).reshape(len(shares), -1)
        scores = score(shares.reshape(len(shares), -1), phases, _share_scale(sizes))
        scores = _without_common_movement(scores, shares.shape)
        change = np.abs(scores.errors[-1])
        matters = (change >= _MIN_CHANGE_OF_SHARE) & (change * sizes[-1] >= _MIN_ROWS_CHANGED)
        matters &= (sizes[-1] >= _MIN_ROWS) & np.repeat(series.are_usual, len(columns))
        subjects = [(name, column) for name in series.names for column in columns]
        part = Rates(rates.hold / len(names), rates.warn / len(names))
        for at, deviation in _outside(
            scores, shares.reshape(len(shares), -1), subjects, metric, matters, part
        ):
            yield replace(deviation, size=float(sizes[-1, at]))


def _outside(
    scores: Scores,
    values: Floats,
    subjects: Sequence[tuple[SegmentName, str | None]],
    metric: str,
    matters: NDArray[np.bool_],
    rates: Rates,
) -> Iterator[tuple[int, Deviation]]:
    """Yield the places of the series that are outside their limits in the last batch."""
    earlier, sizes = np.abs(scores.z[:-1]), np.abs(scores.z[-1])
    n_series = int(np.isfinite(values[-1]).sum())
    largest = earlier.max(axis=0, initial=0.0)
    warn = np.maximum(limit_of(rates.warn, n_series), _MARGIN * largest)
    hold = np.maximum(limit_of(rates.hold, n_series), _MARGIN_TO_HOLD * largest)
    # the same deviation in the batch before was reported then
    is_repeated = (earlier[-1] > limit_of(rates.warn, n_series)) & (
        np.sign(scores.z[-2]) == np.sign(scores.z[-1])
    )
    for at in np.flatnonzero((sizes > warn) & matters & ~is_repeated).tolist():
        segment, column = subjects[at]
        expected, actual = float(scores.predicted[-1, at]), float(values[-1, at])
        width = abs(actual - expected) / float(sizes[at]) * float(warn[at])
        entry = catalogue.get(metric)
        yield (
            at,
            Deviation(
                segment=segment,
                column=column,
                metric=metric,
                actual=actual,
                expected=expected,
                low=max(entry.low, expected - width),
                high=min(entry.high, expected + width),
                severity=float(sizes[at] / warn[at]) - 1,
                # a metric of a column is less certain, so it only warns
                holds=column is None and bool(sizes[at] > hold[at]),
            ),
        )


def _smallest(scores: Sequence[Floats]) -> Floats:
    """Return the score nearest to 0 of each series; 0 if they differ in sign."""
    stacked = np.stack(scores)
    nearest = np.take_along_axis(stacked, np.abs(stacked).argmin(axis=0)[None], axis=0)[0]
    agree = (stacked > 0).all(axis=0) | (stacked < 0).all(axis=0)
    smallest: Floats = np.where(agree, nearest, 0.0)
    return smallest


def _without_common_movement(
    scores: Scores, shape: tuple[int, ...], units: Floats | float = 1.0
) -> Scores:
    """Subtract from each error the median over the segments, if that makes it smaller.

    Parameters
    ----------
    scores
        The scores of all series.
    shape
        The numbers of batches, segments and columns.
    units
        The size of errors that are alike in all segments, by segment and column.
    """
    if shape[1] < _MIN_SEGMENTS:
        return scores
    errors = scores.errors.reshape(shape)
    common = _nan_median((errors / units).transpose(1, 0, 2))[:, None, :] * units
    z = scores.z.reshape(shape)
    unexplained = np.where(np.isfinite(common) & (errors != 0), z * (errors - common) / errors, z)
    smallest = _smallest([z, unexplained])
    return replace(scores, z=(smallest / _spread(smallest)).reshape(scores.z.shape))


def _spread(z: Floats) -> Floats:
    """Return the usual size of the scores of a batch over its segments, and at least 1.

    On the day of an event, such as a storm, all segments deviate, each in its own way.
    """
    usual = _MEDIAN_TO_DEVIATION * _nan_median(np.moveaxis(np.abs(z), 1, 0))
    spread: Floats = np.expand_dims(np.fmax(usual, 1.0), 1)
    return spread


def _nan_median(values: Floats) -> Floats:
    """Return the median over the first axis; NaN if all are NaN."""
    ordered = np.sort(values, axis=0)
    counts = np.isfinite(ordered).sum(axis=0)[None]
    middle = np.take_along_axis(ordered, np.maximum(counts - 1, 0) // 2, axis=0)
    median: Floats = np.where(counts > 0, middle, np.nan)[0]
    return median


def _count_scale(predicted: Floats) -> Floats:
    floor: Floats = np.maximum(np.sqrt(np.maximum(predicted, 1)), _MIN_RELATIVE_SCALE * predicted)
    return floor


def _log_scale(predicted: Floats) -> Floats:
    floor: Floats = np.maximum(np.exp(-predicted / 2), _MIN_RELATIVE_SCALE)
    return floor


def _share_scale(sizes: Floats) -> Callable[[Floats], Floats]:
    total = sizes[:-1].sum(axis=0)
    least = 0.5 / (total + 1)

    def scale(predicted: Floats) -> Floats:
        p = np.clip(predicted, least, 1 - least)
        floor: Floats = np.maximum(np.sqrt(p * (1 - p) / sizes), 1 / sizes)
        return floor

    return scale
