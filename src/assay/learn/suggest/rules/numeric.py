"""Suggest signs, ranges, means and standard deviations of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.analyzers.schema import quote
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile, Numbers
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import round_down, round_up
from assay.learn.suggest.name_features import is_identifier_name, words_of
from assay.learn.suggest.rules.rule import MIN_ROWS, suggest_for
from assay.learn.suggest.suggestion import Suggestion

__all__ = [
    "centre",
    "has_named_range",
    "is_day_number",
    "natural_range",
    "non_negative",
    "numeric_range",
]

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
#: ranges of numbers with exactly these names, also if the numbers do not fill them
_RANGES_OF_NAMES = {
    "month": "months",
    "day": "days of the month",
    "hour": "hours",
    "minute": "minutes or seconds",
    "second": "minutes or seconds",
    "lat": "degrees of latitude",
    "latitude": "degrees of latitude",
    "lon": "degrees of longitude",
    "lng": "degrees of longitude",
    "longitude": "degrees of longitude",
}
#: values must reach this close to both ends of a natural range, as a share of its width
_EDGE_SHARE = 0.02
#: integers with at least this share of distinct values are identifiers
_MIN_IDENTIFIER_DISTINCT = 0.9
#: integers of which at least this share occurs between the lowest and the highest are numbered
_MIN_DENSITY, _MIN_NUMBERED = 0.9, 100
#: the middle of numbered integers is near the middle of their range, as a share of its width
_MAX_SKEW = 0.1
_YEARS, _DAY_NUMBERS = (1000, 2999), (19000101, 21001231)
#: 1973 to 2100 in seconds; in milliseconds a thousand times as much
_UNIX_SECONDS = (100_000_000, 4_102_444_800)
_TIME_WORDS = frozenset({"at", "created", "date", "epoch", "modified", "time", "timestamp", "ts"})
_TIME_WORDS |= {"unix", "unixtime", "updated"}


def non_negative(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest that numbers are not negative (section 3.3).

    A violation is an error only if many values are near 0. Without values there, the absence of
    negative numbers proves little.
    """
    numbers = _numbers(column)
    if numbers is None or numbers.negatives != 0:
        return
    low_quantile = numbers.quantiles.get("0.05", math.inf)
    median = numbers.quantiles.get("0.5", 0.0)
    reaches_zero = bool(numbers.zeros) or low_quantile <= 0.25 * median
    constraint = ConstraintCall.of("is_non_negative", column.name)
    if column.texts is not None:
        natural = _natural_range(column)
        if not reaches_zero or (natural is not None and natural[1] >= 0):
            return  # a range from 0 on is suggested instead
        constraint = _text_constraint(column, ">= 0")
    yield suggest_for(
        column,
        "non_negative",
        constraint,
        f"none of {column.present:,} numbers is below zero, the least is {numbers.minimum}",
        level=Level.ERROR if reaches_zero else Level.WARNING,
        rows=column.present,
    )


def _numbers(column: ColumnProfile) -> Numbers | None:
    """Return the statistics of numbers, also of strings that hold numbers and no codes."""
    texts = column.texts
    if texts is not None and (texts.leading_zeros or column.kind not in {"integral", "fractional"}):
        return None
    return column.numbers


def _range_constraint(column: ColumnProfile, low: float, high: float) -> ConstraintCall:
    if column.texts is None:
        return ConstraintCall.of("is_in_range", column.name, low, high)
    return _text_constraint(column, f"BETWEEN {low} AND {high}")


def _text_constraint(column: ColumnProfile, condition: str) -> ConstraintCall:
    """Return a constraint on strings as numbers. Other strings are left to `has_data_type`."""
    sql = f"try_cast({quote(column.name)} AS double) {condition}"
    return ConstraintCall.of("satisfies", sql, nulls="ignore")


