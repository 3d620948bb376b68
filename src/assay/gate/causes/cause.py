"""`Cause`: the most likely cause of an alarm, as a stable code and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Cause", "CauseCode", "count_of"]


class CauseCode(StrEnum):
    """The causes that Assay recognizes.

    The codes are stable. Reports, exports and benchmarks compare them, not the sentences. Their
    order is their priority: what a cause brings about comes after it.
    """

    UNREADABLE = "unreadable"
    JUDGE_FAILED = "judge_failed"
    NO_ROWS = "no_rows"
    ROWS_MISSING = "rows_missing"
    ROWS_REPEATED = "rows_repeated"
    ROW_COUNT = "row_count"
    REDELIVERED = "redelivered"
    ARRIVAL_GAP = "arrival_gap"
    COLUMNS_SHIFTED = "columns_shifted"
    OTHER_TABLE = "other_table"
    COLUMN_GONE = "column_gone"
    COLUMN_NEW = "column_new"
    COLUMN_RENAMED = "column_renamed"
    COLUMN_ORDER = "column_order"
    TYPE_CHANGED = "type_changed"
    DIALECT_CHANGED = "dialect_changed"
    NULLS_TOGETHER = "nulls_together"
    NULLS_ROSE = "nulls_rose"
    NULLS_FELL = "nulls_fell"
    CONSTANT = "constant"
    CASE_CHANGED = "case_changed"
    SPACES_CHANGED = "spaces_changed"
    UNIT_CHANGED = "unit_changed"
    SIGN_CHANGED = "sign_changed"
    EMPTY_STRINGS_ROSE = "empty_strings_rose"
    ZEROS_ROSE = "zeros_rose"
    NEGATIVES_ROSE = "negatives_rose"
    FORMAT_CHANGED = "format_changed"
    VALUES_NEW = "values_new"
    VALUES_GONE = "values_gone"
    PATTERN_BROKEN = "pattern_broken"
    CONSTRAINT_FAILED = "constraint_failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """The event that most likely led to an alarm.

    Parameters
    ----------
    code : CauseCode
        The stable code.
    sentence : str
        One or two sentences for people, with counts and examples.
    """

    code: CauseCode
    sentence: str


def count_of(part: float, total: float, noun: str) -> str:
    """Format a part of a total.

    >>> count_of(315, 956, "values"), count_of(956, 956, "rows")
    ('315 of 956 values', 'All 956 rows')
    """
    if part == total:
        return f"All {total:,.0f} {noun}"
    return f"{part:,.0f} of {total:,.0f} {noun}"
