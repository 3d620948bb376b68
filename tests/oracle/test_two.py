"""Comparisons of two tables agree with DuckDB, on generated and on real rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from assay import Check, Result, verify
from assay.analyzers import (
    AggregateMatch,
    Analyzer,
    DatasetMatch,
    DistributionDistance,
    ReferentialIntegrity,
    RowCountMatch,
    TableSchemaMatch,
)
from assay.demo import flights
from tests.oracle import frames
from tests.oracle.duck import hashable
from tests.oracle.expected import agrees
from tests.oracle.two import ORACLES, Ducks, Rows, references, without_counterpart
from tests.realdata import at_hand

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

REFERENCES = [
    # in the other table, some columns have other types, and values are missing
    ReferentialIntegrity("odd", "other", where="flag OR x > 60"),  # NaN, infinities, -0.0
    ReferentialIntegrity(["region", "word"], "other"),
    ReferentialIntegrity("tiny", "other", "n"),
    ReferentialIntegrity(["d", "place", "wide"], "other"),
]
MATCHES = [
    DatasetMatch("other", "id"),
    DatasetMatch("other", ["odd", "d"], where="n > 20", columns="region"),
]
PLAIN: list[Analyzer] = [
    RowCountMatch("other"),
    RowCountMatch("other", where="n > 20"),
    AggregateMatch("sum(price)", "other"),
    AggregateMatch("sum(wide)", "other", "sum(price)"),
    AggregateMatch("count(word)", "other"),
    AggregateMatch("max(region)", "other"),
    AggregateMatch("max(n) FILTER (WHERE n > 1000)", "other"),
    AggregateMatch("min(id)", "other", "min(tiny)"),
    DistributionDistance("region", "l1", table="other"),
    DistributionDistance("region", "l1", table="other", where="n > 20"),
    TableSchemaMatch("other"),
    TableSchemaMatch("other", exact=False),
]


class Verified(NamedTuple):
    """The verification of two tables, and both tables in DuckDB."""

    result: Result
    ducks: Ducks

    @staticmethod
    def of(df: DataFrame, other: DataFrame, analyzers: list[Analyzer]) -> Verified:
        check = Check("c")
        for analyzer in analyzers:
            check = check.has(analyzer, equals=0.5, id=analyzer.key)
        return Verified(verify(df, check, reference_tables={"other": other}), Ducks(df, other))

    def disagreements(self) -> list[str]:
        measurement = self.result.measurement
        answers = (
            (measurement[analyzer], ORACLES[type(analyzer)](analyzer, self.ducks))
            for analyzer in measurement
        )
        return [
            f"{actual}; expected {expected}"
            for actual, expected in answers
            if not agrees(actual, expected)
        ]


def changed(frame: DataFrame) -> DataFrame:
    """Remove, change, repeat and add rows, and change the types of some columns."""
    kept = frame.where("id % 7 <> 0")
    new = frame.where("id % 9 = 0").selectExpr("id + 1000 AS id", *map(_quoted, frame.columns[1:]))
    unchanged = kept.unionAll(frame.where("id % 11 = 0")).unionAll(new)
    expressions = {
        "id": "int(id)",
        "n": "bigint(if(n % 3 = 0, NULL, n))",
        "odd": "nullif(if(id % 5 = 0, -odd, odd), 1e308D)",
        "wide": "if(id % 5 = 0, 0BD, cast(wide AS decimal(37,10)))",
        "single": "double(single)",
        "d": "cast(nullif(d, DATE'2024-02-27') AS timestamp_ntz)",
        "word": "if(id % 3 = 0, lower(word), word)",
        "tags": "if(id % 4 = 0, array(7), tags)",
    }
    new_names = [name for name in frame.columns if name not in {"huge", "same"}]
    return unchanged.selectExpr(*(f"{expressions.get(name, name)} AS {name}" for name in new_names))


def _quoted(name: str) -> str:
    return f"`{name}`"


@pytest.fixture(scope="module")
def verified(spark: SparkSession) -> Verified:
    frame = frames.generated(spark, 250).coalesce(1)
    return Verified.of(frame, changed(frame), [*REFERENCES, *MATCHES, *PLAIN])


@pytest.mark.connect
def test_generated_rows(verified: Verified) -> None:
    assert verified.disagreements() == []
    shares = [verified.result.measurement.value(analyzer) for analyzer in (*REFERENCES, *MATCHES)]
    assert all(isinstance(share, float) and 0 < share < 1 for share in shares), shares


def rows(frame: DataFrame) -> Rows:
    return Counter(tuple(map(_plain, row)) for row in frame.collect())


def _plain(value: Any) -> Any:
    """Convert a value to the form that DuckDB returns."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    return hashable(bytes(value) if isinstance(value, bytearray) else value)


def test_rows_whose_key_does_not_exist(verified: Verified) -> None:
    for analyzer in REFERENCES[:2]:
        query = f"SELECT id FROM ({references(analyzer)}) WHERE NOT hit"
        assert rows(verified.result.failing(analyzer.key).select("id")) == verified.ducks.rows(
            query
        )


@pytest.mark.parametrize("match", MATCHES, ids=str)
def test_rows_without_a_counterpart(verified: Verified, match: DatasetMatch) -> None:
    here = verified.result.failing(match.key).select("id")
    there = verified.result.missing(match.key).select("id")
    for actual, table in ((here, "t"), (there, "o")):
        query = f"SELECT id FROM ({without_counterpart(match, verified.ducks, table)})"
        assert rows(actual) == verified.ducks.rows(query)


def test_real_flights(spark: SparkSession) -> None:
    """Compare the planes of two weeks, and a day with a corrected version of it."""
    both = at_hand(flights(spark).where("origin <> 'LGA'"))
    planes = ReferentialIntegrity("tailnum", "other")
    week = Verified.of(both.where("day > 7"), both.where("day <= 7"), [planes])
    assert week.disagreements() == []
    assert 0.7 < week.result.measurement.number(planes) < 0.95

    day = both.where("day = 8")
    late = "if(dep_delay > 60, 60, dep_delay) AS dep_delay"
    columns = [late if name == "dep_delay" else name for name in day.columns]
    corrected = day.selectExpr(*columns).where("carrier <> 'US'")
    flight = ["time_hour", "carrier", "flight", "origin"]
    match = DatasetMatch("other", flight)
    corrected_day = Verified.of(day, corrected, [match])
    assert corrected_day.disagreements() == []
    query = f"SELECT tailnum, flight FROM ({without_counterpart(match, corrected_day.ducks, 't')})"
    late_or_gone = corrected_day.result.failing(match.key).select("tailnum", "flight")
    assert rows(late_or_gone) == corrected_day.ducks.rows(query)


@pytest.mark.parametrize("empty", ["ours", "theirs", "both"])
def test_tables_without_rows(spark: SparkSession, empty: str) -> None:
    some, none = spark.range(3), spark.range(0)
    ours = none if empty in {"ours", "both"} else some
    theirs = none if empty in {"theirs", "both"} else some
    analyzers: list[Analyzer] = [
        ReferentialIntegrity("id", "other"),
        DatasetMatch("other", "id"),
        RowCountMatch("other"),
        AggregateMatch("max(id)", "other"),
        AggregateMatch("coalesce(sum(id), 0)", "other"),
    ]
    assert Verified.of(ours, theirs, analyzers).disagreements() == []
