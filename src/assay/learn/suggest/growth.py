"""Find numbers that only count up: running totals, which have no range and no mean.

The rows are divided into five periods of equal length by a column of dates. A number counts up if
its mean rises from each period to the next, and altogether by a standard deviation or more.
Chance alone raises five means of a steady number once in 120 times. A number in strings counts up
if it is below its median in the first period, and above it in the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assay.analyzers import Compliance, Mean
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import Schema, quote
from assay.engine.measurement import Measurement
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.conversions import seconds_of
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.numeric import is_day_number

__all__ = ["GrowthTest"]

_PERIODS = 5
#: numbers that are tested: each needs an aggregate per period
_MAX_COLUMNS = 60
#: the rise of the mean, in standard deviations; steady numbers rise by less
_MIN_RISE = 1.0
#: the rise of the share of values above the median
_MIN_RISE_OF_SHARE = 0.9


@dataclass(frozen=True)
class GrowthTest:
    """The means and shares by period that show which numbers count up.

    Parameters
    ----------
    columns
        The numbers to test.
    conditions
        SQL that selects the rows of each period, the earliest first. It is empty without a column
        of dates.
    """

    columns: tuple[ColumnProfile, ...] = ()
    conditions: tuple[str, ...] = ()

    @staticmethod
    def of(profile: Profile, names: Sequence[str], schema: Schema) -> GrowthTest:
        """Return the test of some columns; it is empty if no column has dates.

        Parameters
        ----------
        profile
            The profile of the table.
        names
            The columns that may count up.
        schema
            The schema of the table.
        """
        conditions = next(
            (periods for column in profile.values() if (periods := _periods(column, schema))), ()
        )
        columns = [profile[name] for name in dict.fromkeys(names) if _may_count_up(profile[name])]
        return GrowthTest(tuple(columns[:_MAX_COLUMNS]) if conditions else (), conditions)

    @property
    def analyzers(self) -> tuple[Analyzer, ...]:
        """The analyzers of each number in each period."""
        return tuple(analyzer for column in self.columns for analyzer in self._levels(column))

    def rising(self, measured: Measurement) -> frozenset[str]:
        """Return the columns that count up."""
        return frozenset(
            column.name
            for column in self.columns
            if _rises([_value(measured, level) for level in self._levels(column)], column)
        )

    def _levels(self, column: ColumnProfile) -> tuple[Analyzer, ...]:
        """Return the mean of each period; of strings, the share of values above the median."""
        if column.texts is None:
            return tuple(Mean(column.name, where=condition) for condition in self.conditions)
        assert column.numbers is not None
        is_above = f"try_cast({quote(column.name)} AS double) > {column.numbers.quantiles['0.5']!r}"
        return tuple(Compliance(is_above, where=condition) for condition in self.conditions)


def _periods(column: ColumnProfile, schema: Schema) -> tuple[str, ...]:
    """Return SQL conditions for periods of equal length; none if the column has no dates."""
    selected = schema.column(column.name)
    if column.numbers is not None and is_day_number(column):
        day = selected.sql
        sql = f"({day} div 10000 * 372 + {day} div 100 % 100 * 31 + {day} % 100)"
        low, high = (_ordinal(int(end)) for end in (column.numbers.minimum, column.numbers.maximum))
    elif column.period is not None and len(column.period.edges) > _PERIODS:
        sql = seconds_of(selected)
        low, high = column.period.edges[0], column.period.edges[-1]
    else:
        return ()
    if low >= high:
        return ()
    edges = [low + (high - low) * number / _PERIODS for number in range(1, _PERIODS)]
    inner = [f"{sql} >= {start!r} AND {sql} < {end!r}" for start, end in pairwise(edges)]
    return (f"{sql} < {edges[0]!r}", *inner, f"{sql} >= {edges[-1]!r}")


def _ordinal(day: int) -> float:
    """Return a number of days that rises with days such as 20261114, also over the year's end."""
    return float(day // 10000 * 372 + day // 100 % 100 * 31 + day % 100)


def _may_count_up(column: ColumnProfile) -> bool:
    numbers = column.numbers
    if column.kind != "integral" or numbers is None or numbers.negatives != 0:
        return False
    return column.texts is None or "0.5" in numbers.quantiles


def _rises(levels: Sequence[Any], column: ColumnProfile) -> bool:
    assert column.numbers is not None
    if not all(isinstance(level, float | int) for level in levels):
        return False
    rise = levels[-1] - levels[0]
    if column.texts is not None:
        return all(low <= high for low, high in pairwise(levels)) and rise >= _MIN_RISE_OF_SHARE
    required = _MIN_RISE * column.numbers.standard_deviation
    return all(low < high for low, high in pairwise(levels)) and rise >= required


def _value(measured: Measurement, analyzer: Analyzer) -> Any:
    metric = measured.metrics.get(analyzer)
    return None if metric is None else metric.value
