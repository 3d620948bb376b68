"""Append, replacement, views and retraction: what is remembered equals reading everything again.

Two weeks of real flights, partitioned by day and origin; DuckDB reads all rows of each scenario.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import Dataset, EmbeddedStore
from assay.analyzers import (
    Analyzer,
    Correlation,
    Freshness,
    Predictability,
    Range,
    RatioOfSums,
    registry,
)
from assay.analyzers.analyzer import ScanAnalyzer, SchemaAnalyzer
from assay.demo import flights
from assay.engine.frame import schema_of
from assay.engine.measurement import Measurement
from tests.oracle.duck import Duck
from tests.oracle.oracles import Measured
from tests.oracle.questions import questions
from tests.realdata import at_hand

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = ["dep_delay", "tailnum"]
TIME = "time_hour"
WHERE = "dep_delay > 60"
SCENARIOS = ("load", "append", "replacement", "view", "retraction")
incremental = pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in registry().values()
        if kind.incremental and not issubclass(kind, SchemaAnalyzer)
    ],
    ids=lambda kind: kind.__name__,
)


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    return at_hand(flights(spark).where("day BETWEEN 5 AND 7"))


@pytest.fixture(scope="module")
def scenarios(rows: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    """Measure one dataset after each scenario, beside the rows that it should contain."""
    schema = schema_of(rows)
    analyzers: list[Analyzer] = [
        analyzer
        for analyzer in questions(schema, COLUMNS)
        + [a for a in questions(schema, [TIME]) if isinstance(a, Freshness | Range)]
        + [a for a in questions(schema, [TIME], WHERE) if isinstance(a, ScanAnalyzer)]
        + [Correlation("dep_delay", "air_time"), RatioOfSums("dep_delay", "air_time")]
        + [Predictability("carrier", ["flight", "dest"], sample=200)]
        if analyzer.incremental and not isinstance(analyzer, SchemaAnalyzer)
    ]
    store = EmbeddedStore(tmp_path_factory.mktemp("scenarios"))
    dataset = Dataset("flights", store, analyzers=analyzers)
    measured: dict[str, tuple[Measurement, str]] = {}

    first = "day BETWEEN 5 AND 6"
    loaded = dataset.load(rows.where(first), by=["day", "origin"])
    measured["load"] = (loaded.measurement, first)

    appended = dataset.append(rows.where("day = 7 AND origin = 'JFK'"), "day=7/origin=JFK")
    after = f"({first} OR day = 7 AND origin = 'JFK')"
    measured["append"] = (appended.whole.measurement, after)

    shorter = rows.where("day = 7 AND origin = 'JFK' AND dep_delay < 30")
    replaced = dataset.propose(shorter, "day=7/origin=JFK")
    kept = f"{after} AND NOT (day = 7 AND origin = 'JFK' AND coalesce(dep_delay >= 30, true))"
    measured["replacement"] = (replaced.whole.measurement, kept)
    replaced.accept()

    view = dataset.verify(where="day BETWEEN 6 AND 7 AND origin <> 'EWR'")
    measured["view"] = (view.measurement, f"{kept} AND day IN (6, 7) AND origin <> 'EWR'")

    remaining = dataset.retract("day=5/origin=LGA")
    measured["retraction"] = (remaining.measurement, f"{kept} AND NOT (day = 5 AND origin = 'LGA')")
    return {
        name: Measured(measurement, Duck(rows.where(condition)))
        for name, (measurement, condition) in measured.items()
    }


@pytest.mark.parametrize("scenario", SCENARIOS)
@incremental
def test_stored_states_give_the_metrics_of_reading_all_rows_again(
    kind: type[Analyzer], scenario: str, scenarios: dict[str, Measured]
) -> None:
    assert scenarios[scenario].disagreements(kind) == []
