"""States of parts merge into that of the whole; segments are measured like their rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import measure
from assay.analyzers import Analyzer, CustomSql, Predictability, Sample, Size, registry
from assay.analyzers.analyzer import ScanAnalyzer
from assay.analyzers.frequencies import GroupingAnalyzer
from assay.engine.frame import schema_of
from tests.oracle import frames
from tests.oracle.duck import Duck
from tests.oracle.oracles import Measured
from tests.oracle.questions import questions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCANNED = ["n", "odd", "word", "d", "wide"]
GROUPED = ["n", "word"]
SELECTED = ["n", "wide"]
WHERE = "n > 20"
incremental = pytest.mark.parametrize(
    "kind",
    [kind for kind in registry().values() if kind.incremental],
    ids=lambda kind: kind.__name__,
)


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    return frames.generated(spark)


@pytest.fixture(scope="module")
def analyzers(frame: DataFrame) -> list[Analyzer]:
    schema = schema_of(frame)
    scanned = questions(schema, SCANNED) + questions(schema, SELECTED, WHERE)
    grouped = questions(schema, GROUPED) + questions(schema, SELECTED[:1], WHERE)
    return [
        *(
            analyzer
            for analyzer in scanned
            if isinstance(analyzer, ScanAnalyzer) and analyzer.incremental
        ),
        *(analyzer for analyzer in grouped if isinstance(analyzer, GroupingAnalyzer)),
        *(Predictability("n", ["word", "tiny"], score, 100) for score in ("f1", "precision")),
        Predictability("word", ["n"], where=WHERE),
        *(Sample("word", k, where=where) for k in (1000, 7) for where in (None, WHERE)),
    ]


@pytest.fixture(scope="module")
def segments(frame: DataFrame, analyzers: list[Analyzer]) -> dict[object, Measured]:
    measurements = measure(frame, [*analyzers, CustomSql("max(n) - min(n)")], by=["region"])
    return {
        region: Measured(measurement, Duck(frame.where(_selects(region))))
        for (region,), measurement in measurements.items()
    }


@pytest.fixture(scope="module")
def added(
    frame: DataFrame, analyzers: list[Analyzer], segments: dict[object, Measured]
) -> Measured:
    """Merge the states of a segment with those of all other rows, measured separately."""
    other_segments = measure(frame.where("region IS NULL OR region <> 'north'"), analyzers)
    return Measured(segments["north"].measurement + other_segments, Duck(frame))


def _selects(region: object) -> str:
    return "region IS NULL" if region is None else f"region = '{region}'"


@incremental
def test_states_of_parts_merge_into_the_state_of_the_whole(
    kind: type[Analyzer], added: Measured
) -> None:
    assert added.disagreements(kind) == []


def test_every_value_is_a_segment(segments: dict[object, Measured]) -> None:
    assert segments.keys() == {"north", "south", None}


@pytest.mark.parametrize("region", ["north", "south", None])
@pytest.mark.parametrize("kind", [*registry().values()], ids=lambda kind: kind.__name__)
def test_a_segment_is_measured_like_its_rows_alone(
    kind: type[Analyzer], region: str | None, segments: dict[object, Measured]
) -> None:
    assert segments[region].disagreements(kind) == []


def test_segments_of_two_columns(frame: DataFrame) -> None:
    measurements = measure(frame, [Size()], by=["region", "flag"])
    counts = Duck(frame).counts(["region", "flag"], None)
    assert {
        segment: measurement.value(Size()) for segment, measurement in measurements.items()
    } == counts


def test_a_state_that_cannot_be_merged_is_a_problem_of_its_own_metric(frame: DataFrame) -> None:
    spread = CustomSql("max(n) - min(n)")
    part = measure(frame, [spread, Size()])
    both = part + part
    assert both.value(Size()) == 800
    assert both[spread].problem is not None
