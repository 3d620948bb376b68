"""An append reads the new batch once and stored states. A view reads no rows."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Check, Dataset, EmbeddedStore
from assay.analyzers import Analyzer, ApproxCountDistinct, Mean, Median, Size
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.classic
ROWS, KEYS = 1000, 10


@pytest.fixture
def source(spark: SparkSession, tmp_path: Path) -> Path:
    for part in range(3):
        rows = spark.range(ROWS).selectExpr(f"{part} AS part", f"id % {KEYS} AS n", "id")
        rows.write.parquet(str(tmp_path / "data" / f"p{part}"))
    return tmp_path / "data"


def test_an_append_reads_the_delta_and_states(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    dataset = Dataset(
        "numbers",
        EmbeddedStore(tmp_path / "store"),
        Check("numbers").has_size(at_least=1).has_entropy("n", at_least=0),
        analyzers=[Mean("id"), Median("id"), ApproxCountDistinct("n")],
    )
    for part in range(3):
        df = spark.read.parquet(str(source / f"p{part}"))
        append = partial(dataset.append, df, f"part={part}")
        read, _, update = read_rows(spark, append)
        assert update.whole.measurement.value(Size()) == ROWS * (part + 1)
        # the scan, the grouping; then tables of ten keys: its own, and those of all parts
        tables = KEYS * (part + 2)
        assert 2 * ROWS <= read <= 2 * ROWS + tables, part


def test_states_of_scans_need_no_job_at_all(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    analyzers: list[Analyzer] = [Size(), Mean("id"), Median("id"), ApproxCountDistinct("n")]
    dataset = Dataset("numbers", EmbeddedStore(tmp_path / "store"), analyzers=analyzers)
    df = spark.read.parquet(*(str(source / f"p{part}") for part in range(3)))
    read, _, _ = read_rows(spark, lambda: dataset.load(df, by=["part"]))
    assert read == 2 * 3 * ROWS, "plain aggregates and sketches of all parts: a pass each"
    for where in ("part >= 1", None):
        _, jobs, view = read_rows(spark, partial(dataset.verify, where=where))
        assert jobs == 0
        assert view.measurement.value(Size()) == ROWS * (3 if where is None else 2)
    _, jobs, _ = read_rows(spark, lambda: dataset.retract("part=0"))
    assert jobs == 0


def test_a_load_writes_all_tables_in_one_pass(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    dataset = Dataset(
        "numbers", EmbeddedStore(tmp_path / "s"), Check("n").has_entropy("n", at_least=0)
    )
    df = spark.read.parquet(*(str(source / f"p{part}") for part in range(3)))
    read, _, result = read_rows(spark, lambda: dataset.load(df, by=["part"]))
    assert result.passed
    assert 3 * ROWS <= read <= 3 * ROWS + 6 * 3 * KEYS
