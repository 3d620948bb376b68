"""Uniqueness, entropy and mutual information, computed from frequency tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.analyzer import COLUMNS
from assay.analyzers.frequencies import GroupingAnalyzer, GroupKey, Needs, Summary
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.row_predicate import CountedRows, MatchingRows
from assay.analyzers.schema import Column, Schema
from assay.errors import InvalidValueError

__all__ = [
    "CountDistinct",
    "Distinctness",
    "DuplicateRowCount",
    "Entropy",
    "MutualInformation",
    "UniqueValueRatio",
    "Uniqueness",
]

_NO_VALUES = Undefined("it has no values")


@dataclass(frozen=True)
class _ColumnsAnalyzer(GroupingAnalyzer):
    abstract: ClassVar[bool] = True

    columns: Sequence[str] | str = field(metadata=COLUMNS)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """Return the columns ordered by name: ``(a, b)`` and ``(b, a)`` are one grouping."""
        if not self.columns:
            raise InvalidValueError.unexpected(
                f"invalid {type(self).__name__}", "at least one column", ()
            )
        return _keys((schema.column(name) for name in self.columns), type(self).__name__)


@dataclass(frozen=True)
class CountDistinct(_ColumnsAnalyzer):
    """Count the distinct values exactly.

    Parameters
    ----------
    columns
        Name of a column, or several names. Several columns are counted by their combinations.

    Notes
    -----
    ``|V|`` (deequ-vldb18, Table 2). Rows in which all columns are null do not count. It needs a
    grouping; `ApproxCountDistinct` does not.

    Examples
    --------
    >>> CountDistinct(["city", "zip"]).key
    'CountDistinct(city, zip)'
    """

    def present(self, summary: Summary) -> Value | Undefined:
        """Return ``|V|``."""
        return summary.groups


@dataclass(frozen=True)
class Distinctness(_ColumnsAnalyzer):
    """Measure the number of distinct values per row.

    Parameters
    ----------
    columns
        Name of a column, or several names. Several columns are counted by their combinations.

    Notes
    -----
    ``|V| / N`` (deequ-vldb18, section 3.1). Rows in which all columns are null do not count.
    Undefined without values.

    Examples
    --------
    >>> Distinctness("city").key
    'Distinctness(city)'
    """

    def present(self, summary: Summary) -> Value | Undefined:
        """Return ``|V| / N``."""
        return summary.groups / summary.rows if summary.rows else _NO_VALUES


@dataclass(frozen=True)
class Uniqueness(_ColumnsAnalyzer):
    """Measure the share of rows whose value occurs exactly once.

    Parameters
    ----------
    columns
        Name of a column, or several names. Several columns are counted by their combinations.

    Notes
    -----
    ``|{v : c_v = 1}| / N``. Rows in which all columns are null do not count. The uniqueness of
    deequ-vldb18, section 3.1, divides by the number of distinct values instead: see
    `UniqueValueRatio`. Undefined without values.

    Examples
    --------
    >>> Uniqueness("id").key
    'Uniqueness(id)'
    """

    def present(self, summary: Summary) -> Value | Undefined:
        """Return ``|{v : c_v = 1}| / N``."""
        return summary.singles / summary.rows if summary.rows else _NO_VALUES

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Return rows whose values occur once, among rows that have a value."""
        has_value, is_single = _occurrence(self, schema)
        return MatchingRows(is_single, among=has_value)


@dataclass(frozen=True)
class UniqueValueRatio(_ColumnsAnalyzer):
    """Measure the share of distinct values that occur exactly once.

    Parameters
    ----------
    columns
        Name of a column, or several names. Several columns are counted by their combinations.

    Notes
    -----
    ``|{v : c_v = 1}| / |V|`` (deequ-vldb18, section 3.1). Rows in which all columns are null do not
    count. Undefined without values.

    Examples
    --------
    >>> UniqueValueRatio("id").key
    'UniqueValueRatio(id)'
    """

    def present(self, summary: Summary) -> Value | Undefined:
        """Return ``|{v : c_v = 1}| / |V|``."""
        return summary.singles / summary.groups if summary.groups else _NO_VALUES


