"""What goes wrong with data: D(C), ten types of issues and real nulls (Appendix B).

An issue is a value, and done to a column by `injected`, at random but always alike for a seed. The
text of the paper defines 30 variants; 27 apply to strings and 24 to numbers. It writes only zeros
and empty strings for nulls, and would never learn that a column is complete: the last type is ours.

>>> column = np.array([1.0, 2.0, 3.0, 4.0])
>>> injected(Issue("unit", 100), column, seed=0).tolist()
[100.0, 200.0, 300.0, 400.0]
>>> print(Issue("nulls", 0.5))
50 % of the values are empty or 0
>>> [len(issues(table, paper=True)) for table in ("categorical", "numeric")]
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
    absent,
    column_kind,
    strings,
)

__all__ = ["FAULTS", "Fault", "FaultType", "injected", "issues"]

FaultType = Literal[
    "schema", "unit", "casing", "nulls", "volume", "first", "last",
    "perturbation", "insertion", "deletion", "padding", "missing",
]  # fmt: skip

_ALPHANUMERIC = np.frombuffer(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".encode("utf-32-le"), np.uint32
)
_SPACE = ord(" ")


@dataclass(frozen=True, slots=True)
class Fault:
    """A type, and how much of it: a share of values or characters, or a factor."""

    type: FaultType
    amount: float

    def __post_init__(self) -> None:
        if self.type not in _SAYS:
            known = ", ".join(_SAYS)
            raise CheckError(f"there is no type of issues {self.type!r}; there are: {known}.")
        factor = self.type in {"unit", "volume"}
        if not 0 < self.amount < math.inf or (self.amount > 1 and not factor):
            what = "a factor above 0" if factor else "a share above 0 and up to 1"
            raise CheckError(f"the amount of {self.type} is {what}, not {self.amount!r}.")

    @property
    def tables(self) -> frozenset[ColumnKind]:
        """The columns that can have it."""
        return _TABLES.get(self.type, frozenset(("numeric", "categorical")))

    def __str__(self) -> str:
        share, factor = f"{100 * self.amount:g} %", f"{self.amount:g}"
        return _SAYS[self.type].format(share=share, factor=factor)


_SAYS: Mapping[str, str] = {
    "schema": "{share} of the values are those of another column",
    "unit": "the values are {factor} times as large",
    "casing": "{share} of the values have upper for lower case",
    "nulls": "{share} of the values are empty or 0",
    "volume": "there are {factor} times as many rows",
    "first": "all values are of the first {share} in order",
    "last": "all values are of the last {share} in order",
    "perturbation": "{share} of the characters are others",
    "insertion": "{share} of the values have a character too many",
    "deletion": "{share} of the values lack a character",
    "padding": "{share} of the values have a space before or after",
    "missing": "{share} of the values are null",
}
_TABLES: Mapping[str, frozenset[ColumnKind]] = {
    "unit": frozenset(("numeric",)),
    "casing": frozenset(("categorical",)),
    "padding": frozenset(("categorical",)),
}
_AMOUNTS: Mapping[FaultType, tuple[float, ...]] = {
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
    "missing": (0.01, 0.5, 1.0),
}
#: all variants
FAULTS = tuple(Fault(each, amount) for each, amounts in _AMOUNTS.items() for amount in amounts)
_PLACES = {issue: place for place, issue in enumerate(FAULTS)}


def issues(table: ColumnKind, *, paper: bool = False) -> tuple[Fault, ...]:
    """The variants that such a column can have, or only those of the paper."""
    return tuple(
        issue
        for issue in FAULTS
        if table in issue.tables and not (paper and issue.type == "missing")
    )


def injected(
    issue: Fault, column: Column, *, seed: int, neighbour: Column | None = None
) -> Column | None:
    """The column with the issue.

    None where it cannot be: without a `neighbour` of the same type no value is of another column,
    and where no value is, none is changed.
    """
    table = column_kind(column)
    if table not in issue.tables:
        raise CheckError(f"no {table} column has the issue that {issue}.")
    if issue.type == "schema" and (
        neighbour is None or column_kind(neighbour) != table or not len(neighbour)
    ):
        return None
    present = np.flatnonzero(~absent(column))
    if not len(present):
        return None
    rng = np.random.default_rng([seed, _PLACES.get(issue, len(FAULTS))])
    if issue.type == "schema" and neighbour is not None:
        changed = column.copy()
        rows = _some(np.arange(len(column)), issue.amount, rng)
        changed[rows] = neighbour[rng.integers(0, len(neighbour), len(rows))]
        return changed
    if issue.type == "volume":
        return _resized(column, issue.amount, rng)
    if issue.type in {"first", "last"}:
        return _biased(column, present, issue, rng)
    changed = column.copy()
    if issue.type == "perturbation":
        changed[present] = _rewritten(column[present], partial(_perturbed, issue.amount), rng)
        return changed
    rows = _some(present, issue.amount, rng)
    changed[rows] = _changed(column[rows], issue, rng)
    return changed


def _changed(values: Column, issue: Fault, rng: np.random.Generator) -> Column | float | str | None:
    """Other values for these."""
    categorical = column_kind(values) == "categorical"
    match issue.type:
        case "missing":
            return None if categorical else math.nan
        case "nulls":
            return "" if categorical else 0.0
        case "unit":
            with np.errstate(over="ignore"):
                found: Column = values * issue.amount
            return found
        case "casing":
            return strings(each.swapcase() for each in values)
        case "insertion":
            return _rewritten(values, _inserted, rng)
        case "deletion":
            return _rewritten(values, _deleted, rng)
        case _:
            before = rng.random(len(values)) < 0.5
            pairs = zip(values, before, strict=True)
            return strings(f" {each}" if first else f"{each} " for each, first in pairs)


def _some(rows: Ints, share: float, rng: np.random.Generator) -> Ints:
    """So many of the rows, one at least."""
    if share >= 1:
        return rows
    return rng.choice(rows, max(1, round(share * len(rows))), replace=False)


def _resized(column: Column, factor: float, rng: np.random.Generator) -> Column:
    """Rows drawn anew beside all that there are, or only some of them in their order."""
    n = len(column)
    if factor < 1:
        return column[np.sort(rng.choice(n, max(1, round(factor * n)), replace=False))]
    more = rng.integers(0, n, round((factor - 1) * n))
    return np.concatenate((column, column[more]))


def _biased(column: Column, present: Ints, issue: Fault, rng: np.random.Generator) -> Column:
    """As many values as before, drawn from the first or the last of them in order."""
    ordered = np.sort(column[present])
    few = max(1, round(issue.amount * len(ordered)))
    pool = ordered[:few] if issue.type == "first" else ordered[-few:]
    changed = column.copy()
    changed[present] = pool[rng.integers(0, few, len(present))]
    return changed


_Change = Callable[[Text, np.random.Generator, bool], Text]


def _rewritten(values: Column, change: _Change, rng: np.random.Generator) -> Column:
    """Values changed as they are written; a number that is none any more is a null."""
    if column_kind(values) == "categorical":
        return strings(change(Text.of(list(values)), rng, False).split())
    return _read(change(Text.of(_written(values)), rng, True).split())


def _written(values: Floats) -> list[str]:
    """Whole numbers without a point."""
    whole = (values == np.floor(values)) & (np.abs(values) < 1e15)
    return [
        str(int(number)) if point else repr(number)
        for number, point in zip(values.tolist(), whole.tolist(), strict=True)
    ]


def _read(texts: Sequence[str]) -> Floats:
    try:
        return np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return np.array([_number(each) for each in texts])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _perturbed(share: float, text: Text, rng: np.random.Generator, digits: bool) -> Text:
    """Some characters become others of their class."""
    classes = text.classes
    eligible = classes == DIGIT
    if not digits:
        eligible = eligible | (classes == UPPER) | (classes == LETTER)
    places = np.flatnonzero(eligible)
    if not len(places):
        return text
    codes = text.codes.copy()
    chosen = _some(places, share, rng)
    for of_class, first, size in ((DIGIT, "0", 10), (UPPER, "A", 26), (LETTER, "a", 26)):
        here = chosen[classes[chosen] == of_class]
        at = codes[here].astype(np.int64) - ord(first)
        # a character beyond ASCII becomes any of its class
        codes[here] = (at + rng.integers(1, size, len(here))) % size + ord(first)
    return Text(codes, text.ends)


def _inserted(text: Text, rng: np.random.Generator, digits: bool) -> Text:
    """Each value gets a character somewhere."""
    pool = _ALPHANUMERIC[:10] if digits else _ALPHANUMERIC
    new = pool[rng.integers(0, len(pool), len(text.ends))]
    places = text.starts + _within(text.lengths + 1, rng)
    codes = np.insert(text.codes, places, new)
    return Text(codes, text.ends + np.arange(1, len(text.ends) + 1))


def _deleted(text: Text, rng: np.random.Generator, digits: bool) -> Text:
    """Each value loses a character; of numbers, a digit."""
    eligible = np.flatnonzero(text.classes == DIGIT) if digits else np.arange(len(text.codes))
    first = np.searchsorted(eligible, text.starts)
    size = np.searchsorted(eligible, text.ends) - first
    chosen = (first + _within(size, rng))[size > 0]
    keep = np.ones(len(text.codes), np.bool_)
    keep[eligible[chosen]] = False
    return text.kept(keep)


def _within(sizes: Ints, rng: np.random.Generator) -> Ints:
    """A place in each, at random."""
    places: Floats = rng.random(len(sizes)) * sizes
    return places.astype(np.int64)
