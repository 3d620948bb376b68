"""Causes about two or more columns: swapped columns, and fields that are shifted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from assay.analyzers.schema import quote
from assay.checks.formatting import visible
from assay.gate.causes.cause import Cause, CauseCode, count_of
from assay.gate.causes.column_change import Comparison
from assay.gate.causes.similarity import are_exchanged, is_similar, may_hold
from assay.learn.fingerprint.column_stats import Fingerprint

__all__ = ["shifted_fields", "swapped_columns"]

#: Fields are shifted if at least this many columns have the earlier values of their neighbour.
MIN_SHIFTED_COLUMNS = 3
#: columns with alarms for which a partner is searched
MAX_SEARCHED_COLUMNS = 20


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
            if may_hold(column, before.columns[neighbour]):
                shifted.append(name)
                n_changed += not is_similar(column, before.columns[name])
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


def swapped_columns(compared: Comparison, columns: Collection[str]) -> Iterator[Cause]:
    """Find pairs of columns that have each other's values.

    Parameters
    ----------
    compared
        The batch and the one before.
    columns
        The columns with alarms. Each pair has at least one of them.
    """
    batch, last = compared.batch, compared.last
    if last is None:
        return
    names = [name for name in last.columns if name in batch.columns]
    swapped: set[str] = set()
    for name in [name for name in names if name in columns][:MAX_SEARCHED_COLUMNS]:
        if name in swapped:
            continue
        gains = {
            other: are_exchanged(
                (batch.columns[name], batch.columns[other]),
                (last.columns[name], last.columns[other]),
            )
            for other in names
            if other != name and other not in swapped
        }
        other = max(gains, key=gains.__getitem__, default=name)
        if gains.get(other, 0.0) > 0:
            swapped |= {name, other}
            pair = tuple(one for one in names if one in (name, other))
            first, second = map(visible, pair)
            sentence = (
                f"{first} and {second} are swapped: each holds what the other held before."
                f" {count_of(batch.rows, batch.rows, 'rows')}."
            )
            row_filter = " OR ".join(f"{quote(one)} IS NOT NULL" for one in pair)
            yield Cause(CauseCode.COLUMNS_SWAPPED, sentence, columns=pair, row_filter=row_filter)
