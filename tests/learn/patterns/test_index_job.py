"""The index as a Spark job: what it adds up, and that nobody can tell how it was spread."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay.learn.patterns.evidence import Enumeration, evidence
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
    found = [
        evidence([each for each in values or [] if each is not None], enumeration)
        for _, _, values in columns
    ]
    return PatternIndex.of(found, enumeration, tables=len({table for table, _, _ in columns}))


@pytest.mark.connect
def test_it_is_the_sum_of_what_each_column_says(spark: SparkSession, tmp_path: Path) -> None:
    lake = _lake()
    index = build_index_of_columns(_frame(spark, lake), _SMALL)
    assert _saved(index, tmp_path) == _saved(_by_hand(lake, _SMALL), tmp_path)
    assert (index.tables, index.columns) == (6, 24)
    assert "<digit>{4}-<digit>{2}-<digit>{2}" in index.texts.values()
    assert index.sums.coverage.max() == 12  # days, and the mixed columns
    assert (np.diff(index.sums.keys.astype(object)) > 0).all()


@pytest.mark.connect
def test_a_hierarchy_of_ones_own_travels_to_the_executors(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HIERARCHIES, "mine", Hierarchy("mine", ("digit", "letter")))
    mine = Enumeration(hierarchy="mine", patterns=50)
    lake = _lake()[:4]
    index = build_index_of_columns(_frame(spark, lake), mine)
    assert _saved(index, tmp_path) == _saved(_by_hand(lake, mine), tmp_path)
    assert len(index.sums.keys)


def test_the_same_bits_however_it_is_spread(spark: SparkSession, tmp_path: Path) -> None:
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


def test_indexes_of_parts_add_up_to_that_of_the_whole(spark: SparkSession, tmp_path: Path) -> None:
    lake = _lake()
    some, others = (
        build_index_of_columns(_frame(spark, each), _SMALL) for each in (lake[:8], lake[8:])
    )
    whole = _saved(build_index_of_columns(_frame(spark, lake), _SMALL), tmp_path)
    assert _saved(some + others, tmp_path) == _saved(others + some, tmp_path) == whole


def test_the_order_of_a_column_s_values_does_not_matter() -> None:
    chance = random.Random(3)
    values = [value for _, _, column in _lake()[:4] for value in column or () if value]
    first = evidence(values, _SMALL)
    chance.shuffle(values)
    second = evidence(values, _SMALL)
    assert dict(zip(first.keys, first.impurity, strict=True)) == dict(
        zip(second.keys, second.impurity, strict=True)
    )
    assert first.texts == second.texts


def test_columns_without_values_count_and_say_nothing(spark: SparkSession) -> None:
    hollow: list[Column] = [("t", "a", None), ("t", "b", []), ("u", "c", [None, ""])]
    index = build_index_of_columns(_frame(spark, hollow))
    assert (index.tables, index.columns, len(index.sums.keys)) == (2, 3, 0)
    assert build_index_of_columns(_frame(spark, [])).columns == 0


@pytest.mark.connect
def test_texts_of_all_alphabets_and_of_any_length(spark: SparkSession, tmp_path: Path) -> None:
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
