"""Record existing data as history, without judging it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.dataset.batch_keys import names_of
from assay.engine.frequency_table import collect_tables
from assay.engine.measurement import Measurement
from assay.errors import StoreError
from assay.gate.measure_many import collect_frequencies, measure_table
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.privacy import protect_measurement
from assay.gate.segments.measure_segments import require_segments
from assay.gate.spec import GateSpec
from assay.store.batch import Batch
from assay.store.dataset_info import save_dataset_info

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["backfill_measured", "backfill_table"]


def backfill_table(
    spec: GateSpec,
    df: DataFrame,
    by: str | Sequence[str],
    *,
    allow_multiple_reads: bool | None = None,
) -> tuple[Batch, ...]:
    """Measure each combination of values of the `by` columns, and record it as a batch."""
    by = names_of(by)
    if not by:
        raise StoreError(
            f"cannot split {spec.dataset} into batches: expected columns in `by`, got none."
        )
    measured = measure_table(
        spec, df, by, allow_multiple_reads=allow_multiple_reads, tables=spec.store.tables
    )
    if spec.store.tables is None:
        measured = [_collect_tables(batch) for batch in collect_frequencies(measured)]
    return tuple(batch.batch for batch in backfill_measured(spec, measured))


def _collect_tables(batch: MeasuredBatch) -> MeasuredBatch:
    """Collect the frequency tables that a store without files keeps in memory."""
    if batch.measurement is None:
        return batch
    states = collect_tables(batch.measurement.states)
    return replace(batch, measurement=Measurement(batch.measurement.metrics, states))


def backfill_measured(
    spec: GateSpec, measured: Iterable[MeasuredBatch]
) -> tuple[MeasuredBatch, ...]:
    """Record measured batches; leave out those that cannot be read. Return all of them."""
    batches = tuple(measured)
    require_segments(batches, spec.settings)
    are_hashed = spec.store.tables is not None
    readable = {
        batch.batch: protect_measurement(
            batch.measurement, batch.schema, spec.settings.private, are_hashed=are_hashed
        )
        for batch in batches
        if batch.measurement is not None and batch.schema is not None
    }
    with spec.store.transaction():
        save_dataset_info(spec.store, spec.dataset, spec.settings.info)
        if readable:
            spec.store.load(readable)
        for batch in batches:
            if batch.batch in readable and batch.schema is not None:
                spec.store.save(spec.dataset, batch.batch.key, batch.schema)
                if batch.plan is not None:
                    spec.store.save(spec.dataset, batch.batch.key, batch.plan)
                if batch.segments is not None:
                    spec.store.save(spec.dataset, batch.batch.key, batch.segments)
    return batches