@dataclass(frozen=True)
class Entropy(_ColumnsAnalyzer):
    """Measure the entropy of the values, in nats.

    Parameters
    ----------
    columns
        Name of a column, or several names. Several columns are counted by their combinations.

    Notes
    -----
    ``-Σ c_v/N ln(c_v/N) = ln N - (Σ c_v ln c_v)/N`` (deequ-vldb18, section 3.1). 0 if all values
    are equal. Rows in which all columns are null do not count. Undefined without values.

    Examples
    --------
    >>> Entropy("country").key
    'Entropy(country)'
    """

    def present(self, summary: Summary) -> Value | Undefined:
        """Return ``ln N - (Σ c_v ln c_v)/N``, never below zero."""
        if not summary.rows:
            return _NO_VALUES
        return max(0.0, math.log(summary.rows) - summary.n_log_n / summary.rows)


@dataclass(frozen=True)
class MutualInformation(_ColumnsAnalyzer):
    """Measure how much one column says about another, in nats.

    Parameters
    ----------
    columns
        Two names of columns.

    Notes
    -----
    ``Σ c_ab/N ln(c_ab N / (c_a c_b))`` (deequ-vldb18, section 3.1), over the rows in which at least
    one of the columns has a value. A null in one column counts as a value. 0 if the columns are
    independent. Undefined without values.

    Examples
    --------
    >>> MutualInformation(["city", "zip"]).key
    'MutualInformation(city, zip)'
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.columns)) != 2:
            raise InvalidValueError.unexpected(
                "invalid mutual information", "two columns", self.columns
            )

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """Return both columns."""
        keys = super().keys(schema)
        if len(keys) != 2:
            raise InvalidValueError.unexpected(
                "invalid mutual information", "two columns", self.columns
            )
        return keys

    def needs(self) -> Needs:
        """Return the table and both its margins."""
        return Needs(marginals=True)

    def present(self, summary: Summary) -> Value | Undefined:
        """Return ``ln N + (Σ c_ab ln c_ab - Σ c_a ln c_a - Σ c_b ln c_b) / N``, at least 0."""
        if not summary.rows:
            return _NO_VALUES
        margins = math.fsum(m.n_log_n + _n_log_n(m.nulls) for m in summary.marginals)
        return max(0.0, math.log(summary.rows) + (summary.n_log_n - margins) / summary.rows)


@dataclass(frozen=True)
class DuplicateRowCount(GroupingAnalyzer):
    """Count the rows that repeat another row.

    Parameters
    ----------
    columns
        Names of the columns that are compared. By default, all columns.

    Notes
    -----
    ``N - |V|``: of three equal rows, two count. Rows in which all columns are null do not count.

    Examples
    --------
    >>> DuplicateRowCount().key
    'DuplicateRowCount()'
    """

    columns: Sequence[str] | str = field(default=(), metadata=COLUMNS)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """Return the named columns, or all."""
        named = [schema.column(name) for name in self.columns] or schema.columns
        return _keys(named, "DuplicateRowCount")

    def present(self, summary: Summary) -> Value | Undefined:
        """Return ``N - |V|``."""
        return summary.rows - summary.groups

    def row_predicate(self, schema: Schema) -> CountedRows:
        """Return rows that repeat another row."""
        has_value, is_single = _occurrence(self, schema)
        return CountedRows(f"({has_value} AND NOT {is_single})")


def _occurrence(analyzer: GroupingAnalyzer, schema: Schema) -> tuple[str, str]:
    """Return SQL for whether a row has a value, and whether no other row has the same values."""
    keys = [key.sql for key in analyzer.keys(schema)]
    selected = "true" if analyzer.where is None else condition(analyzer.where)
    has_value = " OR ".join(f"{key} IS NOT NULL" for key in keys)
    row_count = f"count_if({selected}) OVER (PARTITION BY {', '.join(keys)})"
    return f"({has_value})", f"({row_count} = 1)"


def _keys(columns: Iterable[Column], analyzer: str) -> tuple[GroupKey, ...]:
    """Return one key for each column, however its name is written, ordered by name."""
    named = {column.sql: column for column in columns}
    return tuple(GroupKey.of(named[sql], analyzer) for sql in sorted(named))


def _n_log_n(n: int) -> float:
    return n * math.log(n) if n else 0.0
