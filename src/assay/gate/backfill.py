"""Record existing data as history, without judging it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.dataset.dataset import Dataset
from assay.engine.frame import schema_of
from assay.gate.measure_many import schema_without
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.spec import GateSpec
from assay.gate.table_schema import TableSchema
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["backfill_measured", "backfill_table"]


def backfill_table(
    spec: GateSpec, df: DataFrame, by: Sequence[str], *, allow_multiple_reads: bool | None = None
) -> tuple[Batch, ...]:
    """Measure each combination of values of the `by` columns, and record it as a batch."""
    schema = schema_without(schema_of(df), by)
    analyzers = spec.fingerprint_analyzers(schema)
    dataset = Dataset(spec.dataset, spec.store, *spec.checks, analyzers=analyzers)
    columns = TableSchema.of(schema)
    batches = dataset.remember(df, by, allow_multiple_reads=allow_multiple_reads)
    with spec.store.transaction():
        for batch in batches:
            spec.store.save(batch.dataset, batch.key, columns)
    return batches


def backfill_measured(
    spec: GateSpec, measured: Iterable[MeasuredBatch]
) -> tuple[MeasuredBatch, ...]:
    """Record measured batches; leave out those that cannot be read. Return all of them."""
    batches = tuple(measured)
    readable = {batch.batch: batch.measurement for batch in batches if batch.measurement}
    with spec.store.transaction():
        if readable:
            spec.store.load(readable)
        for batch in batches:
            if batch.measurement is not None and batch.schema is not None:
                spec.store.save(spec.dataset, batch.batch.key, batch.schema)
    return batches
