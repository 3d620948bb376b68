"""The registry of causes of a change in one column, in the order in which they are tried.

A new cause is one function in the module of its concept, and one line here.

>>> from assay.learn.fingerprint.from_rows import column_stats, numbers
>>> before = column_stats(numbers([4.0, 5.0, 6.0, 7.0]))
>>> now = column_stats(numbers([4.0, None, 6.0, 7.0]))
>>> print(cause_of_column(ColumnChange("price", now, before)).sentence)
1 of 4 values is null (25 %); 0 % before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.gate.causes import categories, dates, nulls, numbers, text
from assay.gate.causes.cause import Cause, CauseCode
from assay.gate.causes.column_change import ColumnChange, Comparison
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Stat

__all__ = ["COLUMN_CAUSES", "NULL_CAUSES", "CauseRule", "ColumnCauses", "cause_of_column"]


@dataclass(frozen=True, slots=True)
class CauseRule:
    """A function that finds one cause.

    Parameters
    ----------
    find : callable
        Returns the cause of a change, or None.
    quotes : bool
        True if it compares or quotes values or shapes, so that private columns have no such cause.
    across_kinds : bool
        True if it also compares numbers with text.
    """

    find: Callable[[ColumnChange], Cause | None]
    quotes: bool = True
    across_kinds: bool = False


NULL_CAUSES = (
    CauseRule(nulls.nulls_rose, quotes=False, across_kinds=True),
    CauseRule(nulls.nulls_fell, quotes=False, across_kinds=True),
)
COLUMN_CAUSES = (
    CauseRule(text.decimal_comma, across_kinds=True),
    CauseRule(text.case_changed),
    CauseRule(text.spaces_changed),
    CauseRule(categories.constant),
    CauseRule(
        numbers.share_rose(Stat.EMPTY, CauseCode.EMPTY_STRINGS_ROSE, "empty strings", "= ''"),
        quotes=False,
    ),
    CauseRule(categories.default_text),
    CauseRule(text.text_cut),
    CauseRule(numbers.restarted),
    CauseRule(numbers.transformed),
    CauseRule(dates.dates_stale),
    CauseRule(dates.time_shifted),
    CauseRule(numbers.share_rose(Stat.ZEROS, CauseCode.ZEROS_ROSE, "zeros", "= 0"), quotes=False),
    CauseRule(numbers.default_number),
    CauseRule(categories.value_renamed),
    CauseRule(
        numbers.share_rose(Stat.NEGATIVES, CauseCode.NEGATIVES_ROSE, "negative numbers", "< 0"),
        quotes=False,
    ),
    CauseRule(categories.key_duplicated, quotes=False),
    CauseRule(text.format_changed),
    CauseRule(categories.values_new),
    CauseRule(text.form_new),
    CauseRule(categories.values_gone),
    CauseRule(categories.shares_moved),
    CauseRule(numbers.values_shifted),
)


class ColumnCauses:
    """The causes of a batch's columns. Many alarms are about one column: it is explained once.

    Parameters
    ----------
    compared
        The batch and the one before.
    """

    def __init__(self, compared: Comparison) -> None:
        self._compared = compared
        self._changes: dict[str, ColumnChange | None] = {}
        self._causes: dict[tuple[str, bool], Cause | None] = {}

    def change(self, column: str) -> ColumnChange | None:
        """Return the change of a column; None if a batch lacks it."""
        if column not in self._changes:
            self._changes[column] = self._compared.column(column)
        return self._changes[column]

    def of(self, column: str, metric: str | None) -> Cause | None:
        """Return the cause of an alarm about a metric of a column."""
        change = self.change(column)
        if change is None:
            return None
        key = column, _counts_nulls(metric)
        if key not in self._causes:
            self._causes[key] = cause_of_column(change, metric)
        return self._causes[key]


def cause_of_column(change: ColumnChange, metric: str | None = None) -> Cause | None:
    """Return the most likely cause of an alarm about a column, or None.

    Parameters
    ----------
    change
        The column now and before.
    metric
        The metric of the alarm. Nulls are considered first if it is None or counts nulls, and
        last otherwise.
    """
    is_first = _counts_nulls(metric)
    rules = (*NULL_CAUSES, *COLUMN_CAUSES) if is_first else (*COLUMN_CAUSES, *NULL_CAUSES)
    is_other_kind = change.now.kind != change.before.kind
    for rule in rules:
        if (rule.quotes and not change.may_quote) or (is_other_kind and not rule.across_kinds):
            continue
        cause = rule.find(change)
        if cause is not None:
            return cause if change.may_quote else replace(cause, row_filter=None)
    return None


def _counts_nulls(metric: str | None) -> bool:
    return metric is None or metrics.canonical_name(metric) in metrics.OF_NULLS
