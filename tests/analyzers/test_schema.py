"""Columns are found whatever they are called."""

from __future__ import annotations

import pytest

from assay.analyzers import Field, Mean, Schema
from assay.analyzers.schema import family
from assay.errors import AmbiguousColumnError, UnknownColumnError, WrongTypeError

odd = Schema(
    (
        Field("a.b", "int"),
        Field("a", "struct<b:string,c d:int>", (Field("b", "string"), Field("c d", "int"))),
        Field("x`y", "double"),
        Field("Größe", "bigint"),
        Field("twin", "int"),
        Field("Twin", "int"),
    )
)


@pytest.mark.parametrize(
    ("name", "sql", "type_name"),
    [
        ("a.b", "`a.b`", "int"),  # a column's own name goes before a path
        ("a.c d", "`a`.`c d`", "int"),
        ("a.`c d`", "`a`.`c d`", "int"),
        ("A.C D", "`a`.`c d`", "int"),
        ("x`y", "`x``y`", "double"),
        ("größe", "`Größe`", "bigint"),
        ("twin", "`__assay_4`", "int"),
        ("Twin", "`__assay_5`", "int"),
    ],
)
def test_a_column_is_found(name: str, sql: str, type_name: str) -> None:
    column = odd.column(name)
    assert (column.sql, column.type) == (sql, type_name)


def test_case_distinguishes_columns_only_where_spark_does() -> None:
    with pytest.raises(AmbiguousColumnError, match="2 columns are called 'TWIN'"):
        odd.column("TWIN")
    strict = Schema(odd.fields, case_sensitive=True)
    assert strict.aliases == strict.names
    with pytest.raises(UnknownColumnError):
        strict.column("TWIN")


def test_an_unknown_column_names_the_nearest() -> None:
    with pytest.raises(UnknownColumnError, match="did you mean 'amount'"):
        Schema.of(amount="double", id="int").column("amuont")


def test_the_error_of_a_wrong_type_lists_the_accepted_types() -> None:
    with pytest.raises(WrongTypeError, match="'name' is string; Mean needs one of: decimal, frac"):
        Mean("name").check(Schema.of(name="string"))


def test_names_in_backticks_may_be_paths() -> None:
    text = "`a.c d` > 0 AND `a`.`b` = 'it is `x`' AND `x``y` < 1"
    assert odd.resolved(text) == "`a`.`c d` > 0 AND `a`.`b` = 'it is `x`' AND `x``y` < 1"
    with pytest.raises(UnknownColumnError):
        odd.resolved("`nope` > 0")


@pytest.mark.parametrize(
    ("type_name", "kind"),
    [
        ("decimal(10,2)", "decimal"),
        ("interval day to second", "day interval"),
        ("interval year to month", "month interval"),
        ("interval", "calendar interval"),
        ("varchar(3)", "string"),
        ("string collate UNICODE", "string"),
        ("map<string,int>", "map"),
        ("timestamp_ntz", "timestamp_ntz"),
    ],
)
def test_kinds_of_types(type_name: str, kind: str) -> None:
    assert family(type_name) == kind
