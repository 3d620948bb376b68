"""Rules for columns beside each other: equal, derived from others, in order.

They only guess, by what the profiles have in common; whether it is so is tried on the rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from itertools import combinations, permutations
from typing import Any

from assay.analyzers.schema import TEMPORAL, family, quote
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import seen_always
from assay.learn.suggest.rules.rule import FEW_ROWS
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["derived", "equal", "ordered"]

#: so many guesses of a kind are tried at most
_MOST = 200
#: columns of numbers beyond these are not put together by threes
_MOST_NUMBERS = 60
_MANY_ROWS = 1000
_PARTS = ("year", "month", "day", "hour", "minute", "quarter", "dayofweek", "weekday", "dayofyear")


def equal(profile: Profile) -> Iterator[Suggestion]:
    """Two columns that always say the same."""
    for one, other in _first(combinations(_several(profile), 2), lambda p: _alike(*p)):
        yield _said(
            "equal",
            (one, other),
            ConstraintCall.of("is_equal_to", one.name, other.name),
            f"{one.name} and {other.name} have the same values in {one.rows:,} rows",
        )


def _alike(one: ColumnProfile, other: ColumnProfile) -> bool:
    return (
        family(one.type) == family(other.type)
        and one.present == other.present
        and math.isclose(one.distinct, other.distinct, rel_tol=0.05)
        and _summary(one) == _summary(other)
    )


def _summary(column: ColumnProfile) -> tuple[Any, ...]:
    numbers, texts = column.numbers, column.texts
    return (
        (numbers.minimum, numbers.maximum, numbers.mean) if numbers else (),
        (texts.min_length, texts.max_length, texts.mean_length) if texts else (),
        (column.first, column.last),
        dict(column.values.counts) if column.exact and column.values else {},
    )


def derived(profile: Profile) -> Iterator[Suggestion]:
    """A column that others give: parts of a date, the sum or the difference of two."""
    yield from _parts_of_dates(profile)
    yield from _sums(profile)


def _parts_of_dates(profile: Profile) -> Iterator[Suggestion]:
    moments = [c for c in _several(profile) if family(c.type) in TEMPORAL]
    whole = [c for c in _several(profile) if c.kind == "integral" and c.texts is None]
    for moment in moments:
        for part in whole:
            for name in _PARTS:
                if name in part.name.lower().replace("_", "") and _fits(part, moment, name):
                    sql = f"{quote(part.name)} = {name}({quote(moment.name)})"
                    yield _said(
                        "derived",
                        (part, moment),
                        ConstraintCall.of("satisfies", sql, nulls="ignore"),
                        f"{part.name} is the {name} of {moment.name} in {part.rows:,} rows",
                    )


def _fits(part: ColumnProfile, moment: ColumnProfile, name: str) -> bool:
    first, last = moment.first, moment.last
    if name != "year" or not isinstance(first, date) or not isinstance(last, date):
        return True
    assert part.numbers is not None
    return (part.numbers.minimum, part.numbers.maximum) == (first.year, last.year)


def _sums(profile: Profile) -> Iterator[Suggestion]:
    """``a = b + c``, where the means say so: a mean of sums is the sum of means."""
    numbers = [
        c
        for c in _several(profile)
        if c.numbers is not None
        and c.texts is None
        and c.nulls == 0
        and math.isfinite(c.numbers.mean)
        and c.numbers.standard_deviation > 0
    ][:_MOST_NUMBERS]
    means = {c.name: c.numbers.mean for c in numbers if c.numbers is not None}
    found = 0
    for one, other in combinations(numbers, 2):
        total = means[one.name] + means[other.name]
        scale = abs(means[one.name]) + abs(means[other.name])
        for whole in numbers:
            if whole in (one, other) or not math.isclose(
                means[whole.name], total, rel_tol=1e-9, abs_tol=1e-9 * scale
            ):
                continue
            names = [quote(each.name) for each in (whole, one, other)]
            sql = "abs(double({0}) - (double({1}) + double({2}))) <= 1e-6 * (1 + abs({0}))"
            yield _said(
                "derived",
                (whole, one, other),
                ConstraintCall.of("satisfies", sql.format(*names)),
                f"{whole.name} is {one.name} + {other.name} in {whole.rows:,} rows",
            )
            found += 1
            if found >= _MOST:
                return


def ordered(profile: Profile) -> Iterator[Suggestion]:
    """A column that is never above another, where both cover some of the same range.

    Ranges apart from each other would make any order true, and tell nothing; and numbers of unlike
    names (minutes and miles) may be in order without a reason. Of the many pairs that are tried
    some are in order by chance: fewer than a thousand rows are no more than a warning.
    """
    for one, other in _first(permutations(_several(profile), 2), lambda p: _below(*p)):
        said = _said(
            "ordered",
            (one, other),
            ConstraintCall.of("is_at_most", one.name, other.name),
            f"{one.name} is never above {other.name} in {one.rows:,} rows",
        )
        many = min(one.present, other.present) >= _MANY_ROWS
        yield said if many else replace(said, level=Level.WARNING)


def _below(one: ColumnProfile, other: ColumnProfile) -> bool:
    if one.texts is not None or other.texts is not None:
        return False
    if one.numbers is not None and other.numbers is not None:
        return bool(_words(one.name) & _words(other.name)) and _numbers_below(one, other)
    if one.first is None or other.first is None or family(one.type) != family(other.type):
        return False
    ends = [_comparable(each) for each in (one.first, other.first, one.last, other.last)]
    first, other_first, last, other_last = ends
    return bool(first <= other_first <= last <= other_last) and ends[0] != ends[3]


def _numbers_below(one: ColumnProfile, other: ColumnProfile) -> bool:
    assert one.numbers is not None
    assert other.numbers is not None
    if one.distinct < 20 or other.distinct < 20 or not one.numbers.quantiles:
        return False
    mine = [one.numbers.minimum, *one.numbers.quantiles.values(), one.numbers.maximum]
    theirs = [other.numbers.minimum, *other.numbers.quantiles.values(), other.numbers.maximum]
    lows = [float(value) for value in mine]
    highs = [float(value) for value in theirs]
    overlap = highs[2] < lows[-3]  # the lower end of the one in the upper end of the other
    never_above = all(a <= b for a, b in zip(lows, highs, strict=True))
    return never_above and overlap and lows != highs


def _words(name: str) -> set[str]:
    parts = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name))
    return {part.lower() for part in parts}


def _comparable(value: Any) -> datetime:
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value.replace(tzinfo=None)


def _several(profile: Profile) -> list[ColumnProfile]:
    """The columns that say different things."""
    return [c for c in profile.values() if c.present and not c.constant and c.distinct > 1]


def _first(pairs: Any, test: Any) -> Iterator[Any]:
    found = 0
    for pair in pairs:
        if test(pair):
            yield pair
            found += 1
            if found >= _MOST:
                return


def _said(
    rule: str, columns: tuple[ColumnProfile, ...], constraint: ConstraintCall, evidence: str
) -> Suggestion:
    rows = min(each.present for each in columns)
    level = Level.ERROR if rows >= FEW_ROWS else Level.WARNING
    names = tuple(each.name for each in columns)
    return Suggestion(rule, names, constraint, evidence, seen_always(rows), level)
