"""Frequency tables as states, and the base class of the analyzers that read them.

The state is a table of how often each value, or combination of values, occurs. Rows in which all
grouping columns are null are counted separately. All grouping analyzers over the same columns and
selection share one table and read a `Summary` of it. No metric needs the whole table in one place.
"""

from __future__ import annotations

import heapq
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol, runtime_checkable

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.bins import bin_of
from assay.analyzers.codec import decode, decode_all, encode
from assay.analyzers.hashing import hashed, key_of, label_of
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.schema import GROUPABLE, Column, Schema
from assay.analyzers.state import Invertible
from assay.errors import AssayError, NotComputableError

__all__ = [
    "Frequencies",
    "GroupKey",
    "Grouping",
    "GroupingAnalyzer",
    "Needs",
    "Summary",
    "Tabulated",
]

Key = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class GroupKey:
    """One expression that rows are grouped by.

    Parameters
    ----------
    name
        The name of the column.
    sql
        The expression.
    label
        SQL that shows the key as text, with ``{}`` in place of the key.
    root
        The top-level column that is read.
    hash
        SQL for the hash of the value, if its type has one.
    hidden
        True if the key is the hash. A stored table then shows how often values occur, not which.
    type
        The type of the column, if it is known.
    """

    name: str
    sql: str
    label: str
    root: str
    hash: str | None = None
    hidden: bool = False
    type: str | None = None

    @staticmethod
    def of(column: Column, analyzer: str) -> GroupKey:
        """Return the key of a column."""
        column.require(GROUPABLE, analyzer)
        try:
            digest = hashed(column)
        except NotComputableError:
            digest = None
        key, label = key_of(column), label_of("{}", column)
        return GroupKey(column.name, key, label, column.root, digest, type=column.type)

    def hash_values(self) -> GroupKey:
        """Return the key as hashes, if its type has a hash."""
        if self.hash is None or self.hidden:
            return self
        return replace(self, sql=self.hash, label="cast({} AS string)", hidden=True)

    def is_like(self, other: GroupKey) -> bool:
        """Return whether both are the same key of the same column, which has not changed its type.

        The type of a key that version 0.1 stored is not known.
        """
        same_type = self.type == other.type or self.type is None or other.type is None
        same_name = self.name.casefold() == other.name.casefold()
        return same_name and same_type and self.hidden == other.hidden


@dataclass(frozen=True, slots=True)
class Grouping:
    """A frequency table to compute: its keys and its selection."""

    keys: tuple[GroupKey, ...]
    where: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The top-level columns that rows are grouped by."""
        return tuple(dict.fromkeys(key.root for key in self.keys))

    @property
    def exposed_columns(self) -> frozenset[str]:
        """The top-level columns whose values the table contains, not only their hashes."""
        return frozenset(key.root for key in self.keys if not key.hidden)

    def hash_values(self) -> Grouping:
        """Return the grouping by hashes."""
        return Grouping(tuple(key.hash_values() for key in self.keys), self.where)

    def __str__(self) -> str:
        names = ", ".join(key.name for key in self.keys)
        return f"{names} where {self.where}" if self.where else names


@dataclass(frozen=True, slots=True)
class Needs:
    """The parts of a table's summary beyond the basic counts."""

    top: int = 0
    marginals: bool = False
    bins: tuple[int, ...] = ()

    @property
    def values(self) -> bool:
        """True if the values themselves are needed, not only their hashes."""
        return bool(self.top or self.bins)

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            max(self.top, other.top),
            self.marginals or other.marginals,
            tuple(sorted({*self.bins, *other.bins})),
        )


@dataclass(frozen=True)
class Summary:
    """The summary of a frequency table, from which grouping metrics are computed.

    `rows` and `groups` leave out the rows in which all keys are null; `nulls` is their number.
    `singles` is the number of groups of one row. `n_log_n` is ``Σ n ln n`` over the groups.
    """

    rows: int = 0
    groups: int = 0
    singles: int = 0
    n_log_n: float = 0.0
    nulls: int = 0
    top: tuple[tuple[str, int], ...] = ()
    marginals: tuple[Summary, ...] = ()
    bins: Mapping[int, tuple[float, float, tuple[int, ...]]] = field(default_factory=dict)

    def marginal(self, position: int) -> Summary:
        """Return the summary of one key, from the table of several.

        It adds the rows in which *all* keys are null, which the table counts separately.
        """
        alone = self.marginals[position]
        return Summary(
            alone.rows, alone.groups, alone.singles, alone.n_log_n, alone.nulls + self.nulls
        )

    def with_margins(self, alone: Sequence[Summary]) -> Summary:
        """Add margins from the summaries of each key; the inverse of `marginal`."""
        margins = (
            Summary(
                summary.rows,
                summary.groups,
                summary.singles,
                summary.n_log_n,
                summary.nulls - self.nulls,
            )
            for summary in alone
        )
        return replace(self, marginals=tuple(margins))


@runtime_checkable
class Tabulated(Protocol):
    """A frequency table in Spark, in files or on the driver."""

    def summary(self, needs: Needs) -> Summary:
        """Summarize the table."""


