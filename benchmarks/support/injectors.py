"""Change a batch as errors do that hit whole columns or rows.

`benchmarks.support.injected` lists the kinds of errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.from_rows import Column, column_kind, is_null, strings
from benchmarks.support.corruption import Columns

__all__ = ["INJECTORS", "Changed", "Injector", "Rng", "choose_column", "count_present"]

Rng = np.random.Generator
#: the changed columns; None if the batch cannot have the error
Changed = Mapping[str, Column] | None
#: changes a batch, given the batches before it
Injector = Callable[[Columns, Sequence[Columns], Rng], Changed]

#: characters that the values of few columns have
_GARBAGE = "#@!~^{}|<>"
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(.*)", re.DOTALL)
#: batches after which an old delivery is sent again
_STALE_BATCHES = 7


def count_present(column: Column) -> int:
    """Count the values that are not null."""
    return int((~is_null(column)).sum())


def choose_column(batch: Columns, kind: str | None, rng: Rng, *, distinct: int = 2) -> str | None:
    """Choose a column of a kind, at least half of it with values, and with distinct values."""
    names = [
        name
        for name, column in batch.items()
        if (kind is None or column_kind(column) == kind)
        and count_present(column) >= max(1, len(column) / 2)
        and len(set(column[~is_null(column)].tolist())) >= distinct
    ]
    return names[int(rng.integers(len(names)))] if names else None


def _set_null(share: float) -> Injector:
    def run(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
        name = choose_column(batch, None, rng)
        if name is None:
            return None
        column = batch[name].copy()
        rows = rng.choice(len(column), max(1, round(share * len(column))), replace=False)
        column[rows] = None if column_kind(column) == "categorical" else np.nan
        return {name: column}

    return run


def _of_numbers(change: Callable[[Column], Column]) -> Injector:
    def run(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
        # a column with few distinct numbers holds codes, which have no unit and no mean
        name = choose_column(batch, "numeric", rng, distinct=10)
        return None if name is None else {name: change(batch[name])}

    return run


def _swap(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    kind = ("numeric", "categorical")[int(rng.integers(2))]
    one = choose_column(batch, kind, rng)
    if one is None:
        return None
    other = choose_column({name: c for name, c in batch.items() if name != one}, kind, rng)
    return None if other is None else {one: batch[other], other: batch[one]}


def _swap_case(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    cased = {
        name: column
        for name, column in batch.items()
        if column_kind(column) == "categorical"
        and any(value is not None and value.swapcase() != value for value in column)
    }
    name = choose_column(cased, "categorical", rng, distinct=1)
    if name is None:
        return None
    return {name: strings(None if v is None else v.swapcase() for v in batch[name])}


def _take(batch: Columns, rows: NDArray[np.int64]) -> Changed:
    return {name: column[rows] for name, column in batch.items()}


def _half(batch: Columns, _earlier: Sequence[Columns], _rng: Rng) -> Changed:
    rows = len(next(iter(batch.values())))
    return _take(batch, np.arange(rows // 2)) if rows >= 2 else None


def _repeat(share: float) -> Injector:
    def run(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
        rows = len(next(iter(batch.values())))
        again = np.sort(rng.choice(rows, max(1, round(share * rows)), replace=False))
        return _take(batch, np.concatenate((np.arange(rows), again)))

    return run


def _garbage(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    name = choose_column(batch, "categorical", rng, distinct=1)
    if name is None:
        return None
    column = batch[name].copy()
    present = np.flatnonzero(~is_null(column))
    for row in rng.choice(present, max(1, round(0.05 * len(present))), replace=False):
        size = int(rng.integers(3, 12))
        column[row] = "".join(_GARBAGE[at] for at in rng.integers(0, len(_GARBAGE), size))
    return {name: column}


def _change_dates(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    dates = {
        name: column
        for name, column in batch.items()
        if column_kind(column) == "categorical"
        and count_present(column)
        and all(value is None or _DATE.fullmatch(value) for value in column)
    }
    name = choose_column(dates, "categorical", rng, distinct=1)
    if name is None:
        return None
    return {
        name: strings(
            None if value is None else _DATE.sub(r"\2/\3/\1\4", value) for value in batch[name]
        )
    }


def _rename_value(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    categories = {
        name: column
        for name, column in batch.items()
        if column_kind(column) == "categorical"
        and 2 <= len({v for v in column if v is not None}) <= max(2, count_present(column) / 5)
    }
    name = choose_column(categories, "categorical", rng)
    if name is None:
        return None
    values = [value for value in batch[name] if value is not None]
    most = Counter(values).most_common(1)[0][0]
    return {name: strings(f"{v}_new" if v == most else v for v in batch[name])}


def _old_batch(batch: Columns, earlier: Sequence[Columns], _rng: Rng) -> Changed:
    if len(earlier) < _STALE_BATCHES or earlier[-_STALE_BATCHES].keys() != batch.keys():
        return None
    return earlier[-_STALE_BATCHES]


INJECTORS: Mapping[str, Injector] = {
    "20 % null": _set_null(0.2),
    "100 % null": _set_null(1.0),
    "times 1000": _of_numbers(lambda column: column * 1000),
    "columns swapped": _swap,
    "case": _swap_case,
    "half of the rows": _half,
    "all rows twice": _repeat(1.0),
    "20 % of rows twice": _repeat(0.2),
    "5 % garbage": _garbage,
    "date format": _change_dates,
    "value renamed": _rename_value,
    "mean + 0.5 sd": _of_numbers(lambda column: column + 0.5 * np.nanstd(column)),
    "old batch": _old_batch,
}
