"""Causes about nulls: in one column, or in several columns together."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

from assay.analyzers.literal import read_names
from assay.analyzers.schema import quote
from assay.checks.formatting import percent, visible
from assay.gate.causes.cause import Cause, CauseCode, count_in, count_of
from assay.gate.causes.column_change import ColumnChange
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.novelty.seen_values import null_combinations

__all__ = [
    "cause_of_nulls",
    "columns_null_together",
    "filled_column",
    "nulls_fell",
    "nulls_rose",
    "risen_nulls",
]

#: smaller changes of the share of nulls are not worth a sentence
MIN_SHARE_CHANGE = 0.02
#: a column is null together with others if they are null in this share of its rows without a value
MIN_SHARE_TOGETHER = 0.9
#: columns that a sentence names
MAX_COLUMNS_NAMED = 5
#: a combination of nulls rose only if its columns have this part of the new nulls
MIN_PART_OF_RISE = 0.5


def nulls_rose(change: ColumnChange) -> Cause | None:
    """Find more nulls than before."""
    share, share_before = change.now.null_share, change.before.null_share
    if not share - share_before >= MIN_SHARE_CHANGE:
        return None
    n_rows, n_nulls = change.now.n_rows, change.now.n_rows - change.now.n_values
    are_null = f"{count_of(n_nulls, n_rows, 'values')} {'is' if n_nulls == 1 else 'are'} null"
    of_all = "" if share == 1 else f" ({percent(share)})"
    sentence = f"{are_null}{of_all}; {percent(share_before)} before."
    return Cause(CauseCode.NULLS_ROSE, sentence, row_filter=f"{change.sql} IS NULL")


def nulls_fell(change: ColumnChange) -> Cause | None:
    """Find fewer nulls than before."""
    share, share_before = change.now.null_share, change.before.null_share
    if not share_before - share >= max(MIN_SHARE_CHANGE, share_before / 2):
        return None
    sentence = (
        f"Nulls fell from {percent(share_before)} to {percent(share)}."
        " Were they filled with a default?"
    )
    return Cause(CauseCode.NULLS_FELL, sentence)


def cause_of_nulls(batch: Fingerprint, last: Fingerprint) -> Cause | None:
    """Return the combination of nulls whose share of the rows rose most."""
    combination = risen_nulls(batch, last)
    if combination is None:
        return None
    names = read_names(combination)
    if len(names) == 1:
        alone = null_combinations(batch.nulls)[combination]
        cause = _nulls_alone(names[0], alone, batch, last)
        if cause is not None:
            return cause
    count, count_before = _rows_of_nulls(names, batch), _rows_of_nulls(names, last)
    n_more = len(names) - MAX_COLUMNS_NAMED
    columns = ", ".join(map(visible, names[:MAX_COLUMNS_NAMED]))
    columns += f" and {n_more:,} more" if n_more > 0 else ""
    are_null = f"{columns} are null together" if len(names) > 1 else f"Only {columns} is null"
    sentence = (
        f"{are_null} in {count_in(count, batch.rows, 'rows')} ({percent(count / batch.rows)});"
        f" {percent(count_before / max(1, last.rows))} before."
    )
    row_filter = " AND ".join(f"{quote(name)} IS NULL" for name in names)
    return Cause(CauseCode.NULLS_TOGETHER, sentence, columns=names, row_filter=row_filter)


def columns_null_together(batch: Fingerprint, last: Fingerprint) -> frozenset[str]:
    """Return the columns of the combination that rose most, and those that are null with it.

    Nearly all rows in which such a column is null have the combination as well.
    """
    combination = risen_nulls(batch, last)
    if combination is None:
        return frozenset()
    names = read_names(combination)
    nulls = {name for nulls in batch.nulls for name in read_names(nulls)}
    return frozenset(names) | {
        name
        for name in nulls.difference(names)
        if _rows_of_nulls((*names, name), batch)
        >= MIN_SHARE_TOGETHER * _rows_of_nulls((name,), batch)
    }


def _rows_of_nulls(names: Collection[str], batch: Fingerprint) -> int:
    """Count the rows in which all of these columns are null."""
    return sum(n for nulls, n in batch.nulls.items() if set(names) <= set(read_names(nulls)))


def _nulls_alone(name: str, count: int, batch: Fingerprint, last: Fingerprint) -> Cause | None:
    """Return the cause of nulls in one column: the number of all, and of those without others."""
    if name not in batch.columns or name not in last.columns:
        return None
    cause = nulls_rose(ColumnChange(name, batch.columns[name], last.columns[name]))
    if cause is None:
        return None
    n_nulls = round(batch.columns[name].n_rows - batch.columns[name].n_values)
    has_other_nulls = any(read_names(nulls) not in ((), (name,)) for nulls in batch.nulls)
    only = ""
    if has_other_nulls and n_nulls < batch.rows:
        rows = "these rows" if count == n_nulls else f"{count:,} of these rows"
        only = f" In {rows}, only {visible(name)} is null."
    return replace(cause, sentence=cause.sentence + only, columns=(name,))


def risen_nulls(batch: Fingerprint, last: Fingerprint) -> str | None:
    """Return the same combination as text that `read_names` reads; None if no share rose.

    If another column is filled, its combination with these columns becomes rarer, and theirs alone
    more frequent. A combination counts only if the nulls of one of its columns rose, too.
    """
    now, before = null_combinations(batch.nulls), null_combinations(last.nulls)
    rises = {
        combination: count / batch.rows - before.get(combination, 0) / max(1, last.rows)
        for combination, count in now.items()
        if combination and batch.rows
    }
    rises = {
        combination: rise
        for combination, rise in rises.items()
        if max(_rise(name, batch, last) for name in read_names(combination))
        >= MIN_PART_OF_RISE * rise
    }
    combination = max(rises, key=rises.__getitem__, default=None)
    return combination if combination is not None and rises[combination] > 0 else None


def filled_column(batch: Fingerprint, last: Fingerprint) -> str | None:
    """Return the column whose nulls fell most, which makes new combinations of the others."""
    falls = {name: -_rise(name, batch, last) for name in batch.columns if name in last.columns}
    falls = {name: fall for name, fall in falls.items() if math.isfinite(fall)}
    name = max(falls, key=falls.__getitem__, default=None)
    return name if name is not None and falls[name] >= MIN_SHARE_CHANGE else None


def _rise(name: str, batch: Fingerprint, last: Fingerprint) -> float:
    """Return by how much the share of nulls of a column rose; infinite if it is not known."""
    if name not in batch.columns or name not in last.columns:
        return math.inf
    rise = batch.columns[name].null_share - last.columns[name].null_share
    return math.inf if math.isnan(rise) else rise
