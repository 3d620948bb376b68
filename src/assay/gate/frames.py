"""Batches that are DataFrames of their own: all measured in as many jobs as there are schemas."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING

from assay.engine.frame import schema_of
from assay.engine.measure import measure, measure_planned, plan_for
from assay.errors import CheckError
from assay.gate.backtest import Delivery, columns_but
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.gate.gate import Gate

__all__ = ["deliveries_of_frames"]

_KEY = "__assay_batch"


def deliveries_of_frames(gate: Gate, batches: Mapping[str, DataFrame]) -> list[Delivery]:
    """What each frame holds, in the order in which they are given; those of one schema at once."""
    from pyspark.sql import functions as F

    groups: dict[str, list[str]] = {}
    for key, df in batches.items():
        if not hasattr(df, "sparkSession"):
            raise CheckError("batches are DataFrames by their keys, such as {'2026-11-16': df}.")
        groups.setdefault(df.schema.json(), []).append(key)
    start = datetime.now(UTC)
    times = {key: start + timedelta(seconds=at) for at, key in enumerate(batches)}
    found: dict[str, Delivery] = {}
    for keys in groups.values():
        named = [batches[key].select(F.lit(key).alias(_KEY), "*") for key in keys]
        df = reduce(lambda one, other: one.union(other), named)
        columns, asked = columns_but(gate, schema_of(df), [_KEY])
        wanted = [each.analyzer for check in gate.checks for each in check.constraints]
        everything = list(dict.fromkeys([*wanted, *asked]))
        measured = measure_planned(df, plan_for(df, everything, [_KEY]))
        by_key = {values[0]: own for values, own in measured.items() if values}
        for key in keys:
            # a batch without rows is in no group of rows
            own = by_key.get(key) or measure(batches[key].limit(0), everything)
            found[key] = Delivery(Batch(gate.dataset, key, times[key]), own, columns)
    return [found[key] for key in batches]
