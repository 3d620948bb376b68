"""Inject the six errors of novelty-edbt21 (section 5.1) into a share of a column's rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.from_rows import Column, column_kind

__all__ = [
    "ERRORS",
    "MAGNITUDES",
    "PAIRS",
    "Columns",
    "Error",
    "applies_to",
    "corrupt",
    "corrupt_twice",
    "equal",
]

Error = Literal[
    "explicit missing",
    "implicit missing",
    "numeric anomaly",
    "swapped numbers",
    "swapped texts",
    "typos",
]
ERRORS: tuple[Error, ...] = get_args(Error)
_NUMERIC_ERRORS: tuple[Error, ...] = ERRORS[:4]
_TEXT_ERRORS: tuple[Error, ...] = (*ERRORS[:2], *ERRORS[4:])
#: errors that can occur in the same column
PAIRS: tuple[tuple[Error, Error], ...] = tuple(
    dict.fromkeys((*combinations(_NUMERIC_ERRORS, 2), *combinations(_TEXT_ERRORS, 2)))
)
#: shares of rows that an error changes
MAGNITUDES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
Columns = Mapping[str, Column]
Rng = np.random.Generator

_KEYBOARD_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
#: a column with fewer distinct numbers is treated as codes, which have no outliers
_MIN_DISTINCT_NUMBERS = 10


def _adjacent_letters() -> dict[str, str]:
    """For each letter, the letters next to, above and below it on the keyboard."""
    adjacent: dict[str, str] = {}
    for row, keys in enumerate(_KEYBOARD_ROWS):
        if not row:
            continue
        for place, key in enumerate(keys):
            letters = [keys[at] for at in (place - 1, place + 1) if 0 <= at < len(keys)]
            for other in (row - 1, row + 1):
                if 1 <= other < len(_KEYBOARD_ROWS):
                    other_keys = _KEYBOARD_ROWS[other]
                    places = (place, place + 1) if other < row else (place - 1, place)
                    letters += [other_keys[at] for at in places if 0 <= at < len(other_keys)]
            adjacent[key] = "".join(letters)
            adjacent[key.upper()] = adjacent[key].upper()
    return adjacent


_ADJACENT = _adjacent_letters()


@dataclass(frozen=True)
class Place:
    """The target of an error: a column, a second column to swap with, and the rows."""

    column: str
    other: str | None
    rows: NDArray[np.int64]


def applies_to(error: Error, column: Column) -> bool:
    """Return whether the error can occur in a column of this kind."""
    text = column_kind(column) == "categorical"
    match error:
        case "explicit missing" | "implicit missing":
            return True
        case "numeric anomaly":
            return not text and _count_distinct(column) >= _MIN_DISTINCT_NUMBERS
        case "swapped numbers":
            return not text
        case "swapped texts":
            return text
        case "typos":
            values = [value for value in column if value is not None]
            return text and sum(any(map(str.isalpha, v)) for v in values) > len(values) / 2


def _count_distinct(numbers: Column) -> int:
    return len(np.unique(numbers[~np.isnan(numbers)]))


def corrupt(
    columns: Columns, error: Error, magnitude: float, column: str, rng: Rng
) -> dict[str, Column]:
    """Inject an error into a share `magnitude` of a column's rows.

    Returns
    -------
    dict of str to Column
        The changed columns; empty if nothing changes or no second column can be swapped in.
    """
    partners = [name for name in columns if name != column and applies_to(error, columns[name])]
    other = str(rng.choice(partners)) if error.startswith("swapped") and partners else None
    if error.startswith("swapped") and other is None:
        return {}
    size = len(columns[column])
    rows = rng.choice(size, min(size, max(1, round(magnitude * size))), replace=False)
    corrupted = _INJECTORS[error](columns, Place(column, other, rows), magnitude, rng)
    return _changed_only(corrupted, columns)


def corrupt_twice(
    columns: Columns, one: Error, other: Error, magnitude: float, column: str, rng: Rng
) -> dict[str, Column]:
    """Inject two errors, one after the other, into a share of the rows (section 5.4).

    Rows that exceed the share `magnitude` are restored, so that both errors together change no
    more rows than a single one.
    """
    first = corrupt(columns, one, magnitude, column, rng)
    second = corrupt({**columns, **first}, other, magnitude, column, rng)
    corrupted = {**first, **second}
    row_count = len(columns[column])
    changed_rows = [
        row
        for row in range(row_count)
        if any(
            not equal(values[row : row + 1], columns[name][row : row + 1])
            for name, values in corrupted.items()
        )
    ]
    restored_rows = rng.permutation(changed_rows)[max(1, round(magnitude * row_count)) :]
    result = {name: values.copy() for name, values in corrupted.items()}
    for name, values in result.items():
        values[restored_rows] = columns[name][restored_rows]
    return _changed_only(result, columns)


def _changed_only(corrupted: Columns, columns: Columns) -> dict[str, Column]:
    return {name: v for name, v in corrupted.items() if not equal(v, columns[name])}


def equal(one: Column, other: Column) -> bool:
    """Return whether two columns have the same values. Nulls are equal to each other."""
    if len(one) != len(other):
        return False
    if column_kind(one) == "numeric":
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool((one == other).all())


def _set_nulls(columns: Columns, at: Place, _magnitude: float, _rng: Rng) -> dict[str, Column]:
    values = columns[at.column].copy()
    values[at.rows] = None if column_kind(values) == "categorical" else np.nan
    return {at.column: values}


def _set_placeholders(
    columns: Columns, at: Place, _magnitude: float, _rng: Rng
) -> dict[str, Column]:
    values = columns[at.column].copy()
    values[at.rows] = "NONE" if column_kind(values) == "categorical" else 99999.0
    return {at.column: values}


def _set_outliers(columns: Columns, at: Place, _magnitude: float, rng: Rng) -> dict[str, Column]:
    values = columns[at.column].copy()
    mean, deviation = np.nanmean(values), np.nanstd(values)
    values[at.rows] = rng.normal(mean, rng.uniform(2, 5) * deviation, len(at.rows))
    return {at.column: values}


def _swap_columns(columns: Columns, at: Place, _magnitude: float, _rng: Rng) -> dict[str, Column]:
    assert at.other is not None
    one, other = columns[at.column].copy(), columns[at.other].copy()
    one[at.rows], other[at.rows] = columns[at.other][at.rows], columns[at.column][at.rows]
    return {at.column: one, at.other: other}


def _mistype_letters(columns: Columns, at: Place, magnitude: float, rng: Rng) -> dict[str, Column]:
    """Mistype a share `magnitude` of the letters in all rows; `at.rows` does not apply."""
    values = columns[at.column].copy()
    for row, value in enumerate(values):
        if value is not None:
            mistyped = np.flatnonzero(rng.random(len(value)) < magnitude)
            if len(mistyped):
                letters = list(value)
                for place in mistyped.tolist():
                    adjacent = _ADJACENT.get(letters[place])
                    if adjacent:
                        letters[place] = adjacent[int(rng.integers(len(adjacent)))]
                values[row] = "".join(letters)
    return {at.column: values}


_INJECTORS: Mapping[Error, Callable[[Columns, Place, float, Rng], dict[str, Column]]] = {
    "explicit missing": _set_nulls,
    "implicit missing": _set_placeholders,
    "numeric anomaly": _set_outliers,
    "swapped numbers": _swap_columns,
    "swapped texts": _swap_columns,
    "typos": _mistype_letters,
}
