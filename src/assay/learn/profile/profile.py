"""The profile of a table, from states alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
from assay.learn.profile.column_profile import KINDS, ColumnProfile, Numbers, Texts

__all__ = ["BUCKETS", "LEADING_ZERO", "QUANTILES", "TOP", "Profile", "examples_of", "profile_of"]

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
BUCKETS = 10
#: as many values are asked for as the sketch beneath counts exactly
TOP = 700
#: so many of many different values are examples; fewer than the sketch counts exactly
_EXAMPLES = 350
#: what looks like a number and is a code
LEADING_ZERO = "0[0-9]+"
#: a column is of the kind that so much of it looks like
_SHARE = 0.9


@dataclass(frozen=True)
class Profile(Mapping[str, ColumnProfile]):
    """The profiles of a table's columns, by name.

    Profiles of disjoint data add up, as the states beneath them do.
    """

    rows: int
    columns: Mapping[str, ColumnProfile]
    types: Mapping[str, str] = field(repr=False)
    measurement: Measurement = field(repr=False)

    def __getitem__(self, name: str) -> ColumnProfile:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __add__(self, other: Profile) -> Profile:
        # what only one of them was asked is not known of both
        common = [a for a in self.measurement.states if a in other.measurement.states]
        states = [self.measurement.states, other.measurement.states]
        types = {name: kind for name, kind in self.types.items() if name in other.types}
        return profile_of(merge_states(states, common), types)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {"rows": self.rows, "columns": [each.to_dict() for each in self.columns.values()]}

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def show(self, width: int | None = None) -> None:
        """Print it, a line a column."""
        from rich.console import Console

        from assay.learn.profile.terminal import print_profile

        print_profile(self, Console(highlight=False, width=width))


def profile_of(measured: Measurement, types: Mapping[str, str]) -> Profile:
    """The profile that states give; columns are those of `types`, by name, with Spark's types.

    It shows what was measured: `profile_analyzers` names what makes it whole.
    """
    columns = {name: _column(measured, name, kind) for name, kind in types.items()}
    rows = max((each.rows for each in columns.values()), default=0)
    return Profile(rows, columns, types, measured)


def examples_of(column: Column, distinct: int) -> TopK:
    """Some of many different values, by lot: those of a share of all hashes, with their counts."""
    shares = max(1, distinct // _EXAMPLES)
    return TopK(column.name, TOP, where=f"pmod(xxhash64({column.sql}), {shares}) = 0")


def _column(measured: Measurement, name: str, type_name: str) -> ColumnProfile:
    state: Any = measured.states.get(Completeness(name))
    rows, present = (state.rows, state.matches) if state is not None else (0, 0)
    looks = _looks(measured, name)
    values = _value(measured, TopK(name, TOP))
    # the sketch counts exactly while nothing had to be thrown out of it
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
    """What the values are: numbers of both sorts are *fractional*, days and times *timestamp*."""
    total = sum(looks.values())
    if not total:
        return None
    for kind in KINDS:
        if looks.get(kind, 0) >= _SHARE * total:
            return kind
    for narrow, wide in (("integral", "fractional"), ("date", "timestamp")):
        if looks.get(narrow, 0) + looks.get(wide, 0) >= _SHARE * total:
            return wide
    return "string"


def _looks(measured: Measurement, name: str) -> dict[str, int]:
    state: Any = measured.states.get(DataType(name))
    counts = () if state is None else state.counts
    return {label: n for label, n in counts if n and label != "null"}


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
    shortest = _value(measured, MinLength(name))
    if shortest is None:
        return None
    zeros: Any = measured.states.get(PatternMatch(name, LEADING_ZERO))
    return Texts(
        int(shortest),
        int(_value(measured, MaxLength(name))),
        float(_value(measured, MeanLength(name))),
        int(_value(measured, EmptyStringCount(name)) or 0),
        _value(measured, ShapeProfile(name)),
        _examples(measured, name),
        None if zeros is None else zeros.matches,
    )


def _examples(measured: Measurement, name: str) -> Distribution | None:
    for each, metric in measured.metrics.items():
        if isinstance(each, TopK) and each.column == name and each.k == TOP:
            return metric.value if isinstance(metric.value, Distribution) else None
    return None


def _value(measured: Measurement, analyzer: Analyzer) -> Any:
    metric = measured.metrics.get(analyzer)
    return None if metric is None else metric.value
