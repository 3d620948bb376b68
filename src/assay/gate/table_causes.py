"""The nearest known cause of what was found of a whole batch: its rows, its fields, its nulls.

>>> from assay.learn.fingerprint.from_rows import fingerprint, strings
>>> last = fingerprint({"code": strings([*"abcdefghij"])})
>>> cause_of_rows(fingerprint({"code": strings([*"klmnopqrst"] * 3)}), last)
'all values occur 3 times or a multiple of it: was something delivered 3 times?'
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np

from assay.analyzers.literal import read_names
from assay.checks.formatting import visible
from assay.learn.fingerprint import distances
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Pair, WeightedSample
from assay.learn.novelty.seen_values import null_combinations

__all__ = ["cause_of_nulls", "cause_of_rows", "risen_nulls", "shifted"]

_CLOSE = 0.1
#: fields that moved are at least so many
_SEVERAL = 3
#: values of columns with no more than this are compared one by one
_FEW = 30
#: counts of so many values have a factor in common for a reason
_ENOUGH = 10
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")


def cause_of_rows(batch: Fingerprint, last: Fingerprint) -> str | None:
    """What most likely happened to the number of rows."""
    if not last.rows or not batch.rows:
        return "there are no rows." if last.rows else None
    times = _repeated(batch)
    if times > 1 and _repeated(last) == 1:
        often = "twice" if times == 2 else f"{times} times"
        return f"all values occur {often} or a multiple of it: was something delivered {often}?"
    ratio = batch.rows / last.rows
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


def _repeated(batch: Fingerprint) -> int:
    """The factor that the numbers of rows of all values have in common."""
    counts = [
        count
        for each in batch.columns.values()
        if each.value_counts and not each.uncounted(each.value_counts)
        for count in each.value_counts.values()
    ]
    return math.gcd(*counts) if len(counts) >= _ENOUGH else 1


def cause_of_nulls(batch: Fingerprint, last: Fingerprint) -> str | None:
    """The combination of nulls that became more frequent by the most rows."""
    most = risen_nulls(batch, last)
    if most is None:
        return None
    now, before = (null_combinations(each.nulls).get(most, 0) for each in (batch, last))
    share, was = now / batch.rows, before / max(1, last.rows)
    names = read_names(most)
    together = ", ".join(map(visible, names))
    if len(names) > 1:
        return f"{together} are null together in {share:.1%} of the rows, and were in {was:.1%}."
    return f"{together} alone is null in {share:.1%} of the rows, and was in {was:.1%}."


def risen_nulls(batch: Fingerprint, last: Fingerprint) -> str | None:
    """The same as names that `read_names` reads; None if no combination did."""
    now, before = null_combinations(batch.nulls), null_combinations(last.nulls)
    rose = {
        names: count / batch.rows - before.get(names, 0) / max(1, last.rows)
        for names, count in now.items()
        if names and batch.rows
    }
    most = max(rose, key=rose.__getitem__, default=None)
    return most if most is not None and rose[most] > 0 else None


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


def _moved(now: ColumnStats, before: ColumnStats) -> bool:
    """Whether a column may hold what another held; among numbers, text is null."""
    if now.kind == before.kind:
        return _near(now, before, shapes=True)
    if now.kind == "numeric":
        return not now["values"]
    numbers = [(float(each), n) for each, n in now.value_counts.items() if _NUMBER.fullmatch(each)]
    total = sum(n for _, n in numbers)
    if before.sample is None or not total or total < 0.8 * now["values"]:
        return False
    values, counts = np.array(sorted(numbers)).T
    read = ColumnStats("numeric", {"values": float(total)}, sample=WeightedSample(values, counts))
    return _near(read, before)


def _near(now: ColumnStats, before: ColumnStats, *, shapes: bool = False) -> bool:
    """Whether two columns hold about the same; with `shapes`, what looks alike will do."""
    if now.kind != before.kind or not now["values"] or not before["values"]:
        return False
    pair = Pair(now, before)
    if now.kind == "numeric":
        return distances.kolmogorov_smirnov(pair.cumulative_shares) < 0.3
    apart = (
        distances.l1(pair.value_counts)
        if now.mostly_counted and before.mostly_counted
        else math.inf
    )
    if shapes or not before.is_category(_FEW):
        apart = min(apart, distances.l1(pair.shape_counts))
    return apart < 0.6
