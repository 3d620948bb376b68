"""Predictability in Spark: passes, segments, names, types, nulls, and errors in real data."""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import Measurement, measure
from assay.analyzers import Completeness, Predictability, Schema
from assay.demo import flights
from assay.engine import plan, plan_for
from assay.engine.passes import model_pass
from tests.engine.rows_read import read_rows
from tests.oracle.duck import Duck
from tests.oracle.predicted import rows as expected_rows
from tests.realdata import at_hand, data_path
from tests.traps.reasons import badly_worded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CARRIER = Predictability("carrier", ["tailnum"])
BY_ROUTE = Predictability("carrier", ["flight", "dest"])
FROM_JFK = Predictability("carrier", ["tailnum"], where="origin = 'JFK'")


@pytest.fixture(scope="module")
def february(spark: SparkSession) -> DataFrame:
    return at_hand(flights(spark))


@pytest.fixture(scope="module")
def all_rows(february: DataFrame) -> Measurement:
    return measure(february, [CARRIER, BY_ROUTE, FROM_JFK])


@pytest.fixture(scope="module")
def parts(february: DataFrame) -> Mapping[Any, Measurement]:
    return measure(february, [CARRIER, BY_ROUTE, FROM_JFK], by=["origin"])


@pytest.fixture(scope="module")
def jfk(february: DataFrame) -> Measurement:
    return measure(february.where("origin = 'JFK'"), [CARRIER])


def test_a_plan_names_the_models_and_their_analyzers() -> None:
    schema = Schema.of(country="string", zip="string", city="string", x="double")
    f1, precision = (
        Predictability("country", ["zip", "city"], score) for score in ("f1", "precision")
    )
    other = Predictability("country", ["city"], where="x > 0")
    made = plan([f1, precision, other, Completeness("x")], schema)
    assert made.passes == 3
    assert made.columns == ("x", "country", "zip", "city")
    assert str(made).splitlines() == [
        "3 passes over the data for 4 analyzers",
        "  scan       x: 2 aggregates in 2 buffers",
        f"  model      country from zip, city: for {f1}, {precision}",
        f"  model      country from city where x > 0: for {other}",
    ]


