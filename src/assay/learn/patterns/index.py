"""The index of a lake: for each pattern, the columns in which it occurs and its mean impurity.

The index is one file that is kept next to the lake. It holds the hashes of the patterns in order,
their coverage and their impurities; it is memory-mapped and searched by bisection. The texts of
patterns that describe whole columns follow. All numbers are sums over columns, so that indexes can
be added (Auto-Validate, section 2.4, equation 4)::

    FPR_T(p) = sum of Imp_D(p) over the columns D in which p occurs / Cov_T(p)
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.checks.pattern import Pattern
from assay.errors import CheckError, PatternIndexError
from assay.learn.patterns.candidates import TOKEN_BITS, pattern_key
from assay.learn.patterns.evidence import IMPURITY_UNIT, ColumnEvidence, Enumeration
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy
from assay.learn.patterns.index_file import (
    map_index_file,
    pack_index,
    unpack_index,
    write_index_file,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "IndexAccumulator",
    "IndexStatistics",
    "PatternIndex",
    "PatternStatistics",
    "PatternSums",
    "require_index",
]


class PatternStatistics(NamedTuple):
    """Coverage and false-positive rate of patterns: 0 and 1.0 for unknown ones."""

    coverage: NDArray[np.int64]
    rate: NDArray[np.float64]


@dataclass(frozen=True)
class IndexStatistics:
    """The size of an index (Figure 13 of the paper).

    ``by_coverage[n]`` is the number of patterns that occur in at least ``n`` columns.
    ``by_tokens[n]`` is the number of patterns with ``n`` tokens.
    """

    tables: int
    columns: int
    patterns: int
    by_coverage: Mapping[int, int]
    by_tokens: Mapping[int, int]

    def __str__(self) -> str:
        total = f"{self.patterns:,} patterns of {self.columns:,} columns of {self.tables:,} tables"
        counts = ", ".join(
            f"{patterns:,} in {columns:,} and more"
            for columns, patterns in self.by_coverage.items()
        )
        return f"{total}: {counts}"


class PatternSums(NamedTuple):
    """The patterns of an index by key, in order, with sums over the columns that have them.

    `impurity` and `column_impurity` are sums of both impurities (see `ColumnEvidence`).
    """

    keys: NDArray[np.uint64]
    coverage: NDArray[np.uint64]
    impurity: NDArray[np.uint64]
    column_impurity: NDArray[np.uint64]

    @staticmethod
    def of(*arrays: NDArray[Any]) -> PatternSums:
        """Sort by key and add up what has the same key."""
        keys, *values = (np.asarray(array, np.uint64) for array in arrays)
        if not len(keys):
            return PatternSums(keys, *values)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        return PatternSums(keys[first], *(np.add.reduceat(array[order], first) for array in values))

    def where(self, kept: NDArray[np.bool_]) -> PatternSums:
        """Return some of the patterns."""
        return PatternSums(*(array[kept] for array in self))


@dataclass(frozen=True, eq=False, repr=False)
class PatternIndex:
    """The patterns of a lake's columns.

    Create one with `build_index`, `build_index_of_tables` or `PatternIndex.load`.

    Examples
    --------
    >>> from assay.learn.patterns.evidence import collect_evidence
    >>> column = collect_evidence(["AB-1", "CD-22", "EF-333"], Enumeration())
    >>> index = PatternIndex.of([column], Enumeration(), tables=1)
    >>> index
    PatternIndex(81 patterns of 1 column of 1 table)
    >>> index.look_up_pattern("<upper>{2}-<digit>+")
    (1, 0.0)
    """

    sums: PatternSums
    texts: Mapping[int, str]
    enumeration: Enumeration = field(default_factory=Enumeration)
    tables: int = 0
    columns: int = 0

    @staticmethod
    def empty(enumeration: Enumeration | None = None) -> PatternIndex:
        """Return an index without patterns."""
        sums = PatternSums(*[np.zeros(0, np.uint64)] * 4)
        return PatternIndex(sums, {}, enumeration or Enumeration())

    @staticmethod
    def of(
        evidence: Iterable[ColumnEvidence], enumeration: Enumeration, *, tables: int = 0
    ) -> PatternIndex:
        """Return the index of some columns, each given by its evidence."""
        columns = list(evidence)
        if not columns:
            return PatternIndex.empty(enumeration)
        keys = np.concatenate([column.keys for column in columns])
        sums = PatternSums.of(
            keys,
            np.ones(len(keys), np.uint64),
            np.concatenate([column.impurity for column in columns]),
            np.concatenate([column.column_impurity for column in columns]),
        )
        texts = {key: text for column in columns for key, text in column.texts.items()}
        return PatternIndex(sums, texts, enumeration, tables, len(columns))

    @property
    def hierarchy(self) -> Hierarchy:
        """The classes of characters of its patterns."""
        return HIERARCHIES[self.enumeration.hierarchy]

    def __repr__(self) -> str:
        columns = f"{self.columns:,} column{'' if self.columns == 1 else 's'}"
        tables = f"{self.tables:,} table{'' if self.tables == 1 else 's'}"
        return f"PatternIndex({len(self.sums.keys):,} patterns of {columns} of {tables})"

    def __add__(self, other: PatternIndex) -> PatternIndex:
        """Add the index of other columns.

        Raises
        ------
        PatternIndexError
            If the indexes were built with different settings.
        """
        if self.enumeration != other.enumeration:
            raise PatternIndexError(
                f"indexes with different settings cannot be added: {self.enumeration} and"
                f" {other.enumeration}. Build one of them again."
            )
        pairs = zip(self.sums, other.sums, strict=True)
        return replace(
            self,
            sums=PatternSums.of(*(np.concatenate(pair) for pair in pairs)),
            texts={**self.texts, **other.texts},
            tables=self.tables + other.tables,
            columns=self.columns + other.columns,
        )

    def __sub__(self, other: PatternIndex) -> PatternIndex:
        """Remove an index that was added before.

        Raises
        ------
        PatternIndexError
            If the other index has patterns that this one does not have.
        """
        keys = self.sums.keys
        positions = np.searchsorted(keys, other.sums.keys)
        if len(positions) and (
            positions[-1] == len(keys) or (keys[positions] != other.sums.keys).any()
        ):
            raise PatternIndexError(
                "an index can be subtracted only from an index to which it was added."
            )
        remaining = PatternSums(*map(np.array, self.sums))
        for total, removed in zip(remaining[1:], other.sums[1:], strict=True):
            total[positions] -= removed
        return replace(
            self,
            sums=remaining.where(remaining.coverage > 0),
            tables=self.tables - other.tables,
            columns=self.columns - other.columns,
        )

    def look_up(
        self, keys: NDArray[np.uint64], *, column_impurity: bool = False
    ) -> PatternStatistics:
        """Return coverage and false-positive rate of patterns by key.

        Parameters
        ----------
        keys
            Keys of patterns; see `pattern_key`.
        column_impurity
            Use the paper's impurity, over all rows of a column.
        """
        index_keys = self.sums.keys
        if not len(index_keys):
            return PatternStatistics(np.zeros(len(keys), np.int64), np.ones(len(keys)))
        positions = np.minimum(np.searchsorted(index_keys, keys), len(index_keys) - 1)
        is_known = index_keys[positions] == keys
        coverage = np.where(is_known, self.sums.coverage[positions], 0).astype(np.int64)
        sums = self.sums.column_impurity if column_impurity else self.sums.impurity
        rate = sums[positions] / (np.maximum(coverage, 1) * float(IMPURITY_UNIT))
        return PatternStatistics(coverage, np.where(is_known, rate, 1.0))

    def look_up_pattern(
        self, pattern: Pattern | str, *, column_impurity: bool = False
    ) -> tuple[int, float]:
        """Return coverage and false-positive rate of one pattern: 0 and 1.0 if it is unknown."""
        key = pattern_key(Pattern.coerce(pattern))
        if key is None:
            return 0, 1.0
        statistics = self.look_up(np.array([key]), column_impurity=column_impurity)
        return int(statistics.coverage[0]), float(statistics.rate[0])

    def pruned(self, coverage: int = 2) -> PatternIndex:
        """Return the index without the patterns that fewer columns have.

        It is far smaller. Adding to it later is no longer exact.
        """
        sums = self.sums.where(self.sums.coverage >= coverage)
        keys = set(sums.keys.tolist())
        texts = {key: text for key, text in self.texts.items() if key in keys}
        return replace(self, sums=sums, texts=texts)

    @property
    def statistics(self) -> IndexStatistics:
        """The number of patterns, by coverage and by number of tokens."""
        levels = [n for n in (2, 5, 10, 100, 1000, 10_000) if n <= max(self.columns, 2)]
        by_coverage = {n: int((self.sums.coverage >= n).sum()) for n in levels}
        token_counts, patterns = np.unique(self.sums.keys & TOKEN_BITS, return_counts=True)
        by_tokens = {
            int(tokens): int(count) for tokens, count in zip(token_counts, patterns, strict=True)
        }
        patterns_total = len(self.sums.keys)
        return IndexStatistics(self.tables, self.columns, patterns_total, by_coverage, by_tokens)

    def split(self, parts: int) -> Iterator[PatternIndex]:
        """Split by ranges of keys. The ranges are the same for every index."""
        bounds = np.array([(part << 64) // parts for part in range(1, parts)], np.uint64)
        texts: list[dict[int, str]] = [{} for _ in range(parts)]
        text_keys = np.fromiter(self.texts, np.uint64, len(self.texts))
        part_of_text = np.searchsorted(bounds, text_keys, side="right").tolist()
        for part, (key, text) in zip(part_of_text, self.texts.items(), strict=True):
            texts[part][key] = text
        ends = [0, *np.searchsorted(self.sums.keys, bounds).tolist(), len(self.sums.keys)]
        for part_texts, (start, end) in zip(texts, pairwise(ends), strict=True):
            sums = PatternSums(*(array[start:end] for array in self.sums))
            yield PatternIndex(sums, part_texts, self.enumeration)

    def to_bytes(self) -> bytes:
        """Return the contents of the index file."""
        header = {
            "enumeration": asdict(self.enumeration),
            "tables": self.tables,
            "columns": self.columns,
        }
        return pack_index(header, self.sums, self.texts)

    @staticmethod
    def from_bytes(content: bytes | NDArray[np.uint8], source: str = "this") -> PatternIndex:
        """Read an index from the contents of its file, without copying the arrays.

        Parameters
        ----------
        content
            The result of `to_bytes`.
        source
            The name of the file, for error messages.

        Raises
        ------
        PatternIndexError
            If the content is damaged, of another version, or uses an unknown hierarchy.
        """
        header, arrays, texts = unpack_index(content, source, len(PatternSums._fields))
        try:
            enumeration = Enumeration(**header["enumeration"])
        except CheckError as error:
            raise PatternIndexError(
                f"{source} cannot be used: {error} Add the hierarchy to HIERARCHIES first, or build"
                " the index again."
            ) from None
        sums = PatternSums(*arrays)
        return PatternIndex(sums, texts, enumeration, header["tables"], header["columns"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file. An existing file is replaced atomically.

        Raises
        ------
        PatternIndexError
            If the file cannot be written.
        """
        write_index_file(Path(path), self.to_bytes())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> PatternIndex:
        """Open an index file. The arrays are memory-mapped.

        Raises
        ------
        PatternIndexError
            If the file does not exist, or is damaged.
        """
        if not isinstance(path, str | os.PathLike):
            raise PatternIndexError(f"index: expected the path of a file, got {path!r}.")
        return PatternIndex.from_bytes(map_index_file(Path(path)), str(path))


def require_index(name: str, value: object) -> None:
    """Require a `PatternIndex`, not the path of one."""
    if not isinstance(value, PatternIndex):
        raise CheckError(
            f"{name}: expected a PatternIndex, got {value!r}. Read a file with PatternIndex.load."
        )


class IndexAccumulator:
    """Add up many indexes in little memory.

    An index is added to another one of about its size. Each pattern is then copied about
    log2(number of indexes) times, and only as many partial sums are kept.
    """

    def __init__(self, first: PatternIndex) -> None:
        self._indexes = [first]

    def add(self, index: PatternIndex) -> None:
        """Add an index."""
        partial_sums = self._indexes
        partial_sums.append(index)
        while len(partial_sums) > 1 and (
            len(partial_sums[-2].sums.keys) <= 2 * len(partial_sums[-1].sums.keys)
        ):
            partial_sums.append(partial_sums.pop() + partial_sums.pop())

    def total(self) -> PatternIndex:
        """Return the sum of all indexes."""
        return reduce(operator.add, reversed(self._indexes))
