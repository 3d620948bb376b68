"""The six errors of novelty-edbt21 (section 5.1), made in a share of a column's rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.from_rows import Column, column_kind

__all__ = [
    "ERRORS",
    "MAGNITUDES",
    "PAIRS",
    "Columns",
    "Error",
    "both",
    "corrupted",
    "equal",
    "suits",
]

Error = Literal[
    "explicit missing",
    "implicit missing",
    "numeric anomaly",
    "swapped numbers",
    "swapped texts",
    "typos",
]
ERRORS: tuple[Error, ...] = (
    "explicit missing",
    "implicit missing",
    "numeric anomaly",
    "swapped numbers",
    "swapped texts",
    "typos",
)
_OF_NUMBERS: tuple[Error, ...] = (
    "explicit missing",
    "implicit missing",
    "numeric anomaly",
    "swapped numbers",
)
_OF_TEXTS: tuple[Error, ...] = ("explicit missing", "implicit missing", "swapped texts", "typos")
#: errors that can meet in one column
PAIRS: tuple[tuple[Error, Error], ...] = tuple(
    dict.fromkeys((*combinations(_OF_NUMBERS, 2), *combinations(_OF_TEXTS, 2)))
)
MAGNITUDES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
Columns = Mapping[str, Column]
Rng = np.random.Generator

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_CONTINUOUS = 10


def _neighbours() -> dict[str, str]:
    """The letters beside each on the keyboard, and above and below it."""
    found: dict[str, str] = {}
    for row, keys in enumerate(_ROWS):
        if not row:
            continue
        for place, key in enumerate(keys):
            near = [keys[each] for each in (place - 1, place + 1) if 0 <= each < len(keys)]
            for other in (row - 1, row + 1):
                if 1 <= other < len(_ROWS):
                    at = (place, place + 1) if other < row else (place - 1, place)
                    near += [_ROWS[other][each] for each in at if 0 <= each < len(_ROWS[other])]
            found[key] = "".join(near)
            found[key.upper()] = found[key].upper()
    return found


_NEAR = _neighbours()


@dataclass(frozen=True)
class Place:
    """Where an error is made: a column, another to swap with, and which rows."""

    column: str
    other: str | None
    rows: NDArray[np.int64]


def suits(error: Error, column: Column) -> bool:
    """Whether the error can be made in such a column."""
    text = column_kind(column) == "categorical"
    match error:
        case "explicit missing" | "implicit missing":
            return True
        case "numeric anomaly":
            return not text and len(np.unique(column[~np.isnan(column)])) >= _CONTINUOUS
        case "swapped numbers":
            return not text
        case "swapped texts":
            return text
        case "typos":
            present = [each for each in column if each is not None]
            return text and sum(any(map(str.isalpha, each)) for each in present) > len(present) / 2


def corrupted(
    columns: Columns, error: Error, magnitude: float, column: str, rng: Rng
) -> dict[str, Column]:
    """The columns that the error changes, as it leaves them; none where it cannot be made."""
    alike = [name for name in columns if name != column and suits(error, columns[name])]
    other = str(rng.choice(alike)) if error.startswith("swapped") and alike else None
    if error.startswith("swapped") and other is None:
        return {}
    size = len(columns[column])
    rows = rng.choice(size, min(size, max(1, round(magnitude * size))), replace=False)
    found = _MAKERS[error](columns, Place(column, other, rows), magnitude, rng)
    return {name: each for name, each in found.items() if not equal(each, columns[name])}


def both(
    columns: Columns, one: Error, other: Error, magnitude: float, column: str, rng: Rng
) -> dict[str, Column]:
    """One error and then another over it, in so many rows together (section 5.4)."""
    first = corrupted(columns, one, magnitude, column, rng)
    second = corrupted({**columns, **first}, other, magnitude, column, rng)
    changed = {**first, **second}
    size = len(columns[column])
    union = [
        row
        for row in range(size)
        if any(not equal(each[row : row + 1], columns[name][row : row + 1])
               for name, each in changed.items())
    ]  # fmt: skip
    spared = rng.permutation(union)[max(1, round(magnitude * size)) :]
    found = {name: each.copy() for name, each in changed.items()}
    for name, each in found.items():
        each[spared] = columns[name][spared]
    return {name: each for name, each in found.items() if not equal(each, columns[name])}


def equal(one: Column, other: Column) -> bool:
    """Whether nothing was changed."""
    if column_kind(one) == "numeric":
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool((one == other).all())


def _missing(columns: Columns, at: Place, _magnitude: float, _rng: Rng) -> dict[str, Column]:
    found = columns[at.column].copy()
    found[at.rows] = None if column_kind(found) == "categorical" else np.nan
    return {at.column: found}


def _implicit(columns: Columns, at: Place, _magnitude: float, _rng: Rng) -> dict[str, Column]:
    found = columns[at.column].copy()
    found[at.rows] = "NONE" if column_kind(found) == "categorical" else 99999.0
    return {at.column: found}


def _anomaly(columns: Columns, at: Place, _magnitude: float, rng: Rng) -> dict[str, Column]:
    found = columns[at.column].copy()
    mean, sd = np.nanmean(found), np.nanstd(found)
    found[at.rows] = rng.normal(mean, rng.uniform(2, 5) * sd, len(at.rows))
    return {at.column: found}


def _swapped(columns: Columns, at: Place, _magnitude: float, _rng: Rng) -> dict[str, Column]:
    assert at.other is not None
    one, other = columns[at.column].copy(), columns[at.other].copy()
    one[at.rows], other[at.rows] = columns[at.other][at.rows], columns[at.column][at.rows]
    return {at.column: one, at.other: other}


def _typos(columns: Columns, at: Place, magnitude: float, rng: Rng) -> dict[str, Column]:
    """Of all letters, not of the rows: such a share of them is mistyped."""
    found = columns[at.column].copy()
    for row, value in enumerate(found):
        if value is not None:
            hit = np.flatnonzero(rng.random(len(value)) < magnitude)
            if len(hit):
                letters = list(value)
                for place in hit.tolist():
                    near = _NEAR.get(letters[place])
                    if near:
                        letters[place] = near[int(rng.integers(len(near)))]
                found[row] = "".join(letters)
    return {at.column: found}


_MAKERS: Mapping[Error, Callable[[Columns, Place, float, Rng], dict[str, Column]]] = {
    "explicit missing": _missing,
    "implicit missing": _implicit,
    "numeric anomaly": _anomaly,
    "swapped numbers": _swapped,
    "swapped texts": _swapped,
    "typos": _typos,
}
