"""Suggest signs, ranges, means and standard deviations of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import round_down, round_up
from assay.learn.suggest.name_features import is_identifier_name
from assay.learn.suggest.rules.rule import MIN_ROWS, suggest_for
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["centre", "natural_range", "non_negative", "numeric_range"]

#: ranges that units and the calendar define
_NATURAL_RANGES = {
    "shares": (0, 1),
    "percentages": (0, 100),
    "months": (1, 12),
    "days of the month": (1, 31),
    "days of the week": (0, 6),
    "hours": (0, 23),
    "minutes or seconds": (0, 59),
    "degrees of latitude": (-90, 90),
    "degrees of longitude": (-180, 180),
    "degrees": (0, 360),
}
#: values must reach this close to both ends of a natural range, as a share of its width
_EDGE_SHARE = 0.02
#: integers with at least this share of distinct values are identifiers
_MIN_IDENTIFIER_DISTINCT = 0.9


def non_negative(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest that numbers are not negative (section 3.3).

    A violation is an error only if many values are near 0. Without values there, the absence of
    negative numbers proves little.
    """
    numbers = column.numbers
    if numbers is None or column.texts is not None or numbers.negatives != 0:
        return
    low_quantile = numbers.quantiles.get("0.05", math.inf)
    median = numbers.quantiles.get("0.5", 0.0)
    reaches_zero = bool(numbers.zeros) or low_quantile <= 0.25 * median
    yield suggest_for(
        column,
        "non_negative",
        ConstraintCall.of("is_non_negative", column.name),
        f"none of {column.present:,} numbers is below zero, the least is {numbers.minimum}",
        level=Level.ERROR if reaches_zero else Level.WARNING,
        rows=column.present,
    )


def natural_range(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest a well-known range that the numbers fill: months, percentages, degrees."""
    natural = _natural_range(column)
    if natural is None:
        return
    name, low, high = natural
    yield suggest_for(
        column,
        "natural_range",
        ConstraintCall.of("is_in_range", column.name, low, high),
        f"{column.present:,} numbers fill the range of {name}",
        rows=column.present,
    )


def _natural_range(column: ColumnProfile) -> tuple[str, int, int] | None:
    numbers = column.numbers
    if numbers is None or column.texts is not None or column.present < MIN_ROWS or numbers.nans:
        return None
    minimum, maximum = float(numbers.minimum), float(numbers.maximum)
    integral = column.kind == "integral"
    for name, (low, high) in _NATURAL_RANGES.items():
        if name == "shares" and integral:
            continue
        edge = _EDGE_SHARE * (high - low) if not integral or high - low > 60 else 0
        if low <= minimum <= low + edge and high - edge <= maximum <= high:
            required = 0.9 * (high - low + 1) if integral else 11
            if column.distinct >= required:
                return name, low, high
    return None


def numeric_range(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest the observed range, extended by its width on both sides.

    Identifiers have no range: the next ones are higher.
    """
    numbers = column.numbers
    if numbers is None or column.texts is not None or column.present < MIN_ROWS:
        return
    minimum, maximum = float(numbers.minimum), float(numbers.maximum)
    if not math.isfinite(minimum + maximum) or minimum == maximum:
        return
    if _natural_range(column) is not None or _is_identifier(column):
        return
    width = maximum - minimum
    low, high = round_down(minimum - width), round_up(maximum + width)
    if numbers.negatives == 0:
        low = 0.0
    yield suggest_for(
        column,
        "numeric_range",
        ConstraintCall.of("is_in_range", column.name, _shorten(low), _shorten(high)),
        f"{column.present:,} numbers lie between {numbers.minimum} and {numbers.maximum}",
        level=Level.WARNING,
        rows=column.present,
    )


def _shorten(bound: float) -> float | int:
    """Return the bound as an integer if it is one."""
    return int(bound) if float(bound).is_integer() and abs(bound) < 1e15 else bound


def centre(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest bounds of the mean and the standard deviation, except for identifiers."""
    numbers = column.numbers
    if numbers is None or column.texts is not None or numbers.nans or column.present < MIN_ROWS:
        return
    deviation = numbers.standard_deviation
    if not math.isfinite(numbers.mean) or not 0 < deviation < math.inf or _is_identifier(column):
        return
    # six standard errors of the mean, and a quarter of a standard deviation for real changes
    margin = 6 * deviation / math.sqrt(column.present) + 0.25 * deviation
    bounds = (round_down(numbers.mean - margin, 3), round_up(numbers.mean + margin, 3))
    yield suggest_for(
        column,
        "mean",
        ConstraintCall.of("has_mean", column.name, between=bounds),
        f"of {column.present:,} numbers the mean is {numbers.mean:.4g},"
        f" their standard deviation {deviation:.4g}",
        level=Level.WARNING,
        rows=column.present,
    )
    deviation_bounds = (round_down(deviation / 2, 3), round_up(deviation * 2, 3))
    yield suggest_for(
        column,
        "standard_deviation",
        ConstraintCall.of("has_standard_deviation", column.name, between=deviation_bounds),
        f"of {column.present:,} numbers the standard deviation is {deviation:.4g}",
        level=Level.WARNING,
        rows=column.present,
    )


def _is_identifier(column: ColumnProfile) -> bool:
    """Return whether integers identify rows of this table or of another one."""
    if column.kind != "integral":
        return False
    nearly_unique = column.distinct >= _MIN_IDENTIFIER_DISTINCT * column.present
    return nearly_unique or is_identifier_name(column.name)
