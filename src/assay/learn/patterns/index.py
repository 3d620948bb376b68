"""The index of a lake: of every pattern, in how many columns it occurs and how pure they are.

One file to be shipped with the lake: hashes in order, coverage, impurities, memory-mapped and
looked up by binary search; then the texts of the patterns that describe whole columns. What it
keeps are sums over columns, so that indexes add up (auto-validate, section 2.4):

    FPR_T(p) = sum of Imp_D(p) over the columns D in which p occurs / Cov_T(p)        (eq. 4)
"""

from __future__ import annotations

import json
import operator
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.checks.pattern import Pattern
from assay.errors import CheckError, PatternIndexError
from assay.learn.patterns.candidates import TOKENS, key_of
from assay.learn.patterns.evidence import PARTS, Enumeration, Evidence
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy

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

_MAGIC = b"assay patterns\n\0"
VERSION = 1
_ALIGNED = 64
_NUMBERS = np.dtype("<u8")


class PatternStatistics(NamedTuple):
    """What an index knows of some patterns: 0 columns where it knows nothing."""

    coverage: NDArray[np.int64]
    rate: NDArray[np.float64]


@dataclass(frozen=True)
class IndexStatistics:
    """An index in numbers: patterns in so many columns and more, patterns of so many tokens.

    Figure 13 of the paper.
    """

    tables: int
    columns: int
    patterns: int
    by_coverage: Mapping[int, int]
    by_tokens: Mapping[int, int]

    def __str__(self) -> str:
        head = f"{self.patterns:,} patterns of {self.columns:,} columns of {self.tables:,} tables"
        rest = ", ".join(f"{n:,} in {low:,} and more" for low, n in self.by_coverage.items())
        return f"{head}: {rest}"


class PatternSums(NamedTuple):
    """Patterns by their hashes, in order: columns they occur in, and sums of both impurities."""

    keys: NDArray[np.uint64]
    coverage: NDArray[np.uint64]
    impurity: NDArray[np.uint64]
    column_impurity: NDArray[np.uint64]

    @staticmethod
    def of(*columns: NDArray[Any]) -> PatternSums:
        """Keys in any order, each as often as it may be, and what stands beside them."""
        keys, *beside = (np.asarray(each, np.uint64) for each in columns)
        if not len(keys):
            return PatternSums(keys, *beside)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        return PatternSums(keys[first], *(np.add.reduceat(each[order], first) for each in beside))

    def where(self, kept: NDArray[np.bool_]) -> PatternSums:
        """Some of them."""
        return PatternSums(*(each[kept] for each in self))


