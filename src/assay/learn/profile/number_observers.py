"""Observers of numbers and of frequent values: constants, defaults, outliers, signs."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.checks.formatting import percent, visible
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.known_values import (
    MIN_ROWS,
    Observer,
    count_of_total,
    known_values,
    number_text,
)

__all__ = ["NUMBER_OBSERVERS"]

#: a default among other numbers is this many times as frequent as any of them
_MIN_DEFAULT_RATIO = 5.0
#: an outlier is at least this many times farther from the median than the 1 % or 99 % quantile
_OUTLIER_FACTOR = 20
#: negative numbers are odd if at most this share of the values is negative
_MAX_NEGATIVE_SHARE = 0.01
#: a column with this share of one value is almost constant, from this number of values on
_MIN_TOP_SHARE, _MIN_ALMOST_ROWS = 0.99, 100
#: other numbers that are needed to say that a default is far from them
_MIN_OTHER_VALUES = 4


def _observe_constant(column: ColumnProfile) -> str:
    if not column.constant or column.present < MIN_ROWS:
        return ""
    assert column.values is not None
    return f"is {visible(str(column.values.top))!r} in every row that has a value"


def _observe_almost_constant(column: ColumnProfile) -> str:
    """Report a value that nearly all rows have."""
    values = column.values
    if values is None or column.constant or column.present < _MIN_ALMOST_ROWS or not values.counts:
        return ""
    top = str(values.top)
    count = values.counts[top]
    if count < _MIN_TOP_SHARE * column.present:
        return ""
    others = column.present - round(count)
    return f"is {visible(top)!r} in all but {others:,} of {column.present:,} rows with a value"


def _is_sentinel(value: float) -> bool:
    """Return whether a number is -1, or consists of nines: -9, 99, 999999."""
    digits = f"{abs(value):.0f}"
    if not value.is_integer() or set(digits) != {"9"}:
        return value == -1
    return value < 0 or len(digits) > 1


def _observe_default(column: ColumnProfile) -> str:
    """Report 0, -1 or 9999 that is far from all other numbers, or far more frequent."""
    if column.numbers is None or column.present < MIN_ROWS:
        return ""
    counts = _numbers_of(known_values(column))
    return _describe_far_default(column, counts) or _describe_frequent_default(column, counts)


def _describe_far_default(column: ColumnProfile, counts: Mapping[float, float]) -> str:
    others = _range_of_others(column, counts)
    if others is None:
        return ""
    default, low, high = others
    gap = low - default if default < low else default - high
    if not (default == 0 or _is_sentinel(default)) or gap <= high - low:
        return ""
    return (
        f"{_name_default(column, default, counts.get(default, 0.0))}:"
        f" all others are from {number_text(low)} to {number_text(high)}"
    )


def _describe_frequent_default(column: ColumnProfile, counts: Mapping[float, float]) -> str:
    """Describe a sentinel at an end of the range that is far more frequent than all others."""
    assert column.numbers is not None
    ends = {float(column.numbers.minimum), float(column.numbers.maximum)}
    for default in filter(_is_sentinel, sorted(ends)):
        others = [count for number, count in counts.items() if number != default]
        count, most = counts.get(default, 0.0), max(others, default=0.0)
        is_odd_one = default > 0 or column.numbers.negatives in (None, round(count))
        are_many = len(others) > _MIN_OTHER_VALUES or column.frequent is not None
        if is_odd_one and are_many and count > _MIN_DEFAULT_RATIO * most:
            return f"{_name_default(column, default, count)}: all others are far less frequent"
    return ""


def _name_default(column: ColumnProfile, default: float, count: float) -> str:
    times = f" ({count:,.0f} times, {percent(count, column.present)})" if count else ""
    return f"{number_text(default)} may stand for no value{times}"


def _range_of_others(
    column: ColumnProfile, counts: Mapping[float, float]
) -> tuple[float, float, float] | None:
    """Return the value that is farthest from all others, and the range of the others.

    It is exact if all values are known. Otherwise the range comes from the quantiles, of which the
    lowest or the highest must be the value itself.
    """
    assert column.numbers is not None
    if column.exact:
        numbers = sorted(counts)
    else:
        quantiles = column.numbers.quantiles
        numbers = sorted({*quantiles.values()})
        ends = {float(column.numbers.minimum), float(column.numbers.maximum)}
        if not ends & {quantiles.get("0.01"), quantiles.get("0.99")}:
            return None
    if len(numbers) <= _MIN_OTHER_VALUES:
        return None
    low, high = numbers[0], numbers[-1]
    if numbers[1] - low > high - numbers[-2]:
        return low, numbers[1], high
    return high, low, numbers[-2]


def _numbers_of(values: Mapping[str, float]) -> dict[float, float]:
    """Return the counts of the labels that are finite numbers."""
    counts: dict[float, float] = {}
    for label, count in values.items():
        try:
            number = float(label)
        except ValueError:
            continue
        if math.isfinite(number):
            counts[number] = counts.get(number, 0.0) + count
    return counts


def _observe_nans(column: ColumnProfile) -> str:
    nans = 0 if column.numbers is None else column.numbers.nans
    return f"{count_of_total(nans, column.present)} values are NaN" if nans else ""


def _observe_outliers(column: ColumnProfile) -> str:
    """Report a minimum or maximum that is far from all other values."""
    numbers = column.numbers
    if numbers is None or column.present < MIN_ROWS or "0.5" not in numbers.quantiles:
        return ""
    if _observe_default(column):
        return ""  # the default is the outlier
    median, low, high = (numbers.quantiles[q] for q in ("0.5", "0.01", "0.99"))
    for name, value, usual in (
        ("greatest", float(numbers.maximum), high),
        ("least", float(numbers.minimum), low),
    ):
        distance = max(abs(usual - median), abs(high - low) / 10, 1e-12)
        if abs(value - median) > _OUTLIER_FACTOR * distance:
            bound = "most" if name == "greatest" else "least"
            sentinel = "; it may stand for no value" if _is_sentinel(value) else ""
            usual_text = f"99 % are at {bound} {number_text(usual)}{sentinel}"
            return f"the {name}, {number_text(value)}, is far off: {usual_text}"
    return ""


def _observe_negative(column: ColumnProfile) -> str:
    """Report negative numbers if nearly all values are positive."""
    numbers = column.numbers
    if numbers is None or not numbers.negatives or column.present < 5 * MIN_ROWS:
        return ""
    if numbers.negatives > _MAX_NEGATIVE_SHARE * column.present:
        return ""
    return f"{count_of_total(numbers.negatives, column.present)} values are negative"


#: the observers of numbers by the code of their observation
NUMBER_OBSERVERS: Mapping[str, Observer] = {
    "constant": _observe_constant,
    "almost_constant": _observe_almost_constant,
    "nan": _observe_nans,
    "default": _observe_default,
    "far": _observe_outliers,
    "negative": _observe_negative,
}
