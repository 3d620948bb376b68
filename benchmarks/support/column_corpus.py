"""A corpus of string columns, and its pattern index without the source of the tested column."""

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

from assay.learn.patterns.candidates import TOKEN_BITS
from assay.learn.patterns.evidence import IMPURITY_UNIT, Enumeration
from assay.learn.patterns.index import PatternIndex, PatternStatistics
from assay.learn.patterns.index_job import build_index_of_columns
from assay.learn.patterns.value_shape import group_by_shape, split_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Batch", "Case", "Corpus", "build_corpus", "read_cases"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Values with their row counts. Matches of a pattern are counted once and remembered.

    Values are not empty.
    """

    values: Mapping[str, int]
    _matching_rows: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def of(values: Iterable[str]) -> Batch:
        """Count the values."""
        return Batch(Counter(values))

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return sum(self.values.values())

    def matching(self, pattern: re.Pattern[str]) -> int:
        """Count the rows whose whole value matches the pattern."""
        if pattern.pattern not in self._matching_rows:
            counts = (count for value, count in self.values.items() if pattern.fullmatch(value))
            self._matching_rows[pattern.pattern] = sum(counts)
        return self._matching_rows[pattern.pattern]


@dataclass(frozen=True, eq=False)
class Case:
    """A column of the corpus in the order of its rows. Empty values do not count."""

    source: str
    name: str
    values: tuple[str, ...]

    @property
    def _training_rows(self) -> int:
        return max(len(self.values) // 10, 1)

    @cached_property
    def training_values(self) -> Counter[str]:
        """The values of the first tenth of the rows, from which a rule is learned."""
        return Counter(filter(None, self.values[: self._training_rows]))

    @cached_property
    def test_values(self) -> tuple[str, ...]:
        """The values of the later rows, in order."""
        return tuple(filter(None, self.values[self._training_rows :]))

    @cached_property
    def test_batch(self) -> Batch:
        """The values of the later rows, counted."""
        return Batch.of(self.test_values)

    @cached_property
    def all_values(self) -> Batch:
        """The values of all rows, counted."""
        return Batch.of(filter(None, self.values))

    @property
    def has_one_shape(self) -> bool:
        """True if 90 % of the rows have one shape: the paper's "syntactic patterns exist"."""
        shapes = group_by_shape(self.all_values.values)
        return bool(shapes) and shapes[0].rows >= 0.9 * self.all_values.rows

    @property
    def new_shape_share(self) -> float:
        """The share of later rows whose shape is not in the first tenth: no rule can learn it."""
        training_shapes = {split_shape(value)[0] for value in self.training_values}
        counts = (
            count
            for value, count in self.test_batch.values.items()
            if split_shape(value)[0] not in training_shapes
        )
        return sum(counts) / max(self.test_batch.rows, 1)

    def shuffled(self) -> Case:
        """Return the column with its rows in random order, so that nothing changes over time."""
        values = list(self.values)
        random.Random(self.name).shuffle(values)
        return replace(self, values=tuple(values))

    @property
    def is_machine_generated(self) -> bool:
        """True if the column holds ids, codes, dates and the like.

        At least half of the values have digits. On average, a value has at most three spaces. At
        least one fifth of the values are distinct.
        """
        values = [value for value in self.values if value.strip()] or ["-"]
        digits = mean(any(map(str.isdigit, value)) for value in values)
        spaces = mean(value.count(" ") for value in values)
        return digits >= 0.5 and spaces <= 3 and len(set(values)) >= 0.2 * len(values)


@dataclass(frozen=True, eq=False)
class IndexWithout(PatternIndex):
    """An index that subtracts the columns of one group when patterns are looked up."""

    excluded: PatternIndex = field(default_factory=PatternIndex.empty)

    def look_up(
        self, keys: NDArray[np.uint64], *, column_impurity: bool = False
    ) -> PatternStatistics:
        """Return coverage and false-positive rate of patterns, given their hashes."""
        total = super().look_up(keys, column_impurity=column_impurity)
        excluded = self.excluded.look_up(keys, column_impurity=column_impurity)
        coverage = total.coverage - excluded.coverage
        impurity = np.rint(
            (total.rate * total.coverage - excluded.rate * excluded.coverage) * IMPURITY_UNIT
        )
        rate = impurity / (np.maximum(coverage, 1) * IMPURITY_UNIT)
        return PatternStatistics(coverage, np.where(coverage > 0, rate, 1.0))


@dataclass(frozen=True)
class Corpus:
    """The index of all columns, and the index of each group of sources."""

    index: PatternIndex
    groups: Mapping[str, PatternIndex]

    def without(self, source: str) -> PatternIndex:
        """Return the index without the group of a source."""
        excluded = self.groups.get(source, self.groups[_SMALL_SOURCES])
        return IndexWithout(self.index.sums, {}, self.index.enumeration, excluded=excluded)

    def with_max_tokens(self, tokens: int) -> Corpus:
        """Return the corpus as built with a smaller τ, which only leaves out longer patterns."""
        groups = {source: _limit_tokens(group, tokens) for source, group in self.groups.items()}
        return Corpus(_limit_tokens(self.index, tokens), groups)


#: the group of all sources but the three largest
_SMALL_SOURCES = ""


def build_corpus(columns: Any, enumeration: Enumeration) -> Corpus:
    """Build the indexes of a corpus: one per large source (three), one for all others."""
    sources = columns.groupBy("source").count().orderBy("count", ascending=False).limit(3)
    largest = [row["source"] for row in sources.collect()]
    groups = {
        source: build_index_of_columns(columns.where(columns["source"] == source), enumeration)
        for source in largest
    }
    groups[_SMALL_SOURCES] = build_index_of_columns(
        columns.where(~columns["source"].isin(largest)), enumeration
    )
    return Corpus(reduce(add, groups.values()), groups)


def read_cases(columns: Any, seed: int) -> Iterator[Case]:
    """Read the columns of at least 100 rows in the random order of a seed."""
    rows = columns.where("size(values) >= 100").orderBy("source", "table", "column").collect()
    random.Random(seed).shuffle(rows)
    for row in rows:
        name = f"{row['source']}/{row['table']}.{row['column']}"
        yield Case(row["source"], name, tuple(value or "" for value in row["values"]))


def _limit_tokens(index: PatternIndex, tokens: int) -> PatternIndex:
    sums = index.sums.where((index.sums.keys & TOKEN_BITS) <= tokens)
    return replace(index, sums=sums, enumeration=replace(index.enumeration, tokens=tokens))