@dataclass(frozen=True, eq=False)
class PatternIndex:
    """The patterns of a lake's columns, and the texts of those that describe whole columns."""

    sums: PatternSums
    texts: Mapping[int, str]
    enumeration: Enumeration = field(default_factory=Enumeration)
    tables: int = 0
    columns: int = 0

    @staticmethod
    def empty(enumeration: Enumeration | None = None) -> PatternIndex:
        """The index of no lake."""
        return PatternIndex(
            PatternSums(*[np.zeros(0, np.uint64)] * 4), {}, enumeration or Enumeration()
        )

    @staticmethod
    def of(found: Iterable[Evidence], enumeration: Enumeration, *, tables: int = 0) -> PatternIndex:
        """The index of some columns."""
        every = list(found)
        if not every:
            return PatternIndex.empty(enumeration)
        keys = np.concatenate([each.keys for each in every])
        sums = PatternSums.of(
            keys,
            np.ones(len(keys), np.uint64),
            np.concatenate([each.impurity for each in every]),
            np.concatenate([each.column_impurity for each in every]),
        )
        texts = {key: text for each in every for key, text in each.texts.items()}
        return PatternIndex(sums, texts, enumeration, tables, len(every))

    @property
    def hierarchy(self) -> Hierarchy:
        """What runs were generalised to."""
        return HIERARCHIES[self.enumeration.hierarchy]

    def __add__(self, other: PatternIndex) -> PatternIndex:
        """The index of both lakes, which have no column in common."""
        if self.enumeration != other.enumeration:
            raise PatternIndexError(
                f"indexes that were built differently cannot be added: {self.enumeration} and"
                f" {other.enumeration}; build one of them again."
            )
        both = zip(self.sums, other.sums, strict=True)
        return replace(
            self,
            sums=PatternSums.of(*(np.concatenate(each) for each in both)),
            texts={**self.texts, **other.texts},
            tables=self.tables + other.tables,
            columns=self.columns + other.columns,
        )

    def __sub__(self, other: PatternIndex) -> PatternIndex:
        """The index without a part that was added before."""
        keys = self.sums.keys
        at = np.searchsorted(keys, other.sums.keys)
        if len(at) and (at[-1] == len(keys) or (keys[at] != other.sums.keys).any()):
            raise PatternIndexError("only what was added to an index can be taken out again.")
        left = PatternSums(*map(np.array, self.sums))
        for mine, theirs in zip(left[1:], other.sums[1:], strict=True):
            mine[at] -= theirs
        return replace(
            self,
            sums=left.where(left.coverage > 0),
            tables=self.tables - other.tables,
            columns=self.columns - other.columns,
        )

    def look_up(
        self, keys: NDArray[np.uint64], *, column_impurity: bool = False
    ) -> PatternStatistics:
        """Coverage and false-positive rate of patterns, by their hashes.

        `whole` takes the paper's impurity, of all rows of a column.
        """
        known_keys = self.sums.keys
        if not len(known_keys):
            return PatternStatistics(np.zeros(len(keys), np.int64), np.ones(len(keys)))
        at = np.minimum(np.searchsorted(known_keys, keys), len(known_keys) - 1)
        known = known_keys[at] == keys
        coverage = np.where(known, self.sums.coverage[at], 0).astype(np.int64)
        sums = self.sums.column_impurity if column_impurity else self.sums.impurity
        rate = sums[at] / (np.maximum(coverage, 1) * float(PARTS))
        return PatternStatistics(coverage, np.where(known, rate, 1.0))

    def look_up_pattern(
        self, pattern: Pattern | str, *, column_impurity: bool = False
    ) -> tuple[int, float]:
        """Coverage and false-positive rate of one pattern: 0 columns where it is not known."""
        key = key_of(Pattern.taken(pattern))
        if key is None:
            return 0, 1.0
        looked = self.look_up(np.array([key]), column_impurity=column_impurity)
        return int(looked.coverage[0]), float(looked.rate[0])

    def pruned(self, coverage: int = 2) -> PatternIndex:
        """Without the patterns of fewer columns: far smaller, but no longer exact when added to."""
        sums = self.sums.where(self.sums.coverage >= coverage)
        keys = set(sums.keys.tolist())
        texts = {key: text for key, text in self.texts.items() if key in keys}
        return replace(self, sums=sums, texts=texts)

    @property
    def statistics(self) -> IndexStatistics:
        """How many patterns there are, in how many columns and of how many tokens."""
        lows = [low for low in (2, 5, 10, 100, 1000, 10_000) if low <= max(self.columns, 2)]
        counts = {low: int((self.sums.coverage >= low).sum()) for low in lows}
        tokens, patterns = np.unique(self.sums.keys & TOKENS, return_counts=True)
        lengths = {int(each): int(n) for each, n in zip(tokens, patterns, strict=True)}
        return IndexStatistics(self.tables, self.columns, len(self.sums.keys), counts, lengths)

    def split(self, parts: int) -> Iterator[PatternIndex]:
        """Its patterns by ranges of their hashes, which are the same for every index."""
        bounds = np.array([(part << 64) // parts for part in range(1, parts)], np.uint64)
        texts: list[dict[int, str]] = [{} for _ in range(parts)]
        keys = np.fromiter(self.texts, np.uint64, len(self.texts))
        ranges = np.searchsorted(bounds, keys, side="right").tolist()
        for part, (key, text) in zip(ranges, self.texts.items(), strict=True):
            texts[part][key] = text
        ends = [0, *np.searchsorted(self.sums.keys, bounds).tolist(), len(self.sums.keys)]
        for some, (start, end) in zip(texts, pairwise(ends), strict=True):
            sums = PatternSums(*(each[start:end] for each in self.sums))
            yield PatternIndex(sums, some, self.enumeration)

    def to_bytes(self) -> bytes:
        """The index as it stands in a file."""
        texts = json.dumps({f"{key:016x}": text for key, text in sorted(self.texts.items())})
        packed = zlib.compress(texts.encode(), 6)
        header = {
            "version": VERSION,
            "patterns": len(self.sums.keys),
            "texts": len(packed),
            "enumeration": asdict(self.enumeration),
            "tables": self.tables,
            "columns": self.columns,
        }
        text = json.dumps(header).encode()
        blocks = [_MAGIC, len(text).to_bytes(8, "little"), text]
        blocks.append(b"\0" * (-sum(map(len, blocks)) % _ALIGNED))
        for column in self.sums:
            block = np.ascontiguousarray(column, _NUMBERS).tobytes()
            blocks += [block, b"\0" * (-len(block) % _ALIGNED)]
        whole = b"".join([*blocks, packed])
        return whole + zlib.crc32(whole).to_bytes(4, "little")

    @staticmethod
    def from_bytes(content: bytes | NDArray[np.uint8], source: str = "this") -> PatternIndex:
        """The inverse of `to_bytes`, which copies no numbers; what is damaged is refused."""
        found = np.frombuffer(content, np.uint8)
        start = len(_MAGIC) + 8
        if found[: len(_MAGIC)].tobytes() != _MAGIC or len(found) < start + 4:
            raise PatternIndexError(f"{source} is no index of patterns.")
        length = int.from_bytes(found[len(_MAGIC) : start].tobytes(), "little")
        stored = int.from_bytes(found[-4:].tobytes(), "little")
        if start + length > len(found) or zlib.crc32(found[:-4].data) != stored:
            raise PatternIndexError(
                f"{source} is damaged: its checksum is not that of its contents; build it again."
            )
        header = json.loads(found[start : start + length].tobytes())
        if header["version"] != VERSION:
            raise PatternIndexError(
                f"{source} is of version {header['version']}, and version {VERSION} is understood:"
                " use a newer Assay, or build it again."
            )
        try:
            enumeration = Enumeration(**header["enumeration"])
        except CheckError as error:
            raise PatternIndexError(
                f"{source} cannot be used: {error} Add the hierarchy to HIERARCHIES first, or build"
                " the index again."
            ) from None
        at = start + length
        arrays = []
        for _ in PatternSums._fields:
            at += -at % _ALIGNED
            size = header["patterns"] * _NUMBERS.itemsize
            arrays.append(found[at : at + size].view(_NUMBERS))
            at += size
        at += -at % _ALIGNED
        texts = json.loads(zlib.decompress(found[at : at + header["texts"]].tobytes()))
        return PatternIndex(
            PatternSums(*arrays),
            {int(key, 16): text for key, text in texts.items()},
            enumeration,
            header["tables"],
            header["columns"],
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, which is there wholly or not at all."""
        target = Path(path)
        if target.is_dir():
            raise PatternIndexError(f"{target} cannot be written: it is a directory.")
        if not target.absolute().parent.is_dir():
            raise PatternIndexError(f"{target} cannot be written: its directory is not there.")
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with partial.open("wb") as file:
                file.write(self.to_bytes())
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
        except OSError as error:
            raise PatternIndexError(f"{target} cannot be written: {error.strerror}.") from None
        finally:
            partial.unlink(missing_ok=True)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> PatternIndex:
        """The index in a file, memory-mapped; a damaged file is refused."""
        if not isinstance(path, str | os.PathLike):
            raise PatternIndexError(f"an index is read from a path, not from {path!r}.")
        source = Path(path)
        try:
            mapped = np.memmap(source, dtype=np.uint8, mode="r")
        except FileNotFoundError:
            raise PatternIndexError(
                f"there is no index at {source}; build one with build_index(…).save(…)."
            ) from None
        except (OSError, ValueError) as error:
            raise PatternIndexError(f"{source} cannot be read as an index: {error}.") from None
        return PatternIndex.from_bytes(mapped, str(source))


def require_index(name: str, value: object) -> None:
    """It is an index, and not the path of one."""
    if not isinstance(value, PatternIndex):
        raise CheckError(f"{name} is an index, PatternIndex.load(path) reads one, not {value!r}.")


class IndexAccumulator:
    """Indexes that are added up as they come: each only to those of its size.

    So that of a thousand each is added some ten times, and no more are held than that.
    """

    def __init__(self, first: PatternIndex) -> None:
        self._indexes = [first]

    def add(self, index: PatternIndex) -> None:
        """One more."""
        held = self._indexes
        held.append(index)
        while len(held) > 1 and len(held[-2].sums.keys) <= 2 * len(held[-1].sums.keys):
            held.append(held.pop() + held.pop())

    def total(self) -> PatternIndex:
        """All of them as one."""
        return reduce(operator.add, reversed(self._indexes))
