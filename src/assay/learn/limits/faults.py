"""Typical faults of data, D(C): the ten types of Appendix B of avh-kdd23, and four more.

`inject` returns a column with a fault. Its choices are random, and the same for the same seed. The
paper has 30 variants: 27 apply to strings and 24 to numbers. Its type ``nulls`` writes zeros and
empty strings only, so that it never learns that a column is complete. Further variants are not in
the paper: real nulls (``missing``), repeated rows, stale values, offsets, and smaller amounts.

>>> column = np.array([1.0, 2.0, 3.0, 4.0])
>>> inject(Fault("unit", 100), column, seed=0).tolist()
[100.0, 200.0, 300.0, 400.0]
>>> print(Fault("nulls", 0.5))
50 % of the values are empty or 0
>>> [len(applicable_faults(kind, paper=True)) for kind in ("categorical", "numeric")]
[27, 24]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from assay.errors import CheckError
from assay.learn.fingerprint.column_stats import ColumnKind, Floats
from assay.learn.fingerprint.from_rows import (
    DIGIT,
    LETTER,
    UPPER,
    Column,
    Ints,
    Text,
    column_kind,
    is_null,
    strings,
)

__all__ = [
    "FAULTS",
    "NO_SOURCES",
    "OF_ROW_COUNT",
    "Fault",
    "FaultType",
    "Sources",
    "applicable_faults",
    "inject",
]

FaultType = Literal[
    "schema", "unit", "casing", "nulls", "volume", "first", "last",
    "perturbation", "insertion", "deletion", "padding", "missing",
    "duplicates", "stale", "offset",
]  # fmt: skip

#: By type of fault, the column that values are copied from, if there is one.
Sources = Mapping[FaultType, Column | None]
NO_SOURCES: Sources = {}

_ALPHANUMERIC = np.frombuffer(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".encode("utf-32-le"), np.uint32
)
_SPACE = ord(" ")


@dataclass(frozen=True, slots=True)
class Fault:
    """A type of fault, and its amount: a share of values or characters, or a factor."""

    type: FaultType
    amount: float

    def __post_init__(self) -> None:
        if self.type not in _LABELS:
            types = ", ".join(_LABELS)
            raise CheckError(f"unknown type of fault {self.type!r}. The types are: {types}.")
        factor = self.type in {"unit", "volume", "offset"}
        if not 0 < self.amount < math.inf or (self.amount > 1 and not factor):
            expected = "a factor above 0" if factor else "a share above 0 and up to 1"
            raise CheckError(
                f"invalid amount of {self.type}: expected {expected}, got {self.amount!r}."
            )

    @property
    def kinds(self) -> frozenset[ColumnKind]:
        """The kinds of column that can have this fault."""
        return _KINDS.get(self.type, frozenset(("numeric", "categorical")))

    def __str__(self) -> str:
        share, factor = f"{100 * self.amount:g} %", f"{self.amount:g}"
        return _LABELS[self.type].format(share=share, factor=factor)


_LABELS: Mapping[str, str] = {
    "schema": "{share} of the values are those of another column",
    "unit": "the values are {factor} times as large",
    "casing": "{share} of the values have upper for lower case",
    "nulls": "{share} of the values are empty or 0",
    "volume": "there are {factor} times as many rows",
    "first": "all values are of the first {share} in order",
    "last": "all values are of the last {share} in order",
    "perturbation": "{share} of the characters are replaced",
    "insertion": "{share} of the values have an extra character",
    "deletion": "{share} of the values lack a character",
    "padding": "{share} of the values have a space before or after",
    "missing": "{share} of the values are null",
    "duplicates": "{share} of the rows are repeated",
    "stale": "{share} of the values are those of the batch before",
    "offset": "the values are {factor} standard deviations larger",
}
_KINDS: Mapping[str, frozenset[ColumnKind]] = {
    "unit": frozenset(("numeric",)),
    "offset": frozenset(("numeric",)),
    "casing": frozenset(("categorical",)),
    "padding": frozenset(("categorical",)),
}
_PAPER_AMOUNTS: Mapping[FaultType, tuple[float, ...]] = {
    "schema": (0.01, 0.1, 1.0),
    "unit": (10.0, 100.0, 1000.0),
    "casing": (0.01, 0.1, 1.0),
    "nulls": (0.01, 0.5, 1.0),
    "volume": (2.0, 10.0, 0.5, 0.1),
    "first": (0.1, 0.5),
    "last": (0.1, 0.5),
    "perturbation": (0.01, 0.1, 1.0),
    "insertion": (0.1, 0.5),
    "deletion": (0.1, 0.5),
    "padding": (0.1, 0.5, 1.0),
}
_FURTHER_AMOUNTS: Mapping[FaultType, tuple[float, ...]] = {
    "missing": (0.01, 0.5, 1.0, 0.05, 0.2),
    "nulls": (0.05, 0.2),
    "volume": (1.5, 0.75),
    "duplicates": (0.05, 0.2),
    "stale": (0.5, 1.0),
    "offset": (0.5, 1.0, 3.0),
}
#: The variants of the paper.
PAPER_FAULTS = tuple(
    Fault(type_, amount) for type_, amounts in _PAPER_AMOUNTS.items() for amount in amounts
)
#: All variants, those of the paper first.
FAULTS = PAPER_FAULTS + tuple(
    Fault(type_, amount) for type_, amounts in _FURTHER_AMOUNTS.items() for amount in amounts
)
#: Types that copy values from another column.
_COPIED = frozenset(("schema", "stale"))
#: Types that change the number of rows.
OF_ROW_COUNT = frozenset(("volume", "duplicates"))
_PLACES = {fault: place for place, fault in enumerate(FAULTS)}


def applicable_faults(kind: ColumnKind, *, paper: bool = False) -> tuple[Fault, ...]:
    """Return the faults that a kind of column can have, or only those of the paper."""
    return tuple(fault for fault in (PAPER_FAULTS if paper else FAULTS) if kind in fault.kinds)


def inject(
    fault: Fault, column: Column, *, seed: int, sources: Sources = NO_SOURCES
) -> Column | None:
    """Return the column with a fault.

    Parameters
    ----------
    fault
        The fault.
    column
        The column. It is not changed.
    seed
        Seed of the random choices.
    sources
        By type, the column that values are copied from: another column for ``schema``, and the
        column of the batch before for ``stale``.

    Returns
    -------
    Column or None
        None if the column has no values, or if there is no column of the same kind to copy from.

    Raises
    ------
    CheckError
        If this kind of column cannot have the fault.
    """
    kind = column_kind(column)
    if kind not in fault.kinds:
        raise CheckError(f"a {kind} column cannot have the fault {fault.type!r}: {fault}.")
    source = sources.get(fault.type)
    if fault.type in _COPIED and (source is None or column_kind(source) != kind or not len(source)):
        return None
    present = np.flatnonzero(~is_null(column))
    if not len(present):
        return None
    rng = np.random.default_rng([seed, _PLACES.get(fault, len(FAULTS))])
    if source is not None and fault.type in _COPIED:
        changed = column.copy()
        rows = _choose_rows(np.arange(len(column)), fault.amount, rng)
        changed[rows] = source[rng.integers(0, len(source), len(rows))]
        return changed
    if fault.type == "volume":
        return _resize(column, fault.amount, rng)
    if fault.type == "duplicates":
        repeated = _choose_rows(np.arange(len(column)), fault.amount, rng)
        return np.concatenate((column, column[repeated]))
    if fault.type == "offset":
        with np.errstate(over="ignore", invalid="ignore"):
            moved: Column = column + fault.amount * float(column[present].std())
        return moved
    if fault.type in {"first", "last"}:
        return _bias(column, present, fault, rng)
    changed = column.copy()
    if fault.type == "perturbation":
        changed[present] = _edit_text(column[present], partial(_perturb, fault.amount), rng)
        return changed
    rows = _choose_rows(present, fault.amount, rng)
    changed[rows] = _change_values(column[rows], fault, rng)
    return changed


def _change_values(
    values: Column, fault: Fault, rng: np.random.Generator
) -> Column | float | str | None:
    """Return new values for the chosen rows."""
    categorical = column_kind(values) == "categorical"
    match fault.type:
        case "missing":
            return None if categorical else math.nan
        case "nulls":
            return "" if categorical else 0.0
        case "unit":
            with np.errstate(over="ignore"):
                scaled: Column = values * fault.amount
            return scaled
        case "casing":
            return strings(value.swapcase() for value in values)
        case "insertion":
            return _edit_text(values, _insert_character, rng)
        case "deletion":
            return _edit_text(values, _delete_character, rng)
        case _:
            before = rng.random(len(values)) < 0.5
            pairs = zip(values, before, strict=True)
            return strings(f" {value}" if first else f"{value} " for value, first in pairs)


def _choose_rows(rows: Ints, share: float, rng: np.random.Generator) -> Ints:
    """Choose a share of the rows, at least one."""
    if share >= 1:
        return rows
    return rng.choice(rows, max(1, round(share * len(rows))), replace=False)


def _resize(column: Column, factor: float, rng: np.random.Generator) -> Column:
    """Add random copies of rows, or keep only some rows in their order."""
    n = len(column)
    if factor < 1:
        return column[np.sort(rng.choice(n, max(1, round(factor * n)), replace=False))]
    more = rng.integers(0, n, round((factor - 1) * n))
    return np.concatenate((column, column[more]))


def _bias(column: Column, present: Ints, fault: Fault, rng: np.random.Generator) -> Column:
    """Replace all values by random choices from the lowest or the highest values."""
    ordered = np.sort(column[present])
    few = max(1, round(fault.amount * len(ordered)))
    pool = ordered[:few] if fault.type == "first" else ordered[-few:]
    changed = column.copy()
    changed[present] = pool[rng.integers(0, few, len(present))]
    return changed


_Change = Callable[[Text, np.random.Generator, bool], Text]


def _edit_text(values: Column, change: _Change, rng: np.random.Generator) -> Column:
    """Edit values as text. Text that is no longer a number becomes null."""
    if column_kind(values) == "categorical":
        return strings(change(Text.of(list(values)), rng, False).split())
    return _to_numbers(change(Text.of(_to_text(values)), rng, True).split())


def _to_text(values: Floats) -> list[str]:
    """Convert numbers to text; whole numbers have no decimal point."""
    is_whole = (values == np.floor(values)) & (np.abs(values) < 1e15)
    return [
        str(int(number)) if integral else repr(number)
        for number, integral in zip(values.tolist(), is_whole.tolist(), strict=True)
    ]


def _to_numbers(texts: Sequence[str]) -> Floats:
    try:
        return np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return np.array([_to_number(text) for text in texts])


def _to_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _perturb(share: float, text: Text, rng: np.random.Generator, digits: bool) -> Text:
    """Replace some characters by others of their class."""
    classes = text.classes
    eligible = classes == DIGIT
    if not digits:
        eligible = eligible | (classes == UPPER) | (classes == LETTER)
    places = np.flatnonzero(eligible)
    if not len(places):
        return text
    codes = text.codes.copy()
    chosen = _choose_rows(places, share, rng)
    for of_class, first, size in ((DIGIT, "0", 10), (UPPER, "A", 26), (LETTER, "a", 26)):
        here = chosen[classes[chosen] == of_class]
        at = codes[here].astype(np.int64) - ord(first)
        # A character outside ASCII becomes any ASCII character of its class.
        codes[here] = (at + rng.integers(1, size, len(here))) % size + ord(first)
    return Text(codes, text.ends)


def _insert_character(text: Text, rng: np.random.Generator, digits: bool) -> Text:
    """Insert a character at a random place of each value."""
    pool = _ALPHANUMERIC[:10] if digits else _ALPHANUMERIC
    new = pool[rng.integers(0, len(pool), len(text.ends))]
    places = text.starts + _random_places(text.lengths + 1, rng)
    codes = np.insert(text.codes, places, new)
    return Text(codes, text.ends + np.arange(1, len(text.ends) + 1))


def _delete_character(text: Text, rng: np.random.Generator, digits: bool) -> Text:
    """Delete a random character of each value, or a digit of each number."""
    eligible = np.flatnonzero(text.classes == DIGIT) if digits else np.arange(len(text.codes))
    first = np.searchsorted(eligible, text.starts)
    size = np.searchsorted(eligible, text.ends) - first
    chosen = (first + _random_places(size, rng))[size > 0]
    keep = np.ones(len(text.codes), np.bool_)
    keep[eligible[chosen]] = False
    return text.keep(keep)


def _random_places(sizes: Ints, rng: np.random.Generator) -> Ints:
    """Choose a random place in each value."""
    places: Floats = rng.random(len(sizes)) * sizes
    return places.astype(np.int64)
