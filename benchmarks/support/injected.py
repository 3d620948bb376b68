"""Errors as they occur in recurring data, injected into a batch, with the causes that name them.

An injector takes a batch and returns a changed copy with the columns that it changed, or None if
the batch cannot have the error.

>>> batch = {"price": np.array([1.0, 2.0, 3.0, 4.0])}
>>> changed = inject("times 1000", batch, [], np.random.default_rng(0))
>>> changed.columns["price"].tolist(), changed.targets
([1000.0, 2000.0, 3000.0, 4000.0], frozenset({'price'}))
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.from_rows import Column, column_kind, is_null, strings
from benchmarks.support.corruption import Columns, equal

__all__ = ["KINDS", "ErrorKind", "InjectedError", "inject"]

Rng = np.random.Generator
#: characters that the values of few columns have
_GARBAGE = "#@!~^{}|<>"
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(.*)", re.DOTALL)
#: batches after which an old delivery is sent again
_STALE_BATCHES = 7


@dataclass(frozen=True)
class ErrorKind:
    """A kind of error.

    Parameters
    ----------
    name
        Its name in tables of results.
    codes
        The codes of causes that name it (`assay.gate.causes.cause`).
    of_table
        True if it is about rows, so that the cause need not name a column.
    """

    name: str
    codes: frozenset[str]
    of_table: bool = False


def _kind(name: str, codes: str, *, of_table: bool = False) -> ErrorKind:
    return ErrorKind(name, frozenset(codes.split()), of_table)


KINDS = (
    _kind("20 % null", "nulls_rose nulls_together"),
    _kind("100 % null", "nulls_rose nulls_together"),
    _kind("times 1000", "unit_changed"),
    _kind("columns swapped", "columns_swapped columns_shifted"),
    _kind("case", "case_changed"),
    _kind("half of the rows", "rows_missing row_count", of_table=True),
    _kind("all rows twice", "rows_repeated", of_table=True),
    _kind("20 % of rows twice", "rows_repeated rows_duplicated", of_table=True),
    _kind("5 % garbage", "format_changed values_new pattern_broken"),
    _kind("date format", "format_changed type_changed pattern_broken"),
    _kind("value renamed", "values_new values_gone value_renamed"),
    _kind("mean + 0.5 sd", "values_shifted mean_shifted offset"),
    _kind("old batch", "redelivered", of_table=True),
)
_BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class InjectedError:
    """A batch with an error, and the columns that have it."""

    kind: ErrorKind
    columns: Columns
    targets: frozenset[str]


def inject(name: str, batch: Columns, earlier: Sequence[Columns], rng: Rng) -> InjectedError | None:
    """Inject an error of this name.

    Parameters
    ----------
    name
        The name of one of `KINDS`.
    batch
        The batch. It is not changed.
    earlier
        The batches before it, oldest first.
    rng
        Chooses the column and the rows.

    Returns
    -------
    InjectedError or None
        None if the batch cannot have the error.
    """
    if not len(next(iter(batch.values()), ())):
        return None
    changed = _INJECTORS[name](batch, earlier, rng)
    if changed is None:
        return None
    columns = {**batch, **changed}
    targets = frozenset(c for c, values in columns.items() if not equal(values, batch[c]))
    return InjectedError(_BY_NAME[name], columns, targets) if targets else None


Changed = Mapping[str, Column] | None
Injector = Callable[[Columns, Sequence[Columns], Rng], Changed]


def _present(column: Column) -> int:
    return int((~is_null(column)).sum())


def _choose(batch: Columns, kind: str | None, rng: Rng, *, distinct: int = 2) -> str | None:
    """Choose a column of a kind, at least half of it with values, and with distinct values."""
    names = [
        name
        for name, column in batch.items()
        if (kind is None or column_kind(column) == kind)
        and _present(column) >= max(1, len(column) / 2)
        and len(set(column[~is_null(column)].tolist())) >= distinct
    ]
    return names[int(rng.integers(len(names)))] if names else None


def _set_null(share: float) -> Injector:
    def run(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
        name = _choose(batch, None, rng)
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
        name = _choose(batch, "numeric", rng, distinct=10)
        return None if name is None else {name: change(batch[name])}

    return run


def _swap(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    kind = ("numeric", "categorical")[int(rng.integers(2))]
    one = _choose(batch, kind, rng)
    if one is None:
        return None
    other = _choose({name: c for name, c in batch.items() if name != one}, kind, rng)
    return None if other is None else {one: batch[other], other: batch[one]}


def _swap_case(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    cased = {
        name: column
        for name, column in batch.items()
        if column_kind(column) == "categorical"
        and any(value is not None and value.swapcase() != value for value in column)
    }
    name = _choose(cased, "categorical", rng, distinct=1)
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
    name = _choose(batch, "categorical", rng, distinct=1)
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
        and _present(column)
        and all(value is None or _DATE.fullmatch(value) for value in column)
    }
    name = _choose(dates, "categorical", rng, distinct=1)
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
        and 2 <= len({v for v in column if v is not None}) <= max(2, _present(column) / 5)
    }
    name = _choose(categories, "categorical", rng)
    if name is None:
        return None
    values = [value for value in batch[name] if value is not None]
    most = Counter(values).most_common(1)[0][0]
    return {name: strings(f"{v}_new" if v == most else v for v in batch[name])}


def _old_batch(batch: Columns, earlier: Sequence[Columns], _rng: Rng) -> Changed:
    if len(earlier) < _STALE_BATCHES or earlier[-_STALE_BATCHES].keys() != batch.keys():
        return None
    return earlier[-_STALE_BATCHES]


_INJECTORS: Mapping[str, Injector] = {
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
