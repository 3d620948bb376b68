"""Causes about the number of rows: missing or repeated rows, and missing segments.

>>> from assay.learn.fingerprint.from_rows import fingerprint, strings
>>> before = fingerprint({"code": strings([*"abcdefghij"])})
>>> now = fingerprint({"code": strings([*"klmnopqrst"] * 3)})
>>> print(cause_of_rows(now, before).sentence)
Every value occurs 3 times or a multiple of it. Was something delivered 3 times?
"""

from __future__ import annotations

import math
from collections.abc import Collection

from assay.checks.formatting import count_noun, percent, visible
from assay.gate.causes.cause import Cause, CauseCode
from assay.gate.causes.column_change import ColumnChange, Comparison, distinct_share
from assay.gate.causes.dates import dates_stale
from assay.gate.causes.usual_rows import UsualRows
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint

__all__ = [
    "all_repeated",
    "cause_of_rows",
    "delivered_before",
    "missing_segment",
    "partly_repeated",
    "row_count",
    "segment_gone",
]  # fmt: skip

MAX_COLUMNS_NAMED = 3
#: relative difference up to which a row count is a multiple of another
MAX_RATIO_DIFFERENCE = 0.1
#: columns with at most this many distinct values are compared value by value
MAX_DISTINCT_VALUES = 30
#: the counts of this many values have a common factor for a reason
MIN_VALUE_COUNTS = 10
#: a value explains a change of the row count if it has more than this share of the change ...
MIN_SHARE_OF_CHANGE = 0.6
#: ... and less than this share of the rows: a value that most rows have explains nothing
MAX_SHARE_OF_ROWS = 0.5
#: the rows of a value are missing if it had at least this share of the rows
MIN_SEGMENT_SHARE = 0.05
#: relative difference between the row count and the one without the missing segment
MAX_DIFFERENCE_WITHOUT_SEGMENT = 0.25
#: rows are repeated if a column with at least this share of distinct values ...
MIN_DISTINCT_SHARE = 0.85
#: ... has this much less of them; sketches of distinct values are less exact
MIN_FALL_OF_DISTINCT_SHARE = 0.04
#: ... and if this part of the repeated values are additional rows
MIN_PART_OF_REPEATED = 0.3
#: an old batch has at most this share of new values in columns that usually have new ones
MAX_SHARE_OF_NEW_VALUES = 0.05


def cause_of_rows(
    batch: Fingerprint, last: Fingerprint, usual: UsualRows | None = None
) -> Cause | None:
    """Return the most likely cause of a changed number of rows.

    Parameters
    ----------
    batch, last
        The batch, and the one before.
    usual
        The usual number of rows. By default that of the last batch.
    """
    if not last.rows:
        return None
    if not batch.rows:
        return Cause(CauseCode.NO_ROWS, "The batch is empty.")
    repeated = all_repeated(batch, last)
    if repeated is not None:
        return repeated
    ratio = batch.rows / (last.rows if usual is None else usual.count)
    arrived = row_count(batch, last, usual).sentence
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


def all_repeated(batch: Fingerprint, last: Fingerprint) -> Cause | None:
    """Find rows that were all delivered several times, by the counts of their values."""
    factor = _common_factor(batch)
    if factor == 1 or _common_factor(last) > 1:
        return None
    times = _times(factor)
    sentence = f"Every value occurs {times} or a multiple of it. Was something delivered {times}?"
    return Cause(CauseCode.ROWS_REPEATED, sentence)


def row_count(batch: Fingerprint, last: Fingerprint, usual: UsualRows | None = None) -> Cause:
    """Describe a change of the row count that has no other cause."""
    before = f"{last.rows:,} before" if usual is None else str(usual)
    sentence = f"{count_noun(batch.rows, 'row')} arrived; {before}."
    return Cause(CauseCode.ROW_COUNT, sentence)


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


