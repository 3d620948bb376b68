"""Batches that are DataFrames of their own: all of one schema are measured at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING

from assay.errors import CheckError
from assay.gate.measured_batch import MeasuredBatch, delivered_together
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.gate.gate import Gate

__all__ = ["deliveries_of_frames"]

_KEY = "__assay_batch"


def deliveries_of_frames(gate: Gate, batches: Mapping[str, DataFrame]) -> list[MeasuredBatch]:
    """What each frame holds, in the order in which they are given; those of one schema at once."""
    from pyspark.sql import functions as F

    groups: dict[str, list[str]] = {}
    for key, df in batches.items():
        if not hasattr(df, "sparkSession"):
            raise CheckError("batches are DataFrames by their keys, such as {'2026-11-16': df}.")
        groups.setdefault(df.schema.json(), []).append(key)

    def together(keys: Sequence[str]) -> DataFrame:
        named = [batches[key].select(F.lit(key).alias(_KEY), "*") for key in keys]
        return reduce(lambda one, other: one.union(other), named)

    start = datetime.now(UTC)
    times = {key: start + timedelta(seconds=at) for at, key in enumerate(batches)}
    found: dict[str, MeasuredBatch] = {}
    for keys in groups.values():
        own = {key: Batch(gate.dataset, key, times[key]) for key in keys}
        for each in delivered_together(gate, own, together, _KEY):
            found[each.batch.key] = each
    return [found[key] for key in batches]
