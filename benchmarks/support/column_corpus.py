"""A corpus of string columns: the lake without a column's own source, and what is tried on it."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.learn.patterns.candidates import TOKENS
from assay.learn.patterns.evidence import PARTS, Enumeration
from assay.learn.patterns.index import PatternIndex, PatternStatistics
from assay.learn.patterns.index_job import build_index_of_columns
from assay.learn.patterns.value_shape import group_by_shape, split_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Batch", "Case", "Corpus", "cases", "corpus"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows by value, none of them empty, which are matched with each pattern only once."""

    values: Mapping[str, int]
    _matching: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def of(values: Iterable[str]) -> Batch:
        """Of values in any order."""
        return Batch(Counter(values))

    @cached_property
    def rows(self) -> int:
        """How many there are."""
        return sum(self.values.values())

    def matching(self, known: re.Pattern[str]) -> int:
        """How many of them match as a whole."""
        if known.pattern not in self._matching:
            rows = (count for value, count in self.values.items() if known.fullmatch(value))
            self._matching[known.pattern] = sum(rows)
        return self._matching[known.pattern]


@dataclass(frozen=True, eq=False)
class Case:
    """A column of the corpus, in the order of its rows; values that are empty do not count."""

    source: str
    name: str
    values: tuple[str, ...]

    @property
    def _tenth(self) -> int:
        return max(len(self.values) // 10, 1)

    @cached_property
    def first(self) -> Counter[str]:
        """What a rule is learned from."""
        return Counter(filter(None, self.values[: self._tenth]))

    @cached_property
    def later(self) -> tuple[str, ...]:
        """What comes later, in order."""
        return tuple(filter(None, self.values[self._tenth :]))

    @cached_property
    def rest(self) -> Batch:
        """What comes later."""
        return Batch.of(self.later)

    @cached_property
    def whole(self) -> Batch:
        """All of it."""
        return Batch.of(filter(None, self.values))

    @property
    def has_a_pattern(self) -> bool:
        """Whether nine of ten rows are of one shape: the paper's "syntactic patterns exist"."""
        shapes = group_by_shape(self.whole.values)
        return bool(shapes) and shapes[0].rows >= 0.9 * self.whole.rows

    @property
    def unseen_shapes(self) -> float:
        """The share of later rows of shapes that are none of the first: no rule can know them."""
        known = {split_shape(value)[0] for value in self.first}
        rows = (n for value, n in self.rest.values.items() if split_shape(value)[0] not in known)
        return sum(rows) / max(self.rest.rows, 1)

    def shuffled(self) -> Case:
        """Its rows in an order drawn by lot: what comes later is as what came first."""
        values = list(self.values)
        random.Random(self.name).shuffle(values)
        return replace(self, values=tuple(values))

    @property
    def made_by_machines(self) -> bool:
        """Whether it is of ids, codes, dates and the like: digits, few words, many values."""
        values = [value for value in self.values if value.strip()] or ["-"]
        digits = mean(any(map(str.isdigit, value)) for value in values)
        spaces = mean(value.count(" ") for value in values)
        return digits >= 0.5 and spaces <= 3 and len(set(values)) >= 0.2 * len(values)


@dataclass(frozen=True, eq=False)
class Others(PatternIndex):
    """An index without the columns of one source, taken out as patterns are looked up."""

    own: PatternIndex = field(default_factory=PatternIndex.empty)

    def look_up(
        self, keys: NDArray[np.uint64], *, column_impurity: bool = False
    ) -> PatternStatistics:
        """Coverage and false-positive rate of patterns, by their hashes."""
        every = super().look_up(keys, column_impurity=column_impurity)
        own = self.own.look_up(keys, column_impurity=column_impurity)
        coverage = every.coverage - own.coverage
        impurity = np.rint((every.rate * every.coverage - own.rate * own.coverage) * PARTS)
        rate = impurity / (np.maximum(coverage, 1) * PARTS)
        return PatternStatistics(coverage, np.where(coverage > 0, rate, 1.0))


@dataclass(frozen=True)
class Corpus:
    """The index of all columns, and of each group of sources alone."""

    whole: PatternIndex
    groups: Mapping[str, PatternIndex]

    def without(self, source: str) -> PatternIndex:
        """The index of the other groups."""
        own = self.groups.get(source, self.groups[_SMALLER])
        return Others(self.whole.sums, {}, self.whole.enumeration, own=own)

    def up_to(self, tokens: int) -> Corpus:
        """As if it had been built with a lesser τ, which only leaves longer patterns out."""
        groups = {source: _up_to(group, tokens) for source, group in self.groups.items()}
        return Corpus(_up_to(self.whole, tokens), groups)


#: all sources but the largest
_SMALLER = ""


def corpus(columns: Any, enumeration: Enumeration) -> Corpus:
    """The indexes of a corpus: the three largest sources are a group each, the others one."""
    sources = columns.groupBy("source").count().orderBy("count", ascending=False).limit(3)
    largest = [row["source"] for row in sources.collect()]
    groups = {
        source: build_index_of_columns(columns.where(columns["source"] == source), enumeration)
        for source in largest
    }
    groups[_SMALLER] = build_index_of_columns(
        columns.where(~columns["source"].isin(largest)), enumeration
    )
    return Corpus(reduce(add, groups.values()), groups)


def cases(columns: Any, seed: int) -> Iterator[Case]:
    """Columns of at least 100 rows, in an order that the seed tells."""
    rows = columns.where("size(values) >= 100").orderBy("source", "table", "column").collect()
    random.Random(seed).shuffle(rows)
    for row in rows:
        name = f"{row['source']}/{row['table']}.{row['column']}"
        yield Case(row["source"], name, tuple(value or "" for value in row["values"]))


def _up_to(index: PatternIndex, tokens: int) -> PatternIndex:
    sums = index.sums.where((index.sums.keys & TOKENS) <= tokens)
    return replace(index, sums=sums, enumeration=replace(index.enumeration, tokens=tokens))
