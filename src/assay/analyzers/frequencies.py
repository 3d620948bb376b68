"""Value frequencies: distinctness, uniqueness, entropy, mutual information.

The state is the table of how often each value (or combination of values) occurs. Rows in which
every grouping column is null do not count; they are remembered apart. All grouping analyzers over
the same columns and selection share one such table, and read a `Summary` of it: no metric needs
the whole table in one place.
"""

from __future__ import annotations

import heapq
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol, runtime_checkable

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.analyzer import COLUMNS, Analyzer
from assay.analyzers.bins import bin_of
from assay.analyzers.codec import decode, decode_all, encode
from assay.analyzers.hashing import hashed, key_of, label_of
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.row_predicate import CountedRows, MatchingRows
from assay.analyzers.schema import GROUPABLE, Column, Schema
from assay.analyzers.state import Invertible
from assay.errors import AssayError, NotComputableError

__all__ = [
    "CountDistinct",
    "Distinctness",
    "DuplicateRowCount",
    "Entropy",
    "Frequencies",
    "GroupKey",
    "Grouping",
    "GroupingAnalyzer",
    "MutualInformation",
    "Needs",
    "Summary",
    "Tabulated",
    "UniqueValueRatio",
    "Uniqueness",
]

_NO_VALUES = Undefined("there are no values")
Key = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class GroupKey:
    """One expression that rows are grouped by: its SQL, how to show it, the columns it reads.

    A hidden key is the hash of the value (`hash`, where its type has one): what is remembered then
    tells how often values occur, but not which.
    """

    name: str
    sql: str
    label: str
    root: str
    hash: str | None = None
    hidden: bool = False

    @staticmethod
    def of(column: Column, asked: str) -> GroupKey:
        """The key of a column; `label` has a place for wherever the key stands later."""
        column.require(GROUPABLE, asked)
        try:
            digest = hashed(column)
        except NotComputableError:
            digest = None
        return GroupKey(column.name, key_of(column), label_of("{}", column), column.root, digest)

    def hash_values(self) -> GroupKey:
        """The same key as hashes, where its type has one."""
        if self.hash is None or self.hidden:
            return self
        return replace(self, sql=self.hash, label="cast({} AS string)", hidden=True)


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which table of frequencies: the keys and the selection."""

    keys: tuple[GroupKey, ...]
    where: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The top-level columns it groups by."""
        return tuple(dict.fromkeys(key.root for key in self.keys))

    @property
    def exposed_columns(self) -> frozenset[str]:
        """The top-level columns whose values the table contains, not only their hashes."""
        return frozenset(key.root for key in self.keys if not key.hidden)

    def hash_values(self) -> Grouping:
        """The same grouping by hashes."""
        return Grouping(tuple(key.hash_values() for key in self.keys), self.where)

    def __str__(self) -> str:
        names = ", ".join(key.name for key in self.keys)
        return f"{names} where {self.where}" if self.where else names


@dataclass(frozen=True, slots=True)
class Needs:
    """What of the table must be summed up beyond the basic counts."""

    top: int = 0
    marginals: bool = False
    bins: tuple[int, ...] = ()

    @property
    def values(self) -> bool:
        """Whether hashes would not do."""
        return bool(self.top or self.bins)

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            max(self.top, other.top),
            self.marginals or other.marginals,
            tuple(sorted({*self.bins, *other.bins})),
        )


@dataclass(frozen=True)
class Summary:
    """What grouping metrics are made of.

    `rows` and `groups` leave out the rows in which every key is null (`nulls` of them); `singles`
    are the groups of one row; `n_log_n` is ``Σ n ln n`` over the groups.
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
        """The summary of one key alone, from the table of several.

        Only the rows in which *every* key is null are missing from it, and they are known.
        """
        alone = self.marginals[position]
        return Summary(
            alone.rows, alone.groups, alone.singles, alone.n_log_n, alone.nulls + self.nulls
        )

    def with_margins(self, alone: Sequence[Summary]) -> Summary:
        """The same with its margins, from the summaries of each key alone: `marginal`'s inverse."""
        margins = (
            Summary(each.rows, each.groups, each.singles, each.n_log_n, each.nulls - self.nulls)
            for each in alone
        )
        return replace(self, marginals=tuple(margins))


