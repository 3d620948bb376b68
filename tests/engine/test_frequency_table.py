"""Frequency tables in Spark obey the same algebra as those on the driver."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from assay.analyzers import (
    Analyzer,
    CountDistinct,
    DuplicateRowCount,
    Entropy,
    Histogram,
    HistogramEqualWidth,
    MutualInformation,
    Uniqueness,
)
from assay.analyzers.frequencies import Frequencies, Needs
from assay.analyzers.state import State
from assay.engine import measure
from assay.engine.frequency_table import FrequencyTable, collect_segments, collect_tables
from assay.engine.measurement import merge_state_lists
from assay.errors import StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

words = [("a", 1), ("a", 2), ("b", 1), (None, 1), (None, None), ("c", None), ("c", 3)]
more = [("a", 1), ("d", 4), (None, None)]
needs = Needs(top=3, marginals=True)


def _frame(spark: SparkSession, rows: list[tuple[Any, Any]]) -> DataFrame:
    return spark.createDataFrame(rows, "word string, number int")


def _table(df: DataFrame) -> FrequencyTable:
    pair = MutualInformation(("word", "number"))
    state = measure(df, [pair]).states[pair]
    assert isinstance(state, FrequencyTable)
    return state


def _driver(rows: list[tuple[Any, Any]]) -> Frequencies:
    # the keys are in the order of the columns' names
    return Frequencies.of((None if n is None else str(n), w) for w, n in rows)


def test_a_table_has_the_same_summary_as_on_the_driver(spark: SparkSession) -> None:
    table, driver = _table(_frame(spark, words)), _driver(words)
    assert table.collect() == driver
    ours, theirs = table.summary(needs), driver.summary(needs)
    assert ours.top == theirs.top
    assert ours.n_log_n == pytest.approx(theirs.n_log_n)
    basic = ("rows", "groups", "singles", "nulls")
    for a, b in zip((ours, *ours.marginals), (theirs, *theirs.marginals), strict=True):
        assert [getattr(a, name) for name in basic] == [getattr(b, name) for name in basic]


@pytest.mark.connect
def test_tables_of_segments_are_the_same_collected_together_or_alone(spark: SparkSession) -> None:
    pair, single = MutualInformation(("word", "number")), Uniqueness(("word",))
    rows = [*((*row, float("nan")) for row in words), *((*row, None) for row in more)]
    df = spark.createDataFrame(rows, "word string, number int, segment double")
    states = [
        measurement.states for measurement in measure(df, [pair, single], ["segment"]).values()
    ]
    collected = collect_segments(states)
    assert collected == list(map(collect_tables, states))
    assert all(isinstance(state, Frequencies) for tables in collected for state in tables.values())
    assert collect_segments(states, most=3) == states


@pytest.mark.connect
def test_addition_and_subtraction_are_lazy_and_exact(spark: SparkSession) -> None:
    first, second = _table(_frame(spark, words)), _table(_frame(spark, more))
    both = first + second
    assert both.collect() == _driver(words) + _driver(more)
    assert (both - second).collect() == first.collect()
    assert (first + FrequencyTable.identity()).collect() == first.collect()
    assert (FrequencyTable.identity() + second).collect() == second.collect()
    assert FrequencyTable.merged([first, second]).collect() == both.collect()


def test_a_merged_table_serves_every_analyzer(spark: SparkSession) -> None:
    analyzers: list[Any] = [
        Uniqueness("word"),
        CountDistinct("word"),
        Entropy("word"),
        Histogram("word"),
        HistogramEqualWidth("number", 3),
        MutualInformation(("word", "number")),
    ]
    parts = measure(_frame(spark, words), analyzers) + measure(_frame(spark, more), analyzers)
    together = measure(_frame(spark, words + more), analyzers)
    for analyzer in analyzers:
        expected: Any = together.value(analyzer)
        if isinstance(expected, float):
            expected = pytest.approx(expected)
        assert parts.value(analyzer) == expected, analyzer


def test_margins_count_the_rows_in_which_all_columns_are_null(spark: SparkSession) -> None:
    pair: list[Analyzer] = [MutualInformation(("word", "number")), Entropy("word")]
    served = measure(
        _frame(spark, words), [*pair, Uniqueness("number")], allow_multiple_reads=False
    )
    alone = measure(_frame(spark, words), [Entropy("word"), Uniqueness("number")])
    assert served.value(Entropy("word")) == alone.value(Entropy("word"))
    assert served.value(Uniqueness("number")) == alone.value(Uniqueness("number"))
    state: Any = served.states[Entropy("word")]
    assert state.summary(Needs()).nulls == 2
    assert state.collect() == Frequencies.of((w,) for w, _ in words)


@pytest.mark.parametrize("where", [None, "number > 1"])
@pytest.mark.parametrize("by", [None, ["number"]])
def test_margins_counted_alone_equal_those_of_the_table(
    spark: SparkSession, where: str | None, by: list[str] | None
) -> None:
    pair = MutualInformation(("word", "number"), where=where)
    frame = _frame(spark, words)
    once: Any = measure(frame, [pair], by, allow_multiple_reads=False)
    thrice: Any = measure(frame, [pair], by, allow_multiple_reads=True)
    if by is None:
        once, thrice = {(): once}, {(): thrice}
    assert set(once) == set(thrice)
    for segment, served in once.items():
        alone = thrice[segment]
        once_summary, alone_summary = (m.states[pair].known_summary for m in (served, alone))
        assert once_summary.marginals == alone_summary.marginals
        assert served.metrics == alone.metrics


@pytest.mark.connect
def test_small_tables_have_bytes_and_large_ones_do_not(spark: SparkSession) -> None:
    table = _table(_frame(spark, words))
    assert State.from_bytes(table.to_bytes()) == _driver(words)
    with pytest.raises(StateError, match="more than 3 frequencies does not belong on the driver"):
        table.collect(limit=3)


@pytest.mark.parametrize(
    "columns", ["word AS other", "number AS word", "word, 1 AS number"], ids=str
)
def test_tables_of_other_columns_do_not_merge(spark: SparkSession, columns: str) -> None:
    df = _frame(spark, words)
    rows = DuplicateRowCount()
    states = [
        measure(frame, [rows]).states[rows]
        for frame in (df.select("word"), df.selectExpr(*columns.split(", ")))
    ]

    metric = merge_state_lists({rows: states}).metrics[rows]

    assert metric.problem is not None
    assert metric.problem.code == "columns_changed"


def test_a_table_of_version_0_1_merges_though_its_types_are_not_known(spark: SparkSession) -> None:
    table = _table(_frame(spark, words))
    old = replace(table, keys=tuple(replace(key, type=None) for key in table.keys))
    assert (old + _table(_frame(spark, more))).collect() == _driver(words) + _driver(more)
