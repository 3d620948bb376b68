"""The fingerprint of a batch, from the states that were remembered of it: no rows are needed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

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
    ShapeProfile,
    Size,
    StandardDeviation,
    Sum,
    ValueProfile,
    ZerosCount,
)
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Undefined
from assay.analyzers.state import State
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, WeightedSample

__all__ = ["fingerprint_of"]

#: what the classes of `CharacterProfile` are called here
_CLASSES = {"length": "characters", "letters": "letters", "digits": "digits", "spaces": "spaces",
            "other": "symbols"}  # fmt: skip
#: analyzers whose metric is a fact
_NUMBERS: Mapping[type[Analyzer], str] = {
    Minimum: "min",
    Maximum: "max",
    Sum: "sum",
    StandardDeviation: "sd",
    ZerosCount: "zeros",
    NegativeCount: "negatives",
    IntegerCount: "integers",
    EmptyStringCount: "empty",
    Checksum: "checksum",
}

_OF_COLUMN = frozenset(
    (
        ApproxCountDistinct,
        ApproxQuantiles,
        CharacterProfile,
        Completeness,
        ShapeProfile,
        ValueProfile,
        *_NUMBERS,
    )
)

_OF_NUMBERS = frozenset(
    (Minimum, Maximum, Sum, StandardDeviation, ZerosCount, NegativeCount, IntegerCount)
)

States = Mapping[Analyzer, State]


def fingerprint_of(states: States) -> Fingerprint:
    """The fingerprint; a column is known by its `Completeness`."""
    by_column: dict[str, dict[type[Analyzer], tuple[Analyzer, Any]]] = {}
    rows, nulls = 0, {}
    for analyzer, state in states.items():
        if analyzer.where is not None:
            continue
        known: Any = state
        if isinstance(analyzer, Size):
            rows = known.n
        elif isinstance(analyzer, NullSignature):
            nulls = dict(known.known().counts)
        elif type(analyzer) in _OF_COLUMN and _is_asked(analyzer, states):
            name: str = analyzer.column  # type: ignore[attr-defined]
            by_column.setdefault(name, {})[type(analyzer)] = analyzer, state
    columns = {name: _facts(asked) for name, asked in by_column.items() if Completeness in asked}
    return Fingerprint(rows, columns, nulls)


def _is_asked(analyzer: Any, states: States) -> bool:
    """Whether `fingerprint_analyzers` asks for this, and not only a check.

    A check may use the same kind of analyzer with other arguments, or on a column of another type.
    Quantiles exist of numeric columns alone, so they show that a column is numeric.
    """
    kind, column = type(analyzer), analyzer.column
    hidden = ValueProfile(column, hidden=True)
    if kind is ValueProfile:
        return bool(analyzer == (hidden if hidden in states else ValueProfile(column)))
    if kind is ShapeProfile and hidden in states:
        return False
    if kind in _OF_NUMBERS and ApproxQuantiles(column) not in states:
        return False
    return bool(analyzer == kind(column))


def _facts(asked: Mapping[type[Analyzer], tuple[Any, Any]]) -> ColumnStats:
    present = asked[Completeness][1]
    named: dict[str, float] = {"rows": present.rows, "values": present.matches}
    values: dict[str, int] = {}
    patterns: dict[str, int] = {}
    ranked = None
    for kind, (analyzer, state) in asked.items():
        if kind in _NUMBERS:
            named[_NUMBERS[kind]] = _number(analyzer.metric(state))
        elif kind is CharacterProfile:
            named |= {called: state.count(label) for label, called in _CLASSES.items()}
        elif kind is ShapeProfile:
            patterns = dict(state.known().counts)
        elif kind is ApproxQuantiles:
            ranked = _ranked(state.weighted())
            named["median"] = ranked.median if ranked.total else math.nan
    if ApproxCountDistinct in asked:
        named["distinct"] = _number(asked[ApproxCountDistinct][1].metric())
    if ValueProfile in asked:
        found = asked[ValueProfile][1].known()
        values = dict(found.counts)
        # a sketch of few values has counted them; one of many may have forgotten all, and how many
        if found.groups is not None and sum(values.values()) == named["values"]:
            named["distinct"] = found.groups
    if ranked is not None and named["values"] and named.get("distinct") == 1:
        named["sd"] = 0.0
    if ranked is None:
        return ColumnStats(
            "categorical", _finite(named), value_counts=values, shape_counts=patterns
        )
    return ColumnStats("numeric", _finite(named), sample=ranked, value_counts=values)


def _ranked(weighted: Iterable[tuple[float, int]]) -> WeightedSample:
    pairs = [(value, weight) for value, weight in weighted if math.isfinite(value)]
    values = np.array([value for value, _ in pairs], np.float64)
    weights = np.array([weight for _, weight in pairs], np.float64)
    return WeightedSample(values, weights)


def _number(value: object) -> float:
    return math.nan if isinstance(value, Undefined) or value is None else float(value)  # type: ignore[arg-type]


def _finite(named: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in named.items() if not math.isnan(value)}