def natural_range(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest a well-known range, such as months or degrees, by the values or the name."""
    natural = _natural_range(column)
    if natural is None:
        return
    name, low, high = natural
    verb = "are within" if column.name.lower() in _RANGES_OF_NAMES else "fill"
    yield suggest_for(
        column,
        "natural_range",
        _range_constraint(column, low, high),
        f"{column.present:,} numbers {verb} the range of {name}",
        rows=column.present,
    )


def has_named_range(column: ColumnProfile) -> bool:
    """Return whether a number has a range by its name, and all values are within it."""
    return column.name.lower() in _RANGES_OF_NAMES and _natural_range(column) is not None


def _natural_range(column: ColumnProfile) -> tuple[str, int, int] | None:
    numbers = _numbers(column)
    if numbers is None or column.present < MIN_ROWS or numbers.nans:
        return None
    minimum, maximum = float(numbers.minimum), float(numbers.maximum)
    named = _RANGES_OF_NAMES.get(column.name.lower())
    if named is not None:
        low, high = _NATURAL_RANGES[named]
        return (named, low, high) if low <= minimum <= maximum <= high else None
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


def numeric_range(column: ColumnProfile, profile: Profile) -> Iterator[Suggestion]:
    """Suggest the observed range, extended by its width on both sides.

    Numbers that only count up have no range: the next ones are higher.
    """
    numbers = _numbers(column)
    if numbers is None or column.present < MIN_ROWS:
        return
    minimum, maximum = float(numbers.minimum), float(numbers.maximum)
    if not math.isfinite(minimum + maximum) or minimum == maximum:
        return
    if _natural_range(column) is not None or _counts_up(column, profile):
        return
    width = maximum - minimum
    low, high = round_down(minimum - width), round_up(maximum + width)
    if numbers.negatives == 0:
        low = 0.0
    yield suggest_for(
        column,
        "numeric_range",
        _range_constraint(column, _shorten(low), _shorten(high)),
        f"{column.present:,} numbers lie between {numbers.minimum} and {numbers.maximum}",
        level=Level.WARNING,
        rows=column.present,
    )


def _shorten(bound: float) -> float | int:
    """Return the bound as an integer if it is one."""
    return int(bound) if float(bound).is_integer() and abs(bound) < 1e15 else bound


def centre(column: ColumnProfile, profile: Profile) -> Iterator[Suggestion]:
    """Suggest bounds of the mean and the standard deviation, if numbers do not only count up."""
    numbers = column.numbers
    if numbers is None or column.texts is not None or numbers.nans or column.present < MIN_ROWS:
        return
    deviation = numbers.standard_deviation
    if not math.isfinite(numbers.mean) or not 0 < deviation < math.inf:
        return
    if _counts_up(column, profile):
        return
    # six standard errors of the mean, and a quarter of a standard deviation for real changes
    margin = 6 * deviation / math.sqrt(column.present) + 0.25 * deviation
    low = round_down(numbers.mean - margin, 3)
    if numbers.negatives == 0:
        low = max(low, 0.0)
    bounds = (low, round_up(numbers.mean + margin, 3))
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


def _counts_up(column: ColumnProfile, profile: Profile) -> bool:
    """Return whether later numbers are higher: identifiers, serial numbers, years, times.

    A number that has the name of its table, such as a flight of `flights`, identifies a row.
    Identifiers with nulls are often read as fractions.
    """
    table = tuple(word for word in words_of(profile.table or "") if word != "0")
    if is_identifier_name(column.name) or words_of(column.name) == table:
        return True
    if column.kind != "integral" or column.numbers is None:
        return False
    nearly_unique = column.distinct >= _MIN_IDENTIFIER_DISTINCT * column.present
    return nearly_unique or _is_numbered(column) or is_day_number(column) or _is_time(column)


def _is_numbered(column: ColumnProfile) -> bool:
    """Return whether nearly all integers of a range occur, about equally often: receipts."""
    assert column.numbers is not None
    minimum, maximum = float(column.numbers.minimum), float(column.numbers.maximum)
    width = maximum - minimum
    median = column.numbers.quantiles.get("0.5", math.inf)
    return (
        column.distinct >= max(_MIN_NUMBERED, _MIN_DENSITY * (width + 1))
        and abs(median - (minimum + maximum) / 2) <= _MAX_SKEW * width
        and _natural_range(column) is None
    )


def is_day_number(column: ColumnProfile) -> bool:
    """Return whether integers are days such as ``20261114``."""
    numbers = column.numbers
    if numbers is None or column.kind != "integral" or column.texts is not None:
        return False
    ends = (int(numbers.minimum), int(numbers.maximum))
    low, high = _DAY_NUMBERS
    return low <= ends[0] <= ends[1] <= high and all(
        1 <= end // 100 % 100 <= 12 and 1 <= end % 100 <= 31 for end in ends
    )


def _is_time(column: ColumnProfile) -> bool:
    """Return whether integers are years, or seconds or milliseconds since 1970, by their name."""
    assert column.numbers is not None
    words = set(words_of(column.name))
    low, high = float(column.numbers.minimum), float(column.numbers.maximum)
    if "year" in words:
        return _YEARS[0] <= low <= high <= _YEARS[1]
    return not words.isdisjoint(_TIME_WORDS) and any(
        _UNIX_SECONDS[0] * unit <= low <= high <= _UNIX_SECONDS[1] * unit for unit in (1, 1000)
    )