@dataclass(frozen=True)
class Frequencies(Invertible):
    """A frequency table on the driver, for small tables."""

    kind: ClassVar[str] = "frequencies"
    counts: Mapping[Key, int]

    @classmethod
    def identity(cls) -> Frequencies:
        """Return the state of no rows."""
        return cls({})

    @classmethod
    def of(cls, keys: Iterable[Key]) -> Frequencies:
        """Count keys."""
        return cls(dict(Counter(keys)))

    def __add__(self, other: Frequencies) -> Frequencies:
        return Frequencies.merged((self, other))

    @classmethod
    def merged(cls, states: Iterable[Frequencies]) -> Frequencies:
        """Merge tables key by key."""
        total: Counter[Key] = Counter()
        for state in states:
            total.update(state.counts)
        return cls(dict(total))

    def __sub__(self, other: Frequencies) -> Frequencies:
        remaining = Counter(self.counts)
        remaining.subtract(other.counts)
        return Frequencies({key: n for key, n in remaining.items() if n})

    def payload(self) -> bytes:
        """Return the counts in the order of the keys, so that equal tables have equal bytes."""
        ordered = sorted(self.counts.items(), key=lambda pair: tuple(map(_sortable, pair[0])))
        return encode(tuple((key, n) for key, n in ordered))

    @classmethod
    def from_payload(cls, payload: bytes) -> Frequencies:
        """Create the state from what `payload` returns."""
        return cls(dict(decode(payload)))

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Frequencies:
        """Merge the states of many payloads."""
        return cls.merged(cls(dict(pairs)) for pairs in decode_all(payloads))

    def summary(self, needs: Needs) -> Summary:
        """Summarize the table."""
        width = len(next(iter(self.counts), ()))
        live = dict(self.counts)
        nulls = live.pop((None,) * width, 0)
        marginals: tuple[Summary, ...] = ()
        if needs.marginals:
            marginals = tuple(Frequencies(live).margin(at).summary(Needs()) for at in range(width))
        top: list[tuple[str, int]] = []
        if needs.top:
            labelled = ((_label(key), n) for key, n in live.items())
            top = heapq.nsmallest(needs.top, labelled, key=_most_frequent)
        counts = list(live.values())
        return Summary(
            rows=sum(counts),
            groups=len(counts),
            singles=counts.count(1),
            n_log_n=math.fsum(n * math.log(n) for n in counts if n != 1),
            nulls=nulls,
            top=tuple(top),
            marginals=marginals,
            bins={number: _binned(live, number) for number in needs.bins},
        )

    def margin(self, position: int) -> Frequencies:
        """Return the table of the key at this position."""
        alone: Counter[Key] = Counter()
        for key, n in self.counts.items():
            alone[(key[position],)] += n
        return Frequencies(dict(alone))

    def metric(self) -> Value | Undefined:
        """Return the ten most frequent values."""
        summary = self.summary(Needs(top=10))
        top = dict(summary.top)
        other = summary.rows - sum(top.values())
        return Distribution(top, other=other, nulls=summary.nulls, groups=summary.groups)


def _label(key: Key) -> str:
    return ", ".join("null" if part is None else part for part in key)


def _most_frequent(pair: tuple[str, int]) -> tuple[int, str]:
    return -pair[1], pair[0]


def _sortable(part: str | None) -> tuple[bool, str]:
    return part is not None, part or ""


def _binned(live: Mapping[Key, int], number: int) -> tuple[float, float, tuple[int, ...]]:
    values = [(float(key[0] or "nan"), n) for key, n in live.items()]
    values = [(x, n) for x, n in values if math.isfinite(x)]
    if not values:
        return 0.0, 0.0, ()
    low, high = min(values)[0], max(values)[0]
    counts = [0] * number
    for x, n in values:
        counts[bin_of(x, low, high, number)] += n
    return low, high, tuple(counts)


@dataclass(frozen=True)
class GroupingAnalyzer(Analyzer):
    """The base class of analyzers whose state is a frequency table."""

    abstract: ClassVar[bool] = True

    @abstractmethod
    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """Return the expressions that rows are grouped by."""

    @abstractmethod
    def present(self, summary: Summary) -> Value | Undefined:
        """Compute the metric from the summary of a table."""

    def needs(self) -> Needs:
        """Return what the summary must contain beyond the basic counts."""
        return Needs()

    def grouping(self, schema: Schema) -> Grouping:
        """Return the frequency table that the analyzer reads."""
        return Grouping(self.keys(schema), self.on(schema).where)

    def exposed_columns(self, schema: Schema, *, hash_values: bool = False) -> frozenset[str]:
        """Return the columns that rows are grouped by.

        Parameters
        ----------
        schema
            The schema of the table.
        hash_values
            True if the frequency table has hashes instead of values, as it is planned with
            ``plan_for(…, hash_values=True)``. Metrics that show values need them all the same.
        """
        try:
            grouping = self.grouping(schema)
        except (AssayError, ValueError):  # it cannot be measured on this schema
            return super().exposed_columns(schema)
        if hash_values and not self.needs().values:
            grouping = grouping.hash_values()
        columns = set(grouping.exposed_columns)
        for sql in self.expressions:
            columns |= schema.possibly_mentioned(sql)
        return frozenset(columns)

    def metric(self, state: Tabulated) -> Value | Undefined:
        """Compute the metric from a frequency table."""
        return self.present(state.summary(self.needs()))

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        self.grouping(schema)
