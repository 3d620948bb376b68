"""Python values beside columns: every type, every character, the same value in Spark."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from assay import Check, Outcome, verify
from assay.checks.sql import literal
from assay.errors import CheckError, describe_value

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: the type of a column, a value in it, and one that is not
VALUES: list[tuple[str, Any, Any]] = [
    ("tinyint", 127, 0),
    ("int", -(2**31), 0),
    ("bigint", 2**63 - 1, 0),
    ("bigint", -(2**63), 0),
    ("decimal(38,0)", 10**37, 10**37 - 1),
    ("decimal(10,2)", Decimal("0.10"), Decimal("0.11")),
    ("decimal(10,2)", 0.1, 0.11),
    ("double", 0.1, 0.2),
    ("double", 1e-300, 0.0),
    ("double", float("inf"), 1e300),
    ("double", float("nan"), 1.0),
    ("boolean", True, False),
    ("date", date(2026, 1, 1), date(2026, 1, 2)),
    ("date", "2026-01-01", "2026-01-02"),
    ("timestamp", datetime(2026, 1, 1, 12, 0, 0, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)),
    ("timestamp", datetime(2026, 1, 1, 12), datetime(2026, 1, 1)),
    ("timestamp", "2026-01-01T12:00:00+01:00", "2026-01-01"),
    ("timestamp_ntz", datetime(2026, 1, 1, 12), datetime(2026, 1, 1)),
    ("interval day to second", timedelta(days=400, microseconds=1), timedelta(days=400)),
    ("interval day to second", timedelta(microseconds=-1), timedelta(0)),
    ("binary", b"\x00\xff", b""),
    ("string", "", " "),
    ("string", 'it\'s "quoted" `so`', "it's"),
    ("string", "back\\slash \\' \\n", "back"),
    ("string", "new\nline\ttab\x1b", "new"),
    ("string", "' OR 1 = 1 --", "x"),
    ("string", "ünï 日本 😀 %_", "x"),
    ("bigint", np.int64(7), np.int64(8)),
    ("double", np.float64(0.5), np.float32(0.25)),
    ("boolean", np.bool_(True), np.bool_(False)),
]


@pytest.mark.connect
def test_a_value_is_itself_in_spark(spark: SparkSession) -> None:
    """Through its literal: among the values given, in the range from it to itself."""
    columns = {f"c{i}": kind for i, (kind, _, _) in enumerate(VALUES)}
    row = ", ".join(
        f"cast({literal(value)} AS {kind}) AS c{i}" for i, (kind, value, _) in enumerate(VALUES)
    )
    holds, breaks = Check("holds"), Check("breaks")
    for name, (_, value, other) in zip(columns, VALUES, strict=True):
        holds = holds.is_contained_in(name, [other, value])
        holds = holds if value != value else holds.is_in_range(name, value, value)
        breaks = breaks.is_contained_in(name, [other]).is_in_range(name, other, other)
    for result in verify(spark.sql(f"SELECT {row}"), holds, breaks):
        expected = Outcome.PASSED if result.check == "holds" else Outcome.FAILED
        assert result.outcome is expected, result.message


@pytest.mark.connect
def test_strings_arrive_in_spark_as_they_are(spark: SparkSession) -> None:
    texts = [value for kind, value, _ in VALUES if kind == "string"]
    row = spark.sql("SELECT " + ", ".join(map(literal, texts))).collect()[0]
    assert list(row) == texts


@pytest.mark.parametrize("value", [object(), [1], {"a": 1}, None])
def test_values_without_a_literal_are_refused(value: Any) -> None:
    with pytest.raises(CheckError, match=re.escape(f"got {describe_value(value)}.")):
        literal(value)
