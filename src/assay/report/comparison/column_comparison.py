"""`ColumnComparison`: a column in the older and in the new table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.checks.formatting import count_noun, percent, visible
from assay.html.short_numbers import short_number
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.report.html.dates_and_times import moments_of
from assay.report.html.distribution_chart import Distributions, most_frequent, repeats
from assay.store.verdict import Decision

__all__ = ["ColumnComparison", "ColumnSummary"]

#: frequent values that are kept, those that a line names, and characters of each
_MAX_FREQUENT, _MAX_NAMED, _MAX_VALUE = 10, 3, 18


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """A column of one table.

    Parameters
    ----------
    type : str
        Spark's type.
    rows, nulls : int
        Number of rows, and of nulls.
    distinct : int, optional
        Number of distinct values, exact for small numbers; None if Spark cannot count them.
    low, mean, high : float, optional
        Lowest, mean and highest number; None for other columns and for private ones.
    period : tuple of str, optional
        The earliest and the latest date or time; None for other columns and for private ones.
    frequent : mapping
        The most frequent values with their number of rows; empty for numbers and private columns.
    formats : mapping
        The most frequent formats, if values rarely repeat: ``9`` is a run of digits.
    private : bool
        True if the column shows no values.
    """

    type: str
    rows: int
    nulls: int
    distinct: int | None = None
    low: float | None = None
    mean: float | None = None
    high: float | None = None
    period: tuple[str, str] | None = None
    frequent: Mapping[str, int] = field(default_factory=dict)
    formats: Mapping[str, int] = field(default_factory=dict)
    private: bool = False

    @staticmethod
    def of(stats: ColumnStats, type_name: str, *, private: bool) -> ColumnSummary:
        """Summarize the statistics of a column."""
        shows_numbers = stats.kind == "numeric" and not private and stats.n_values > 0
        shows_values = stats.kind != "numeric" and not private
        counts = stats.value_counts if repeats(stats) else {}
        shapes = {} if counts else stats.shape_counts
        moments = moments_of(stats) if shows_values else None
        return ColumnSummary(
            type=type_name,
            rows=int(stats.n_rows),
            nulls=int(stats.n_rows - stats.n_values),
            distinct=None if math.isnan(stats.n_distinct) else int(stats.n_distinct),
            low=stats.minimum if shows_numbers else None,
            mean=stats.mean if shows_numbers else None,
            high=stats.maximum if shows_numbers else None,
            period=None if moments is None else moments.ends,
            frequent=_top(counts) if shows_values else {},
            formats=_top(shapes) if shows_values else {},
            private=private,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        return {
            "type": self.type,
            "rows": self.rows,
            "nulls": self.nulls,
            "distinct": self.distinct,
            "low": self.low,
            "mean": self.mean,
            "high": self.high,
            "period": None if self.period is None else list(self.period),
            "frequent": dict(self.frequent),
            "formats": dict(self.formats),
        }

    def __str__(self) -> str:
        if self.nulls == self.rows:
            return "no values"
        n_values = self.rows - self.nulls
        parts = []
        if self.mean is not None and self.low is not None and self.high is not None:
            low, high = short_number(self.low), short_number(self.high)
            mean = f"{low} … {high}, mean {short_number(self.mean)}"
            parts.append(low if self.low == self.high else mean)
        elif self.distinct is not None:
            parts.append(count_noun(self.distinct, "value"))
        if self.distinct == 1 and self.frequent:
            parts = [f"only {_shorten(next(iter(self.frequent)))}"]
        if self.period is not None:
            parts.append(" … ".join(dict.fromkeys(self.period)))
        prefix, counts = ("", self.frequent) if self.frequent else ("like ", self.formats)
        parts += [
            f"{prefix}{_shorten(value)} {percent(count, n_values)}"
            for value, count in list(counts.items())[:_MAX_NAMED]
            if self.distinct != 1 and self.period is None
        ]
        if self.nulls:
            parts.append(f"{percent(self.nulls, self.rows)} null")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnComparison:
    """A column in the older and in the new table.

    Parameters
    ----------
    name : str
        The column.
    old, new : ColumnSummary, optional
        The column in each table; None if the table lacks it.
    level : Decision
        The level of its worst problem; ``ACCEPT`` without one.
    distribution : Distributions, optional
        The shares of the rows in the same bins or values; None for private columns.
    """

    name: str
    old: ColumnSummary | None
    new: ColumnSummary | None
    level: Decision = Decision.ACCEPT
    distribution: Distributions | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        shares = None
        if self.distribution is not None:
            shares = {
                "old": list(self.distribution.before),
                "new": list(self.distribution.now),
                "low": self.distribution.low,
                "high": self.distribution.high,
            }
        return {
            "column": self.name,
            "level": self.level.value,
            "old": None if self.old is None else self.old.to_dict(),
            "new": None if self.new is None else self.new.to_dict(),
            "distribution": shares,
        }


def _top(counts: Mapping[str, int]) -> dict[str, int]:
    return {value: counts[value] for value in most_frequent(counts, _MAX_FREQUENT)}


def _shorten(value: str) -> str:
    shown = visible(value[: _MAX_VALUE + 1]) if value else "''"
    return shown if len(shown) <= _MAX_VALUE else f"{shown[: _MAX_VALUE - 1]}…"
