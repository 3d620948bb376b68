"""Find what changed between one older table and a new one, without a history.

The judges of the schema and of the dialect need one older table only. The others need a history,
and are replaced by practical effects (`effects`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from assay.gate.causes.cause import CauseCode
from assay.gate.causes.rows import cause_of_rows
from assay.gate.compare.compared_table import ComparedTable
from assay.gate.compare.continued import is_continued
from assay.gate.compare.effects import MIN_VALUES, find_effects
from assay.gate.finding import Finding
from assay.gate.judges.dialect import judge_dialect
from assay.gate.judges.redelivery import MIN_ROWS, MIN_ROWS_TO_HOLD
from assay.gate.judges.schema import judge_schema
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.novelty.repetition import identical
from assay.store.verdict import Decision
from assay.text import visible

__all__ = ["JUDGE", "continued_columns", "find_changes", "has_same_rows", "same_rows_finding"]

#: the judge that findings of a comparison name
JUDGE = "comparison"
#: Relative change of the row count that is reported. Row counts of ordinary days differ by about as
#: much; a change beyond `cause_of_rows` is only a warning.
MIN_ROW_CHANGE = 0.1
#: standard errors of a number of rows; small tables differ by some rows
ROW_DEVIATIONS = 2.0
#: columns whose nulls rise together have one cause
MIN_COLUMNS_TOGETHER = 2


def find_changes(
    new: ComparedTable, old: ComparedTable, *, private: Collection[str] = ()
) -> list[Finding]:
    """Return one finding for each change. Their causes decide whether they hold the table.

    Parameters
    ----------
    new, old
        The tables.
    private
        Columns whose values are not quoted.
    """
    findings = judge_schema(new.schema, old.schema, new.stats, old.stats)
    if new.schema is not None and old.schema is not None:
        findings += judge_dialect(new.schema.writing, old.schema.writing)
    if not any(name in old.stats.columns for name in new.stats.columns):
        return findings  # another table, of which nothing else can be compared
    findings += _unreadable_columns(new, old, private)
    findings += _row_changes(new, old)
    if new.stats.rows and old.stats.rows:
        findings += _column_changes(new, old, private)
    return findings


def has_same_rows(new: ComparedTable, old: ComparedTable) -> bool:
    """Return whether all columns of both tables have the same values, in any order."""
    if new.stats.rows < MIN_ROWS:
        return False
    return identical(new.stats, {name: stats.digest for name, stats in old.stats.columns.items()})


def same_rows_finding(new: ComparedTable, old: ComparedTable) -> Finding:
    """Return the finding about a table that repeats an older one."""
    sentence = (
        f"The table has the same rows as {visible(old.name)}. Was the same file delivered again?"
    )
    return Finding(
        "redelivery",
        Decision.HOLD if new.stats.rows >= MIN_ROWS_TO_HOLD else Decision.WARN,
        "all columns have exactly the values of the older table.",
        metric=metrics.UNCHANGED,
        actual=1.0,
        severity=1.0,
        cause=sentence,
        cause_code=CauseCode.REDELIVERED,
    )


def continued_columns(new: ComparedTable, old: ComparedTable) -> list[str]:
    """Return the columns that go on where they ended, with other values than before."""
    return [
        name
        for name, now, before in _common_columns(new, old)
        if now.n_values >= MIN_VALUES
        and before.n_values >= MIN_VALUES
        and now.digest != before.digest
        and now.kind == before.kind
        and _differs(now, before)
        and is_continued(now, before)
    ]


def _differs(now: ColumnStats, before: ColumnStats) -> bool:
    """Return whether the columns have no value in common."""
    if now.kind == "numeric":
        return now.minimum > before.maximum or now.maximum < before.minimum
    return not now.value_counts.keys() & before.value_counts.keys()


def _unreadable_columns(
    new: ComparedTable, old: ComparedTable, private: Collection[str]
) -> Iterator[Finding]:
    for name, reason in new.unreadable.items():
        # the reason may quote a value
        why = "." if name in private else f": {reason}"
        yield Finding(
            "gate",
            Decision.WARN if name in old.unreadable else Decision.HOLD,
            f"the column cannot be read{why}",
            name,
            severity=math.inf,
            cause_code=CauseCode.UNREADABLE,
        )


def _row_changes(new: ComparedTable, old: ComparedTable) -> Iterator[Finding]:
    n_rows, n_rows_before = new.stats.rows, old.stats.rows
    if not n_rows_before:
        return
    change = n_rows / n_rows_before - 1
    is_large = abs(change) >= MIN_ROW_CHANGE and abs(
        n_rows - n_rows_before
    ) > ROW_DEVIATIONS * math.sqrt(n_rows + n_rows_before)
    cause = cause_of_rows(new.stats, old.stats)
    is_repeated = cause is not None and cause.code is CauseCode.ROWS_REPEATED
    is_large = is_large or (is_repeated and n_rows_before >= MIN_VALUES)
    if is_large or not n_rows:
        yield Finding(
            JUDGE,
            Decision.HOLD,
            f"the number of rows is {n_rows:,}; it was {n_rows_before:,}.",
            metric=metrics.ROW_COUNT,
            actual=float(n_rows),
            severity=1.0,
        )


def _column_changes(
    new: ComparedTable, old: ComparedTable, private: Collection[str]
) -> Iterator[Finding]:
    with_nulls: list[str] = []
    for name, now, before in _common_columns(new, old):
        for effect in find_effects(now, before):
            reason = effect.reason if name in private else effect.quote or effect.reason
            expected = None if math.isnan(effect.before) else effect.before
            is_key = effect.metric == metrics.DISTINCT_RATIO
            if effect.metric == metrics.COMPLETENESS and effect.size > 0:
                with_nulls.append(name)
            yield Finding(
                JUDGE,
                Decision.HOLD if effect.may_hold else Decision.WARN,
                reason,
                name,
                effect.metric,
                actual=effect.actual,
                low=expected,
                high=expected,
                severity=effect.size,
                cause_code=CauseCode.KEY_DUPLICATED if is_key and effect.may_hold else None,
            )
    if len(with_nulls) >= MIN_COLUMNS_TOGETHER:
        # diagnosis names the combination, and folds the findings of its columns
        reason = f"nulls rose in {len(with_nulls):,} columns."
        yield Finding(JUDGE, Decision.WARN, reason, metric=metrics.UNSEEN_NULLS)


def _common_columns(
    new: ComparedTable, old: ComparedTable
) -> Iterator[tuple[str, ColumnStats, ColumnStats]]:
    for name, now in new.stats.columns.items():
        before = old.stats.columns.get(name)
        if before is not None and name not in new.unreadable and name not in old.unreadable:
            yield name, now, before