def partly_repeated(compared: Comparison) -> Cause | None:
    """Find rows of which a part was delivered twice.

    There are more rows than before, and more values are repeated in all columns that had hardly
    any repeated values.
    """
    batch, last = compared.batch, compared.last
    if last is None or batch.rows <= last.rows:
        return None
    falls: list[tuple[float, str]] = []
    for name, before in last.columns.items():
        share_before = distinct_share(before)
        if share_before < MIN_DISTINCT_SHARE or before.n_values < last.rows / 2:
            continue
        now = batch.columns.get(name)
        share = math.nan if now is None else distinct_share(now)
        if not share_before - share >= MIN_FALL_OF_DISTINCT_SHARE:
            return None
        falls.append((share_before, name))
    if not falls:
        return None
    share_before, name = max(falls)
    now = batch.columns[name]
    n_repeated = (1 - distinct_share(now)) * now.n_values
    n_usual = (1 - share_before) * now.n_values
    if batch.rows - last.rows < MIN_PART_OF_REPEATED * (n_repeated - n_usual):
        return None
    sentence = (
        f"About {n_repeated:,.0f} of {batch.rows:,} rows are repeated: {visible(name)} has"
        f" {now.n_distinct:,.0f} distinct values ({percent(distinct_share(now))};"
        f" {percent(share_before)} before)."
    )
    return Cause(CauseCode.ROWS_DUPLICATED, sentence)


def delivered_before(compared: Comparison) -> Cause | None:
    """Find an old batch: the columns that usually have new values have none.

    A column of dates alone may be stale in a new batch.
    """
    changes = [
        change
        for name in compared.batch.columns
        if name not in compared.private
        and (change := compared.column(name)) is not None
        and change.have_counts
        and change.usually_has_new_values
    ]
    if not changes or any(c.share_of_new_values > MAX_SHARE_OF_NEW_VALUES for c in changes):
        return None
    if len(changes) == 1 and dates_stale(changes[0]) is not None and _is_label(changes[0]):
        return None
    names = ", ".join(visible(change.name) for change in changes[:MAX_COLUMNS_NAMED])
    n_more = len(changes) - MAX_COLUMNS_NAMED
    more = f" and {n_more} more" if n_more > 0 else ""
    sentence = (
        f"Earlier batches had all values of {names}{more}; usually most are new."
        " Was an old batch delivered again?"
    )
    return Cause(CauseCode.REDELIVERED, sentence)


def _is_label(change: ColumnChange) -> bool:
    return change.now.n_distinct == 1


def segment_gone(compared: Comparison) -> Cause | None:
    """Find a value whose rows are missing, while all other rows are there."""
    batch, last = compared.batch, compared.last
    if last is None or not batch.rows:
        return None
    best: tuple[float, Cause] | None = None
    for name, before in last.columns.items():
        change = compared.column(name)
        if change is None or not before.is_category(MAX_DISTINCT_VALUES) or not change.may_quote:
            continue
        now = change.now
        if not now.value_counts or now.uncounted(now.value_counts):
            continue
        for value, count_before in before.value_counts.items():
            share = count_before / last.rows
            if value in now.value_counts or share < MIN_SEGMENT_SHARE:
                continue
            if not change.is_usual(value):
                continue
            is_explained, difference = _without_segment(value, share, now, before)
            if is_explained and (best is None or difference < best[0]):
                best = difference, _segment_cause(name, value, count_before, batch, last)
    return None if best is None else best[1]


def _without_segment(
    value: str, share: float, now: ColumnStats, before: ColumnStats
) -> tuple[bool, float]:
    """Return whether only the rows of a value are missing, and how much all others differ."""
    others = {other: count for other, count in before.value_counts.items() if other != value}
    names = others.keys() | now.value_counts.keys()
    moved = sum(abs(now.value_counts.get(name, 0) - others.get(name, 0)) for name in names)
    difference = moved / max(1, sum(others.values()))
    fell = now.n_rows < before.n_rows * (1 - share / 2)
    return fell and difference <= MAX_DIFFERENCE_WITHOUT_SEGMENT, difference


def _segment_cause(
    name: str, value: str, count_before: int, batch: Fingerprint, last: Fingerprint
) -> Cause:
    segment = f"{visible(name)} = {visible(value)!r}"
    sentence = (
        f"No row with {segment} arrived; {count_before:,} rows had it before."
        f" {row_count(batch, last).sentence}"
    )
    return Cause(CauseCode.SEGMENT_MISSING, sentence)


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