@runtime_checkable
class Tabulated(Protocol):
    """A table of frequencies, wherever it is kept."""

    def summary(self, needs: Needs) -> Summary:
        """Sum it up."""


@dataclass(frozen=True)
class Frequencies(Invertible):
    """A table of frequencies on the driver, for tables that are known to be small."""

    kind: ClassVar[str] = "frequencies"
    counts: Mapping[Key, int]

    @classmethod
    def identity(cls) -> Frequencies:
        """No rows."""
        return cls({})

    @classmethod
    def of(cls, keys: Iterable[Key]) -> Frequencies:
        """The frequencies of these keys."""
        return cls(dict(Counter(keys)))

    def __add__(self, other: Frequencies) -> Frequencies:
        return Frequencies.merged((self, other))

    @classmethod
    def merged(cls, states: Iterable[Frequencies]) -> Frequencies:
        """All of these as one, key by key."""
        total: Counter[Key] = Counter()
        for state in states:
            total.update(state.counts)
        return cls(dict(total))

    def __sub__(self, other: Frequencies) -> Frequencies:
        left = Counter(self.counts)
        left.subtract(other.counts)
        return Frequencies({key: n for key, n in left.items() if n})

    def payload(self) -> bytes:
        """The counts in the order of the keys, so that equal tables have equal bytes."""
        ordered = sorted(self.counts.items(), key=lambda pair: tuple(map(_sortable, pair[0])))
        return encode(tuple((key, n) for key, n in ordered))

    @classmethod
    def from_payload(cls, payload: bytes) -> Frequencies:
        """The inverse of `payload`."""
        return cls(dict(decode(payload)))

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Frequencies:
        """The counts of all, key by key."""
        return cls.merged(cls(dict(pairs)) for pairs in decode_all(payloads))

    def summary(self, needs: Needs) -> Summary:
        """Sum it up."""
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
        """The table of one of the keys alone."""
        alone: Counter[Key] = Counter()
        for key, n in self.counts.items():
            alone[(key[position],)] += n
        return Frequencies(dict(alone))

    def metric(self) -> Value | Undefined:
        """The ten most frequent values."""
        summary = self.summary(Needs(top=10))
        head = dict(summary.top)
        rest = summary.rows - sum(head.values())
        return Distribution(head, other=rest, nulls=summary.nulls, groups=summary.groups)


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
    """An analyzer whose state is a table of frequencies."""

    abstract: ClassVar[bool] = True

    @abstractmethod
    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """What rows are grouped by."""

    @abstractmethod
    def present(self, summary: Summary) -> Value | Undefined:
        """The metric, from a table's summary."""

    def needs(self) -> Needs:
        """What the summary must hold beyond the counts."""
        return Needs()

    def grouping(self, schema: Schema) -> Grouping:
        """The table of frequencies it reads."""
        return Grouping(self.keys(schema), self.on(schema).where)

    def exposed_columns(self, schema: Schema, *, hash_values: bool = False) -> frozenset[str]:
        """Return the columns that rows are grouped by.

        Parameters
        ----------
        schema
            The schema of the table.
        hash_values
            Whether the frequency table has hashes instead of values, as it is planned with
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
        """What a table of frequencies says to this analyzer's question."""
        return self.present(state.summary(self.needs()))

    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""
        self.grouping(schema)


@dataclass(frozen=True)
class _ColumnsAnalyzer(GroupingAnalyzer):
    abstract: ClassVar[bool] = True

    columns: Sequence[str] | str = field(metadata=COLUMNS)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """The columns, in the order of their names: ``(a, b)`` and ``(b, a)`` are one grouping."""
        if not self.columns:
            raise ValueError(f"{type(self).__name__} needs at least one column")
        return _keys((schema.column(name) for name in self.columns), type(self).__name__)


@dataclass(frozen=True)
class CountDistinct(_ColumnsAnalyzer):
    """The number of distinct values, exactly (deequ-vldb18, Table 2)."""

    def present(self, summary: Summary) -> Value | Undefined:
        """``|V|``."""
        return summary.groups


@dataclass(frozen=True)
class Distinctness(_ColumnsAnalyzer):
    """Distinct values over rows, ``|V| / N``."""

    def present(self, summary: Summary) -> Value | Undefined:
        """``|V| / N``."""
        return summary.groups / summary.rows if summary.rows else _NO_VALUES


