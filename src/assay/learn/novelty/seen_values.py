"""The values, shapes, trigrams and combinations of nulls of all accepted batches.

Batches are added one by one. To bound memory, only the most frequent values, shapes, trigrams and
combinations are counted. All others are part of the total. `SeenValues` can be stored, or rebuilt
from the fingerprints.

>>> from assay.learn.fingerprint.from_rows import fingerprint, strings
>>> batch = fingerprint({"code": strings(["a-1", "b-2", "b-2", None])})
>>> seen = SeenValues().add(batch).add(batch)
>>> dict(seen.columns["code"].values), dict(seen.nulls), seen.rows
({'a-1': 2, 'b-2': 4}, {'': 6, 'code': 2}, 8)
>>> SeenValues.read(seen.written()) == seen
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from assay.analyzers.literal import read_names, render_name, render_names
from assay.errors import StateError
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.novelty.trigrams import Trigrams

__all__ = ["MAX_LENGTH", "SeenColumn", "SeenValues", "null_combinations", "shorten_values"]

#: The largest numbers of counted values, shapes, trigrams and combinations of nulls.
_MAX_VALUES, _MAX_SHAPES, _MAX_TRIGRAMS, _MAX_NULLS = 10_000, 2_000, 50_000, 1_000
#: Values with more characters are replaced by their hash.
MAX_LENGTH = 40
#: The version of stored documents.
_VERSION = 2


def shorten_values(counts: Mapping[str, int]) -> dict[str, int]:
    """Replace long values by their hash."""
    shortened: dict[str, int] = {}
    for value, count in counts.items():
        name = value if len(value) <= MAX_LENGTH else _hash(value)
        shortened[name] = shortened.get(name, 0) + count
    return shortened


def _hash(value: str) -> str:
    data = value.encode("utf-8", "surrogatepass")
    # One character longer than every value that is not replaced.
    return "#" + blake2b(data, digest_size=MAX_LENGTH // 2).hexdigest()


@dataclass(frozen=True)
class SeenColumn:
    """The values of a text column in all accepted batches; `total` is their number."""

    total: float = 0.0
    values: Mapping[str, int] = field(default_factory=dict)
    shapes: Mapping[str, int] = field(default_factory=dict)
    trigrams: Trigrams = field(default_factory=Trigrams)

    def add(self, stats: ColumnStats) -> SeenColumn:
        """Add a batch."""
        if stats.kind != "categorical" or not stats.n_values > 0:
            return self
        trigrams = self.trigrams + Trigrams.of(stats.value_counts)
        return SeenColumn(
            self.total + stats.n_values,
            _add_counts(self.values, shorten_values(stats.value_counts), _MAX_VALUES),
            _add_counts(self.shapes, shorten_values(stats.shape_counts), _MAX_SHAPES),
            trigrams.most_frequent(_MAX_TRIGRAMS),
        )

    @cached_property
    def stats(self) -> ColumnStats:
        """The statistics of all batches together."""
        return ColumnStats(
            "categorical",
            {"values": self.total},
            value_counts=self.values,
            shape_counts=self.shapes,
        )

    def written(self) -> dict[str, Any]:
        """Convert to JSON types."""
        return {
            "total": self.total,
            "values": dict(self.values),
            "shapes": dict(self.shapes),
            "trigrams": self.trigrams.written(),
        }

    @staticmethod
    def read(document: Mapping[str, Any]) -> SeenColumn:
        """Convert a document of `written` back."""
        return SeenColumn(**{**document, "trigrams": Trigrams.read(document["trigrams"])})


@dataclass(frozen=True)
class SeenValues:
    """The values of all columns in all accepted batches.

    Parameters
    ----------
    batches, rows
        The number of batches, and of their rows.
    columns
        The values of each column.
    nulls
        The number of rows with each combination of null columns.
    empty
        The number of batches without rows.
    last
        The digest of each column in the last batch with rows.
    several
        The columns that had several distinct values in at least one batch.
    """

    batches: int = 0
    rows: int = 0
    columns: Mapping[str, SeenColumn] = field(default_factory=dict)
    nulls: Mapping[str, int] = field(default_factory=dict)
    empty: int = 0
    last: Mapping[str, str | None] = field(default_factory=dict)
    several: frozenset[str] = frozenset()

    def add(self, batch: Fingerprint) -> SeenValues:
        """Add an accepted batch."""
        columns = dict(self.columns)
        for name, stats in batch.columns.items():
            columns[name] = columns.get(name, SeenColumn()).add(stats)
        nulls = _add_counts(self.nulls, null_combinations(batch.nulls), _MAX_NULLS)
        empty = self.empty + (not batch.rows)
        last = {name: stats.digest for name, stats in batch.columns.items()}
        several = {name for name, stats in batch.columns.items() if stats.n_distinct > 1}
        return SeenValues(
            self.batches + 1,
            self.rows + batch.rows,
            columns,
            nulls,
            empty,
            last if batch.rows else self.last,
            self.several | several,
        )

    def written(self) -> dict[str, Any]:
        """Convert to JSON types."""
        return {
            "version": _VERSION,
            "batches": self.batches,
            "rows": self.rows,
            "columns": {name: column.written() for name, column in self.columns.items()},
            "nulls": dict(self.nulls),
            "empty": self.empty,
            "last": dict(self.last),
            "several": sorted(self.several),
        }

    @staticmethod
    def read(document: Mapping[str, Any]) -> SeenValues:
        """Convert a document of `written` back.

        Raises
        ------
        StateError
            If the document has another version.
        """
        if document.get("version") != _VERSION:
            raise StateError(
                f"unknown version of seen values: expected {_VERSION},"
                f" got {document.get('version')!r}. Rebuild them from the fingerprints."
            )
        columns = {name: SeenColumn.read(column) for name, column in document["columns"].items()}
        return SeenValues(
            document["batches"],
            document["rows"],
            columns,
            document["nulls"],
            document["empty"],
            document["last"],
            frozenset(document["several"]),
        )


def null_combinations(nulls: Mapping[str, int], among: Set[str] | None = None) -> dict[str, int]:
    """Count rows by the set of their null columns. The order of the names does not matter.

    Parameters
    ----------
    nulls
        Row counts by the names of the null columns.
    among
        The columns to consider. All by default.

    Examples
    --------
    >>> null_combinations({"b,a": 1, "a,b": 2, "c": 3}, {"a", "b"})
    {'a,b': 3, '': 3}
    """
    combinations: dict[str, int] = {}
    for names, count in nulls.items():
        kept = [name for name in read_names(names) if among is None or name in among]
        combination = render_names(sorted(kept, key=render_name))
        combinations[combination] = combinations.get(combination, 0) + count
    return combinations


def _add_counts(before: Mapping[str, int], more: Mapping[str, int], limit: int) -> dict[str, int]:
    """Add counts, and keep the `limit` most frequent values."""
    counts = dict(before)
    for value, count in more.items():
        counts[value] = counts.get(value, 0) + count
    if len(counts) <= limit:
        return counts
    return dict(Counter(counts).most_common(limit))
