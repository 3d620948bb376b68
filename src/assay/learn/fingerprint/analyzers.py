"""The analyzers of a fingerprint, which every batch gets besides those of its checks.

They run in the same scan as the checks. `FingerprintPlan` lists the analyzers of each column. It
separates the states of a fingerprint from states that only checks need.

>>> plan = plan_fingerprint(Schema.of(amount="double", code="string", tags="array<string>"))
>>> [analyzer.key for analyzer in plan.analyzers if "tags" in analyzer.key]
['Completeness(tags)', 'ApproxCountDistinct(tags)', 'Checksum(tags)']
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

from assay.analyzers import (
    ApproxCountDistinct,
    ApproxQuantiles,
    CharacterProfile,
    Checksum,
    Completeness,
    EmptyStringCount,
    IntegerCount,
    Maximum,
    Minimum,
    NegativeCount,
    NullSignature,
    RepeatedValueCount,
    RowProfile,
    ShapeProfile,
    Size,
    StandardDeviation,
    Sum,
    ValueProfile,
    ZerosCount,
)
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import COMPARABLE, GROUPABLE, NUMERIC, TEXT, Column, Schema
from assay.errors import AssayError
from assay.learn.fingerprint.column_stats import ColumnKind
from assay.learn.fingerprint.metric_registry import measured_apart

__all__ = [
    "ColumnPlan",
    "FingerprintPlan",
    "fingerprint_analyzers",
    "plan_fingerprint",
    "reconstruct_plan",
]


@dataclass(frozen=True, kw_only=True)
class ColumnPlan:
    """The properties of a column that decide its analyzers.

    Parameters
    ----------
    name
        The column.
    hashable
        True if distinct values and a checksum are computed.
    comparable
        True if the most frequent values are counted.
    numeric
        True if it holds numbers.
    text
        True if it holds strings.
    private
        True if no values may be kept, only hashes, counts and moments.
    one_in
        A column with many values has a sample: one in this number of values, chosen by its hash.
        It is 1 for all values, without a sample.
    key_one_in
        For a column that may be a key, the repeated values of a larger sample are counted: one in
        this number of values. It is 0 for other columns.
    registered
        The analyzers of metrics that users registered. A stored plan does without them.
    """

    name: str
    hashable: bool = False
    comparable: bool = False
    numeric: bool = False
    text: bool = False
    private: bool = False
    one_in: int = 1
    key_one_in: int = 0
    registered: tuple[Analyzer, ...] = field(default=(), compare=False)

    @property
    def kind(self) -> ColumnKind:
        """The kind of its metrics."""
        return "numeric" if self.numeric else "categorical"

    @property
    def sample(self) -> ValueProfile | None:
        """The sample of its values, or None."""
        if self.one_in == 1 or not (self.comparable and self.hashable):
            return None
        return ValueProfile(self.name, hidden=self.private, one_in=self.one_in)

    @property
    def repeated_values(self) -> RepeatedValueCount | None:
        """The count of repeated values, if the column may be a key."""
        if not self.key_one_in or not self.hashable:
            return None
        return RepeatedValueCount(self.name, one_in=self.key_one_in)

    @property
    def analyzers(self) -> tuple[Analyzer, ...]:
        """The analyzers of this column, without the registered ones."""
        return tuple(self._analyzers())

    def _analyzers(self) -> Iterator[Analyzer]:
        name = self.name
        yield Completeness(name)
        if self.hashable:
            yield from (ApproxCountDistinct(name), Checksum(name))
        if self.repeated_values is not None:
            yield self.repeated_values
        if self.comparable:
            yield ValueProfile(name, hidden=self.private)
            if self.sample is not None:
                yield self.sample
        if self.numeric:
            if not self.private:
                yield from (Minimum(name), Maximum(name))
            yield from (Sum(name), StandardDeviation(name))
            yield from (ZerosCount(name), NegativeCount(name), IntegerCount(name))
            if not self.private:
                # A quantile sketch keeps some of the values.
                yield ApproxQuantiles(name)
        if self.text:
            yield from (CharacterProfile(name), EmptyStringCount(name))
            if not self.private:
                yield ShapeProfile(name)


@dataclass(frozen=True)
class FingerprintPlan:
    """The columns of a fingerprint, and their analyzers.

    A gate stores it with the batch, so that states of checks are never mistaken for the
    fingerprint's.
    """

    kind: ClassVar[str] = "fingerprint plan"
    version: ClassVar[int] = 1

    columns: tuple[ColumnPlan, ...]
    #: measured for the judges of repeated rows; a stored plan does without it
    rows: RowProfile | None = field(default=None, compare=False)
    #: measured for the judges of relations and keys; a stored plan does without them
    relations: tuple[Analyzer, ...] = field(default=(), compare=False)

    @property
    def analyzers(self) -> tuple[Analyzer, ...]:
        """All analyzers of the fingerprint."""
        of_columns = (
            analyzer
            for column in self.columns
            for analyzer in (*column.analyzers, *column.registered)
        )
        of_rows = () if self.rows is None else (self.rows,)
        return (Size(), NullSignature(), *of_rows, *self.relations, *of_columns)

    def to_json(self) -> Any:
        """Return the plan as JSON values: the properties of each column that are true."""
        return {
            column.name: [
                *(flag for flag in _FLAGS if getattr(column, flag)),
                *([f"{_ONE_IN}{column.one_in}"] if column.one_in > 1 else []),
                *([f"{_KEY_ONE_IN}{column.key_one_in}"] if column.key_one_in else []),
            ]
            for column in self.columns
        }

    @classmethod
    def from_json(cls, document: Any) -> FingerprintPlan:
        """Read what `to_json` returned."""
        return cls(tuple(_read_column(name, flags) for name, flags in document.items()))


_FLAGS = ("hashable", "comparable", "numeric", "text", "private")
_ONE_IN, _KEY_ONE_IN = "one_in=", "key_one_in="


def _read_column(name: str, flags: Sequence[str]) -> ColumnPlan:
    properties: dict[str, Any] = dict.fromkeys((flag for flag in flags if flag in _FLAGS), True)
    return ColumnPlan(
        name=name,
        one_in=_read_rate(flags, _ONE_IN, 1),
        key_one_in=_read_rate(flags, _KEY_ONE_IN, 0),
        **properties,
    )


def _read_rate(flags: Sequence[str], prefix: str, default: int) -> int:
    rates = (int(flag.removeprefix(prefix)) for flag in flags if flag.startswith(prefix))
    return next(rates, default)


def plan_fingerprint(
    schema: Schema,
    private: Collection[str] = (),
    one_in: Mapping[str, int] = MappingProxyType({}),
    key_one_in: Mapping[str, int] = MappingProxyType({}),
) -> FingerprintPlan:
    """Plan the fingerprint of a table.

    Columns that share a name are left out, since they cannot be matched between batches.

    Parameters
    ----------
    schema
        The columns of the table.
    private
        Columns whose values are not kept.
    one_in
        For columns of many values, the share to sample, as `sample_rates` returns it.
    key_one_in
        For columns that may be keys, the share to count, as `key_rates` returns it.
    """
    for name in private:
        schema.column(name)
    names = schema.names
    return FingerprintPlan(
        tuple(
            _with_registered(
                replace(
                    _plan_column(column, private=column.name in private),
                    one_in=one_in.get(column.name, 1),
                    key_one_in=key_one_in.get(column.name, 0),
                ),
                schema,
            )
            for column in schema.columns
            if names.count(column.name) == 1
        )
    )


def _with_registered(column: ColumnPlan, schema: Schema) -> ColumnPlan:
    """Add the analyzers of registered metrics that can measure the column.

    Private columns have only those whose states contain no values.
    """
    analyzers = (analyzer for _, analyzer in measured_apart(column.name, column.kind))
    fitting = tuple(
        analyzer
        for analyzer in analyzers
        if not (column.private and analyzer.exposes_values) and _fits(analyzer, schema)
    )
    return replace(column, registered=fitting) if fitting else column


def _fits(analyzer: Analyzer, schema: Schema) -> bool:
    try:
        analyzer.check(schema)
    except AssayError:
        return False
    return True


def fingerprint_analyzers(schema: Schema, private: Collection[str] = ()) -> tuple[Analyzer, ...]:
    """Return the analyzers of a table's fingerprint. No values of `private` columns are kept."""
    return plan_fingerprint(schema, private).analyzers


