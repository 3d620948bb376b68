"""An analyzer that does not expose a column holds no value of it, in its state or its metric."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, ClassVar

import pytest
from pyspark.sql import SparkSession

from assay.analyzers import (
    AggregateMatch,
    Analyzer,
    Completeness,
    CountDistinct,
    CustomSql,
    DatasetMatch,
    DistributionDistance,
    DuplicateRowCount,
    Histogram,
    Maximum,
    Minimum,
    PredictabilityWith,
    ReferentialIntegrity,
    RowCountMatch,
    Schema,
    Size,
    TableSchemaMatch,
    Uniqueness,
    ValueProfile,
    registry,
)
from assay.engine.frame import schema_of
from assay.engine.measure import measure, measure_planned
from assay.engine.measurement import Measurement
from assay.engine.plan import plan_for
from tests.oracle.questions import questions

#: values that no count, ratio, sum or length of them equals
PLANTED: dict[str, list[Any]] = {
    "code": ["#~%~#", "Quillfeather-8813", "Zanzibar-77191", "Okapi-55217", "Xylophone-90001"],
    "number": [918273641, 827364519, 736455193, 645546371, 564637289],
    "amount": [77123.4567, 88234.5679, 99345.6793, 66012.3459, 55901.2347],
    "day": [date(1931, 3, 7 + i) for i in range(5)],
    "moment": [datetime(1947, 5, 11 + i, 13, 17, 19) for i in range(5)],
    "other": [31415926535, 27182818285, 16180339887, 14142135623, 17320508076],
    "word": ["Umbrella-1", "Violoncello-2", "Wolverine-3", "Yellowhammer-4", "Aardvark-5"],
}
TYPES = "code string, number int, amount double, day date, moment timestamp, other bigint"
REFERENCE = "backup"


@cache
def measured() -> tuple[Schema, Measurement]:
    """Every kind of analyzer, measured on the planted values."""
    spark = SparkSession.getActiveSession()
    assert spark is not None
    rows = list(zip(*PLANTED.values(), strict=True))
    df = spark.createDataFrame(rows, f"{TYPES}, word string")
    schema = schema_of(df)
    analyzers: list[Analyzer] = [
        *questions(schema),
        ReferentialIntegrity("code", REFERENCE),
        DatasetMatch(REFERENCE, "code", ["number"]),
        RowCountMatch(REFERENCE),
        AggregateMatch("max(code)", REFERENCE),
        TableSchemaMatch(REFERENCE),
        DistributionDistance("code", "l1", table=REFERENCE),
        ValueProfile("code", hidden=True),
        Minimum("number", where="code <> 'x'"),
        CustomSql("max(struct(*)).word"),
        Histogram("number", binning="word"),
    ]
    return schema, measure(df, analyzers, reference_tables={REFERENCE: df})


@pytest.fixture(autouse=True)
def session(spark: SparkSession) -> None:
    """A classic session is the active one."""


def texts_of(value: Any) -> set[bytes]:
    """Return the forms in which a state or a metric may hold a value."""
    if isinstance(value, str):
        return {value.encode()}
    if isinstance(value, float):
        return {repr(value).encode(), struct.pack("<d", value)}
    if isinstance(value, int):
        return {str(value).encode(), f'"{value:x}"'.encode(), struct.pack("<d", value)}
    return {value.isoformat().encode(), str(value).encode()}


def held_by(measurement: Measurement, analyzer: Analyzer) -> set[str]:
    """Return the columns of which the state or the metric of an analyzer holds a value."""
    metric = measurement[analyzer]
    content = f"{metric} {json.dumps(metric.to_dict(), default=str)}".encode()
    content = content.replace(analyzer.key.encode(), b"").replace(b"\\u2026", b"")
    if analyzer in measurement.states:
        data = measurement.states[analyzer].to_bytes()
        content += data
        payload = data.partition(b"\n")[2]
        if payload[:1] == b"x":  # zlib
            content += zlib.decompress(payload)
    return {
        column
        for column, values in PLANTED.items()
        if any(text in content for value in values for text in texts_of(value))
    }


@pytest.mark.parametrize("kind", registry().values(), ids=list(registry()))
def test_a_column_that_is_not_exposed_leaves_no_value(kind: type[Analyzer]) -> None:
    schema, measurement = measured()
    analyzers = [analyzer for analyzer in measurement if type(analyzer) is kind]
    assert analyzers
    leaks = {
        analyzer.key: held_by(measurement, analyzer) - analyzer.exposed_columns(schema)
        for analyzer in analyzers
    }
    assert {key: columns for key, columns in leaks.items() if columns} == {}


@pytest.mark.parametrize(
    "kind",
    [kind for kind in registry().values() if kind.exposes_values],
    ids=lambda kind: kind.__name__,
)
def test_an_analyzer_that_says_that_it_exposes_values_does(kind: type[Analyzer]) -> None:
    """Otherwise a gate would refuse it for private columns without need."""
    _, measurement = measured()
    assert any(held_by(measurement, analyzer) for analyzer in measurement if type(analyzer) is kind)


def test_frequencies_by_hash_hold_no_values(spark: SparkSession) -> None:
    rows = [(code,) for code in PLANTED["code"]]
    df = spark.createDataFrame(rows, "code string")
    schema = schema_of(df)
    analyzers = [CountDistinct("code"), Uniqueness("code"), DuplicateRowCount()]
    plan = plan_for(df, analyzers, hash_values=True)
    hashed = measure_planned(df, plan)[()]
    for analyzer in analyzers:
        assert analyzer.exposed_columns(schema) == {"code"}
        assert analyzer.exposed_columns(schema, hash_values=True) == frozenset()
        assert held_by(hashed, analyzer) == set()
    assert Histogram("code").exposed_columns(schema, hash_values=True) == {"code"}


SCHEMA = Schema.of(
    **{"id": "int", "ssn": "string", "tax number": "string"},
    home={"zip": "string", "city": "string"},
)


@dataclass(frozen=True)
class Direct(Analyzer):
    """An analyzer of a user's own that names no column."""

    abstract: ClassVar[bool] = True

    def check(self, schema: Schema) -> None:
        """Accept every schema."""


@pytest.mark.parametrize(
    ("analyzer", "columns"),
    [
        (Size(), set()),
        (Completeness("ssn"), set()),
        (Minimum("ssn"), {"ssn"}),
        (Minimum("home.zip"), {"home"}),
        (Maximum("id", where="ssn IS NOT NULL"), {"id"}),
        (CustomSql("count(*)"), set()),
        (CustomSql("max(SSN)"), {"ssn"}),
        (CustomSql("max(`tax number`)"), {"tax number"}),
        (CustomSql("max(concat('\\'', ssn, '\\''))"), {"ssn"}),
        (CustomSql("max(home.zip)"), {"home"}),
        (CustomSql("first(struct(*))"), {"id", "ssn", "tax number", "home"}),
        (Histogram("id", binning="left(ssn, 3)"), {"id", "ssn"}),
        (DuplicateRowCount(), {"id", "ssn", "tax number", "home"}),
        (PredictabilityWith("id", ["ssn"]), set()),
        (Minimum("absent"), {"id", "ssn", "tax number", "home"}),
        (Direct(), {"id", "ssn", "tax number", "home"}),
    ],
    ids=str,
)
def test_exposed_columns_are_top_level_columns(analyzer: Analyzer, columns: set[str]) -> None:
    assert analyzer.exposed_columns(SCHEMA) == columns
