"""Suggestions on rows: tried, pruned, and written as checks that run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Level, Outcome, Status, verify
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.errors import CheckError
from assay.learn.profile import Profile
from assay.learn.suggest import RULES, Suggestion, Suggestions, suggest
from assay.learn.suggest.confidence import rounded_down, rounded_up, wilson
from assay.learn.suggest.pruning import pruned
from assay.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    return spark.range(4000).selectExpr(
        "id AS order_id",
        "date_add(DATE'2026-01-01', int(id % 200)) AS ordered_on",
        "date_add(DATE'2026-01-01', int(id % 200 + id % 9)) AS shipped_on",
        "int(id % 37) AS shop",
        "int(id / 37) AS receipt",
        "element_at(array('new', 'paid', 'void'), int(id % 3) + 1) AS status",
        "if(id % 5 = 0, NULL, concat('u', id % 900, '@mail.org')) AS email",
        "double(id % 89) AS net",
        "double(id % 7) AS tax",
        "double(id % 89) + double(id % 7) AS gross",
        "hash(id) / 1e6 AS noise",
    )


@pytest.fixture(scope="module")
def found(orders: DataFrame) -> Suggestions:
    return suggest(orders)


@pytest.mark.connect
def test_what_holds_is_suggested(found: Suggestions) -> None:
    code = {each.python for each in found}
    assert {
        '.is_primary_key("order_id")',
        '.is_complete("ordered_on")',
        '.is_contained_in("status", ["new", "paid", "void"])',
        '.is_email("email")',
        '.is_at_most("ordered_on", "shipped_on")',
    } <= code
    assert any(each.rule == "derived" and each.columns[0] == "gross" for each in found)
    completeness = next(each for each in found if each.rule == "retain_completeness")
    assert dict(completeness.constraint.arguments)["at_least"] == pytest.approx(0.77, abs=0.02)
    assert all(each.coverage == 1.0 for each in found)
    assert not any(each.rule == "unique" and each.columns == ("noise",) for each in found)


def test_what_others_imply_is_left_out(found: Suggestions) -> None:
    assert not any(each.rule == "complete" and each.columns == ("order_id",) for each in found)
    assert not any(each.rule == "not_empty" and each.columns == ("status",) for each in found)


def test_they_run_as_a_check_as_python_and_hold(orders: DataFrame, found: Suggestions) -> None:
    assert verify(orders, found.check()).status is Status.PASSED
    space: dict[str, Any] = {}
    exec(found.to_python("orders"), space)
    assert space["orders"] == found.check("orders")
    assert Suite.parse(found.to_yaml("orders")) == Suite("orders", (found.check("orders"),))


def test_they_catch_what_changes(orders: DataFrame, found: Suggestions) -> None:
    broken = orders.selectExpr("*").withColumn("status", orders["order_id"].cast("string"))
    result = verify(broken, found.check())
    failed = {each.constraint.name for each in result if each.outcome is Outcome.FAILED}
    assert any(name.startswith("is_contained_in(status") for name in failed)


def test_keys_of_several_columns(orders: DataFrame) -> None:
    found = suggest(orders, ["shop", "receipt", "status", "net"])
    assert '.is_primary_key("receipt", "shop")' in {each.python for each in found}


def test_held_out_rows_reject(spark: SparkSession) -> None:
    """A value that comes only later, and a rule that is wrong."""
    df = spark.range(2000).selectExpr("if(id < 1900, 'a', 'b') AS kind", "id AS n")

    def wrong(_: Profile) -> Iterator[Suggestion]:
        yield Suggestion(
            "wrong",
            ("n",),
            ConstraintCall.of("is_in_range", "n", 0, 1899),
            "so it was",
            1.0,
            Level.ERROR,
        )

    rules = {**RULES, "wrong": wrong}
    found = suggest(df, rules=rules, held_out="n >= 1900")
    rejected = {each.rule: each.coverage for each in found.rejected}
    assert rejected["wrong"] == 0.0
    assert rejected["categorical_range"] == 0.0
    assert "wrong" not in {each.rule for each in found}
    other = spark.range(2000).selectExpr("'a' AS kind", "id AS n")
    assert suggest(df.where("n < 1900"), held_out=other).rejected == ()


def test_bad_input(spark: SparkSession) -> None:
    with pytest.raises(CheckError, match="held_out is a share between 0 and 1, not 2"):
        suggest(spark.range(3).toDF("n"), held_out=2)
    with pytest.raises(CheckError, match=r"held_out: `nn > 1` is no condition on the rows: .*nn"):
        suggest(spark.range(3).toDF("n"), held_out="nn > 1")

    def broken(_: Profile) -> list[Suggestion]:
        raise KeyError("no such thing")

    with pytest.raises(CheckError, match="the rule 'mine' failed: KeyError: 'no such thing'"):
        suggest(spark.range(3).toDF("n"), rules={"mine": broken})
    for rows in ([], [(None, None)], [(1, "a")]):
        few = suggest(spark.createDataFrame(rows, "`order` int, `group` string"))
        assert few.errors == ()
        few.show()


def test_they_can_be_shown(found: Suggestions, capsys: pytest.CaptureFixture[str]) -> None:
    found.show(width=160)
    printed = capsys.readouterr().out
    assert '.is_primary_key("order_id")' in printed
    assert "to demand" in printed
    assert found.to_dict()["suggestions"][0]["evidence"]


def test_orders_that_follow_from_others_go() -> None:
    def order(low: str, high: str) -> Suggestion:
        return Suggestion(
            "ordered", (low, high), ConstraintCall.of("is_at_most", low, high), "", 1.0
        )

    def equal(one: str, other: str) -> Suggestion:
        return Suggestion(
            "equal", (one, other), ConstraintCall.of("is_equal_to", one, other), "", 1.0
        )

    kept = pruned([order("a", "b"), order("b", "c"), order("a", "c")])
    assert [each.columns for each in kept] == [("a", "b"), ("b", "c")]
    assert [each.rule for each in pruned([order("a", "b"), equal("b", "a")])] == ["equal"]


def test_of_two_that_say_the_same_the_firmer_stays() -> None:
    soft = Suggestion("x", ("a",), ConstraintCall.of("is_complete", "a"), "", 1.0, Level.WARNING)
    firm = Suggestion("y", ("a",), ConstraintCall.of("is_complete", "a"), "", 1.0, Level.ERROR)
    assert pruned([soft, firm]) == [firm]


@pytest.mark.parametrize(("matches", "rows"), [(0, 0), (0, 10), (10, 10), (50, 100), (999, 1000)])
def test_wilson_holds_the_share(matches: int, rows: int) -> None:
    low, high = wilson(matches, rows)
    assert 0.0 <= low <= (matches / rows if rows else 0.5) <= high <= 1.0
    if rows:
        wider = wilson(matches, rows, z=8.0)
        assert wider[0] <= low
        assert wider[1] >= high


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0, 0.98765, 123456.7, -0.00123, 5e-12, 1e18])
def test_rounding_goes_one_way(value: float) -> None:
    assert rounded_down(value) <= value <= rounded_up(value)
    assert rounded_up(value) - rounded_down(value) <= abs(value) / 5 + 1e-12


def test_a_suggestion_knows_its_level() -> None:
    fresh = ConstraintCall.of("is_fresh", "at", timedelta(days=1))
    soft = Suggestion("fresh", ("at",), fresh, "it is new", 0.9, Level.WARNING)
    assert soft.yaml == "- is_fresh: {column: at, within: {days: 1}, level: warning}"
    assert soft.add_to(Check("x")).constraints[0].level is Level.WARNING
