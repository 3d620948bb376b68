"""Rules for numbers: signs, ranges, where they are centred."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import rounded_down, rounded_up
from assay.learn.suggest.rules.rule import FEW_ROWS, said
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["centre", "natural_range", "non_negative", "numeric_range"]


#: ranges that nature or the calendar gives to numbers
_NATURAL = {
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


def non_negative(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """No number is below zero (3.3): certain only where numbers crowd at zero without crossing."""
    numbers = column.numbers
    if numbers is None or column.texts is not None or numbers.negatives != 0:
        return
    near = numbers.quantiles.get("0.05", math.inf)
    crowd = bool(numbers.zeros) or near <= 0.25 * numbers.quantiles.get("0.5", 0.0)
    yield said(
        "non_negative",
        column,
        ConstraintCall.of("is_non_negative", column.name),
        f"none of {column.present:,} numbers is below zero, the least is {numbers.minimum}",
        level=Level.ERROR if crowd else Level.WARNING,
        rows=column.present,
    )


def natural_range(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Numbers that fill a range known by itself: months, percentages, degrees, shares."""
    found = _natural(column)
    if found is None:
        return
    what, low, high = found
    yield said(
        "natural_range",
        column,
        ConstraintCall.of("is_in_range", column.name, low, high),
        f"{column.present:,} numbers fill the range of {what}",
        rows=column.present,
    )


def _natural(column: ColumnProfile) -> tuple[str, int, int] | None:
    numbers = column.numbers
    if numbers is None or column.texts is not None or column.present < FEW_ROWS or numbers.nans:
        return None
    low, high = float(numbers.minimum), float(numbers.maximum)
    whole = column.kind == "integral"
    for what, (start, end) in _NATURAL.items():
        if what == "shares" and whole:
            continue
        edge = 0.02 * (end - start) if not whole or end - start > 60 else 0
        if start <= low <= start + edge and end - edge <= high <= end:
            full = column.distinct >= (end - start + 1) * 0.9 if whole else column.distinct > 10
            if full:
                return what, start, end
    return None


def numeric_range(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Numbers stay within what was seen and as much again on either side."""
    numbers = column.numbers
    if numbers is None or column.texts is not None or column.present < FEW_ROWS:
        return
    low, high = float(numbers.minimum), float(numbers.maximum)
    if not math.isfinite(low + high) or low == high or _natural(column) is not None:
        return
    width = high - low
    least, most = rounded_down(low - width), rounded_up(high + width)
    if numbers.negatives == 0:
        least = 0.0
    ends: list[Any] = [
        int(e) if float(e).is_integer() and abs(e) < 1e15 else e for e in (least, most)
    ]
    yield said(
        "numeric_range",
        column,
        ConstraintCall.of("is_in_range", column.name, *ends),
        f"{column.present:,} numbers lie between {numbers.minimum} and {numbers.maximum}",
        level=Level.WARNING,
        rows=column.present,
    )


def centre(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """The mean and the spread stay near what they were, for numbers that are no keys."""
    numbers = column.numbers
    if numbers is None or column.texts is not None or numbers.nans or column.present < FEW_ROWS:
        return
    deviation = numbers.standard_deviation
    if not math.isfinite(numbers.mean) or not 0 < deviation < math.inf:
        return
    if column.kind == "integral" and column.distinct >= 0.9 * column.present:
        return
    # six errors of the mean, and a quarter of the spread for what is no chance
    room = 6 * deviation / math.sqrt(column.present) + 0.25 * deviation
    ends = (rounded_down(numbers.mean - room, 3), rounded_up(numbers.mean + room, 3))
    evidence = f"of {column.present:,} numbers the mean is {numbers.mean:.4g}"
    yield said(
        "mean",
        column,
        ConstraintCall.of("has_mean", column.name, between=ends),
        f"{evidence}, their standard deviation {deviation:.4g}",
        level=Level.WARNING,
        rows=column.present,
    )
    yield said(
        "standard_deviation",
        column,
        ConstraintCall.of(
            "has_standard_deviation",
            column.name,
            between=(rounded_down(deviation / 2, 3), rounded_up(deviation * 2, 3)),
        ),
        f"of {column.present:,} numbers the standard deviation is {deviation:.4g}",
        level=Level.WARNING,
        rows=column.present,
    )
