"""Suggest relations between columns: equal columns, sums, parts of dates, orders.

The profiles of the columns only hint at a relation; the test on the rows decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from itertools import combinations, islice, permutations
from typing import Any

from assay.analyzers.schema import TEMPORAL, family, quote
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import laplace_confidence
from assay.learn.suggest.rules.rule import MIN_ROWS
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["derived", "equal", "ordered"]

Pair = tuple[ColumnProfile, ColumnProfile]

#: suggestions of one rule that are tested
_MAX_SUGGESTIONS = 200
#: numeric columns that are combined for sums: their number of triples grows with its cube
_MAX_SUM_COLUMNS = 60
#: with fewer rows, some of the many pairs are in order by chance
_MIN_ORDERED_ROWS = 1000
#: numbers with fewer distinct values are in order by chance
_MIN_ORDERED_DISTINCT = 20
#: the largest difference of the numbers of distinct values of equal columns
_DISTINCT_TOLERANCE = 0.05
_DATE_PARTS = (
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "quarter",
    "dayofweek",
    "weekday",
    "dayofyear",
)


def equal(profile: Profile) -> Iterator[Suggestion]:
    """Suggest that two columns are equal, if their profiles are."""
    pairs = combinations(_varying_columns(profile), 2)
    for first, second in _first_matching(pairs, _have_equal_profiles):
        yield _suggest(
            "equal",
            (first, second),
            ConstraintCall.of("is_equal_to", first.name, second.name),
            f"{first.name} and {second.name} have the same values in {first.rows:,} rows",
        )


def _have_equal_profiles(first: ColumnProfile, second: ColumnProfile) -> bool:
    return (
        family(first.type) == family(second.type)
        and first.present == second.present
        and math.isclose(first.distinct, second.distinct, rel_tol=_DISTINCT_TOLERANCE)
        and _statistics(first) == _statistics(second)
    )


def _statistics(column: ColumnProfile) -> tuple[Any, ...]:
    numbers, texts = column.numbers, column.texts
    return (
        (numbers.minimum, numbers.maximum, numbers.mean) if numbers else (),
        (texts.min_length, texts.max_length, texts.mean_length) if texts else (),
        (column.first, column.last),
        dict(column.values.counts) if column.exact and column.values else {},
    )


def derived(profile: Profile) -> Iterator[Suggestion]:
    """Suggest that a column is a part of a date, or the sum of two columns."""
    yield from _suggest_date_parts(profile)
    yield from _suggest_sums(profile)


def _suggest_date_parts(profile: Profile) -> Iterator[Suggestion]:
    columns = _varying_columns(profile)
    dates = [column for column in columns if family(column.type) in TEMPORAL]
    integers = [column for column in columns if column.kind == "integral" and column.texts is None]
    for moment in dates:
        for column in integers:
            for part in _DATE_PARTS:
                name_fits = part in column.name.lower().replace("_", "")
                if name_fits and _range_fits(column, moment, part):
                    sql = f"{quote(column.name)} = {part}({quote(moment.name)})"
                    yield _suggest(
                        "derived",
                        (column, moment),
                        ConstraintCall.of("satisfies", sql, nulls="ignore"),
                        f"{column.name} is the {part} of {moment.name} in {column.rows:,} rows",
                    )


def _range_fits(column: ColumnProfile, moment: ColumnProfile, part: str) -> bool:
    first, last = moment.first, moment.last
    if part != "year" or not isinstance(first, date) or not isinstance(last, date):
        return True
    assert column.numbers is not None
    return (column.numbers.minimum, column.numbers.maximum) == (first.year, last.year)


def _suggest_sums(profile: Profile) -> Iterator[Suggestion]:
    """Suggest ``a = b + c`` if it holds for the means: the mean of sums is the sum of means."""
    for triple in islice(_triples_with_matching_means(profile), _MAX_SUGGESTIONS):
        total, first, second = triple
        names = [quote(column.name) for column in triple]
        sql = "abs(double({0}) - (double({1}) + double({2}))) <= 1e-6 * (1 + abs({0}))"
        yield _suggest(
            "derived",
            triple,
            ConstraintCall.of("satisfies", sql.format(*names)),
            f"{total.name} is {first.name} + {second.name} in {total.rows:,} rows",
        )


def _triples_with_matching_means(
    profile: Profile,
) -> Iterator[tuple[ColumnProfile, ColumnProfile, ColumnProfile]]:
    columns = [column for column in _varying_columns(profile) if _can_be_summed(column)]
    columns = columns[:_MAX_SUM_COLUMNS]
    means = {column.name: column.numbers.mean for column in columns if column.numbers is not None}
    for first, second in combinations(columns, 2):
        expected = means[first.name] + means[second.name]
        tolerance = 1e-9 * (abs(means[first.name]) + abs(means[second.name]))
        for total in columns:
            if total not in (first, second) and math.isclose(
                means[total.name], expected, rel_tol=1e-9, abs_tol=tolerance
            ):
                yield total, first, second


def _can_be_summed(column: ColumnProfile) -> bool:
    numbers = column.numbers
    return (
        numbers is not None
        and column.texts is None
        and column.nulls == 0
        and math.isfinite(numbers.mean)
        and numbers.standard_deviation > 0
    )


def ordered(profile: Profile) -> Iterator[Suggestion]:
    """Suggest that one column is never above another.

    The ranges of the columns must overlap: otherwise any order holds, and says nothing. The names
    of numbers must share a word, such as ``price_min`` and ``price_max``. With fewer than 1,000
    rows the suggestion is a warning, since some of the many pairs are in order by chance.
    """
    pairs = permutations(_varying_columns(profile), 2)
    for lower, higher in _first_matching(pairs, _may_be_below):
        suggestion = _suggest(
            "ordered",
            (lower, higher),
            ConstraintCall.of("is_at_most", lower.name, higher.name),
            f"{lower.name} is never above {higher.name} in {lower.rows:,} rows",
        )
        if min(lower.present, higher.present) < _MIN_ORDERED_ROWS:
            suggestion = replace(suggestion, level=Level.WARNING)
        yield suggestion


def _may_be_below(lower: ColumnProfile, higher: ColumnProfile) -> bool:
    if lower.texts is not None or higher.texts is not None:
        return False
    if lower.numbers is not None and higher.numbers is not None:
        share_word = not _words(lower.name).isdisjoint(_words(higher.name))
        return share_word and _numbers_may_be_below(lower, higher)
    if lower.first is None or higher.first is None or family(lower.type) != family(higher.type):
        return False
    first, higher_first, last, higher_last = (
        _as_datetime(value) for value in (lower.first, higher.first, lower.last, higher.last)
    )
    return first <= higher_first <= last <= higher_last and first != higher_last


def _numbers_may_be_below(lower: ColumnProfile, higher: ColumnProfile) -> bool:
    assert lower.numbers is not None
    assert higher.numbers is not None
    distinct = min(lower.distinct, higher.distinct)
    if distinct < _MIN_ORDERED_DISTINCT or not lower.numbers.quantiles:
        return False
    lows, highs = (
        [float(value) for value in (numbers.minimum, *numbers.quantiles.values(), numbers.maximum)]
        for numbers in (lower.numbers, higher.numbers)
    )
    overlap = highs[2] < lows[-3]  # the lower end of the higher column, and vice versa
    never_above = all(low <= high for low, high in zip(lows, highs, strict=True))
    return never_above and overlap and lows != highs


def _words(name: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name))
    return {word.lower() for word in words}


def _as_datetime(value: Any) -> datetime:
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value.replace(tzinfo=None)


def _varying_columns(profile: Profile) -> list[ColumnProfile]:
    return [
        column
        for column in profile.values()
        if column.present and not column.constant and column.distinct > 1
    ]


def _first_matching(
    pairs: Iterable[Pair], matches: Callable[[ColumnProfile, ColumnProfile], bool]
) -> Iterator[Pair]:
    return islice((pair for pair in pairs if matches(*pair)), _MAX_SUGGESTIONS)


def _suggest(
    rule: str, columns: tuple[ColumnProfile, ...], constraint: ConstraintCall, evidence: str
) -> Suggestion:
    rows = min(column.present for column in columns)
    level = Level.ERROR if rows >= MIN_ROWS else Level.WARNING
    names = tuple(column.name for column in columns)
    return Suggestion(rule, names, constraint, evidence, laplace_confidence(rows), level)
