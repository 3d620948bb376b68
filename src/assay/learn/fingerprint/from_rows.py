"""Compute the statistics of columns from rows in memory.

A column of numbers is an array of doubles, in which NaN is null. A column of strings is an array of
objects, in which None is null.

>>> stats = column_stats(strings(["AB-12", "ab-1", None, "ab-1"]))
>>> dict(stats.shape_counts)
{'A-9': 1, 'a-9': 2}
>>> stats.n_rows, stats.n_values, stats.n_distinct, stats[Stat.LETTERS]
(4.0, 3.0, 2.0, 6.0)
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import repeat
from operator import is_
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analyzers.literal import render_names
from assay.learn.fingerprint.column_stats import (
    ColumnKind,
    ColumnStats,
    Fingerprint,
    Floats,
    Stat,
    WeightedSample,
)
from assay.learn.relations.of_rows import RelationsOfRows

__all__ = [
    "Column",
    "Text",
    "column_kind",
    "column_stats",
    "fingerprint",
    "is_null",
    "numbers",
    "simulate_column",
    "strings",
]

#: An array of doubles or of strings.
Column = NDArray[Any]
Ints = NDArray[np.int64]

OTHER, DIGIT, UPPER, LETTER, SPACE = range(5)
#: The sign for a run of each class in a shape (Algorithm 2, with one more sign for upper case).
_SIGN = {DIGIT: ord("9"), UPPER: ord("A"), LETTER: ord("a")}
_SPACES = frozenset(" \t\n\x0b\f\r")


def numbers(values: Iterable[float | None]) -> Floats:
    """Create a column of numbers; None becomes null."""
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def strings(values: Iterable[object]) -> Column:
    """Create a column of strings; None and NaN become null.

    Raises
    ------
    TypeError
        If a value is not a string.
    """
    texts = [None if value is None or value != value else value for value in values]
    wrong = next((text for text in texts if text is not None and not isinstance(text, str)), None)
    if wrong is not None:
        raise TypeError(f"invalid value in a column of strings: expected str, got {wrong!r}.")
    column = np.empty(len(texts), dtype=object)
    column[:] = texts
    return column


def column_kind(column: Column) -> ColumnKind:
    """Return whether a column holds numbers or strings."""
    return "categorical" if column.dtype == object else "numeric"


def column_stats(column: Column) -> ColumnStats:
    """Compute the statistics of a column."""
    if column_kind(column) == "categorical":
        return _of_strings(column)
    return _of_numbers(column.astype(np.float64))


def fingerprint(columns: Mapping[str, Column]) -> Fingerprint:
    """Compute the fingerprint of a table.

    >>> dict(fingerprint({"a": numbers([1, None, 2]), "b": strings(["x", None, None])}).nulls)
    {'': 1, 'a,b': 1, 'b': 1}
    """
    rows = len(next(iter(columns.values()))) if columns else 0
    null = {name: is_null(column) for name, column in columns.items()}
    nulls: Counter[str] = Counter()
    if columns:
        marks = np.stack(list(null.values()), axis=1)
        signatures, counts = np.unique(marks, axis=0, return_counts=True)
        for signature, count in zip(signatures, counts.tolist(), strict=True):
            names = (name for name, mark in zip(null, signature, strict=True) if mark)
            nulls[render_names(names)] += count
    ordered = dict(sorted(nulls.items()))
    stats = {name: column_stats(column) for name, column in columns.items()}
    relations = RelationsOfRows(columns)
    return Fingerprint(rows, stats, ordered, _row_counts(columns), relations=relations)


def _row_counts(columns: Mapping[str, Column]) -> dict[str, int]:
    """Count rows by their hash."""
    lists = [column.tolist() for column in columns.values()]
    rows = Counter(zip(*lists, strict=True)) if lists else Counter[tuple[object, ...]]()
    counts: dict[str, int] = {}
    for row, count in rows.items():
        text = "\x1f".join(map(repr, row))
        row_hash = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        counts[row_hash] = counts.get(row_hash, 0) + count
    return counts


def is_null(column: Column) -> NDArray[np.bool_]:
    """Return which rows are null."""
    if column_kind(column) == "numeric":
        return np.isnan(column.astype(np.float64))
    return np.fromiter(map(is_, column, repeat(None)), np.bool_, len(column))


def simulate_column(stats: ColumnStats, rows: int) -> Column:
    """Create a column whose values have about the same statistics.

    Use it where the store has only sketches and no rows. The column lacks the values that the
    statistics do not count, such as rare ones.

    Parameters
    ----------
    stats
        The statistics.
    rows
        The largest number of rows.

    Examples
    --------
    >>> simulate_column(column_stats(strings(["a", "a", "b", None] * 100)), 8).tolist()
    ['a', 'a', 'a', 'a', 'b', 'b', None, None]
    """
    n_rows = stats.n_rows
    size = min(rows, int(n_rows)) if math.isfinite(n_rows) else 0
    present = round(size * stats.n_values / n_rows) if size else 0
    shares = (np.arange(present) + 0.5) / max(1, present)
    if stats.kind == "numeric":
        column: Column = np.full(size, math.nan)
        if stats.sample is not None and stats.sample.total:
            column[:present] = stats.sample.quantiles(shares)
        elif math.isfinite(stats.mean) and stats.sd >= 0:
            # A private column has no sample: it is simulated as normal.
            normal = NormalDist(stats.mean, stats.sd or 1.0)
            column[:present] = [normal.inv_cdf(share) for share in shares.tolist()]
            if stats.sd == 0:
                column[:present] = stats.mean
        return column
    column = np.empty(size, dtype=object)
    known_counts = stats.sampled_counts or stats.value_counts
    if known_counts:
        values, counts = list(known_counts), np.array(list(known_counts.values()), np.float64)
        chosen = WeightedSample(np.arange(len(values), dtype=np.float64), counts).quantiles(shares)
        column[:present] = [values[int(at)] for at in chosen]
    return column


def _of_numbers(column: Floats) -> ColumnStats:
    present = column[~np.isnan(column)]
    ranked = WeightedSample.of(present)
    named: dict[str, float] = {
        Stat.ROWS: float(len(column)),
        Stat.VALUES: float(len(present)),
        Stat.DISTINCT: float(len(ranked.values)),
        Stat.SAMPLED: float(len(present)),
        Stat.SAMPLED_DISTINCT: float(len(ranked.values)),
        Stat.ZEROS: float((present == 0).sum()),
        Stat.NEGATIVES: float((present < 0).sum()),
        Stat.INTEGERS: float((present == np.floor(present))[np.isfinite(present)].sum()),
    }
    if len(present):
        with np.errstate(over="ignore", invalid="ignore"):
            named |= {
                Stat.MIN: float(ranked.values[0]),
                Stat.MAX: float(ranked.values[-1]),
                Stat.SUM: float(present.sum()),
                Stat.MEDIAN: ranked.median,
                # The rounded mean of a constant column may differ from its value.
                Stat.SD: float(present.std()) if len(ranked.values) > 1 else 0.0,
            }
    finite = np.isfinite(ranked.values)
    if not finite.all():
        ranked = WeightedSample(ranked.values[finite], ranked.weights[finite])
    return ColumnStats("numeric", named, sample=ranked)


def _of_strings(column: Column) -> ColumnStats:
    counts = Counter(column.tolist())
    counts.pop(None, None)
    text = Text.of(list(counts))
    weights = np.fromiter(counts.values(), np.float64, len(counts))
    patterns: Counter[str] = Counter()
    for pattern, count in zip(text.shapes(), counts.values(), strict=True):
        patterns[pattern] += count
    of_class = text.characters(weights)
    named = {
        Stat.ROWS: float(len(column)),
        Stat.VALUES: float(weights.sum()),
        Stat.DISTINCT: float(len(counts)),
        Stat.SAMPLED: float(weights.sum()),
        Stat.SAMPLED_DISTINCT: float(len(counts)),
        Stat.EMPTY: float(counts.get("", 0)),
        Stat.CHARACTERS: float(of_class.sum()),
        Stat.LETTERS: float(of_class[UPPER] + of_class[LETTER]),
        Stat.DIGITS: float(of_class[DIGIT]),
        Stat.SPACES: float(of_class[SPACE]),
        Stat.SYMBOLS: float(of_class[OTHER]),
    }
    return ColumnStats("categorical", named, value_counts=counts, shape_counts=patterns)


@dataclass(frozen=True)
class Text:
    """Strings as one array of characters and the end of each string, for vectorized operations."""

    codes: NDArray[np.uint32]
    ends: Ints

    @staticmethod
    def of(values: Sequence[str]) -> Text:
        """Join strings."""
        joined = "".join(values).encode("utf-32-le", "surrogatepass")
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        return Text(np.frombuffer(joined, dtype=np.uint32), np.cumsum(lengths))

    @property
    def starts(self) -> Ints:
        """The position at which each string begins."""
        return np.concatenate((np.zeros(1, np.int64), self.ends))[:-1]

    @property
    def lengths(self) -> Ints:
        """The length of each string."""
        return self.ends - self.starts

    @cached_property
    def classes(self) -> NDArray[np.uint8]:
        """The class of each character, such as `DIGIT`."""
        classes = _ASCII[np.minimum(self.codes, 127)]
        beyond = self.codes > 127
        if beyond.any():
            codes, at = np.unique(self.codes[beyond], return_inverse=True)
            classes[beyond] = np.array([_class(chr(code)) for code in codes], np.uint8)[at]
        return classes

    def characters(self, weights: Floats) -> Floats:
        """Count the characters of each class. `weights` are the counts of the strings."""
        repeated: Any = np.repeat(weights, self.lengths)
        return np.bincount(self.classes, weights=repeated, minlength=5).astype(np.float64)

    def split(self) -> list[str]:
        """Return the strings."""
        joined = self.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        ends = self.ends.tolist()
        return [joined[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def keep(self, keep: NDArray[np.bool_]) -> Text:
        """Keep some of the characters."""
        return Text(self.codes[keep], _count_before(keep)[self.ends])

    def shapes(self) -> list[str]:
        """Return the shapes. Each run of digits, upper-case or other letters becomes one sign."""
        signs, run = self.codes.copy(), np.zeros(len(self.codes), np.bool_)
        for of_class, sign in _SIGN.items():
            here = self.classes == of_class
            signs[here], run[here] = sign, True
        goes_on = np.zeros(len(self.codes), np.bool_)
        goes_on[1:] = self.classes[1:] == self.classes[:-1]
        starts = self.starts
        goes_on[starts[starts < len(self.codes)]] = False
        return Text(signs, self.ends).keep(~(run & goes_on)).split()


def _count_before(marks: NDArray[np.bool_]) -> Ints:
    """Count the marks before each place, and before the end."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(marks, dtype=np.int64)))


def _class(character: str) -> int:
    category = unicodedata.category(character)
    if category == "Nd":
        return DIGIT
    if category in {"Lu", "Lt"}:
        return UPPER
    if category[0] == "L":
        return LETTER
    return SPACE if character in _SPACES else OTHER


_ASCII = np.array([_class(chr(code)) for code in range(128)], np.uint8)
