"""The nearest known cause of what was found, in words: from what a column held before and now.

>>> from assay.learn.fingerprint.from_rows import column_stats, numbers, strings
>>> cause(column_stats(numbers([1000.0, 2500.0, 1800.0])), column_stats(numbers([1.1, 2.4, 1.9])))
'the numbers are about 1,000 times what they were: was the unit changed?'
>>> before = column_stats(strings(["en-gb", "de-de"] * 9))
>>> cause(column_stats(strings(["EN-gb", "DE-de"] * 9)), before)
"the case of letters changed: 'DE-de' was 'de-de'."
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from assay.checks.formatting import format_value, visible
from assay.learn.fingerprint import distances
from assay.learn.fingerprint.column_stats import ColumnStats, Pair, WeightedSample

__all__ = ["cause"]

#: what units differ by
_FACTORS = (1000, 100, 10, 1e6, 1e9, 60, 3600, 24, 86400, 1024, 7, 12, 365, 2.54, 1.609, 2.205)
_CLOSE = 0.1
#: Kolmogorov and Smirnov's distance of distributions that are the same, but for the day
_ALIKE = 0.2
#: changes of shares that are worth a word
_WORTH = 0.02
#: a value of so many is missed, in a column of no more values than this
_MANY, _FEW = 0.1, 30
#: metrics of nulls; None is any
_OF_NULLS = frozenset((None, "complete_ratio", "completeness", "filled"))


def cause(now: ColumnStats, before: ColumnStats, metric: str | None = None) -> str | None:
    """What most likely happened to a column, or nothing that is known.

    Where a `metric` of something else than nulls was found, they are the last thing to blame.
    """
    rules = _RULES if metric in _OF_NULLS else _OTHERS
    return next((found for rule in rules if (found := rule(now, before)) is not None), None)


def _nulls(now: ColumnStats, before: ColumnStats) -> str | None:
    share, was = _absent(now), _absent(before)
    if share != share or was != was or share - was < _WORTH:
        return None
    if share == 1:
        return f"all values are null; {was:.1%} were."
    return f"nulls rose from {was:.1%} to {share:.1%}."


def _absent(stats: ColumnStats) -> float:
    return 1 - stats["values"] / stats["rows"] if stats["rows"] else math.nan


def _filled(now: ColumnStats, before: ColumnStats) -> str | None:
    share, was = _absent(now), _absent(before)
    if share != share or was != was or was - share < max(_WORTH, was / 2):
        return None
    return f"nulls fell from {was:.1%} to {share:.1%}: were they filled with something?"


def _unit(now: ColumnStats, before: ColumnStats) -> str | None:
    """By what factor the distribution is the one before, if it is: no day is quite like another."""
    if now.sample is None or before.sample is None:
        return None
    size, was = _size(now.sample), _size(before.sample)
    if not (0 < size < math.inf and 0 < was < math.inf):
        return None
    tried = []
    for factor in _FACTORS:
        number = format_value(float(factor)).removesuffix(".0")
        for meant, much in ((factor, f"{number} times"), (1 / factor, f"1/{number} of")):
            if abs(math.log(size / was / meant)) < 1:
                scaled = WeightedSample(now.sample.values / meant, now.sample.weights)
                tried.append((_apart(scaled, before.sample), much))
    least = min((apart for apart, _ in tried), default=1.0)
    # of few numbers, distributions are never quite the same
    alike = max(_ALIKE, math.sqrt(1 / now.sample.total + 1 / before.sample.total) / 2)
    if least > min(alike, _apart(now.sample, before.sample) / 2):
        return None
    much = next(much for apart, much in tried if apart <= least + _WORTH)
    return f"the numbers are about {much} what they were: was the unit changed?"


def _size(ranked: WeightedSample) -> float:
    """The mean of the numbers without their signs."""
    if not ranked.total:
        return math.nan
    with np.errstate(over="ignore"):
        return float(np.abs(ranked.values) @ ranked.weights) / ranked.total


def _apart(now: WeightedSample, before: WeightedSample) -> float:
    one, other = (ColumnStats("numeric", {}, sample=each) for each in (now, before))
    return distances.kolmogorov_smirnov(Pair(one, other).cumulative_shares)


def _turned(now: ColumnStats, before: ColumnStats) -> str | None:
    if now.sample is None or before.sample is None or not before.mean:
        return None
    return "the numbers changed their sign." if abs(now.mean / before.mean + 1) < _CLOSE else None


def _constant(now: ColumnStats, before: ColumnStats) -> str | None:
    if now["distinct"] != 1 or not before["distinct"] > 1 or now["values"] < 5:
        return None
    if now.sample is not None:
        return f"all values are {format_value(now['min'])}."
    value = next(iter(now.value_counts), None)
    return None if value is None else f"all values are {visible(value)!r}."


def _rose(name: str, called: str) -> Callable[[ColumnStats, ColumnStats], str | None]:
    def rule(now: ColumnStats, before: ColumnStats) -> str | None:
        share, was = now.per_value(name), before.per_value(name)
        if share != share or was != was or share - was < max(_WORTH, was / 2):
            return None
        return f"{called} rose from {was:.1%} to {share:.1%}."

    return rule


def _spelling(
    change: Callable[[str], str], what: str
) -> Callable[[ColumnStats, ColumnStats], str | None]:
    """Values that are the same as before, but for how they are spelled."""

    def rule(now: ColumnStats, before: ColumnStats) -> str | None:
        if not now.value_counts or not before.value_counts or now.kind == "numeric":
            return None
        new = [each for each in now.value_counts if each not in before.value_counts]
        alike = {change(each): each for each in before.value_counts}
        same = [each for each in new if change(each) in alike]
        weight = sum(now.value_counts[each] for each in same)
        if not same or weight < max(_WORTH * now["values"], 0.5 * _weight(now.value_counts, new)):
            return None
        example = min(same)
        return f"{what}: {visible(example)!r} was {visible(alike[change(example)])!r}."

    return rule


def _weight(counts: Mapping[str, int], of: list[str]) -> int:
    return sum(counts[each] for each in of)


def _shape(now: ColumnStats, before: ColumnStats) -> str | None:
    """The commonest shape is another one."""
    if not now.shape_counts or not before.shape_counts:
        return None
    most = max(now.shape_counts, key=now.shape_counts.__getitem__)
    was = max(before.shape_counts, key=before.shape_counts.__getitem__)
    share = now.shape_counts[most] / max(1.0, now["values"])
    had = before.shape_counts.get(most, 0) / max(1.0, before["values"])
    if most == was or share - had < 0.3:
        return None
    return f"values look like {visible(most)!r}; most looked like {visible(was)!r}."


def _unseen(now: ColumnStats, before: ColumnStats) -> str | None:
    if not now.value_counts or not before.value_counts or now.kind == "numeric":
        return None
    if before.uncounted(before.value_counts) or now.uncounted(now.value_counts):
        return None
    new = sorted(
        (each for each in now.value_counts if each not in before.value_counts),
        key=now.value_counts.__getitem__,
    )
    share = _weight(now.value_counts, new) / now["values"]
    if share < _WORTH:
        return None
    shown_ = ", ".join(repr(visible(each)) for each in reversed(new[-3:]))
    return f"{share:.1%} of the values were not there before, such as {shown_}."


def _gone(now: ColumnStats, before: ColumnStats) -> str | None:
    """A value that many had, and none has any more."""
    if not now.value_counts or not before.is_category(_FEW) or now.uncounted(now.value_counts):
        return None
    gone = [each for each in before.value_counts if each not in now.value_counts]
    most = max(gone, key=before.value_counts.__getitem__, default=None)
    if most is None or before.value_counts[most] < _MANY * before["values"]:
        return None
    share = before.value_counts[most] / before["values"]
    return f"{visible(most)!r} is gone, which {share:.1%} of the values were."


_OTHERS: tuple[Callable[[ColumnStats, ColumnStats], str | None], ...] = (
    _constant,
    _spelling(str.casefold, "the case of letters changed"),
    _spelling(str.strip, "spaces came or went around values"),
    _unit,
    _turned,
    _rose("empty", "empty strings"),
    _rose("zeros", "zeros"),
    _rose("negatives", "negative numbers"),
    _shape,
    _unseen,
    _gone,
    _nulls,
    _filled,
)
_RULES = (_nulls, _filled, *_OTHERS)
