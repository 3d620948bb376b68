"""Create batches without Spark, and record them as a gate does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import datasketches
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
from assay.analyzers.counting import Count, Ratio
from assay.analyzers.exact import Exact
from assay.analyzers.extremes import Greatest, Least
from assay.analyzers.frequent import Frequent
from assay.analyzers.moments import Moments
from assay.analyzers.sketches import Distinct, Quantiles
from assay.analyzers.state import State
from assay.analyzers.tally import Tally
from assay.analyzers.totals import Total
from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement, metric_of
from assay.gate import Finding, Gate
from assay.gate.context import load_context
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import _commit
from assay.gate.table_schema import TableSchema
from assay.gate.verdict_evidence import collect_evidence
from assay.learn.fingerprint.from_rows import Column, column_stats, fingerprint, numbers, strings
from assay.store import Batch, Decision, MemoryStore
from tests.gate.verdicts import verdict_of
from tests.oracle.xxhash import xxhash64

START = datetime(2026, 10, 1, 6, tzinfo=UTC)


def measured(columns: Mapping[str, Column], private: Collection[str] = ()) -> Measurement:
    """Return the states that Spark would measure for the fingerprint of these columns."""
    stats = fingerprint(columns)
    states: dict[Analyzer, State] = {
        Size(): Count(stats.rows),
        NullSignature(): _frequent(stats.nulls),
    }
    for name, column in columns.items():
        states |= _of_column(name, column, hidden=name in private)
    return Measurement(
        {analyzer: metric_of(analyzer, state) for analyzer, state in states.items()}, states
    )


def _of_column(name: str, column: Column, *, hidden: bool) -> dict[Analyzer, Any]:
    stats = column_stats(column)
    rows, values = int(stats["rows"]), int(stats["values"])

    def some(what: str) -> int:
        return int(stats.numbers.get(what, 0))

    if column.dtype == object:
        counts = dict(stats.value_counts)
        if hidden:
            counts = {f"{hash(value) & (2**64 - 1):X}": n for value, n in counts.items()}
        classes = ("characters", "letters", "digits", "spaces", "symbols")
        called = ("length", "letters", "digits", "spaces", "other")
        tally = zip(called, map(some, classes), strict=True)
        states: dict[Analyzer, Any] = {
            Completeness(name): Ratio(values, rows),
            ApproxCountDistinct(name): _distinct(stats.value_counts),
            Checksum(name): _checksum(stats.value_counts),
            ValueProfile(name, hidden=hidden): _frequent(counts),
            CharacterProfile(name): Tally((("values", values), *tally)),
            EmptyStringCount(name): Ratio(some("empty"), values),
        }
        return states if hidden else {**states, ShapeProfile(name): _frequent(stats.shape_counts)}
    present = column[~np.isnan(column)]
    mean = float(present.mean()) if values else 0.0
    central = float(((present - mean) ** 2).sum()) if values else 0.0
    texts = Counter(map(str, present.tolist()))
    sketch = datasketches.kll_doubles_sketch(200)
    sketch.update(present)
    return {
        Completeness(name): Ratio(values, rows),
        ApproxCountDistinct(name): _distinct(texts),
        Checksum(name): _checksum(texts),
        ValueProfile(name, hidden=hidden): _frequent(texts),
        Minimum(name): Least(stats["min"]) if values else Least(None),
        Maximum(name): Greatest(stats["max"]) if values else Greatest(None),
        Sum(name): Total(Exact.of(float(present.sum())), values, is_integral=False),
        StandardDeviation(name): Moments.of(values, mean, central),
        ZerosCount(name): Ratio(some("zeros"), values),
        NegativeCount(name): Ratio(some("negatives"), values),
        IntegerCount(name): Ratio(some("integers"), values),
        ApproxQuantiles(name): Quantiles(bytes(sketch.serialize()) if values else b""),
    }


def _checksum(counts: Mapping[str, int]) -> Count:
    return Count(sum(xxhash64(value) % 2**24 * n for value, n in counts.items()))


def _frequent(counts: Mapping[str, int]) -> Frequent:
    sketch = datasketches.frequent_strings_sketch(10)
    for item, count in counts.items():
        sketch.update(item, count)
    return Frequent(bytes(sketch.serialize()) if counts else b"")


def _distinct(items: Mapping[str, int]) -> Distinct:
    sketch = datasketches.hll_sketch(12, datasketches.tgt_hll_type.HLL_8)
    for item in items:
        sketch.update(item)
    return Distinct(bytes(sketch.serialize_updatable()) if items else b"")


def remember(
    gate: Gate,
    columns: Mapping[str, Column],
    day: int,
    decision: Decision = Decision.ACCEPT,
    findings: tuple[Finding, ...] = (),
) -> None:
    """Record a batch with a verdict, as a gate does."""
    batch = Batch(gate.dataset, key(day), START + timedelta(days=day))
    measurement = measured(columns, gate.settings.private)
    proposal = Dataset(gate.dataset, gate.store, *gate.spec.checks).propose_measured(
        batch, measurement
    )
    schema = types_of(columns)
    measured_batch = MeasuredBatch(batch, measurement, schema, proposal=proposal)
    spec = gate.spec
    context = load_context(gate.store, batch, spec.settings, spec.budget, spec.load_index)
    batches = context.history.metrics.batches
    verdict = verdict_of(
        batch,
        decision,
        findings,
        row_count=measured_batch.fingerprint.rows,
        n_history=len(batches),
        budget=float(spec.settings.budget_share),
        evidence=collect_evidence(context, measured_batch, findings),
    )
    _commit(spec, context, measured_batch, verdict)


def types_of(columns: Mapping[str, Column]) -> TableSchema:
    return TableSchema(
        tuple((n, "string" if c.dtype == object else "double") for n, c in columns.items())
    )


def flights(day: int, rows: int = 400) -> dict[str, Column]:
    """Return one day of a table with numbers, categories and codes."""
    rng = np.random.default_rng(day)
    size = rows + int(rng.integers(-15, 15))
    carriers = rng.choice(["AA", "DL", "UA", "WN"], size, p=[0.4, 0.3, 0.2, 0.1]).tolist()
    origins = [f"K{chr(65 + n % 7)}{chr(65 + n % 5)}" for n in rng.integers(0, 35, size)]
    codes = [f"{c}-{n:04}" for c, n in zip(carriers, rng.integers(0, 9999, size), strict=True)]
    return {
        "amount": rng.gamma(3.0, 40.0, size).round(2),
        "carrier": strings(carriers),
        "origin": strings(origins),
        "flight": strings(codes),
        "delay": numbers([None if rng.random() < 0.1 else float(rng.normal(8, 4)) for _ in codes]),
    }


def corrupted(day: int) -> dict[str, Column]:
    """Return the same day with nulls in the carrier and amounts in another unit."""
    columns = flights(day)
    half = len(columns["carrier"]) // 2
    values = columns["carrier"].tolist()
    carrier = [None if row < half else value for row, value in enumerate(values)]
    return {**columns, "amount": columns["amount"] * 1000, "carrier": strings(carrier)}


def key(day: int) -> str:
    return f"date={START + timedelta(days=day):%Y-%m-%d}"


def history(gate: Gate, days: int) -> None:
    """Record good days."""
    for day in range(days):
        remember(gate, flights(day), day)


def gate(**settings: Any) -> Gate:
    return Gate("flights", MemoryStore(), **settings)
