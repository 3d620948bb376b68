"""Two tables: what DuckDB says of their metrics and rows, awkward ones and real ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from assay import Check, Result, verify
from assay.analyzers import (
    AggregateMatch,
    Analyzer,
    DatasetMatch,
    ReferentialIntegrity,
    RowCountMatch,
    TableSchemaMatch,
)
from assay.demo import flights
from tests.oracle import frames
from tests.oracle.duck import hashable
from tests.oracle.expected import agrees
from tests.oracle.two import ORACLES, Ducks, Rows, partnerless, unreferred
from tests.realdata import at_hand

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

REFERENCES = [
    # the other table has some of these as other types, and not all of their values
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
    TableSchemaMatch("other"),
    TableSchemaMatch("other", exact=False),
]


class Verified(NamedTuple):
    """Two tables that Spark has compared, and both in DuckDB."""

    result: Result
    ducks: Ducks

    @staticmethod
    def of(df: DataFrame, other: DataFrame, analyzers: list[Analyzer]) -> Verified:
        check = Check("c")
        for each in analyzers:
            check = check.has(each, equals=2.0, id=each.key)
        return Verified(verify(df, check, reference_tables={"other": other}), Ducks(df, other))

    def disagreements(self) -> list[str]:
        found = self.result.measurement
        answers = ((found[each], ORACLES[type(each)](each, self.ducks)) for each in found)
        return [f"{is_}; expected {should}" for is_, should in answers if not agrees(is_, should)]


def changed(frame: DataFrame) -> DataFrame:
    """Rows that are missing, changed, doubled and new; some columns are of another type."""
    kept = frame.where("id % 7 <> 0")
    new = frame.where("id % 9 = 0").selectExpr("id + 1000 AS id", *map(_quoted, frame.columns[1:]))
    every = kept.unionAll(frame.where("id % 11 = 0")).unionAll(new)
    others = {
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
    return every.selectExpr(*(f"{others.get(name, name)} AS {name}" for name in new_names))


def _quoted(name: str) -> str:
    return f"`{name}`"


@pytest.fixture(scope="module")
def verified(spark: SparkSession) -> Verified:
    frame = frames.generated(spark, 250).coalesce(1)
    return Verified.of(frame, changed(frame), [*REFERENCES, *MATCHES, *PLAIN])


@pytest.mark.connect
def test_awkward_rows(verified: Verified) -> None:
    assert verified.disagreements() == []
    shares = [verified.result.measurement.value(each) for each in (*REFERENCES, *MATCHES)]
    assert all(isinstance(each, float) and 0 < each < 1 for each in shares), shares


def rows(frame: DataFrame) -> Rows:
    return Counter(tuple(map(_plain, row)) for row in frame.collect())


def _plain(value: Any) -> Any:
    """As DuckDB's Python has it."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    return hashable(bytes(value) if isinstance(value, bytearray) else value)


def test_rows_whose_key_is_not_there(verified: Verified) -> None:
    for each in REFERENCES[:2]:
        wanted = f"SELECT id FROM ({unreferred(each)}) WHERE NOT hit"
        assert rows(verified.result.failing(each.key).select("id")) == verified.ducks.rows(wanted)


@pytest.mark.parametrize("match", MATCHES, ids=str)
def test_rows_without_a_partner(verified: Verified, match: DatasetMatch) -> None:
    here = verified.result.failing(match.key).select("id")
    there = verified.result.missing(match.key).select("id")
    for found, table in ((here, "t"), (there, "o")):
        wanted = f"SELECT id FROM ({partnerless(match, verified.ducks, table)})"
        assert rows(found) == verified.ducks.rows(wanted)


def test_real_flights(spark: SparkSession) -> None:
    """Planes of the second week against those of the first; a day against a correction of it."""
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
    found = Verified.of(day, corrected, [match])
    assert found.disagreements() == []
    query = f"SELECT tailnum, flight FROM ({partnerless(match, found.ducks, 't')})"
    late_or_gone = found.result.failing(match.key).select("tailnum", "flight")
    assert rows(late_or_gone) == found.ducks.rows(query)


@pytest.mark.parametrize("empty", ["ours", "theirs", "both"])
def test_tables_without_rows(spark: SparkSession, empty: str) -> None:
    some, none = spark.range(3), spark.range(0)
    ours = none if empty in {"ours", "both"} else some
    theirs = none if empty in {"theirs", "both"} else some
    asked: list[Analyzer] = [
        ReferentialIntegrity("id", "other"),
        DatasetMatch("other", "id"),
        RowCountMatch("other"),
        AggregateMatch("max(id)", "other"),
        AggregateMatch("coalesce(sum(id), 0)", "other"),
    ]
    assert Verified.of(ours, theirs, asked).disagreements() == []
