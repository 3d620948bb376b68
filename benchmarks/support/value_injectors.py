"""Change the values of a batch as errors do that hit a part of them.

`benchmarks.support.injected` lists the kinds of errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.from_rows import Column, column_kind, is_null, strings
from benchmarks.support.corruption import Columns
from benchmarks.support.injectors import Changed, Injector, Rng, choose_column

__all__ = ["VALUE_INJECTORS"]

_DATE_AND_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})([T ](?:[01]\d|2[0-3]):\d{2}:\d{2})?(Z?)")
_HOURS_MOVED, _DAYS_STALE, _OFFSET = 5, 1, 20_000.0
_SHARE_EMPTY, _SHARE_DEFAULT, _SHARE_NEW, _SHARE_REPEATED = 0.2, 0.3, 0.1, 0.05
#: a category has at most this many distinct values
_MAX_CATEGORIES = 30
#: smallest share of the rows with a value that vanishes or whose rows are missing ...
_MIN_SHARE = 0.1
#: ... and largest share of the rows that are missing
_MAX_SHARE_MISSING = 0.6
#: a text is cut if this share of the values is longer
_SHARE_CUT = 0.5
_MIN_CUT = 5


def _text_columns(batch: Columns) -> dict[str, Column]:
    return {n: column for n, column in batch.items() if column_kind(column) == "categorical"}


def _choose_category(
    batch: Columns, earlier: Sequence[Columns], rng: Rng, *, distinct: int = 2
) -> str | None:
    """Choose a text column with few distinct values, most of which the batch before had."""
    few = {
        name: column
        for name, column in _text_columns(batch).items()
        if (values := set(column.tolist()) - {None})
        and len(values) <= min(_MAX_CATEGORIES, len(column) / 4)
        and earlier
        and name in earlier[-1]
        and len(values & set(earlier[-1][name].tolist())) >= len(values) / 2
    }
    return choose_column(few, "categorical", rng, distinct=distinct)


def _some_rows(column: Column, share: float, rng: Rng) -> NDArray[np.int64]:
    """Choose a share of the rows that have a value."""
    rows = np.flatnonzero(~is_null(column))
    return rng.choice(rows, max(1, round(share * len(rows))), replace=False)


def _counts(column: Column) -> list[tuple[str, int]]:
    """Return the values, the most frequent first, with their counts."""
    return Counter(value for value in column if value is not None).most_common()


def _of_texts(change: Callable[[str], str]) -> Injector:
    def run(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
        name = choose_column(batch, "categorical", rng)
        if name is None:
            return None
        return {name: strings(None if v is None else change(v) for v in batch[name])}

    return run


def _one_value(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    name = choose_column(batch, None, rng, distinct=5)
    if name is None:
        return None
    column = batch[name].copy()
    column[:] = column[~is_null(column)][0]
    return {name: column}


def _negate(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    positive = {
        name: column
        for name, column in batch.items()
        if column_kind(column) == "numeric" and np.nanmean(column < 0) < _MIN_SHARE
    }
    name = choose_column(positive, "numeric", rng, distinct=10)
    return None if name is None else {name: -batch[name]}


def _set_empty(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    name = choose_column(batch, "categorical", rng)
    if name is None:
        return None
    column = batch[name].copy()
    column[_some_rows(column, _SHARE_EMPTY, rng)] = ""
    return {name: column}


def _set_default(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    name = choose_column(batch, None, rng, distinct=5)
    if name is None:
        return None
    column = batch[name].copy()
    default: float | str = 0.0
    if column_kind(column) == "categorical":
        default = "1970-01-01" if _is_date(column) else "unknown"
    column[_some_rows(column, _SHARE_DEFAULT, rng)] = default
    return {name: column}


def _add_category(batch: Columns, earlier: Sequence[Columns], rng: Rng) -> Changed:
    name = _choose_category(batch, earlier, rng)
    if name is None:
        return None
    column = batch[name].copy()
    column[_some_rows(column, _SHARE_NEW, rng)] = "refunded"
    return {name: column}


def _replace_category(batch: Columns, earlier: Sequence[Columns], rng: Rng) -> Changed:
    """Give all rows of the second value the most frequent one."""
    name = _choose_category(batch, earlier, rng, distinct=3)
    if name is None:
        return None
    (most, _), (second, count), *_ = _counts(batch[name])
    if count < _MIN_SHARE * len(batch[name]):
        return None
    return {name: strings(most if value == second else value for value in batch[name])}


def _move_shares(batch: Columns, earlier: Sequence[Columns], rng: Rng) -> Changed:
    """Give half of the rows with the most frequent value the second one."""
    name = _choose_category(batch, earlier, rng)
    if name is None:
        return None
    (most, count), (second, _), *_ = _counts(batch[name])
    if count < 3 * _MIN_SHARE * len(batch[name]):
        return None
    column = batch[name].copy()
    rows = np.flatnonzero(column == most)
    column[rng.choice(rows, len(rows) // 2, replace=False)] = second
    return {name: column}


def _drop_segment(batch: Columns, earlier: Sequence[Columns], rng: Rng) -> Changed:
    name = _choose_category(batch, earlier, rng)
    if name is None:
        return None
    n_rows = len(batch[name])
    values = [
        value
        for value, count in _counts(batch[name])
        if _MIN_SHARE * n_rows <= count <= _MAX_SHARE_MISSING * n_rows
    ]
    if not values:
        return None
    kept = batch[name] != values[int(rng.integers(len(values)))]
    return {other: column[kept] for other, column in batch.items()}


def _add_offset(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    name = choose_column(batch, "numeric", rng, distinct=10)
    return None if name is None else {name: batch[name] + _OFFSET}


def _is_date(column: Column) -> bool:
    present = [value for value in column if value is not None]
    return bool(present) and all(map(_DATE_AND_TIME.fullmatch, present))


def _move_dates(by: timedelta, *, has_time: bool) -> Injector:
    def run(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
        dates = {
            name: column
            for name, column in _text_columns(batch).items()
            if _is_date(column) and any(":" in (value or "") for value in column) == has_time
        }
        name = choose_column(dates, "categorical", rng, distinct=1)
        if name is None:
            return None
        return {name: strings(None if v is None else _moved(v, by) for v in batch[name])}

    return run


def _moved(text: str, by: timedelta) -> str:
    end = "Z" if text.endswith("Z") else ""
    moved = datetime.fromisoformat(text.removesuffix("Z")) + by
    if ":" not in text:
        return f"{moved:%Y-%m-%d}"
    return f"{moved:%Y-%m-%d}{text[10]}{moved:%H:%M:%S}{end}"


def _repeat_keys(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    """Give some rows the key of another row."""
    keys = {
        name: column
        for name, column in batch.items()
        if len(column) >= 40 and len(set(column.tolist())) == len(column)
    }
    name = choose_column(keys, None, rng)
    if name is None:
        return None
    column = batch[name].copy()
    rows = _some_rows(column, 2 * _SHARE_REPEATED, rng)
    half = len(rows) // 2
    column[rows[:half]] = column[rows[half : 2 * half]]
    return {name: column}


def _write_commas(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    decimals = {
        name: column
        for name, column in batch.items()
        if column_kind(column) == "numeric" and np.nanmean(column % 1 != 0) > _SHARE_CUT
    }
    name = choose_column(decimals, "numeric", rng)
    if name is None:
        return None
    numbers = batch[name].tolist()
    return {name: strings(None if n != n else str(n).replace(".", ",") for n in numbers)}


def _cut_text(batch: Columns, _earlier: Sequence[Columns], rng: Rng) -> Changed:
    """Cut texts at a length that half of them exceed."""
    longest = {
        name: max(map(len, values))
        for name, column in _text_columns(batch).items()
        if (values := [value for value in column if value is not None])
    }
    long = {name: batch[name] for name, length in longest.items() if length > 10}
    name = choose_column(long, "categorical", rng, distinct=10)
    if name is None:
        return None
    lengths = [len(value) for value in batch[name] if value is not None]
    limit = max(_MIN_CUT, int(np.quantile(lengths, 1 - _SHARE_CUT)))
    return {name: strings(None if v is None else v[:limit] for v in batch[name])}


VALUE_INJECTORS: Mapping[str, Injector] = {
    "one value": _one_value,
    "sign": _negate,
    "spaces": _of_texts(lambda value: f"{value} "),
    "20 % empty": _set_empty,
    "30 % default": _set_default,
    "new category": _add_category,
    "category gone": _replace_category,
    "shares moved": _move_shares,
    "segment missing": _drop_segment,
    "plus 20,000": _add_offset,
    "5 hours later": _move_dates(timedelta(hours=_HOURS_MOVED), has_time=True),
    "1 hour later": _move_dates(timedelta(hours=1), has_time=True),
    "a day stale": _move_dates(-timedelta(days=_DAYS_STALE), has_time=False),
    "5 % of keys twice": _repeat_keys,
    "decimal comma": _write_commas,
    "text cut": _cut_text,
}