def _plan_column(column: Column, *, private: bool) -> ColumnPlan:
    family = column.family
    return ColumnPlan(
        name=column.name,
        hashable=family in GROUPABLE and "collate" not in column.type,
        comparable=family in COMPARABLE,
        numeric=family in NUMERIC,
        text=family in TEXT,
        private=private,
    )


def reconstruct_plan(measured: Collection[Analyzer]) -> FingerprintPlan:
    """Reconstruct the plan of a batch from all its analyzers, including those of checks.

    A fingerprint has either all analyzers of a kind of column, or none. Checks on a column rarely
    need all of them. A column with a minimum alone, for example, is not taken as numeric.

    Parameters
    ----------
    measured
        All analyzers of the batch.
    """
    columns = [
        analyzer.column
        for analyzer in measured
        if type(analyzer) is Completeness and analyzer == Completeness(analyzer.column)
    ]
    return FingerprintPlan(tuple(_reconstruct_column(name, measured) for name in columns))


def _reconstruct_column(name: str, measured: Container[Analyzer]) -> ColumnPlan:
    def has(*analyzers: Analyzer) -> bool:
        return all(analyzer in measured for analyzer in analyzers)

    private = has(ValueProfile(name, hidden=True))
    moments = (
        Sum(name),
        StandardDeviation(name),
        ZerosCount(name),
        NegativeCount(name),
        IntegerCount(name),
    )
    return ColumnPlan(
        name=name,
        hashable=has(ApproxCountDistinct(name), Checksum(name)),
        comparable=private or has(ValueProfile(name)),
        numeric=has(*moments) and (private or has(ApproxQuantiles(name))),
        text=has(CharacterProfile(name), EmptyStringCount(name)),
        private=private,
    )
