"""Building an index with Spark: the same result however the columns are distributed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay.learn.patterns.evidence import Enumeration, collect_evidence
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.index_job import build_index_of_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Column = tuple[str, str, list[str | None] | None]

_SCHEMA = "table string, column string, values array<string>"
_SMALL = Enumeration(patterns=200)


def _lake() -> list[Column]:
    chance = random.Random(7)
    days = [f"2024-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}" for _ in range(40)]
    codes = [f"{chance.choice('ABC')}{chance.randint(0, 999):03}" for _ in range(40)]
    times = [f"{chance.randint(0, 23)}:{chance.randint(0, 59):02}" for _ in range(40)]
    kinds = {"day": days, "code": codes, "time": times, "mixed": days[:30] + codes[:10]}
    return [
        (f"t{number}", name, [*chance.sample(values, 30), None, ""])
        for number in range(6)
        for name, values in kinds.items()
    ]


def _frame(spark: SparkSession, columns: Sequence[Column], partitions: int = 2) -> DataFrame:
    return spark.createDataFrame(columns, _SCHEMA).repartition(partitions)


def _saved(index: PatternIndex, folder: Path) -> bytes:
    path = folder / "index"
    index.save(path)
    return path.read_bytes()


def _by_hand(columns: Sequence[Column], enumeration: Enumeration) -> PatternIndex:
    evidence = [
        collect_evidence([value for value in values or [] if value is not None], enumeration)
        for _, _, values in columns
    ]
    return PatternIndex.of(evidence, enumeration, tables=len({table for table, _, _ in columns}))


@pytest.mark.connect
def test_the_index_is_the_sum_of_the_columns(spark: SparkSession, tmp_path: Path) -> None:
    lake = _lake()
    index = build_index_of_columns(_frame(spark, lake), _SMALL)
    assert _saved(index, tmp_path) == _saved(_by_hand(lake, _SMALL), tmp_path)
    assert (index.tables, index.columns) == (6, 24)
    assert "<digit>{4}-<digit>{2}-<digit>{2}" in index.texts.values()
    assert index.sums.coverage.max() == 12  # columns of days, and mixed columns
    assert (np.diff(index.sums.keys.astype(object)) > 0).all()


@pytest.mark.connect
def test_executors_know_a_registered_hierarchy(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HIERARCHIES, "mine", Hierarchy("mine", ("digit", "letter")))
    mine = Enumeration(hierarchy="mine", patterns=50)
    lake = _lake()[:4]
    index = build_index_of_columns(_frame(spark, lake), mine)
    assert _saved(index, tmp_path) == _saved(_by_hand(lake, mine), tmp_path)
    assert len(index.sums.keys)


def test_the_distribution_of_the_columns_does_not_change_the_index(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = _lake()
    before = spark.conf.get("spark.sql.shuffle.partitions")
    one = _saved(build_index_of_columns(_frame(spark, lake, 1), _SMALL), tmp_path)
    try:
        spark.conf.set("spark.sql.shuffle.partitions", "4")
        four = _saved(build_index_of_columns(_frame(spark, lake[::-1], 4), _SMALL), tmp_path)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))
    assert one == four
    assert one != _saved(build_index_of_columns(_frame(spark, lake[1:]), _SMALL), tmp_path)


def test_indexes_of_parts_add_up_to_the_index_of_all(spark: SparkSession, tmp_path: Path) -> None:
    lake = _lake()
    first, second = (
        build_index_of_columns(_frame(spark, columns), _SMALL) for columns in (lake[:8], lake[8:])
    )
    total = _saved(build_index_of_columns(_frame(spark, lake), _SMALL), tmp_path)
    assert _saved(first + second, tmp_path) == _saved(second + first, tmp_path) == total


def test_the_order_of_the_values_does_not_matter() -> None:
    chance = random.Random(3)
    values = [value for _, _, column in _lake()[:4] for value in column or () if value]
    first = collect_evidence(values, _SMALL)
    chance.shuffle(values)
    second = collect_evidence(values, _SMALL)
    assert dict(zip(first.keys, first.impurity, strict=True)) == dict(
        zip(second.keys, second.impurity, strict=True)
    )
    assert first.texts == second.texts


def test_columns_without_values_are_counted(spark: SparkSession) -> None:
    hollow: list[Column] = [("t", "a", None), ("t", "b", []), ("u", "c", [None, ""])]
    index = build_index_of_columns(_frame(spark, hollow))
    assert (index.tables, index.columns, len(index.sums.keys)) == (2, 3, 0)
    assert build_index_of_columns(_frame(spark, [])).columns == 0


@pytest.mark.connect
def test_values_of_all_scripts_and_lengths_are_indexed(spark: SparkSession, tmp_path: Path) -> None:
    odd: list[Column] = [
        ("t", "long", ["x" * 1_000_000, *["a-1"] * 30]),
        ("t", "right to left", [f"שלום-{n}" for n in range(30)]),
        ("t", "emoji", [f"🙂{n}" for n in range(30)]),
        ("t", "control", [f"a\x01{n}\x7f\n" for n in range(30)]),
    ]
    index = build_index_of_columns(_frame(spark, odd))
    assert _saved(index, tmp_path) == _saved(_by_hand(odd, Enumeration()), tmp_path)
    assert index.columns == 4
    assert any("שלום" in text for text in index.texts.values())
