"""`BatchMetric`: the description of one number that is computed for every batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from assay.analyzers.analyzer import Analyzer
from assay.errors import CheckError
from assay.learn.fingerprint.column_stats import ColumnKind, ColumnStats, Pair

__all__ = ["BatchMetric", "MetricKind", "Scale"]

#: How the false-alarm rate of a limit is bounded (Propositions 1 to 3 of avh-kdd23).
#: ``distance``: only large values are suspicious (Cantelli). ``mean``: a mean or sum over rows,
#: nearly normal (central limit theorem). ``any``: any distribution (Chebyshev).
MetricKind = Literal["any", "distance", "mean"]
#: The scale on which novelty compares batches. ``asinh`` is linear near 0 and logarithmic
#: far from 0. It suits columns of millions as well as columns of fractions.
Scale = Literal["linear", "asinh", "log"]

_LARGEST_DOUBLE = 1.7e308


@dataclass(frozen=True, kw_only=True)
class BatchMetric:
    """A number that describes a column of a batch, or the whole batch.

    Parameters
    ----------
    name
        The name in verdicts, stored metrics and exports.
    label
        The name that people read, as the subject of a sentence: ``"the number of rows"``.
    formula
        How it is computed, in mathematical notation.
    columns
        The kinds of column that have it. Empty for a metric of the whole batch.
    kind
        How the false-alarm rate of a limit on it is bounded.
    low, high
        The smallest and largest possible value.
    of_batch
        Computes it from the statistics of one column (Definition 1 of avh-kdd23).
    of_pair
        Computes it from a column in this batch and the batch before (Definition 2).
    analyzer
        Makes the analyzer that measures it, from the name of a column. It runs in the scan of each
        batch, on the columns that it can measure. Then `of_batch` is not needed.
    limits_on
        The kinds of column on which limits are learned. By default all `columns`
        if `of_batch` or `of_pair` is given, else none.
    per_batch
        True if all columns of a batch have the same value. It is judged once per batch.
    grows_with_rows
        True if the value is about twice as large in twice as many rows.
    in_paper
        Whether Tables 3 and 4 of avh-kdd23 list it.
    share_of
        The base of a share: all ``rows``, or the non-null ``values``. None for other metrics.
    scale
        The scale on which novelty compares it.
    is_value
        True if it equals a value of a row, as a minimum does. Reports hide it for private columns.
    is_remembered
        True if it is stored with every batch although no limits are learned on it.
    in_novelty
        True if novelty compares it, if it has `of_batch`. `of_pair` metrics are for limits only.
    sql
        A SQL expression that computes it; ``{c}`` stands for the quoted column.
    rows_if_low, rows_if_high
        A SQL condition for the rows that push it below or above its limits.
        ``{low}`` and ``{high}`` stand for the limits.
    check_method
        The method of `Check` that sets limits on it.
    aliases
        Earlier names that stored verdicts and metrics may have.
    """

    name: str
    label: str
    formula: str = ""
    columns: frozenset[ColumnKind] = frozenset()
    kind: MetricKind = "any"
    low: float = -math.inf
    high: float = math.inf
    of_batch: Callable[[ColumnStats], float] | None = None
    of_pair: Callable[[Pair], float] | None = None
    analyzer: Callable[[str], Analyzer] | None = None
    limits_on: frozenset[ColumnKind] | None = None
    per_batch: bool = False
    grows_with_rows: bool = False
    in_paper: bool = False
    share_of: Literal["rows", "values"] | None = None
    scale: Scale = "linear"
    is_value: bool = False
    is_remembered: bool = False
    in_novelty: bool = True
    sql: str | None = None
    rows_if_low: str | None = None
    rows_if_high: str | None = None
    check_method: str | None = None
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.analyzer is not None:
            if self.of_batch is not None or self.of_pair is not None or not self.columns:
                raise CheckError(
                    f"metric {self.name!r} has an analyzer: expected the kinds of columns, and"
                    " neither of_batch nor of_pair."
                )
            object.__setattr__(self, "of_batch", lambda stats: stats[self.name])
        if self.of_batch is not None and self.of_pair is not None:
            raise CheckError(
                f"metric {self.name!r} has of_batch and of_pair: expected at most one."
            )
        if not self.low < self.high:
            raise CheckError(
                f"metric {self.name!r} has an empty range:"
                f" expected low < high, got {self.low!r} and {self.high!r}."
            )
        if self.kind == "distance" and self.low != 0:
            raise CheckError(
                f"metric {self.name!r} is a distance: expected low=0, got {self.low!r}."
            )

    @property
    def compares_batches(self) -> bool:
        """True if it is computed from two batches."""
        return self.of_pair is not None

    @property
    def is_share(self) -> bool:
        """True if it is a share of rows or of values."""
        return self.share_of is not None

    def has_limits_on(self, column: ColumnKind) -> bool:
        """Return whether limits on it are learned for this kind of column."""
        if self.of_batch is None and self.of_pair is None:
            return False
        return column in (self.columns if self.limits_on is None else self.limits_on)

    def to_scale(self, value: float) -> float:
        """Convert a value to the scale on which novelty compares it.

        Infinite values become the largest double, so that they can be compared.
        """
        if math.isnan(value):
            return math.nan
        value = min(max(value, -_LARGEST_DOUBLE), _LARGEST_DOUBLE)
        match self.scale:
            case "asinh":
                return math.asinh(value)
            case "log":
                return math.log1p(value)
            case _:
                return value

    def from_scale(self, value: float) -> float:
        """Convert a value back from the scale of novelty, within the metric's range.

        >>> mean = BatchMetric(name="mean", label="the mean", scale="asinh")
        >>> round(mean.to_scale(1000.0), 3), mean.from_scale(mean.to_scale(1000.0))
        (7.601, 1000.0)
        """
        match self.scale:
            case "asinh":
                value = math.copysign(math.sinh(min(abs(value), 710.0)), value)
            case "log":
                value = math.expm1(min(value, 700.0))
            case _:
                pass
        # The conversion back and forth changes the last digits.
        return float(f"{min(max(value, self.low), self.high):.12g}")
