"""What the planner's choices cost: how big chunks are, and how sketches share the data."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from unittest.mock import patch

from rich.console import Console

from assay.engine.frame import schema_of
from assay.engine.plan import Plan, Sharing, plan
from benchmarks.support import generated
from benchmarks.support.execution import by_duckdb, by_plan
from benchmarks.support.goals import show
from benchmarks.support.questions import QUESTIONS, Question, basic
from benchmarks.support.timing import Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["STUDIES"]

_BUFFERS = (60, 100, 150, 200, 250, 400)
_WIDE = 200
_ALL = 1_000_000
_KINDS: tuple[Sharing, ...] = get_args(Sharing)


def chunks(spark: SparkSession, folder: Path, rows: int, rounds: int, out: Console) -> None:
    """A wide table in chunks of so many buffers."""
    rows = min(rows, 500_000)
    path = generated.readings(spark, folder, rows, _WIDE, out)
    asked = basic([f"c{n}" for n in range(_WIDE)])
    frame = spark.read.parquet(str(path))
    ways = [
        _way(f"{kind}, {size} buffers", frame, _chunked(frame, asked, size, kind))
        for size in _BUFFERS
        for kind in _KINDS[:2]
    ]
    ways.append(_duck(path, asked))
    found = alternate(spark, ways, rounds, out)
    title = f"chunks: six basic statistics of {rows:,} rows x {_WIDE} columns"
    show(out, title, found.values(), found["observed, 200 buffers"], found["DuckDB"])


def sharing(spark: SparkSession, folder: Path, rows: int, rounds: int, out: Console) -> None:
    """Sketches observed on the way, in a job of their own, or everything in one pass."""
    parquet = generated.orders(spark, folder, rows, out)
    frame = spark.read.parquet(str(parquet))
    _share(frame, "Parquet", parquet, rows, rounds, out)
    few = min(rows, 1_000_000)
    csv = generated.orders_csv(spark, folder, few, out)
    text = spark.read.schema(frame.schema).csv(str(csv), header=True)
    _share(text, "CSV", generated.orders(spark, folder, few, out), few, rounds, out)


def _share(
    frame: DataFrame, source: str, parquet: Path, rows: int, rounds: int, out: Console
) -> None:
    columns = ["order_id", "customer_id", "store", "quantity", "amount", "discount", "weight"]
    columns += ["latitude", "longitude"]
    for title, asked, size in (
        (f"{len(QUESTIONS)} scan constraints", QUESTIONS, 100),
        (f"six basic statistics of {len(columns)} columns in 3 scans", basic(columns), 30),
    ):
        ways = [_way(kind, frame, _chunked(frame, asked, size, kind)) for kind in _KINDS]
        ways.append(_duck(parquet, asked))
        found = alternate(frame.sparkSession, ways, rounds, out)
        whole = f"sharing: {title}, {source}, {rows:,} rows"
        show(out, whole, found.values(), found["observed"], found["DuckDB"])


#: what can be compared, by name
STUDIES = {"chunks": chunks, "sharing": sharing}


def _chunked(frame: DataFrame, asked: Sequence[Question], buffers: int, kind: Sharing) -> Plan:
    module = sys.modules[plan.__module__]
    with patch.multiple(module, BUFFERS=_ALL, SKETCHES=_ALL):
        prepared = plan([each.analyzer for each in asked], schema_of(frame), buffers=buffers)
    return replace(prepared, sharing=kind)


def _way(name: str, frame: DataFrame, prepared: Plan) -> Way:
    return Way(name, lambda: by_plan(frame, prepared))


def _duck(parquet: Path, asked: Sequence[Question]) -> Way:
    return Way("DuckDB", lambda: by_duckdb(parquet, asked), on_spark=False)
