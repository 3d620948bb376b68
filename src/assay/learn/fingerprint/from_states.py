"""Compute the fingerprint of a batch from its stored states. No rows are read."""

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
    RowProfile,
    ShapeProfile,
    Size,
    StandardDeviation,
    Sum,
    ValueProfile,
    ZerosCount,
)
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Undefined
from assay.analyzers.repeated_values import RepeatedValueCount
from assay.analyzers.state import State
from assay.learn.fingerprint.analyzers import ColumnPlan, FingerprintPlan, reconstruct_plan
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Stat, WeightedSample
from assay.learn.fingerprint.metric_registry import measured_apart
from assay.learn.relations.measured import relations_of

__all__ = ["fingerprint_of"]

#: Names in `ColumnStats.numbers` for the character classes of `CharacterProfile`.
_CHARACTER_CLASSES = {"length": Stat.CHARACTERS, "letters": Stat.LETTERS, "digits": Stat.DIGITS,
                      "spaces": Stat.SPACES, "other": Stat.SYMBOLS}  # fmt: skip
#: Names in `ColumnStats.numbers` for the metrics of analyzers.
_NUMBERS: Mapping[type[Analyzer], str] = {
    Minimum: Stat.MIN,
    Maximum: Stat.MAX,
    Sum: Stat.SUM,
    StandardDeviation: Stat.SD,
    ZerosCount: Stat.ZEROS,
    NegativeCount: Stat.NEGATIVES,
    IntegerCount: Stat.INTEGERS,
    EmptyStringCount: Stat.EMPTY,
    Checksum: Stat.CHECKSUM,
}

States = Mapping[Analyzer, State]


def fingerprint_of(states: States, plan: FingerprintPlan | None = None) -> Fingerprint:
    """Compute a fingerprint from states.

    Parameters
    ----------
    states
        The states of a batch, including those of checks.
    plan
        The plan of the fingerprint. States of other analyzers are ignored. By default the plan is
        reconstructed from the states.
    """
    plan = reconstruct_plan(states.keys()) if plan is None else plan
    size: Any = states.get(Size())
    signature: Any = states.get(NullSignature())
    columns = {
        column.name: _column_stats(column, states)
        for column in plan.columns
        if Completeness(column.name) in states
    }
    row_counts, one_in = _row_counts(states)
    return Fingerprint(
        0 if size is None else size.n,
        columns,
        {} if signature is None else dict(signature.kept().counts),
        row_counts,
        one_in,
        relations_of(states),
    )


def _row_counts(states: States) -> tuple[Mapping[str, int], int]:
    """Return the counts of rows, and the share of rows that was sampled."""
    for analyzer, state in states.items():
        if type(analyzer) is RowProfile and analyzer.where is None:
            sampled: Any = state
            rows = sampled.kept()
            return ({} if rows.groups is None else dict(rows.counts)), analyzer.one_in
    return {}, 1


def _column_stats(column: ColumnPlan, states: States) -> ColumnStats:
    measured: dict[type[Analyzer], tuple[Any, Any]] = {
        type(analyzer): (analyzer, states[analyzer])
        for analyzer in column.analyzers
        if analyzer in states and analyzer != column.sample
    }
    present = measured[Completeness][1]
    numbers: dict[str, float] = {
        Stat.ROWS: present.rows,
        Stat.VALUES: present.matches,
    }
    value_counts: dict[str, int] = {}
    shape_counts: dict[str, int] = {}
    sample = None
    for kind, (analyzer, state) in measured.items():
        if kind in _NUMBERS:
            numbers[_NUMBERS[kind]] = _number(analyzer.metric(state))
        elif kind is CharacterProfile:
            numbers |= {name: state.count(label) for label, name in _CHARACTER_CLASSES.items()}
        elif kind is ShapeProfile:
            shape_counts = dict(state.kept().counts)
        elif kind is ApproxQuantiles:
            sample = _weighted_sample(state.weighted())
            numbers[Stat.MEDIAN] = sample.median if sample.total else math.nan
    if ApproxCountDistinct in measured:
        numbers[Stat.DISTINCT] = _number(measured[ApproxCountDistinct][1].metric())
    if ValueProfile in measured:
        frequent = measured[ValueProfile][1].kept()
        value_counts = dict(frequent.counts)
        # With few distinct values the sketch is exact. With many, it may have dropped all of them.
        if frequent.groups is not None and sum(value_counts.values()) == numbers[Stat.VALUES]:
            numbers[Stat.DISTINCT] = frequent.groups
            numbers |= {Stat.SAMPLED: numbers[Stat.VALUES], Stat.SAMPLED_DISTINCT: frequent.groups}
    numbers |= _measured_apart(column, states)
    sampled_counts: Mapping[str, int] = {}
    if column.sample is not None and column.sample in states and Stat.SAMPLED not in numbers:
        sample_state: Any = states[column.sample]
        sampled = sample_state.kept()
        if sampled.groups is not None:
            sampled_counts = dict(sampled.counts)
            numbers |= {
                Stat.SAMPLED: sum(sampled_counts.values()),
                Stat.SAMPLED_DISTINCT: sampled.groups,
            }
    numbers |= _repeated_values(column, states)
    if column.numeric and numbers[Stat.VALUES] and numbers.get(Stat.DISTINCT) == 1:
        # The standard deviation of a constant column is 0, apart from rounding errors.
        numbers[Stat.SD] = 0.0
    return ColumnStats(
        column.kind,
        _without_nan(numbers),
        sample=sample,
        value_counts=value_counts,
        shape_counts=shape_counts,
        sampled_counts=sampled_counts,
    )


def _repeated_values(column: ColumnPlan, states: States) -> dict[str, float]:
    """Return the exact counts of a column that may be a key: of all values, or a large sample."""
    analyzer = column.repeated_values
    if analyzer is None or analyzer not in states:
        return {}
    state: Any = states[analyzer]
    counts = RepeatedValueCount.counts_of(state)
    return {} if counts is None else {Stat.SAMPLED: counts[0], Stat.SAMPLED_DISTINCT: counts[1]}


def _measured_apart(column: ColumnPlan, states: States) -> dict[str, float]:
    """Return the metrics of analyzers that users registered."""
    registered: list[tuple[str, Any]] = [
        (metric.name, analyzer) for metric, analyzer in measured_apart(column.name, column.kind)
    ]
    return {
        name: _number(analyzer.metric(states[analyzer]))
        for name, analyzer in registered
        if analyzer in states
    }


def _weighted_sample(weighted: Iterable[tuple[float, int]]) -> WeightedSample:
    pairs = [(value, weight) for value, weight in weighted if math.isfinite(value)]
    values = np.array([value for value, _ in pairs], np.float64)
    weights = np.array([weight for _, weight in pairs], np.float64)
    return WeightedSample(values, weights)


def _number(value: Any) -> float:
    return math.nan if value is None or isinstance(value, Undefined) else float(value)


def _without_nan(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in numbers.items() if not math.isnan(value)}
