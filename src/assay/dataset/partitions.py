"""Measure all partitions of existing data in the same few passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.dataset.batch_keys import key_of, time_of
from assay.engine.frequency_table import collect_segments, collect_tables
from assay.engine.measure import measure_planned
from assay.engine.measurement import Measurement, merge_states
from assay.engine.plan import plan_for
from assay.engine.reference_tables import ReferenceTables
from assay.errors import StoreError
from assay.store.batch import Batch
from assay.store.protocol import DatasetTotals, Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["batches_of_partitions", "load_partitions", "measure_partitions"]


def measure_partitions(
    df: DataFrame,
    by: Sequence[str],
    analyzers: Sequence[Analyzer],
    tables: str | None,
    *,
    allow_multiple_reads: bool | None,
    reference_tables: ReferenceTables | None,
    private_columns: Sequence[str] = (),
) -> dict[tuple[Any, ...], Measurement]:
    """Return the measurement of each combination of values of the columns `by`.

    `tables` is where the store keeps frequency tables, or None if it collects them. Raises a
    `StoreError` if `by` is empty, or the rows cannot be read.
    """
    if not by:
        raise StoreError(
            "cannot split the data into batches: expected the columns of its partitions in `by`,"
            " got none."
        )
    plan = plan_for(
        df,
        analyzers,
        by,
        allow_multiple_reads=allow_multiple_reads,
        hash_values=tables is not None,
        reference_tables=reference_tables,
    )
    measured = measure_planned(df, plan, tables, reference_tables, private_columns=private_columns)
    if () in measured:
        metrics = measured[()].metrics.values()
        problem = next((metric.problem for metric in metrics if metric.problem), "it has no rows.")
        raise StoreError(f"the data cannot be loaded: {problem}")
    if tables is not None:
        return measured
    states = collect_segments([measurement.states for measurement in measured.values()])
    return {
        values: Measurement(measurement.metrics, collect_tables(collected))
        for (values, measurement), collected in zip(measured.items(), states, strict=True)
    }


def batches_of_partitions(
    dataset: str,
    by: Sequence[str],
    partitions: Mapping[tuple[Any, ...], Measurement],
    tags: Mapping[str, str],
) -> dict[Batch, Measurement]:
    """Return a batch for each partition, with the key and the time of its values."""
    now = datetime.now(UTC)
    return {
        Batch(dataset, key_of(by, values), time_of(values) or now, tags): measurement
        for values, measurement in partitions.items()
    }


def load_partitions(
    store: Store,
    dataset: str,
    partitions: Mapping[Batch, Measurement],
    totaled: Iterable[Analyzer],
) -> None:
    """Store partitions as batches, and their total if they are the whole dataset."""
    if not partitions:
        return
    total = None
    if store.changes(dataset).latest == 0:
        states = [measurement.states for measurement in partitions.values()]
        mergeable = [analyzer for analyzer in totaled if analyzer.incremental]
        total = DatasetTotals(0, merge_states(states, mergeable))
    store.load(partitions, total)
