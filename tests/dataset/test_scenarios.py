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
def told(rows: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    """One dataset through all scenarios, what it says after each, and the rows there should be."""
    schema = schema_of(rows)
    asked: list[Analyzer] = [
        each
        for each in questions(schema, COLUMNS)
        + [each for each in questions(schema, [TIME]) if isinstance(each, Freshness | Range)]
        + [each for each in questions(schema, [TIME], WHERE) if isinstance(each, ScanAnalyzer)]
        + [Correlation("dep_delay", "air_time"), RatioOfSums("dep_delay", "air_time")]
        + [Predictability("carrier", ["flight", "dest"], sample=200)]
        if each.incremental and not isinstance(each, SchemaAnalyzer)
    ]
    store = EmbeddedStore(tmp_path_factory.mktemp("scenarios"))
    dataset = Dataset("flights", store, analyzers=asked)
    found: dict[str, tuple[Measurement, str]] = {}

    first = "day BETWEEN 5 AND 6"
    loaded = dataset.load(rows.where(first), by=["day", "origin"])
    found["load"] = (loaded.measurement, first)

    appended = dataset.append(rows.where("day = 7 AND origin = 'JFK'"), "day=7/origin=JFK")
    after = f"({first} OR day = 7 AND origin = 'JFK')"
    found["append"] = (appended.whole.measurement, after)

    shorter = rows.where("day = 7 AND origin = 'JFK' AND dep_delay < 30")
    replaced = dataset.propose(shorter, "day=7/origin=JFK")
    kept = f"{after} AND NOT (day = 7 AND origin = 'JFK' AND coalesce(dep_delay >= 30, true))"
    found["replacement"] = (replaced.whole.measurement, kept)
    replaced.accept()

    view = dataset.verify(where="day BETWEEN 6 AND 7 AND origin <> 'EWR'")
    found["view"] = (view.measurement, f"{kept} AND day IN (6, 7) AND origin <> 'EWR'")

    rest = dataset.retract("day=5/origin=LGA")
    found["retraction"] = (rest.measurement, f"{kept} AND NOT (day = 5 AND origin = 'LGA')")
    return {
        name: Measured(measurement, Duck(rows.where(meant)))
        for name, (measurement, meant) in found.items()
    }


@pytest.mark.parametrize("scenario", SCENARIOS)
@incremental
def test_what_is_remembered_is_what_reading_again_would_tell(
    kind: type[Analyzer], scenario: str, told: dict[str, Measured]
) -> None:
    assert told[scenario].disagreements(kind) == []
