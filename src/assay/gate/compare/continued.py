"""Recognize columns with other values in each table, such as counters, days and identifiers."""

from __future__ import annotations

import re

from assay.gate.compare.effect import is_category
from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.column_stats import ColumnStats, Pair, Stat

__all__ = ["has_open_values", "is_continued", "is_same_format"]

#: a counter may take this many times as many numbers as before
MAX_RANGE_RATIO = 3
#: a date or a time has at least this many numbers
MIN_DATE_NUMBERS = 2
#: largest L1 distance of the formats of two columns of the same format
MAX_FORMAT_DISTANCE = 0.05
_NUMBER = re.compile(r"\d+")


def is_continued(now: ColumnStats, before: ColumnStats) -> bool:
    """Return whether a column has other values, as a counter, a day or an identifier has.

    - Whole numbers continue if the gap is smaller than the earlier range, and the ranges are alike.
    - Text with many values is an identifier if all its values are new.
    - Dates, times and numbers in text continue if all values come after the earlier ones.
    - A number or a date with one value in each table is a label, such as the day of a batch.

    The format is the same in all cases.
    """
    if now.kind == "numeric":
        gap = now.minimum - before.maximum
        width, width_before = now.maximum - now.minimum, before.maximum - before.minimum
        is_whole = all(stats.holds_integers for stats in (now, before))
        is_next = 0 < gap <= width_before + 1 and width <= MAX_RANGE_RATIO * (width_before + 1)
        return is_whole and (is_next or (_is_label(now, before) and gap != 0))
    if not now.value_counts or not before.value_counts or not is_same_format(now, before):
        return False
    if now.value_counts.keys() & before.value_counts.keys():
        return False
    if not is_category(before) and not _is_label(now, before):
        return True  # identifiers
    is_later = min(now.value_counts) > max(before.value_counts)
    return has_open_values(before) and (is_later or _is_label(now, before))


def has_open_values(stats: ColumnStats) -> bool:
    """Return whether new values are usual: dates, times, numbers in text.

    The values of private columns are hashes, without shapes. New ones are usual unless they are
    few.
    """
    if not stats.shape_counts and Stat.CHARACTERS in stats.numbers:
        return not is_category(stats)
    return all(
        value.isdigit() or len(_NUMBER.findall(value)) >= MIN_DATE_NUMBERS
        for value in stats.value_counts
    )


def is_same_format(now: ColumnStats, before: ColumnStats) -> bool:
    """Return whether the values have the same formats. Only text has formats."""
    if not now.shape_counts or not before.shape_counts:
        return now.kind == "numeric" or not (now.shape_counts or before.shape_counts)
    return pair_distances.l1(Pair(now, before).shape_counts) < MAX_FORMAT_DISTANCE


def _is_label(now: ColumnStats, before: ColumnStats) -> bool:
    return now.n_distinct == 1 and before.n_distinct == 1