@pytest.mark.classic
def test_the_data_is_read_once_for_all_scores_and_segments(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = str(tmp_path / "rows")
    rows = spark.range(3000).selectExpr("id % 7 AS t", "concat('x ', id % 70) AS a", "id % 3 AS s")
    rows.repartition(3).write.parquet(path)
    df = spark.read.parquet(path)
    analyzers = [Predictability("t", ["a", "s"], score) for score in ("f1", "precision", "recall")]
    read, jobs, measured = read_rows(spark, lambda: measure(df, analyzers))
    assert plan_for(df, analyzers).passes == 1
    assert read == 3000
    assert jobs <= 6  # a job a shuffle with adaptive execution, one of them for the limit
    assert [measured.value(analyzer) for analyzer in analyzers] == [1.0] * 3
    read, _, parts = read_rows(spark, lambda: measure(df, analyzers, by=["s"]))
    assert (read, len(parts)) == (3000, 3)


@pytest.mark.connect
def test_the_counts_and_the_sample_equal_those_of_duckdb(february: DataFrame) -> None:
    analyzer = Predictability("carrier", ["flight", "dest"], sample=50)
    state: Any = measure(february, [analyzer]).states[analyzer]
    rows = expected_rows(analyzer, Duck(february))
    counts: dict[int, dict[int, int]] = {}
    for row in rows:
        for feature in row.features:
            class_counts = counts.setdefault(row.label, {})
            class_counts[feature] = class_counts.get(feature, 0) + row.n
    assert state.counts == counts
    assert [(*example, n) for example, n in sorted(state.sample.items())] == [
        (row.hash, row.label, tuple(row.features), row.n) for row in rows[:50]
    ]
    assert sum(state.rows.values()) == sum(row.n for row in rows)


def test_states_of_parts_and_of_segments_add_up(
    all_rows: Measurement, parts: Mapping[Any, Measurement], jfk: Measurement
) -> None:
    first, second, third = parts.values()
    total = first + second + third
    for analyzer in (CARRIER, BY_ROUTE):
        assert total.states[analyzer] == all_rows.states[analyzer]
        assert total.value(analyzer) == all_rows.value(analyzer)
    assert parts[("JFK",)].states[CARRIER] == jfk.states[CARRIER]


def test_a_tail_number_predicts_the_carrier(all_rows: Measurement) -> None:
    assert 0.93 < all_rows.number(CARRIER) < 0.95
    assert 0.94 < all_rows.number(BY_ROUTE) < 0.96


def test_a_selection_is_measured_like_its_rows_alone(
    all_rows: Measurement, parts: Mapping[Any, Measurement], jfk: Measurement
) -> None:
    assert all_rows.states[FROM_JFK] == jfk.states[CARRIER]
    assert parts[("JFK",)].value(FROM_JFK) == jfk.value(CARRIER)
    assert str(parts[("LGA",)][FROM_JFK].problem) == "undefined: it has no values"


def test_any_name_any_type_and_nulls(spark: SparkSession) -> None:
    """10 of 40 rows have no target, and in each column a missing input predicts the target."""
    columns = [
        "if(id % 4 = 0, NULL, id % 4) AS `a.b`",
        "if(id % 4 = 1, NULL, concat('Wörd-', id % 4)) AS `with space`",
        "named_struct('x.y', id % 4, 'tick`ed', array(id % 4)) AS `größe`",
        "map('k', id % 4) AS `map`",
        "cast(NULL AS string) AS none",
        "cast(id % 4 AS double) AS x",
        "DATE'2026-01-01' + int(id % 4) AS day",
        "concat('w', id % 4) COLLATE UNICODE_CI AS collated",
        "NULL AS void",
    ]
    df = spark.range(0, 40, 1, 2).selectExpr(*columns)
    inputs = ["with space", "größe", "größe.`x.y`", "map", "x", "day", "collated"]
    good = [Predictability("a.b", [name]) for name in inputs]
    analyzers = [
        *good,
        Predictability("a.b", ["none"], "recall"),
        Predictability("a.b", ["void", "none"], "recall"),
        Predictability("größe", ["a.b"]),
        Predictability("none", ["x"]),
        Predictability("collated", ["x"]),
    ]
    measured = measure(df, analyzers)
    assert badly_worded(measured.values()) == []
    assert [measured.value(analyzer) for analyzer in good] == [1.0] * len(good)
    # only the frequency of each value is known, and its own row is held out
    assert [measured.value(analyzer) for analyzer in analyzers[len(good) : -3]] == [0.0, 0.0]
    assert measured.value(analyzers[-3]) == 1.0
    assert measured[analyzers[-2]].problem is not None
    assert "collation" in str(measured[analyzers[-1]].problem)


def test_no_rows_and_bad_sql_are_problems(february: DataFrame) -> None:
    broken = Predictability("carrier", ["tailnum"], where="1 / (day - 3) > 0")
    bad = Predictability("carrier", ["tailnum"], where="dya > 3")
    measured = measure(february, [CARRIER, broken, bad])
    assert measured[CARRIER].problem is None
    assert "division" in str(measured[broken].problem).lower()
    assert "dya" in str(measured[bad].problem)
    empty = measure(february.where("false"), [CARRIER])
    assert str(empty[CARRIER].problem) == "undefined: it has no values"
    assert (empty + measured).value(CARRIER) == measured.value(CARRIER)
    assert measure(february.where("false"), [CARRIER], by=["origin"]) == {}


def test_too_many_values_are_refused(february: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_pass, "MOST_COUNTS", 100)
    problem = measure(february, [CARRIER])[CARRIER].problem
    assert problem is not None
    assert problem.code == "bad_state"
    assert "more than 100 counts" in problem.reason
    few = Predictability("carrier", ["tailnum"], buckets=2)
    assert measure(february, [few])[few].problem is None


def test_the_score_falls_if_values_are_shuffled(spark: SparkSession, february: DataFrame) -> None:
    """Errors in the target lower the score (deequ-vldb18, section 5.1)."""
    rows = [tuple(row) for row in february.select("carrier", "tailnum").collect()]
    rng = random.Random(5)
    positions = rng.sample(range(len(rows)), int(0.3 * len(rows)))
    carriers = [rows[i][0] for i in positions]
    rng.shuffle(carriers)
    for i, carrier in zip(positions, carriers, strict=True):
        rows[i] = (carrier, rows[i][1])
    measured = measure(spark.createDataFrame(rows, "carrier string, tailnum string"), [CARRIER])
    # about 30 % are wrong, minus those that got their own value again
    assert 0.6 < measured.number(CARRIER) < 0.75


@pytest.mark.parametrize(
    ("dataset", "target", "inputs", "clean", "dirty"),
    [
        ("beers", "state", ["city"], 0.94, None),
        ("hospital", "State", ["City", "ZipCode"], 0.99, 0.98),
        ("hospital", "Condition", ["MeasureName"], 0.99, 0.95),
    ],
)
def test_real_errors(
    spark: SparkSession,
    dataset: str,
    target: str,
    inputs: list[str],
    clean: float,
    dirty: float | None,
) -> None:
    """Clean data can be predicted, and errors lower the score."""
    analyzer = Predictability(target, inputs)
    right, wrong = (
        spark.read.csv(str(data_path("errors", dataset, f"{kind}.csv.gz")), header=True)
        for kind in ("clean", "dirty")
    )
    measured = measure(right, [analyzer]).number(analyzer)
    assert measured > clean
    if dirty is not None:
        worse = measure(wrong.toDF(*right.columns), [analyzer]).number(analyzer)
        assert worse < min(dirty, measured)


def test_the_state_contains_no_values(all_rows: Measurement) -> None:
    text = zlib.decompress(all_rows.states[CARRIER].payload()).decode()
    assert set(text) <= set("0123456789-,[]")