@dataclass(frozen=True)
class Uniqueness(_ColumnsAnalyzer):
    """Values that occur exactly once over rows, ``|{v : c_v = 1}| / N``.

    (Its namesake in deequ-vldb18, 3.1, divides by the number of values: here `UniqueValueRatio`.)
    """

    def present(self, summary: Summary) -> Value | Undefined:
        """``|{v : c_v = 1}| / N``."""
        return summary.singles / summary.rows if summary.rows else _NO_VALUES

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Rows whose values occur once, among the rows that have a value."""
        has_value, is_single = _occurrence(self, schema)
        return MatchingRows(is_single, among=has_value)


@dataclass(frozen=True)
class UniqueValueRatio(_ColumnsAnalyzer):
    """Values that occur exactly once over distinct values, ``|{v : c_v = 1}| / |V|``."""

    def present(self, summary: Summary) -> Value | Undefined:
        """``|{v : c_v = 1}| / |V|``."""
        return summary.singles / summary.groups if summary.groups else _NO_VALUES


@dataclass(frozen=True)
class Entropy(_ColumnsAnalyzer):
    """The entropy of the values in nats, ``-Σ c_v/N ln(c_v/N) = ln N - (Σ c_v ln c_v)/N``."""

    def present(self, summary: Summary) -> Value | Undefined:
        """``ln N - (Σ c_v ln c_v)/N``, never below zero."""
        if not summary.rows:
            return _NO_VALUES
        return max(0.0, math.log(summary.rows) - summary.n_log_n / summary.rows)


@dataclass(frozen=True)
class MutualInformation(_ColumnsAnalyzer):
    """What one column tells of the other, in nats (deequ-vldb18, 3.1).

    ``Σ c_ab/N ln(c_ab N / (c_a c_b))`` over the rows in which at least one of both has a value; a
    null beside a value counts as a value of its own.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.columns)) != 2:
            raise ValueError(f"mutual information is of two columns, not of {self.columns!r}")

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """Both columns."""
        keys = super().keys(schema)
        if len(keys) != 2:
            raise ValueError(f"{' and '.join(self.columns)} are one column")
        return keys

    def needs(self) -> Needs:
        """The table and both its margins."""
        return Needs(marginals=True)

    def present(self, summary: Summary) -> Value | Undefined:
        """``ln N + (Σ c_ab ln c_ab - Σ c_a ln c_a - Σ c_b ln c_b) / N``, never below zero."""
        if not summary.rows:
            return _NO_VALUES
        margins = math.fsum(m.n_log_n + _n_log_n(m.nulls) for m in summary.marginals)
        return max(0.0, math.log(summary.rows) + (summary.n_log_n - margins) / summary.rows)


@dataclass(frozen=True)
class DuplicateRowCount(GroupingAnalyzer):
    """How many rows repeat another one in these columns, or in all: ``N - |V|``."""

    columns: Sequence[str] | str = field(default=(), metadata=COLUMNS)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """The columns named, or all there are."""
        named = [schema.column(name) for name in self.columns] or schema.columns
        return _keys(named, "DuplicateRowCount")

    def present(self, summary: Summary) -> Value | Undefined:
        """``N - |V|``."""
        return summary.rows - summary.groups

    def row_predicate(self, schema: Schema) -> CountedRows:
        """Rows that repeat another row."""
        has_value, is_single = _occurrence(self, schema)
        return CountedRows(f"({has_value} AND NOT {is_single})")


def _occurrence(analyzer: GroupingAnalyzer, schema: Schema) -> tuple[str, str]:
    """Return SQL for whether a row has a value, and whether no other row has the same values."""
    keys = [key.sql for key in analyzer.keys(schema)]
    selected = "true" if analyzer.where is None else condition(analyzer.where)
    has_value = " OR ".join(f"{key} IS NOT NULL" for key in keys)
    row_count = f"count_if({selected}) OVER (PARTITION BY {', '.join(keys)})"
    return f"({has_value})", f"({row_count} = 1)"


def _keys(columns: Iterable[Column], asked: str) -> tuple[GroupKey, ...]:
    """One key for each column, however it was spelled, in the order of their names."""
    named = {column.sql: column for column in columns}
    return tuple(GroupKey.of(named[sql], asked) for sql in sorted(named))


def _n_log_n(n: int) -> float:
    return n * math.log(n) if n else 0.0
