"""The profile of a table, computed from states without reading rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.analyzers import (
    ApproxCountDistinct,
    ApproxQuantiles,
    Completeness,
    DataType,
    EmptyStringCount,
    Maximum,
    MaxLength,
    Mean,
    MeanLength,
    Minimum,
    MinLength,
    NaNCount,
    NegativeCount,
    PatternMatch,
    QuantileBuckets,
    ShapeProfile,
    StandardDeviation,
    TopK,
    ZerosCount,
)
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Distribution
from assay.analyzers.schema import Column
from assay.engine.measurement import Measurement, merge_states
from assay.html_table import html_table
from assay.learn.profile.column_profile import (
    KINDS,
    ColumnProfile,
    Numbers,
    Texts,
    kinds_within,
)
from assay.learn.profile.summary import HEADINGS, summarize
from assay.text import count_noun

__all__ = [
    "BUCKETS",
    "LEADING_ZERO",
    "QUANTILES",
    "TOP",
    "Profile",
    "profile_of",
    "sampled_values",
]

#: probabilities of the quantiles to estimate
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
#: intervals of a distribution of numbers
BUCKETS = 10
#: frequent values to keep: the sketch counts up to 700 distinct values exactly
TOP = 700
#: examples of a column with many distinct values; few enough for exact counts
_MAX_EXAMPLES = 350
#: integers with leading zeros, which are codes
LEADING_ZERO = "0[0-9]+"
#: a column is of a kind if at least this share of its values look like it
_MIN_KIND_SHARE = 0.9


@dataclass(frozen=True, repr=False)
class Profile(Mapping[str, ColumnProfile]):
    """The profiles of a table's columns, by name.

    Profiles of disjoint data can be added, since the states beneath them can be merged.

    Parameters
    ----------
    rows
        The number of rows.
    columns
        The profile of each column.
    types
        Spark's type of each column.
    measurement
        The states from which the profile was computed.
    """

    rows: int
    columns: Mapping[str, ColumnProfile]
    types: Mapping[str, str]
    measurement: Measurement

    def __getitem__(self, name: str) -> ColumnProfile:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"Profile({count_noun(len(self), 'column')}, {count_noun(self.rows, 'row')})"

    def _repr_html_(self) -> str:
        summaries = [summarize(column) for column in self.values()]
        return html_table(HEADINGS, summaries, caption=repr(self))

    def __add__(self, other: Profile) -> Profile:
        """Return the profile of both tables together. It has the columns that both have."""
        states = self.measurement.states
        common = [analyzer for analyzer in states if analyzer in other.measurement.states]
        types = {name: kind for name, kind in self.types.items() if name in other.types}
        return profile_of(merge_states([states, other.measurement.states], common), types)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON can hold it."""
        columns = [column.to_dict() for column in self.columns.values()]
        return {"rows": self.rows, "columns": columns}

    def to_json(self, indent: int | None = 2) -> str:
        """Return the profile as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def show(self, width: int | None = None) -> None:
        """Print the profile, one line for each column.

        Parameters
        ----------
        width
            The number of characters of a line; by default the width of the terminal.
        """
        from rich.console import Console

        from assay.learn.profile.terminal import print_profile

        print_profile(self, Console(highlight=False, width=width))


def profile_of(measured: Measurement, types: Mapping[str, str]) -> Profile:
    """Compute the profile of a table from a measurement, without reading rows.

    Parameters
    ----------
    measured
        A measurement of some of the analyzers that `profile_analyzers` returns. The profile has
        only what was measured.
    types
        The columns to profile, with Spark's type of each.
    """
    columns = {name: _profile_column(measured, name, kind) for name, kind in types.items()}
    rows = max((column.rows for column in columns.values()), default=0)
    return Profile(rows, columns, types, measured)


def sampled_values(column: Column, distinct: int) -> TopK:
    """Return an analyzer of a random sample of the distinct values, with their counts.

    The sample consists of the values whose hash is divisible by a number that depends on how many
    distinct values there are.
    """
    divisor = max(1, distinct // _MAX_EXAMPLES)
    return TopK(column.name, TOP, where=f"pmod(xxhash64({column.sql}), {divisor}) = 0")


def _profile_column(measured: Measurement, name: str, type_name: str) -> ColumnProfile:
    completeness: Any = measured.states.get(Completeness(name))
    rows, present = (
        (completeness.rows, completeness.matches) if completeness is not None else (0, 0)
    )
    looks = _count_kinds(measured, name)
    values = _value(measured, TopK(name, TOP))
    # The sketch counts exactly as long as it has not dropped a value.
    exact = isinstance(values, Distribution) and values.other == 0 and len(values) < TOP
    exact = exact and values.total == present
    distinct = len(values) if exact else _value(measured, ApproxCountDistinct(name)) or 0
    kind = kind_of(looks)
    temporal = kind in {"date", "timestamp"}
    return ColumnProfile(
        name,
        type_name,
        rows,
        present,
        min(int(distinct), present),
        kind,
        looks,
        _numbers(measured, name),
        _texts(measured, name),
        _value(measured, Minimum(name)) if temporal else None,
        _value(measured, Maximum(name)) if temporal else None,
        values,
        exact,
    )


def kind_of(looks: Mapping[str, int]) -> str | None:
    """Return the kind of at least nine tenths of the values.

    A mixture of integers and decimals is ``fractional``, one of dates and timestamps is
    ``timestamp``.

    >>> kind_of({"integral": 60, "fractional": 35, "string": 5})
    'fractional'
    """
    total = sum(looks.values())
    if not total:
        return None
    required = _MIN_KIND_SHARE * total
    for kind in KINDS:
        if looks.get(kind, 0) >= required:
            return kind
    for wide in ("fractional", "timestamp"):
        if sum(looks.get(kind, 0) for kind in kinds_within(wide)) >= required:
            return wide
    return "string"


def _count_kinds(measured: Measurement, name: str) -> dict[str, int]:
    state: Any = measured.states.get(DataType(name))
    counts = () if state is None else state.counts
    return {kind: count for kind, count in counts if count and kind != "null"}


def _numbers(measured: Measurement, name: str) -> Numbers | None:
    mean = _value(measured, Mean(name))
    low, high = _value(measured, Minimum(name)), _value(measured, Maximum(name))
    if mean is None or low is None or high is None:
        return None
    return Numbers(
        low,
        high,
        float(mean),
        float(_value(measured, StandardDeviation(name)) or 0.0),
        _value(measured, ApproxQuantiles(name, QUANTILES)) or {},
        _value(measured, QuantileBuckets(name, BUCKETS)),
        _value(measured, ZerosCount(name)),
        _value(measured, NegativeCount(name)),
        _value(measured, NaNCount(name)) or 0,
    )


def _texts(measured: Measurement, name: str) -> Texts | None:
    min_length = _value(measured, MinLength(name))
    if min_length is None:
        return None
    leading_zeros: Any = measured.states.get(PatternMatch(name, LEADING_ZERO))
    return Texts(
        int(min_length),
        int(_value(measured, MaxLength(name))),
        float(_value(measured, MeanLength(name))),
        int(_value(measured, EmptyStringCount(name)) or 0),
        _value(measured, ShapeProfile(name)),
        _examples(measured, name),
        None if leading_zeros is None else leading_zeros.matches,
    )


def _examples(measured: Measurement, name: str) -> Distribution | None:
    """Return the frequent values, or the sampled ones."""
    for analyzer, metric in measured.metrics.items():
        if isinstance(analyzer, TopK) and analyzer.column == name and analyzer.k == TOP:
            return metric.value if isinstance(metric.value, Distribution) else None
    return None


def _value(measured: Measurement, analyzer: Analyzer) -> Any:
    metric = measured.metrics.get(analyzer)
    return None if metric is None else metric.value
