"""The most likely cause of an alarm about a whole batch: its rows, its nulls, shifted fields.

>>> from assay.learn.fingerprint.from_rows import fingerprint, strings
>>> before = fingerprint({"code": strings([*"abcdefghij"])})
>>> now = fingerprint({"code": strings([*"klmnopqrst"] * 3)})
>>> print(cause_of_rows(now, before).sentence)
Every value occurs 3 times or a multiple of it. Was something delivered 3 times?
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from itertools import pairwise

import numpy as np

from assay.analyzers.literal import read_names
from assay.checks.formatting import percent, visible
from assay.gate.causes.cause import Cause, CauseCode, count_of
from assay.learn.fingerprint import distances
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Pair, WeightedSample
from assay.learn.novelty.seen_values import null_combinations

__all__ = ["cause_of_nulls", "cause_of_rows", "missing_segment", "risen_nulls", "shifted_fields"]

#: relative difference up to which a row count is a multiple of another
MAX_RATIO_DIFFERENCE = 0.1
#: Fields are shifted if at least this many columns have the earlier values of their neighbour.
MIN_SHIFTED_COLUMNS = 3
#: columns with at most this many distinct values are compared value by value
MAX_DISTINCT_VALUES = 30
#: the counts of this many values have a common factor for a reason
MIN_VALUE_COUNTS = 10
#: distances below which two columns hold about the same numbers or values
MAX_NUMBER_DISTANCE, MAX_VALUE_DISTANCE = 0.3, 0.6
#: a value explains a change of the row count if it has more than this share of the change ...
MIN_SHARE_OF_CHANGE = 0.6
#: ... and less than this share of the rows: a value that most rows have explains nothing
MAX_SHARE_OF_ROWS = 0.5
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")


def cause_of_rows(batch: Fingerprint, last: Fingerprint) -> Cause | None:
    """Return the most likely cause of a changed number of rows."""
    if not last.rows:
        return None
    if not batch.rows:
        return Cause(CauseCode.NO_ROWS, "The batch is empty.")
    factor = _common_factor(batch)
    if factor > 1 and _common_factor(last) == 1:
        times = _times(factor)
        sentence = (
            f"Every value occurs {times} or a multiple of it. Was something delivered {times}?"
        )
        return Cause(CauseCode.ROWS_REPEATED, sentence)
    ratio = batch.rows / last.rows
    arrived = f"{batch.rows:,} rows arrived; {last.rows:,} before."
    factor = round(ratio)
    is_double = abs(ratio - 2) < MAX_RATIO_DIFFERENCE
    if is_double or (factor > 2 and abs(ratio / factor - 1) < MAX_RATIO_DIFFERENCE / 2):
        sentence = f"{arrived} Was something delivered {_times(2 if is_double else factor)}?"
        return Cause(CauseCode.ROWS_REPEATED, sentence)
    if abs(ratio - 0.5) < MAX_RATIO_DIFFERENCE / 2:
        return Cause(CauseCode.ROWS_MISSING, f"About half of the rows are missing. {arrived}")
    if ratio < 0.5:
        sentence = f"{percent(1 - ratio)} of the rows are missing. {arrived}"
        return Cause(CauseCode.ROWS_MISSING, sentence)
    return None


def _times(factor: int) -> str:
    return "twice" if factor == 2 else f"{factor} times"


def _common_factor(batch: Fingerprint) -> int:
    """Return the greatest common divisor of the row counts of all values."""
    counts = [
        count
        for column in batch.columns.values()
        if column.value_counts and not column.uncounted(column.value_counts)
        for count in column.value_counts.values()
    ]
    return math.gcd(*counts) if len(counts) >= MIN_VALUE_COUNTS else 1


def missing_segment(
    batch: Fingerprint, last: Fingerprint, private: Collection[str] = ()
) -> str | None:
    """Return the value whose row count explains most of the change, in words.

    Only columns with at most `MAX_DISTINCT_VALUES` values that are not private are considered.
    """
    candidates: list[tuple[float, str]] = []
    change = batch.rows - last.rows
    for name, before in last.columns.items():
        now = batch.columns.get(name)
        if now is None or not change or name in private:
            continue
        if not before.is_category(MAX_DISTINCT_VALUES) or not now.is_category(MAX_DISTINCT_VALUES):
            continue
        for value in before.value_counts.keys() | now.value_counts.keys():
            count_before, count = before.value_counts.get(value, 0), now.value_counts.get(value, 0)
            share = (count - count_before) / change
            if share > MIN_SHARE_OF_CHANGE and count_before < MAX_SHARE_OF_ROWS * last.rows:
                text = (
                    f"{visible(name)} = {visible(value)!r}: {count_before:,} rows before,"
                    f" {count:,} now"
                )
                candidates.append((share, text))
    return max(candidates)[1] if candidates else None


def cause_of_nulls(batch: Fingerprint, last: Fingerprint) -> Cause | None:
    """Return the combination of nulls whose share of the rows rose most."""
    combination = risen_nulls(batch, last)
    if combination is None:
        return None
    count, count_before = (
        null_combinations(fingerprint.nulls).get(combination, 0) for fingerprint in (batch, last)
    )
    names = read_names(combination)
    columns = ", ".join(map(visible, names))
    are_null = f"{columns} are null together" if len(names) > 1 else f"Only {columns} is null"
    sentence = (
        f"{are_null} in {count_of(count, batch.rows, 'rows').replace('All', 'all')}"
        f" ({percent(count / batch.rows)}); {percent(count_before / max(1, last.rows))} before."
    )
    return Cause(CauseCode.NULLS_TOGETHER, sentence)


def risen_nulls(batch: Fingerprint, last: Fingerprint) -> str | None:
    """Return the same combination as text that `read_names` reads; None if no share rose."""
    now, before = null_combinations(batch.nulls), null_combinations(last.nulls)
    rises = {
        combination: count / batch.rows - before.get(combination, 0) / max(1, last.rows)
        for combination, count in now.items()
        if combination and batch.rows
    }
    combination = max(rises, key=rises.__getitem__, default=None)
    return combination if combination is not None and rises[combination] > 0 else None


def shifted_fields(now: Fingerprint, before: Fingerprint) -> Cause | None:
    """Return a cause if, from some column on, each column has the values of its neighbour."""
    names = [name for name in before.columns if name in now.columns]
    neighbours = list(pairwise(names))
    directions = (
        ("before", [(name, other) for other, name in neighbours]),
        ("after", neighbours),
    )
    for side, pairs in directions:
        shifted: list[str] = []
        n_changed = 0
        for name, neighbour in pairs:
            column = now.columns[name]
            if _may_hold(column, before.columns[neighbour]):
                shifted.append(name)
                n_changed += not _is_similar(column, before.columns[name])
            elif n_changed >= MIN_SHIFTED_COLUMNS:
                break
            else:
                shifted, n_changed = [], 0
        if n_changed >= MIN_SHIFTED_COLUMNS:
            sentence = (
                f"The fields are shifted by one: {len(shifted)} columns, from"
                f" {visible(shifted[0])} on, hold what the column {side} them held."
            )
            return Cause(CauseCode.COLUMNS_SHIFTED, sentence)
    return None


def _may_hold(now: ColumnStats, before: ColumnStats) -> bool:
    """Return whether a column may have the earlier values of another column.

    Text in a column of numbers is read as null.
    """
    if now.kind == before.kind:
        return _is_similar(now, before, shapes_suffice=True)
    if now.kind == "numeric":
        return not now["values"]
    numbers = [
        (float(value), count)
        for value, count in now.value_counts.items()
        if _NUMBER.fullmatch(value)
    ]
    n_numbers = sum(count for _, count in numbers)
    if before.sample is None or not n_numbers or n_numbers < 0.8 * now["values"]:
        return False
    values, counts = np.array(sorted(numbers)).T
    as_numbers = ColumnStats(
        "numeric", {"values": float(n_numbers)}, sample=WeightedSample(values, counts)
    )
    return _is_similar(as_numbers, before)


def _is_similar(now: ColumnStats, before: ColumnStats, *, shapes_suffice: bool = False) -> bool:
    """Return whether two columns hold about the same values, or values of the same shapes."""
    if now.kind != before.kind or not now["values"] or not before["values"]:
        return False
    pair = Pair(now, before)
    if now.kind == "numeric":
        return distances.kolmogorov_smirnov(pair.cumulative_shares) < MAX_NUMBER_DISTANCE
    distance = (
        distances.l1(pair.value_counts)
        if now.mostly_counted and before.mostly_counted
        else math.inf
    )
    if shapes_suffice or not before.is_category(MAX_DISTINCT_VALUES):
        distance = min(distance, distances.l1(pair.shape_counts))
    return distance < MAX_VALUE_DISTANCE
