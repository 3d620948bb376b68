"""Suggest limits from the first batch, by which the next eight are judged.

Limits are learned from eight batches on. Until then, a batch is compared with generous limits: ten
percentage points more nulls, three times the rows, twenty times the numbers. They are derived from
the statistics of the first batch; its rows are not needed. Each later batch widens them, if its
value differs more. After three batches, ratios may be only the root of these.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> first = fingerprint({"price": numbers([4.0, 5.0, 6.0, 7.0, 8.0] * 20)})
>>> for limit in suggest_limits(first).limits[:2]:
...     print(limit)
the number of rows is 34 to 300
price: the share of rows that are not null is at least 87.04 %
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.checks.formatting import visible
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Stat
from assay.learn.fingerprint.metric_format import format_range
from assay.learn.suggest.name_features import is_identifier_name
from assay.learn.suggest.names import uniqueness_of_name

__all__ = ["MAX_BATCHES", "ProvisionalLimit", "ProvisionalSuite", "suggest_limits"]

#: With more batches, limits and novelty are learned (`assay.learn.limits.metric_limit`). After
#: eight, distances to the batch before have seven values, and no limits yet.
MAX_BATCHES = 8
#: After this number of batches, the tolerance of ratios is halved on the scale of logarithms.
_MIN_BATCHES_TO_HALVE = 3
#: The range of past values extends a limit by this many times its width.
_SPREADS = 2.0

# Tolerances after one batch. They were chosen on five data sets (benchmarks.cold_start).
_MAX_ROW_RATIO, _MAX_SIZE_RATIO, _MAX_DEVIATION_RATIO = 3.0, 20.0, 100.0
_MAX_NULL_RISE, _MAX_EMPTY_RISE, _MAX_ZERO_RISE = 0.1, 0.15, 0.5
_MAX_NEGATIVE_SHARE, _MIN_INTEGER_SHARE = 0.2, 0.5
_MAX_NEW_VALUES, _MAX_NEW_SHAPES = 0.2, 0.03
_MAX_REPEATED_SHARE = 0.01
#: Limits on values need at least this many of them. Values of fewer rows differ by chance.
_MIN_VALUES = 20
#: A column that has this many distinct values or more is not expected to become constant.
_MIN_DISTINCT = 5
#: A code has at most this many values, each with this many rows on average.
_MAX_CODES, _MIN_ROWS_OF_CODE = 60, 5
#: Numbers of which this share is distinct may be a counter, which leaves its range.
_MAX_DISTINCT_SHARE = 0.9
#: Standard errors of a share that chance explains.
_SIGMAS = 3.0
_MIN_KEY_PROBABILITY = 0.5
#: Metrics that are compared by their ratio to the value in the first batch.
_BY_RATIO = frozenset(
    (
        metrics.ROW_COUNT,
        metrics.UPPER_QUARTILE,
        metrics.STANDARD_DEVIATION,
    )
)


@dataclass(frozen=True, slots=True)
class ProvisionalLimit:
    """A limit on one metric, suggested from the first batch.

    Parameters
    ----------
    column
        The column; None for the number of rows.
    metric
        The name of the metric.
    value
        Its value in the first batch.
    low, high
        The limits of the second batch.
    """

    column: str | None
    metric: str
    value: float
    low: float
    high: float

    def after(self, later: Sequence[float]) -> tuple[float, float]:
        """Return the limits of the next batch.

        Parameters
        ----------
        later
            The values of the batches after the first one, as far as they are known.
        """
        values = [value for value in later if math.isfinite(value)]
        if not values:
            return self.low, self.high
        if self.metric not in _BY_RATIO:
            ends = (self.low - self.value, self.high - self.value)
            below, above = _widen([value - self.value for value in values], ends)
            return self.value + below, self.value + above
        if any(value * self.value <= 0 for value in values):
            return -math.inf, math.inf
        halved = 0.5 if len(later) + 1 >= _MIN_BATCHES_TO_HALVE else 1.0
        ratios = sorted(halved * math.log(end / self.value) for end in (self.low, self.high))
        changes = [math.log(value / self.value) for value in values]
        below, above = _widen(changes, ratios)
        low, high = sorted((self.value * math.exp(below), self.value * math.exp(above)))
        return low, high

    def __str__(self) -> str:
        subject = "" if self.column is None else f"{visible(self.column)}: "
        limits = format_range(self.metric, self.low, self.high)
        return f"{subject}{metrics.label(self.metric)} is {limits}"


def _widen(changes: Sequence[float], ends: Sequence[float]) -> tuple[float, float]:
    """Return the ends around past changes, at least as far as a multiple of their range."""
    lowest, highest = min(0.0, *changes), max(0.0, *changes)
    spread = _SPREADS * (highest - lowest)
    return lowest - max(-ends[0], spread), highest + max(ends[1], spread)


@dataclass(frozen=True)
class ProvisionalSuite:
    """The limits that the first batch suggests.

    Parameters
    ----------
    limits
        The limits of the second batch.
    change
        The version of the first batch in the store.
    """

    kind: ClassVar[str] = "provisional suite"
    version: ClassVar[int] = 1

    limits: tuple[ProvisionalLimit, ...] = ()
    change: int = 0

    def to_json(self) -> Any:
        """Return the suite as JSON values. Infinite limits are null."""
        limits = [
            [
                limit.column,
                limit.metric,
                limit.value,
                *(end if math.isfinite(end) else None for end in (limit.low, limit.high)),
            ]
            for limit in self.limits
        ]
        return {"change": self.change, "limits": limits}

    @classmethod
    def from_json(cls, document: Any) -> ProvisionalSuite:
        """Read what `to_json` returned."""
        limits = (
            ProvisionalLimit(
                column,
                metrics.canonical_name(metric),
                value,
                -math.inf if low is None else low,
                math.inf if high is None else high,
            )
            for column, metric, value, low, high in document["limits"]
        )
        return cls(tuple(limits), document["change"])


def suggest_limits(
    first: Fingerprint, *, table: str | None = None, change: int = 0
) -> ProvisionalSuite:
    """Suggest the limits of the second batch from the statistics of the first.

    Parameters
    ----------
    first
        The statistics of the first batch.
    table
        The name of the dataset. It decides whether a column such as ``id`` is a key.
    change
        The version of the first batch in the store.
    """
    if not first.rows:
        return ProvisionalSuite(change=change)
    rows = ProvisionalLimit(
        None,
        metrics.ROW_COUNT,
        first.rows,
        first.rows / _MAX_ROW_RATIO,
        first.rows * _MAX_ROW_RATIO,
    )
    names = tuple(first.columns)
    of_columns = (
        ProvisionalLimit(name, metric, value, low, high)
        for name, stats in first.columns.items()
        for metric, value, low, high in _column_limits(name, stats, table, names)
        if math.isfinite(value)
    )
    return ProvisionalSuite((rows, *of_columns), change)


#: A metric, its value in the first batch, and the limits of the second.
_Limit = tuple[str, float, float, float]


def _column_limits(
    name: str, stats: ColumnStats, table: str | None, names: Sequence[str]
) -> Iterator[_Limit]:
    if not stats.n_values:
        return
    completeness = stats.n_values / stats.n_rows
    rise = _MAX_NULL_RISE + _sampling_error(1 - completeness, stats.n_rows)
    yield metrics.COMPLETENESS, completeness, completeness - rise, math.inf
    if stats.n_values < _MIN_VALUES:
        return
    yield from _key_limits(name, stats, table, names)
    if not stats.n_distinct > 1:
        return  # one value per batch, such as its day
    if stats.n_distinct >= _MIN_DISTINCT:
        yield metrics.DISTINCT_COUNT, stats.n_distinct, 1.5, math.inf
    yield from _number_limits(name, stats) if stats.kind == "numeric" else _text_limits(stats)


def _sampling_error(share: float, count: float) -> float:
    smoothed = (share * count + 1) / (count + 2)
    return _SIGMAS * math.sqrt(smoothed * (1 - smoothed) / count)


def _key_limits(
    name: str, stats: ColumnStats, table: str | None, names: Sequence[str]
) -> Iterator[_Limit]:
    is_distinct = stats.n_sampled == stats.n_sampled_distinct >= _MIN_VALUES
    may_be_key = stats.kind == "categorical" or stats.n_integers == stats.n_values
    if not (is_distinct and may_be_key):
        return
    if uniqueness_of_name(name, table, columns=names) >= _MIN_KEY_PROBABILITY:
        yield metrics.REPEATED_VALUES, 0.0, 0.0, max(1.0, _MAX_REPEATED_SHARE * stats.n_sampled)


def _number_limits(name: str, stats: ColumnStats) -> Iterator[_Limit]:
    deviation = stats.sd
    if deviation > 0:
        ratio = _MAX_DEVIATION_RATIO
        yield metrics.STANDARD_DEVIATION, deviation, deviation / ratio, deviation * ratio
    values = stats.n_values
    if stats[Stat.NEGATIVES] == 0:
        yield metrics.NEGATIVE_RATIO, 0.0, -math.inf, _MAX_NEGATIVE_SHARE
    if stats.n_integers == values and stats[Stat.ZEROS] < values:
        yield metrics.INTEGER_RATIO, 1.0, _MIN_INTEGER_SHARE, math.inf
    zeros = stats[Stat.ZEROS] / values
    yield metrics.ZERO_RATIO, zeros, -math.inf, zeros + _MAX_ZERO_RISE
    if stats.sample is None or not stats.sample.total:
        return
    if _may_count_up(name, stats):
        return
    lower, middle, upper = stats.sample.quantiles(np.array([0.25, 0.5, 0.75])).tolist()
    if lower * upper > 0 and stats.minimum * stats.maximum >= 0:
        low, high = sorted((upper / _MAX_SIZE_RATIO, upper * _MAX_SIZE_RATIO))
        yield metrics.UPPER_QUARTILE, upper, low, high
    yield metrics.MIDDLE_QUARTILE, middle, stats.minimum, stats.maximum


def _may_count_up(name: str, stats: ColumnStats) -> bool:
    is_whole = stats.n_integers == stats.n_values
    are_distinct = stats.n_distinct >= _MAX_DISTINCT_SHARE * stats.n_values
    return is_identifier_name(name) or (is_whole and are_distinct)


def _text_limits(stats: ColumnStats) -> Iterator[_Limit]:
    values, counts, shapes = stats.n_values, stats.value_counts, stats.shape_counts
    empty = stats.per_value(Stat.EMPTY)
    yield metrics.EMPTY_RATIO, empty, -math.inf, empty + _MAX_EMPTY_RISE
    if not shapes:
        return  # a private column: its values are hashes
    is_code = stats.is_category(_MAX_CODES) and len(counts) * _MIN_ROWS_OF_CODE <= values
    # dates, times and numbers have new values in each batch
    if is_code and stats[Stat.LETTERS] > stats[Stat.DIGITS]:
        share = _share_of_unseen(counts, values)
        yield metrics.UNSEEN_VALUES, share, -math.inf, share + _MAX_NEW_VALUES
    share = _share_of_unseen(shapes, values)
    high = 2 * share + _MAX_NEW_SHAPES + _sampling_error(share, values)
    yield metrics.UNSEEN_SHAPES, share, -math.inf, high


def _share_of_unseen(counts: Mapping[str, int], values: float) -> float:
    """Return the expected share of unseen values: of those that occur once (Good and Turing)."""
    once = sum(count == 1 for count in counts.values())
    return (once + max(0.0, values - sum(counts.values()))) / values
