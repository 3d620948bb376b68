"""Measure what the planner's choices cost: the size of chunks, and how sketches share a scan."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from unittest.mock import patch

from rich.console import Console

from assay.engine.frame import schema_of
from assay.engine.passes import scan_pass
from assay.engine.passes.scan_pass import Sharing
from assay.engine.plan import Plan, plan
from benchmarks.support import generated
from benchmarks.support.execution import by_duckdb, by_plan
from benchmarks.support.output import print_costs
from benchmarks.support.questions import QUESTIONS, Question, basic
from benchmarks.support.timing import Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["STUDIES"]

#: aggregation buffers of a chunk
_CHUNK_BUFFERS = (60, 100, 150, 200, 250, 400)
_WIDE_COLUMNS = 200
_UNLIMITED = 1_000_000
_SHARINGS: tuple[Sharing, ...] = get_args(Sharing)


def measure_chunks(spark: SparkSession, folder: Path, rows: int, rounds: int, out: Console) -> None:
    """Measure a wide table in chunks of different sizes, counted in aggregation buffers."""
    rows = min(rows, 500_000)
    path = generated.readings(spark, folder, rows, _WIDE_COLUMNS, out)
    questions = basic([f"c{n}" for n in range(_WIDE_COLUMNS)])
    table = spark.read.parquet(str(path))
    ways = [
        _way(f"{sharing}, {buffers} buffers", table, _plan(table, questions, buffers, sharing))
        for buffers in _CHUNK_BUFFERS
        for sharing in _SHARINGS[:2]
    ]
    ways.append(_duckdb(path, questions))
    measured = alternate(spark, ways, rounds, out)
    title = f"chunks: six basic statistics of {rows:,} rows x {_WIDE_COLUMNS} columns"
    baseline, limit = measured["observed, 200 buffers"], measured["DuckDB"]
    print_costs(out, title, measured.values(), baseline, limit)


def measure_sharing(
    spark: SparkSession, folder: Path, rows: int, rounds: int, out: Console
) -> None:
    """Compare sketches that are observed, in a job of their own, or in the same aggregation."""
    parquet = generated.orders(spark, folder, rows, out)
    table = spark.read.parquet(str(parquet))
    _compare_sharings(table, "Parquet", parquet, rows, rounds, out)
    csv_rows = min(rows, 1_000_000)
    csv = generated.orders_csv(spark, folder, csv_rows, out)
    csv_table = spark.read.schema(table.schema).csv(str(csv), header=True)
    csv_parquet = generated.orders(spark, folder, csv_rows, out)
    _compare_sharings(csv_table, "CSV", csv_parquet, csv_rows, rounds, out)


def _compare_sharings(
    table: DataFrame, source: str, parquet: Path, rows: int, rounds: int, out: Console
) -> None:
    columns = ["order_id", "customer_id", "store", "quantity", "amount", "discount", "weight"]
    columns += ["latitude", "longitude"]
    for title, questions, buffers in (
        (f"{len(QUESTIONS)} scan constraints", QUESTIONS, 100),
        (f"six basic statistics of {len(columns)} columns in 3 scans", basic(columns), 30),
    ):
        ways = [
            _way(sharing, table, _plan(table, questions, buffers, sharing)) for sharing in _SHARINGS
        ]
        ways.append(_duckdb(parquet, questions))
        measured = alternate(table.sparkSession, ways, rounds, out)
        full_title = f"sharing: {title}, {source}, {rows:,} rows"
        baseline, limit = measured["observed"], measured["DuckDB"]
        print_costs(out, full_title, measured.values(), baseline, limit)


#: the choices that can be measured, by name
STUDIES = {"chunks": measure_chunks, "sharing": measure_sharing}


def _plan(table: DataFrame, questions: Sequence[Question], buffers: int, sharing: Sharing) -> Plan:
    module = sys.modules[plan.__module__]
    # the planner's own limits must not split a chunk any further
    with (
        patch.object(module, "MAX_BUFFERS", _UNLIMITED),
        patch.object(scan_pass, "MAX_SKETCHES", _UNLIMITED),
    ):
        analyzers = [question.analyzer for question in questions]
        planned = plan(analyzers, schema_of(table), buffers=buffers)
    return replace(planned, sharing=sharing)


def _way(name: str, table: DataFrame, planned: Plan) -> Way:
    return Way(name, lambda: by_plan(table, planned))


def _duckdb(parquet: Path, questions: Sequence[Question]) -> Way:
    return Way("DuckDB", lambda: by_duckdb(parquet, questions), on_spark=False)
