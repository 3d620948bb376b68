"""States of two parts add up to those of the whole; segments are measured as if each were alone."""

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
def asked(frame: DataFrame) -> list[Analyzer]:
    schema = schema_of(frame)
    scanned = questions(schema, SCANNED) + questions(schema, SELECTED, WHERE)
    grouped = questions(schema, GROUPED) + questions(schema, SELECTED[:1], WHERE)
    return [
        *(each for each in scanned if isinstance(each, ScanAnalyzer) and each.incremental),
        *(each for each in grouped if isinstance(each, GroupingAnalyzer)),
        *(Predictability("n", ["word", "tiny"], score, 100) for score in ("f1", "precision")),
        Predictability("word", ["n"], where=WHERE),
        *(Sample("word", k, where=where) for k in (1000, 7) for where in (None, WHERE)),
    ]


@pytest.fixture(scope="module")
def segments(frame: DataFrame, asked: list[Analyzer]) -> dict[object, Measured]:
    found = measure(frame, [*asked, CustomSql("max(n) - min(n)")], by=["region"])
    return {
        region: Measured(measurement, Duck(frame.where(_selects(region))))
        for (region,), measurement in found.items()
    }


@pytest.fixture(scope="module")
def added(frame: DataFrame, asked: list[Analyzer], segments: dict[object, Measured]) -> Measured:
    """A segment and the rest, measured by itself: it does not matter where states are from."""
    rest = measure(frame.where("region IS NULL OR region <> 'north'"), asked)
    return Measured(segments["north"].measurement + rest, Duck(frame))


def _selects(region: object) -> str:
    return "region IS NULL" if region is None else f"region = '{region}'"


@incremental
def test_the_parts_add_up_to_the_whole(kind: type[Analyzer], added: Measured) -> None:
    assert added.disagreements(kind) == []


def test_the_segments_are_those_of_the_rows(segments: dict[object, Measured]) -> None:
    assert segments.keys() == {"north", "south", None}


@pytest.mark.parametrize("region", ["north", "south", None])
@pytest.mark.parametrize("kind", [*registry().values()], ids=lambda kind: kind.__name__)
def test_a_segment_is_measured_as_if_alone(
    kind: type[Analyzer], region: str | None, segments: dict[object, Measured]
) -> None:
    assert segments[region].disagreements(kind) == []


def test_segments_of_two_columns(frame: DataFrame) -> None:
    found = measure(frame, [Size()], by=["region", "flag"])
    counts = Duck(frame).counts(["region", "flag"], None)
    assert {segment: each.value(Size()) for segment, each in found.items()} == counts


def test_what_does_not_add_up_says_so_and_stops_nothing(frame: DataFrame) -> None:
    spread = CustomSql("max(n) - min(n)")
    part = measure(frame, [spread, Size()])
    both = part + part
    assert both.value(Size()) == 800
    assert both[spread].problem is not None
