"""What the accepted batches had: values, shapes, trigrams and combinations of nulls.

Accepted batches are added one by one, and what is kept is bounded: of each the most frequent, all
others only in the total. It can be written down, or be made again from the fingerprints.

>>> from assay.learn.fingerprint.from_rows import fingerprint, strings
>>> batch = fingerprint({"code": strings(["a-1", "b-2", "b-2", None])})
>>> memory = Memory().add(batch).add(batch)
>>> dict(memory.columns["code"].values), dict(memory.nulls), memory.rows
({'a-1': 2, 'b-2': 4}, {'': 6, 'code': 2}, 8)
>>> Memory.read(memory.written()) == memory
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

__all__ = ["SeenColumn", "SeenValues", "known_as", "null_combinations"]

#: of so many different values, shapes, trigrams and combinations of nulls the count is kept
_VALUES, _SHAPES, _TRIGRAMS, _NULLS = 10_000, 2_000, 50_000, 1_000
#: longer values are known by their hash
_LONGEST = 40
_VERSION = 2


def known_as(counts: Mapping[str, int]) -> dict[str, int]:
    """Values as they are remembered: long ones by their hash."""
    found: dict[str, int] = {}
    for value, count in counts.items():
        name = value if len(value) <= _LONGEST else _hash(value)
        found[name] = found.get(name, 0) + count
    return found


def _hash(value: str) -> str:
    data = value.encode("utf-8", "surrogatepass")
    # longer than any value that stands for itself
    return "#" + blake2b(data, digest_size=_LONGEST // 2).hexdigest()


@dataclass(frozen=True)
class SeenColumn:
    """What a column of strings had, `total` values in all."""

    total: float = 0.0
    values: Mapping[str, int] = field(default_factory=dict)
    shapes: Mapping[str, int] = field(default_factory=dict)
    trigrams: Trigrams = field(default_factory=Trigrams)

    def add(self, stats: ColumnStats) -> SeenColumn:
        """One batch more."""
        if stats.kind != "categorical" or not stats["values"] > 0:
            return self
        trigrams = self.trigrams + Trigrams.of(stats.value_counts)
        return SeenColumn(
            self.total + stats["values"],
            _sum(self.values, known_as(stats.value_counts), _VALUES),
            _sum(self.shapes, known_as(stats.shape_counts), _SHAPES),
            trigrams.most_frequent(_TRIGRAMS),
        )

    @cached_property
    def stats(self) -> ColumnStats:
        """As if all had come as one batch."""
        return ColumnStats(
            "categorical",
            {"values": self.total},
            value_counts=self.values,
            shape_counts=self.shapes,
        )

    def written(self) -> dict[str, Any]:
        """In numbers, strings and dictionaries."""
        return {
            "total": self.total,
            "values": dict(self.values),
            "shapes": dict(self.shapes),
            "trigrams": self.trigrams.written(),
        }

    @staticmethod
    def read(document: Mapping[str, Any]) -> SeenColumn:
        """The inverse of `written`."""
        return SeenColumn(**{**document, "trigrams": Trigrams.read(document["trigrams"])})


@dataclass(frozen=True)
class SeenValues:
    """What all columns had, which of them were null together, and how many batches were `empty`.

    `last` has the marks of the last batch that had rows: what is the same has the same. The columns
    that had `several` values in some batch are no constants.
    """

    batches: int = 0
    rows: int = 0
    columns: Mapping[str, SeenColumn] = field(default_factory=dict)
    nulls: Mapping[str, int] = field(default_factory=dict)
    empty: int = 0
    last: Mapping[str, str | None] = field(default_factory=dict)
    several: frozenset[str] = frozenset()

    def add(self, batch: Fingerprint) -> SeenValues:
        """One accepted batch more."""
        columns = dict(self.columns)
        for name, stats in batch.columns.items():
            columns[name] = columns.get(name, SeenColumn()).add(stats)
        nulls = _sum(self.nulls, null_combinations(batch.nulls), _NULLS)
        empty = self.empty + (not batch.rows)
        last = {name: stats.digest for name, stats in batch.columns.items()}
        several = {name for name, stats in batch.columns.items() if stats["distinct"] > 1}
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
        """In numbers, strings and dictionaries."""
        return {
            "version": _VERSION,
            "batches": self.batches,
            "rows": self.rows,
            "columns": {name: seen.written() for name, seen in self.columns.items()},
            "nulls": dict(self.nulls),
            "empty": self.empty,
            "last": dict(self.last),
            "several": sorted(self.several),
        }

    @staticmethod
    def read(document: Mapping[str, Any]) -> SeenValues:
        """The inverse of `written`."""
        if document.get("version") != _VERSION:
            raise StateError(
                f"a memory of batches of version {document.get('version')!r} is not known here,"
                f" only version {_VERSION}; make it again from the fingerprints."
            )
        columns = {name: SeenColumn.read(each) for name, each in document["columns"].items()}
        known = document["batches"], document["rows"], columns, document["nulls"]
        return SeenValues(
            *known, document["empty"], document["last"], frozenset(document["several"])
        )


def null_combinations(nulls: Mapping[str, int], among: Set[str] | None = None) -> dict[str, int]:
    """Combinations of nulls in which the order of columns is none; of all columns, or of some.

    >>> null_together({"b,a": 1, "a,b": 2, "c": 3}, {"a", "b"})
    {'a,b': 3, '': 3}
    """
    found: dict[str, int] = {}
    for names, count in nulls.items():
        kept = [each for each in read_names(names) if among is None or each in among]
        own = render_names(sorted(kept, key=render_name))
        found[own] = found.get(own, 0) + count
    return found


def _sum(before: Mapping[str, int], more: Mapping[str, int], limit: int) -> dict[str, int]:
    found = dict(before)
    for each, count in more.items():
        found[each] = found.get(each, 0) + count
    if len(found) <= limit:
        return found
    return dict(Counter(found).most_common(limit))
