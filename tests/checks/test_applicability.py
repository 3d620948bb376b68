"""The schema alone tells which constraints of a check cannot be evaluated."""

from __future__ import annotations

import pytest
from pyspark.sql.types import (
    DoubleType,
    IntegerType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from assay import Check
from assay.analyzers import Field, Schema
from tests.checks.constraint_examples import EXAMPLES, SCHEMA

THEIRS = StructType(
    [
        StructField("id", IntegerType()),
        StructField("amount", DoubleType()),
        StructField("a.b", StringType()),
        StructField("address", StructType([StructField("city", StringType())])),
        StructField("tags", MapType(StringType(), StringType())),
        StructField("at", TimestampType()),
    ]
)
OURS = Schema(
    (
        Field("id", "int"),
        Field("amount", "double"),
        Field("a.b", "string"),
        Field("address", "struct<city:string>", (Field("city", "string"),)),
        Field("tags", "map<string,string>"),
        Field("at", "timestamp"),
    )
)
FITS = (
    Check("fits")
    .is_primary_key("id", "a.b")
    .is_email("address.city")
    .has_mean("amount", at_least=0)
    .has_count_distinct("tags", at_least=1)
    .has_column("missing")
    .has_max("at", at_most="2026-01-01")
)
MISFITS = (
    Check("misfits")
    .is_complete("amuont")
    .has_mean("a.b", at_least=0)
    .is_positive("a.b")
    .has_min("tags", at_least=0)
    .is_email("adress.city")
    .is_unique("id")
    .is_less_than("id", "Amount")
    .satisfies("`no such` > 1")
)


@pytest.mark.parametrize("schema", [THEIRS, OURS], ids=["Spark's", "ours"])
def test_applicable_to(schema: StructType | Schema) -> None:
    fits = FITS.applicable_to(schema)
    assert fits
    assert str(fits) == "every constraint can be evaluated"
    assert not fits.problems
    misfits = MISFITS.applicable_to(schema)
    assert not misfits
    assert {constraint.name: why.code for constraint, why in misfits.problems.items()} == {
        "is_complete(amuont)": "unknown_column",
        "has_mean(a.b)": "wrong_type",
        "is_positive(a.b)": "wrong_type",
        "has_min(tags)": "wrong_type",
        "is_email(adress.city)": "unknown_column",
        "satisfies(`no such` > 1)": "unknown_column",
    }
    first, second, third, *_ = str(misfits).splitlines()
    assert first.startswith("is_complete(amuont): no column 'amuont'; did you mean 'amount'?")
    assert second.startswith("has_mean(a.b): column 'a.b' is string; Mean needs one of: decimal")
    assert third.startswith("is_positive(a.b): column 'a.b' is string; is_positive needs one of")


def test_every_constraint_is_applicable_to_matching_columns() -> None:
    columns = dict(pair.split() for pair in SCHEMA.split(","))
    schema = Schema.of(**columns)
    for example in EXAMPLES:
        assert example.add_to(Check("c")).applicable_to(schema), example.name


def test_no_job_and_no_session() -> None:
    """This file asks for no session: schemas are descriptions, Spark's own too."""
    assert Check("c").applicable_to(StructType())
    assert not FITS.applicable_to(StructType())
