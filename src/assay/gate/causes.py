"""The nearest known cause of what was found, in words: from what a column held before and now.

>>> from assay.learn.fingerprint.column import facts, numbers, strings
>>> cause(facts(numbers([1000.0, 2500.0, 1800.0])), facts(numbers([1.1, 2.4, 1.9])))
'the numbers are about 1,000 times what they were: was the unit changed?'
>>> cause(facts(strings(["EN-gb", "DE-de"] * 9)), facts(strings(["en-gb", "de-de"] * 9)))
"the case of letters changed: 'DE-de' was 'de-de'."
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from assay.checks.wording import shown, visible
from assay.learn.fingerprint import distances
from assay.learn.fingerprint.facts import Facts, Fingerprint, Pair, Ranked

__all__ = ["cause", "cause_of_rows", "shifted"]

#: what units differ by
_FACTORS = (1000, 100, 10, 1e6, 1e9, 60, 3600, 24, 86400, 1024, 7, 12, 365, 2.54, 1.609, 2.205)
_CLOSE = 0.1
#: changes of shares that are worth a word
_WORTH = 0.02
#: a value of so many is missed, in a column of no more values than this
_MANY, _FEW = 0.1, 30
#: fields that moved are at least so many
_SEVERAL = 3
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
#: metrics of nulls; None is any
_OF_NULLS = frozenset((None, "complete_ratio", "completeness", "filled"))


def cause(now: Facts, before: Facts, metric: str | None = None) -> str | None:
    """What most likely happened to a column, or nothing that is known.

    Where a `metric` of something else than nulls was found, they are the last thing to blame.
    """
    rules = _RULES if metric in _OF_NULLS else _OTHERS
    return next((found for rule in rules if (found := rule(now, before)) is not None), None)


def cause_of_rows(now: float, before: float) -> str | None:
    """What most likely happened to the number of rows."""
    if not before or not now:
        return "there are no rows." if before else None
    ratio = now / before
    if abs(ratio - 2) < _CLOSE:
        return "the number of rows doubled: was something delivered twice?"
    times = round(ratio)
    if times > 2 and abs(ratio / times - 1) < _CLOSE / 2:
        return f"there are {times} times as many rows: was something delivered {times} times?"
    if abs(ratio - 0.5) < _CLOSE / 2:
        return "half of the rows are missing."
    if ratio < 0.5:
        return f"{1 - ratio:.0%} of the rows are missing."
    return None


def shifted(now: Fingerprint, before: Fingerprint) -> str | None:
    """Whether the fields moved by one: from some column on each holds what its neighbour held."""
    names = [name for name in before.columns if name in now.columns]
    beside = list(pairwise(names))
    for side, pairs in (("before", [(name, other) for other, name in beside]), ("behind", beside)):
        run: list[str] = []
        unlike = 0
        for name, neighbour in pairs:
            this = now.columns[name]
            if _moved(this, before.columns[neighbour]):
                run.append(name)
                unlike += not _near(this, before.columns[name])
            elif unlike >= _SEVERAL:
                break
            else:
                run, unlike = [], 0
        if unlike >= _SEVERAL:
            return (
                f"{len(run)} columns, from {visible(run[0])} on, hold what the column {side}"
                " them held: the fields moved by one."
            )
    return None


def _moved(now: Facts, before: Facts) -> bool:
    """Whether a column may hold what another held; among numbers, text is null."""
    if now.table == before.table:
        return _near(now, before, shapes=True)
    if now.table == "numeric":
        return not now["values"]
    numbers = [(float(each), n) for each, n in now.values.items() if _NUMBER.fullmatch(each)]
    total = sum(n for _, n in numbers)
    if before.ranked is None or not total or total < 0.8 * now["values"]:
        return False
    values, counts = np.array(sorted(numbers)).T
    read = Facts("numeric", {"values": float(total)}, ranked=Ranked(values, counts))
    return _near(read, before)


def _near(now: Facts, before: Facts, *, shapes: bool = False) -> bool:
    """Whether two columns hold about the same; with `shapes`, what looks alike will do."""
    if now.table != before.table or not now["values"] or not before["values"]:
        return False
    pair = Pair(now, before)
    if now.table == "numeric":
        return distances.kolmogorov_smirnov(pair.curves) < 0.3
    apart = distances.l1(pair.counts) if now.counted and before.counted else math.inf
    if shapes or not before.splits(_FEW):
        apart = min(apart, distances.l1(pair.patterns))
    return apart < 0.6


def _nulls(now: Facts, before: Facts) -> str | None:
    share, was = _absent(now), _absent(before)
    if share != share or was != was or share - was < _WORTH:
        return None
    if share == 1:
        return f"all values are null; {was:.1%} were."
    return f"nulls rose from {was:.1%} to {share:.1%}."


def _absent(facts: Facts) -> float:
    return 1 - facts["values"] / facts["rows"] if facts["rows"] else math.nan


def _filled(now: Facts, before: Facts) -> str | None:
    share, was = _absent(now), _absent(before)
    if share != share or was != was or was - share < max(_WORTH, was / 2):
        return None
    return f"nulls fell from {was:.1%} to {share:.1%}: were they filled with something?"


def _unit(now: Facts, before: Facts) -> str | None:
    if now.ranked is None or before.ranked is None:
        return None
    ratios = [_ratio(now[name], before[name]) for name in ("median", "max", "sd")]
    ratios += [_ratio(now.mean, before.mean)]
    known = [each for each in ratios if each is not None]
    if len(known) < 2:
        return None
    for factor in _FACTORS:
        number = shown(float(factor)).removesuffix(".0")
        for meant, much in ((factor, f"{number} times"), (1 / factor, f"1/{number} of")):
            if all(abs(math.log(each / meant)) < 2 * _CLOSE for each in known):
                return f"the numbers are about {much} what they were: was the unit changed?"
    return None


def _ratio(now: float, before: float) -> float | None:
    if not now or not before or now != now or before != before or now / before <= 0:
        return None
    found = now / before
    return found if math.isfinite(found) else None


def _turned(now: Facts, before: Facts) -> str | None:
    if now.ranked is None or before.ranked is None or not before.mean:
        return None
    return "the numbers changed their sign." if abs(now.mean / before.mean + 1) < _CLOSE else None


def _constant(now: Facts, before: Facts) -> str | None:
    if now["distinct"] != 1 or not before["distinct"] > 1 or now["values"] < 5:
        return None
    if now.ranked is not None:
        return f"all values are {shown(now['min'])}."
    value = next(iter(now.values), None)
    return None if value is None else f"all values are {visible(value)!r}."


def _rose(name: str, called: str) -> Callable[[Facts, Facts], str | None]:
    def rule(now: Facts, before: Facts) -> str | None:
        share, was = now.per_value(name), before.per_value(name)
        if share != share or was != was or share - was < max(_WORTH, was / 2):
            return None
        return f"{called} rose from {was:.1%} to {share:.1%}."

    return rule


def _spelling(change: Callable[[str], str], what: str) -> Callable[[Facts, Facts], str | None]:
    """Values that are the same as before, but for how they are spelled."""

    def rule(now: Facts, before: Facts) -> str | None:
        if not now.values or not before.values or now.table == "numeric":
            return None
        new = [each for each in now.values if each not in before.values]
        alike = {change(each): each for each in before.values}
        same = [each for each in new if change(each) in alike]
        weight = sum(now.values[each] for each in same)
        if not same or weight < max(_WORTH * now["values"], 0.5 * _weight(now.values, new)):
            return None
        example = min(same)
        return f"{what}: {visible(example)!r} was {visible(alike[change(example)])!r}."

    return rule


def _weight(counts: Mapping[str, int], of: list[str]) -> int:
    return sum(counts[each] for each in of)


def _shape(now: Facts, before: Facts) -> str | None:
    """The commonest shape is another one."""
    if not now.patterns or not before.patterns:
        return None
    most = max(now.patterns, key=now.patterns.__getitem__)
    was = max(before.patterns, key=before.patterns.__getitem__)
    share = now.patterns[most] / max(1.0, now["values"])
    had = before.patterns.get(most, 0) / max(1.0, before["values"])
    if most == was or share - had < 0.3:
        return None
    return f"values look like {visible(most)!r}; most looked like {visible(was)!r}."


def _unseen(now: Facts, before: Facts) -> str | None:
    if not now.values or not before.values or now.table == "numeric":
        return None
    if before.rest(before.values) or now.rest(now.values):
        return None
    new = sorted(
        (each for each in now.values if each not in before.values), key=now.values.__getitem__
    )
    share = _weight(now.values, new) / now["values"]
    if share < _WORTH:
        return None
    shown_ = ", ".join(repr(visible(each)) for each in reversed(new[-3:]))
    return f"{share:.1%} of the values were not there before, such as {shown_}."


def _gone(now: Facts, before: Facts) -> str | None:
    """A value that many had, and none has any more."""
    if not now.values or not before.splits(_FEW) or now.rest(now.values):
        return None
    gone = [each for each in before.values if each not in now.values]
    most = max(gone, key=before.values.__getitem__, default=None)
    if most is None or before.values[most] < _MANY * before["values"]:
        return None
    share = before.values[most] / before["values"]
    return f"{visible(most)!r} is gone, which {share:.1%} of the values were."


_OTHERS: tuple[Callable[[Facts, Facts], str | None], ...] = (
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
