"""Comparisons with another table: their metrics, their failing rows and their errors."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Check, Outcome, Result, verify
from assay.analyzers import DatasetMatch
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAN = float("nan")
ORDERS = [
    (1, 10, "DE", 5.0),
    (2, 10, "FR", 0.0),
    (3, 77, "DE", NAN),
    (4, None, "DE", None),
    (4, 11, None, 1.0),
    (5, 11, "DE", 2.0),
    (5, 11, "DE", 2.0),
]
BACKUP = [
    (1, 10, "DE", 5.0),
    (2, 10, "FR", -0.0),
    (3, 77, "DE", NAN),
    (4, None, "DE", None),
    (5, 11, "DE", 2.0),
    (6, 12, "DE", 9.0),
]
CUSTOMERS = [(10, "DE"), (10, "DE"), (11, "DE"), (12, "FR"), (None, "DE")]


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    rows = spark.createDataFrame(ORDERS, "id int, customer int, land string, amount double")
    return rows.coalesce(1)


@pytest.fixture(scope="module")
def reference_tables(spark: SparkSession) -> dict[str, DataFrame]:
    # of other but comparable types, in another order
    backup = spark.createDataFrame(BACKUP, "id bigint, customer int, land string, amount double")
    customers = spark.createDataFrame(CUSTOMERS, "number bigint, country string")
    return {
        "backup": backup.select("amount", "customer", "land", "id").coalesce(1),
        "customers": customers.coalesce(1),
    }


CHECK = (
    Check("orders")
    .refers_to("customer", "customers", "number")
    .refers_to(["customer", "land"], "customers", ["number", "country"])
    .refers_to("customer", "customers", "number", at_most=0.0, where="land = 'FR'", id="barred")
    .agrees_with("backup", "id")
    .agrees_with("backup", ["id"], "land", where="id < 6")
    .agrees_with("backup", "id", id="in part", at_least=0.5)
    .has_row_count_of("backup", between=(0.9, 1.1))
    .has_aggregate_of("count(amount)", "backup")
    .has_schema_of("backup", order=True)
)


@pytest.fixture(scope="module")
def result(orders: DataFrame, reference_tables: dict[str, DataFrame]) -> Result:
    return verify(orders, CHECK, reference_tables=reference_tables)


def rows(frame: DataFrame) -> list[str]:
    return sorted(str(tuple(row)) for row in frame.collect())


def listed(*some: tuple[Any, ...]) -> list[str]:
    return sorted(map(str, some))


@pytest.mark.connect
def test_ratios(result: Result) -> None:
    assert [constraint_result.value for constraint_result in result] == [
        5 / 6,  # 77 is not a customer, and a null refers to nothing
        3 / 5,  # nor does a key of which a part is null
        1.0,
        3 / 6,  # ids 4 and 5 occur twice here, 6 only there; -0.0 is 0.0, NaN is NaN
        3 / 6,
        3 / 6,
        7 / 6,
        6 / 5,
        2 / 4,  # customer and land are at their places
    ]
    assert [constraint_result.outcome for constraint_result in result].count(Outcome.PASSED) == 1


@pytest.mark.connect
def test_failing_rows(result: Result, reference_tables: dict[str, DataFrame]) -> None:
    assert rows(result.failing("refers_to(customer, customers(number))")) == listed(ORDERS[2])
    assert rows(result.failing("in part")) == listed(*ORDERS[4:])  # though it passed
    gone = result.missing("agrees_with(backup, [id])")
    assert gone.columns == reference_tables["backup"].columns
    assert rows(gone.select("id", "amount")) == listed((5, 2.0), (6, 9.0))


@pytest.mark.connect
def test_split(result: Result, orders: DataFrame) -> None:
    good, bad = result.split()
    assert rows(good) == listed(ORDERS[0], ORDERS[3])
    assert good.schema == orders.schema
    match = ["agrees_with(backup, [id])", "agrees_with(backup, [id], land) where id < 6"]
    pair = "refers_to(customer, land, customers(number, country))"
    broken = [(row["id"], row["land"], row["errors"]) for row in bad.collect()]
    assert sorted(broken, key=str) == [
        (2, "FR", [pair, "barred"]),  # bounded from above: what is there is broken
        (3, "DE", ["refers_to(customer, customers(number))", pair]),
        (4, None, match),
        (5, "DE", match),
        (5, "DE", match),
    ]


def test_rows_are_lazy_and_the_whole_has_none(result: Result, spark: SparkSession) -> None:
    context = spark.sparkContext
    context.setJobGroup("lazy partners", "")
    try:
        result.split()
        result.missing("in part")
        assert list(context.statusTracker().getJobIdsForGroup("lazy partners")) == []
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    for name in ("has_row_count_of(backup)", "has_aggregate_of(count(amount), backup)"):
        with pytest.raises(CheckError, match="is about the rows as a whole"):
            result.failing(name)
    with pytest.raises(
        CheckError, match=r"does not compare rows with another table\. Use agrees_with"
    ):
        result.missing("barred")


def test_schema_differences_are_reported(
    orders: DataFrame, reference_tables: dict[str, DataFrame]
) -> None:
    check = Check("c").has_schema_of("backup").has_schema_of("customers", exact=False, at_least=0.5)
    messages = [
        constraint_result.message
        for constraint_result in verify(orders, check, reference_tables=reference_tables)
    ]
    assert messages[0].endswith("expected 100 %, actual 75 %. id is int, not bigint.")
    assert messages[1].endswith(". number is missing; country is missing.")
    nullable = Check("c").has_schema_of("o", nullable=True)
    required = orders.sparkSession.range(1).toDF("id")
    loose = required.selectExpr("nullif(id, 0) AS id")
    message = verify(loose, nullable, reference_tables={"o": required}).results[0].message
    assert message.endswith("id is bigint, not bigint not null.")


def test_a_table_may_refer_to_itself(spark: SparkSession) -> None:
    staff = spark.createDataFrame([(1, None), (2, 1), (3, 9)], "id int, boss int")
    check = Check("staff").refers_to("boss", "staff", "id").agrees_with("staff", "id")
    result = verify(staff, check, reference_tables={"staff": staff})
    assert [constraint_result.value for constraint_result in result] == [0.5, 1.0]
    good, bad = result.split()
    assert [row["boss"] for row in bad.collect()] == [9]
    assert good.count() == 2


small = st.sampled_from([None, 0, 1, 2])
values = st.sampled_from([None, "a", "b", "é"])
tables = st.lists(st.tuples(small, values, small), max_size=25)


@settings(max_examples=4)
@given(ours=tables, theirs=tables)
def test_tables_match_as_multisets(
    spark: SparkSession, ours: list[tuple[Any, ...]], theirs: list[tuple[Any, ...]]
) -> None:
    """Keys with equal rows, equally often, of all keys; both sides tell their rows apart."""
    schema = "k int, v string, w int"
    here, there = (spark.createDataFrame(side, schema).coalesce(1) for side in (ours, theirs))
    check = Check("c").agrees_with("o", ["k", "w"])
    result = verify(here, check, reference_tables={"o": there})
    our_counts, their_counts = Counter(ours), Counter(theirs)
    differing = {
        row for row in {*our_counts, *their_counts} if our_counts[row] != their_counts[row]
    }
    keys = {(k, w) for k, _, w in {*our_counts, *their_counts}}
    if keys:
        share = 1 - len({(k, w) for k, _, w in differing}) / len(keys)
        assert result.results[0].value == pytest.approx(share)
    else:
        assert result.results[0].problem is not None
    assert rows(result.failing("agrees_with(o, [k, w])")) == listed(
        *(row for row in ours if row in differing)
    )
    assert rows(result.missing("agrees_with(o, [k, w])")) == listed(
        *(row for row in theirs if row in differing)
    )


def test_decimals_are_not_rounded_to_agreement(spark: SparkSession) -> None:
    more, less = Decimal("9999999999999999999999999999.01"), Decimal("9999999999999999999999999999")
    here = spark.createDataFrame([(more,)], "x decimal(38,2)")
    there = spark.createDataFrame([(less,)], "x decimal(38,2)")
    check = Check("c").has_aggregate_of("max(x)", "there").has_aggregate_of("max(x)", "here")
    result = verify(here, check, reference_tables={"there": there, "here": here})
    assert [constraint_result.outcome.value for constraint_result in result] == ["failed", "passed"]
    assert result.results[0].value == 1.0000000000000002


NAMES = ["a.b", "two words", "tick`", "größe", "ID", "id", "k0", "n", "hit"]


@pytest.mark.connect
def test_any_names(spark: SparkSession) -> None:
    """This includes columns and tables whose names differ in case only."""
    types = ", ".join(f"c{i} int" for i in range(len(NAMES)))
    ours = [tuple(range(1, 10)), tuple(range(11, 20))]
    df = spark.createDataFrame(ours, types).toDF(*NAMES)
    other = spark.createDataFrame([ours[0][::-1]], types).toDF(*NAMES[::-1])
    table = "the `other` table's"
    check = Check("c")
    for key in ("ID", NAMES):
        check = check.refers_to(key, table).agrees_with(table, key)
    check = check.has_aggregate_of("sum(`a.b`) - min(`ID`)", table).has_schema_of(table)
    result = verify(df, check, reference_tables={table: other})
    assert [constraint_result.value for constraint_result in result] == [
        *[0.5] * 4,
        (1 + 11 - 5) / (1 - 5),
        1.0,
    ]
    good, bad = result.split()
    assert (rows(good), bad.columns) == (listed(ours[0]), [*NAMES, "errors", "warnings"])
    equality = check.constraints[1]
    assert rows(result.failing(equality)) == listed(ours[1])
    assert result.missing(equality).columns == NAMES[::-1]


#: keys of other types: ours, theirs, and whether they are equal; None where they do not compare
TYPES: list[tuple[str, str, bool | None]] = [
    ("1", "1L", True),
    ("1Y", "1.0BD", True),
    ("1", "1.5D", False),
    ("double('NaN')", "float('NaN')", True),
    ("-0.0D", "0", True),
    ("array(-0.0D, double('NaN'))", "array(0.0D, double('NaN'))", True),
    ("DATE'2024-02-29'", "TIMESTAMP'2024-02-29 00:00:00'", True),
    ("TIMESTAMP'2024-02-29 00:00:00'", "TIMESTAMP_NTZ'2024-02-29 00:00:00'", True),
    ("'a'", "cast('a' AS varchar(3))", True),
    ("'a' COLLATE UTF8_LCASE", "'A' COLLATE UTF8_LCASE", True),
    ("X'00FF'", "X'00FF'", True),
    ("map('b', 1, 'a', 2)", "map('a', 2, 'b', 1)", True),
    ("parse_json('[1]')", "parse_json('[1]')", True),
    ("make_interval(1)", "make_interval(1)", True),
    ("INTERVAL '1' DAY", "INTERVAL '24' HOUR", True),
    ("named_struct('a', 1)", "named_struct('a', 1L)", True),
    ("NULL", "1", False),
    ("1", "'1'", None),
    ("'2024-02-29'", "DATE'2024-02-29'", None),
    ("true", "1", None),
    ("1", "DATE'2024-02-29'", None),
    ("array(1)", "1", None),
    ("X'00'", "'a'", None),
]


def test_keys_of_many_types(spark: SparkSession) -> None:
    """Compared as Spark compares them, or refused in a sentence before anything runs."""
    ours = ", ".join(f"{sql} AS k{i}" for i, (sql, _, _) in enumerate(TYPES))
    theirs = ", ".join(f"{sql} AS k{i}" for i, (_, sql, _) in enumerate(TYPES))
    df, other = spark.sql(f"SELECT {ours}"), spark.sql(f"SELECT {theirs}")
    equal = [f"k{i}" for i, (_, _, same) in enumerate(TYPES) if same]
    check = Check("all").refers_to(equal, "o", at_most=0.0)
    check = check.agrees_with("o", equal, equal, at_most=0.0)
    unlike = Check("unlike")
    for i, (_, _, same) in enumerate(TYPES):
        unlike = unlike if same else unlike.agrees_with("o", f"k{i}", f"k{i}", at_most=0.0)
    result = verify(df, check, unlike, reference_tables={"o": other})
    assert [
        constraint_result.value for constraint_result in result if constraint_result.check == "all"
    ] == [1.0, 1.0]
    assert [row["errors"] for row in result.split()[1].select("errors").collect()] == [
        [constraint.id for constraint in check.constraints]
    ]
    differing = [types for types in TYPES if not types[2]]
    for constraint_result, pair in zip(result.results[2:], differing, strict=True):
        if pair[2] is None:
            assert constraint_result.problem is not None, pair
            assert constraint_result.problem.code == "wrong_type"
            assert "which do not compare; cast one of them." in constraint_result.message
        else:
            assert (constraint_result.value, constraint_result.problem) == (0.0, None), pair


BAD: list[tuple[str, Any, str]] = [
    ("unknown_table", {}, "no table 'o' was given to compare with: reference_tables={'o': …}."),
    ("unknown_table", {"p": 1}, "no table 'o' was given; did you mean 'p'? Given are: p."),
    ("unknown_table", {"o": [1]}, "the table 'o' must be a pyspark DataFrame, got list."),
]


@pytest.mark.parametrize(("code", "tables_by_name", "reason"), BAD, ids=[case[2] for case in BAD])
def test_a_table_that_is_not_there_stops_nothing(
    spark: SparkSession, code: str, tables_by_name: Any, reason: str
) -> None:
    check = Check("c").refers_to("id", "o").has_row_count_of("o").has_schema_of("o").is_unique("id")
    result = verify(spark.range(2), check, reference_tables=tables_by_name)
    assert [constraint_result.outcome.value for constraint_result in result] == [
        *["not evaluated"] * 3,
        "passed",
    ]
    for constraint_result in result.results[:3]:
        assert constraint_result.problem is not None
        assert constraint_result.problem.code == code
        assert constraint_result.problem.reason == reason.replace("; did you mean 'p'? G", ". G")
    with pytest.raises(CheckError, match="the failing rows are not known"):
        result.failing("refers_to(id, o(id))")


def test_reference_tables_must_be_a_mapping_of_names(spark: SparkSession) -> None:
    with pytest.raises(
        CheckError, match=r"^invalid reference_tables: .* got pyspark\.DataFrame\.$"
    ):
        verify(spark.range(1), Check("c"), reference_tables=spark.range(1))  # type: ignore[arg-type]


@pytest.mark.connect
def test_a_table_of_another_session(spark: SparkSession) -> None:
    """Classic sessions share one context, and compare; those of Connect do not."""
    elsewhere = spark.newSession().range(2)
    result = verify(
        spark.range(2), Check("c").refers_to("id", "o"), reference_tables={"o": elsewhere}
    )
    if hasattr(spark, "session_id"):
        message = "the table 'o' is of another Spark session; read it with the session of the"
        assert message in result.results[0].message
    else:
        assert result.passed


def test_sql_that_fails_there_says_where(spark: SparkSession) -> None:
    other = spark.createDataFrame([(0, "x")], "id bigint, s string")
    check = (
        Check("c")
        .has_aggregate_of("sum(id)", "o", "sum(idd)")
        .has_aggregate_of("sum(id)", "o", "sum(1 / id)")
        .has_aggregate_of("sum(id)", "o", "max(s)")
        .has_aggregate_of("max(id)", "o", "count(1)")
        .refers_to("id", "o", where="1 / (id - 1) > 0")
        .refers_to("id", "o", where="nope > 0")
    )
    result = verify(spark.range(2), check, reference_tables={"o": other})
    problems = [
        (constraint_result.problem.code, constraint_result.problem.reason)
        for constraint_result in result
        if constraint_result.problem
    ]
    assert [code for code, _ in problems] == [
        "unresolved_column.with_suggestion",
        "divide_by_zero",
        "not_computable",
        "divide_by_zero",
        "unresolved_column.with_suggestion",
    ]
    assert problems[0][1].startswith("in 'o': `sum(idd)`: A column")
    assert problems[1][1] == "in 'o': Division by zero."
    assert problems[2][1] == "int 1 and str 'x' do not compare."
    assert result.results[3].outcome is Outcome.PASSED


def test_undefined_is_not_evaluated(spark: SparkSession) -> None:
    none = spark.range(0)
    check = (
        Check("c")
        .refers_to("id", "o", where="id > 5")
        .has_row_count_of("none")
        .has_aggregate_of("max(id)", "none")
        .has_aggregate_of("max(id) FILTER (WHERE id > 5)", "o")
        .has_aggregate_of("max(id)", "o", "min(id)")
    )
    result = verify(spark.range(2), check, reference_tables={"o": spark.range(2), "none": none})
    assert [
        constraint_result.problem.reason
        for constraint_result in result
        if constraint_result.problem
    ] == [
        "undefined: it has no rows with a key",
        "undefined: 'none' has no rows",
        "undefined: the expression is null in 'none'",
        "undefined: the expression is null",
        "undefined: the expression is 0 in 'o'",
    ]
    assert result.failing("refers_to(id, o(id))").count() == 0


def test_applicability_knows_the_others_if_they_are_given() -> None:
    from assay.analyzers import Schema

    ours, theirs = Schema.of(id="int", name="string"), Schema.of(id="string")
    check = Check("c").refers_to("id", "o").has_row_count_of("o").refers_to("idd", "o")
    assert [problem.name for problem in check.applicable_to(ours).problems] == [
        "refers_to(idd, o(idd))"
    ]
    beside = check.applicable_to(ours, {"o": theirs}).problems
    assert [why.code for why in beside.values()] == ["wrong_type", "unknown_column"]
    assert len(check.applicable_to(ours, {}).problems) == 3


def test_columns_compared_are_those_that_both_have() -> None:
    from assay.analyzers import Schema

    ours = Schema.of(id="int", Name="string", a="int", A="int", only="int")
    theirs = Schema.of(name="string", ID="bigint", a="int", there="int")
    sides = DatasetMatch("o", "id").against(ours, theirs)
    assert str(sides) == "id, Name, a with ID, name, a of o"
    assert sides.reads == ("id", "Name", "a")
