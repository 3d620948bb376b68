"""A frame of a few hundred awkward rows, one column for each type that DuckDB has too."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.realdata import at_hand

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = """
    id bigint, region string, flag boolean, tiny tinyint, n int, big bigint, single float,
    x double, y double, odd double, huge double, same double, price decimal(10,2),
    wide decimal(38,10), word string, d date, ts timestamp, ntz timestamp_ntz, raw binary,
    place struct<city:string,zip:int>, tags array<int>
"""
WORDS = [
    "",
    " ",
    "a",
    "A",
    "aa",
    "ab-12",
    "AB-34",
    "1",
    "-7",
    "+3",
    "2.5",
    ".5",
    "1e3",
    "1E-4",
    "0x1",
    "true",
    "FALSE",
    "2024-02-29",
    "2024-13-01",
    "2024-02-29 10:00:00",
    "2024-02-29T10:00:00.5Z",
    "1\n",
    "línea",
    "Ωmega",
    "日本語",
    "٣",
    "🦆 duck",
    "it's",
    'say "hi"',
    "back\\slash",
    "`tick`",
    "null",
    "NaN",
    "a,b",
    "tab\tbed",
    "\u01c5x",
    "e\u0301",
]
EXTREMES = [-(2**63), 2**63 - 1, 0, -1, 1, 2**32, -(2**32), 2**31, 2**53 + 1]
ODD = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1e308, -1e308, 5e-324, 1.5, -2.25]


def generated(spark: SparkSession, rows: int = 400) -> DataFrame:
    """The frame, always the same."""
    return at_hand(spark.createDataFrame(list(_rows(rows)), SCHEMA))


def empty(spark: SparkSession) -> DataFrame:
    """The same columns without a row."""
    return spark.createDataFrame([], SCHEMA)


def nothing(spark: SparkSession) -> DataFrame:
    """The same columns, all null."""
    return at_hand(spark.createDataFrame([(None,) * 21] * 5, SCHEMA))


def _rows(number: int) -> Iterator[tuple[Any, ...]]:
    rng = random.Random(20261115)
    day = date(2024, 2, 25)
    for i in range(number):
        x = rng.gauss(50, 20)
        cents = Decimal(rng.randrange(-(10**7), 10**7)) / 100
        wide = Decimal(f"{rng.randrange(-(10**26), 10**26)}.{rng.randrange(10**10):010d}")
        moment = datetime(2024, 3, 31, tzinfo=UTC) + timedelta(minutes=rng.randrange(600))
        yield (
            i,
            rng.choice(["north", "south", "north", None]),
            _or_null(rng, rng.random() < 0.3),
            _or_null(rng, rng.randrange(-128, 128)),
            _or_null(rng, rng.randrange(-50, 200)),
            _or_null(rng, rng.choice(EXTREMES)),
            _or_null(rng, rng.choice([0.1, -0.0, 0.0, 16777216.0, rng.random()])),
            _or_null(rng, x),
            _or_null(rng, 3 * x + rng.gauss(0, 5)),
            _or_null(rng, rng.choice(ODD)),
            _or_null(rng, rng.choice([1e40, -1e39, 1e-40, 3.0])),
            0.1,
            _or_null(rng, cents),
            _or_null(rng, wide),
            _or_null(rng, rng.choice(WORDS)),
            _or_null(rng, day + timedelta(days=rng.randrange(9))),
            _or_null(rng, moment),
            _or_null(rng, moment.replace(tzinfo=None, microsecond=rng.randrange(10**6))),
            _or_null(rng, rng.choice([b"", b"\x00", b"\xff\x00", b"abc"])),
            _or_null(rng, (rng.choice(["Ulm", "Bonn", None]), rng.randrange(3))),
            _or_null(rng, [rng.randrange(3) for _ in range(rng.randrange(3))]),
        )


def _or_null(rng: random.Random, value: object) -> object:
    return None if rng.random() < 0.15 else value
