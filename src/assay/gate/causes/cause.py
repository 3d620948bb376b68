"""`Cause`: the most likely cause of an alarm, as a stable code and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Cause", "CauseCode", "count_in", "count_of", "priority"]


class CauseCode(StrEnum):
    """The causes that Assay recognizes.

    The codes are stable. Reports, exports and benchmarks compare them, not the sentences. Their
    order is their priority: what a cause brings about comes after it.
    """

    UNREADABLE = "unreadable"
    JUDGE_FAILED = "judge_failed"
    NO_ROWS = "no_rows"
    SEGMENT_MISSING = "segment_missing"
    ROWS_MISSING = "rows_missing"
    ROWS_REPEATED = "rows_repeated"
    ROWS_DUPLICATED = "rows_duplicated"
    KEY_DUPLICATED = "key_duplicated"
    ROW_COUNT = "row_count"
    REDELIVERED = "redelivered"
    ARRIVAL_GAP = "arrival_gap"
    COLUMNS_SHIFTED = "columns_shifted"
    OTHER_TABLE = "other_table"
    COLUMN_GONE = "column_gone"
    COLUMN_NEW = "column_new"
    COLUMN_RENAMED = "column_renamed"
    COLUMNS_SWAPPED = "columns_swapped"
    COLUMN_ORDER = "column_order"
    DECIMAL_COMMA = "decimal_comma"
    TYPE_CHANGED = "type_changed"
    DIALECT_CHANGED = "dialect_changed"
    VALUES_UNFIT = "values_unfit"
    NULLS_TOGETHER = "nulls_together"
    NULLS_ROSE = "nulls_rose"
    CONSTANT = "constant"
    CASE_CHANGED = "case_changed"
    SPACES_CHANGED = "spaces_changed"
    TEXT_CUT = "text_cut"
    EMPTY_STRINGS_ROSE = "empty_strings_rose"
    DEFAULT_ROSE = "default_rose"
    SEQUENCE_RESTARTED = "sequence_restarted"
    COUNTER_FELL = "counter_fell"
    UNIT_CHANGED = "unit_changed"
    SIGN_CHANGED = "sign_changed"
    OFFSET = "offset"
    TIME_SHIFTED = "time_shifted"
    DATES_STALE = "dates_stale"
    ORDER_BROKEN = "order_broken"
    EQUALITY_BROKEN = "equality_broken"
    SUM_BROKEN = "sum_broken"
    DEPENDENCY_BROKEN = "dependency_broken"
    CORRELATION_BROKEN = "correlation_broken"
    VALUE_RENAMED = "value_renamed"
    ZEROS_ROSE = "zeros_rose"
    NEGATIVES_ROSE = "negatives_rose"
    FORMAT_CHANGED = "format_changed"
    VALUES_NEW = "values_new"
    VALUES_GONE = "values_gone"
    PATTERN_BROKEN = "pattern_broken"
    CONSTRAINT_FAILED = "constraint_failed"
    NULLS_FELL = "nulls_fell"
    SHARES_MOVED = "shares_moved"
    VALUES_SHIFTED = "values_shifted"
    SLOW_DRIFT = "slow_drift"
    UNKNOWN = "unknown"


_PRIORITIES = {code.value: place for place, code in enumerate(CauseCode)}


def priority(code: str) -> int:
    """Return the place of a code in `CauseCode`; codes of third parties come last."""
    return _PRIORITIES.get(code, len(_PRIORITIES))


@dataclass(frozen=True, slots=True)
class Cause:
    """The event that most likely led to an alarm.

    Parameters
    ----------
    code : CauseCode
        The stable code.
    sentence : str
        One or two sentences for people, with counts and examples.
    columns : tuple of str
        The columns of an event in several columns; empty for one column or the table.
    row_filter : str, optional
        A SQL condition for the rows that the cause is about.
    """

    code: CauseCode
    sentence: str
    columns: tuple[str, ...] = ()
    row_filter: str | None = None


def count_of(part: float, total: float, noun: str) -> str:
    """Format a part of a total.

    >>> count_of(315, 956, "values"), count_of(956, 956, "rows"), count_of(1, 1, "values")
    ('315 of 956 values', 'All 956 rows', 'The only value')
    """
    if part == total == 1:
        return f"The only {noun.removesuffix('s')}"
    if part == total:
        return f"All {total:,.0f} {noun}"
    return f"{part:,.0f} of {total:,.0f} {noun}"


def count_in(part: float, total: float, noun: str) -> str:
    """Format a part of a total within a sentence.

    >>> count_in(956, 956, "rows")
    'all 956 rows'
    """
    return count_of(part, total, noun).replace("All", "all")
