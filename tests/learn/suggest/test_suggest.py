"""Suggesting constraints for tables, testing them, and writing them as checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Level, Outcome, Status, verify
from assay.analyzers.counting import Ratio
from assay.analyzers.schema import Schema
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.engine.measurement import merge_states
from assay.errors import CheckError
from assay.learn.profile import ColumnProfile, Numbers, Profile
from assay.learn.suggest import RULES, Suggestion, Suggestions, all_rules, suggest
from assay.learn.suggest.confidence import round_down, round_up, wilson
from assay.learn.suggest.coverage import SuggestionTests
from assay.learn.suggest.growth import GrowthTest
from assay.learn.suggest.pruning import remove_redundant
from assay.learn.suggest.suggest import limit_level
from assay.plugins import PluginError
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
def suggestions(orders: DataFrame) -> Suggestions:
    return suggest(orders)


def _rules_and_columns(suggestions: Suggestions) -> set[tuple[str, tuple[str, ...]]]:
    return {(suggestion.rule, suggestion.columns) for suggestion in suggestions}


@pytest.mark.connect
def test_constraints_that_hold_are_suggested(suggestions: Suggestions) -> None:
    code = {suggestion.python for suggestion in suggestions}
    assert {
        '.is_primary_key("order_id")',
        '.is_complete("ordered_on")',
        '.is_contained_in("status", ["new", "paid", "void"])',
        '.is_email("email")',
        '.is_at_most("ordered_on", "shipped_on")',
    } <= code
    assert any(
        suggestion.rule == "derived" and suggestion.columns[0] == "gross"
        for suggestion in suggestions
    )
    completeness = next(
        suggestion for suggestion in suggestions if suggestion.rule == "retain_completeness"
    )
    assert dict(completeness.constraint.arguments)["at_least"] == pytest.approx(0.75, abs=0.02)
    assert all(suggestion.holds for suggestion in suggestions)
    assert completeness.coverage == pytest.approx(0.8, abs=0.05)
    assert completeness.level is Level.ERROR
    assert completeness.folds == (5, 5)
    key = next(suggestion for suggestion in suggestions if suggestion.rule == "unique")
    assert (key.coverage, key.folds, key.held_text) == (1.0, None, "100 %")
    assert ("unique", ("noise",)) not in _rules_and_columns(suggestions)


def test_implied_constraints_are_left_out(suggestions: Suggestions) -> None:
    rules_and_columns = _rules_and_columns(suggestions)
    assert ("complete", ("order_id",)) not in rules_and_columns
    assert ("not_empty", ("status",)) not in rules_and_columns


def test_suggestions_run_as_a_check_in_python_and_yaml(
    orders: DataFrame, suggestions: Suggestions
) -> None:
    assert verify(orders, suggestions.check()).status is Status.PASSED
    namespace: dict[str, Any] = {}
    exec(suggestions.to_python("orders"), namespace)
    assert namespace["orders"] == suggestions.check("orders")
    assert Suite.parse(suggestions.to_yaml("orders")) == Suite(
        "orders", (suggestions.check("orders"),)
    )


def test_the_suggested_check_finds_changes(orders: DataFrame, suggestions: Suggestions) -> None:
    broken = orders.selectExpr("*").withColumn("status", orders["order_id"].cast("string"))
    result = verify(broken, suggestions.check())
    failed = {
        constraint_result.constraint.name
        for constraint_result in result
        if constraint_result.outcome is Outcome.FAILED
    }
    assert any(name.startswith("is_contained_in(status") for name in failed)


def test_keys_of_several_columns_are_suggested(orders: DataFrame) -> None:
    suggestions = suggest(orders, ["shop", "receipt", "status", "net"])
    assert '.is_primary_key("receipt", "shop")' in {suggestion.python for suggestion in suggestions}


def test_a_constraint_that_fails_on_unseen_rows_is_rejected(spark: SparkSession) -> None:
    """One value occurs only in the unseen rows, and one rule is wrong."""
    df = spark.range(2000).selectExpr("if(id < 1900, 'a', 'b') AS kind", "id AS n")

    def wrong(_: Profile) -> Iterator[Suggestion]:
        yield Suggestion(
            "wrong",
            ("n",),
            ConstraintCall.of("is_in_range", "n", 0, 1899),
            "all rows so far",
            1.0,
            Level.ERROR,
        )

    rules = {**RULES, "wrong": wrong}
    suggestions = suggest(df, rules=rules, held_out="n >= 1900")
    rejected = {suggestion.rule: suggestion.coverage for suggestion in suggestions.rejected}
    assert rejected["wrong"] == 0.0
    assert rejected["categorical_range"] == 0.0
    assert "wrong" not in {suggestion.rule for suggestion in suggestions}
    other = spark.range(2000).selectExpr("'a' AS kind", "id AS n")
    assert suggest(df.where("n < 1900"), held_out=other).rejected == ()


def test_a_running_total_has_no_range_and_no_mean(spark: SparkSession) -> None:
    df = spark.range(4000).selectExpr(
        "date_add(DATE'2026-01-01', int(id / 20)) AS day",
        "int(id / 5) * 7 + 3 AS total",
        "abs(hash(id)) % 1000 AS steady",
    )
    suggestions = suggest(df, table="visits", sample=0.5)
    suggested = _rules_and_columns(suggestions)
    for rule in ("numeric_range", "mean", "standard_deviation"):
        assert (rule, ("total",)) not in suggested
        assert (rule, ("steady",)) in suggested
    assert suggestions.profile is not None
    assert suggestions.profile.table == "visits"
    assert suggestions.profile.rows == pytest.approx(1600, rel=0.1)


def test_a_running_total_in_strings_has_no_range(spark: SparkSession) -> None:
    df = spark.range(4000).selectExpr(
        "string(date_add(DATE'2026-01-01', int(id / 20))) AS day",
        "string(int(id / 5) * 7 + 3) AS total",
        "string(abs(hash(id)) % 5000) AS steady",
    )
    suggested = _rules_and_columns(suggest(df))
    assert ("numeric_range", ("total",)) not in suggested
    assert ("numeric_range", ("steady",)) in suggested


def test_periods_of_day_numbers_have_equal_lengths_over_the_end_of_a_year() -> None:
    ends = Numbers(20251101, 20260401, 20260101.0, 1.0)
    day = ColumnProfile("day", "int", 900, 900, 150, "integral", numbers=ends)
    total = ColumnProfile(
        "total", "int", 900, 900, 300, "integral", numbers=Numbers(0, 9, 4.0, 2.0, negatives=0)
    )
    columns = {"day": day, "total": total}
    types = dict.fromkeys(columns, "int")
    table = Profile(900, columns, types, merge_states([], ()))
    growth = GrowthTest.of(table, ["total"], Schema.of(day="int", total="int"))
    assert [column.name for column in growth.columns] == ["total"]
    # 2025-11-01 and 2026-04-01, in months of 31 days
    low, high = 2025 * 372 + 11 * 31 + 1, 2026 * 372 + 4 * 31 + 1
    width = (high - low) / 5
    assert growth.conditions[0].endswith(f" < {low + width!r}")
    assert growth.conditions[-1].endswith(f" >= {low + 4 * width!r}")
    assert len(growth.analyzers) == 5


def test_an_error_that_does_not_hold_in_every_fold_becomes_a_warning() -> None:
    call = ConstraintCall.of("has_completeness", "a", at_least=0.5)
    tests = SuggestionTests.of([Suggestion("r", ("a",), call, "", 1.0)], n_folds=2)
    analyzers = tests.analyzers
    assert [analyzer.where for analyzer in analyzers] == [
        None,
        "__assay_fold = 0",
        "__assay_fold = 1",
    ]
    states = [Ratio(60, 100), Ratio(35, 50), Ratio(20, 50)]
    measured = merge_states([dict(zip(analyzers, states, strict=True))], analyzers)
    (tested,) = tests.results(measured)
    assert (tested.holds, tested.coverage, tested.folds) == (True, 0.6, (1, 2))
    assert tested.held_text == "60 %"
    later = SuggestionTests.of([tested])
    unseen = merge_states([{later.analyzers[0]: Ratio(70, 100)}], later.analyzers)
    (final,) = later.results(unseen)
    assert (final.holds, final.coverage, final.folds) == (True, 0.7, (2, 3))
    assert limit_level(final).level is Level.WARNING
    assert limit_level(replace(final, folds=(3, 3))).level is Level.ERROR


def test_a_constraint_on_a_statistic_shows_the_folds_in_which_it_held() -> None:
    call = ConstraintCall.of("has_mean", "a", at_least=1)
    mean = Suggestion("mean", ("a",), call, "", 1.0, coverage=0.8, folds=(4, 5), is_share=False)
    assert mean.held_text == "4 of 5 folds"


def test_invalid_arguments_and_failing_rules_are_errors(spark: SparkSession) -> None:
    with pytest.raises(CheckError, match="held_out: expected a share between 0 and 1, got 2"):
        suggest(spark.range(3).toDF("n"), held_out=2)
    with pytest.raises(CheckError, match="sample: expected a share above 0 and up to 1, got 7"):
        suggest(spark.range(3).toDF("n"), sample=7)
    with pytest.raises(CheckError, match=r"held_out: `nn > 1` is not a valid SQL condition: .*nn"):
        suggest(spark.range(3).toDF("n"), held_out="nn > 1")

    def broken(_: Profile) -> list[Suggestion]:
        raise KeyError("no such thing")

    with pytest.raises(CheckError, match="the rule 'mine' failed: KeyError: 'no such thing'"):
        suggest(spark.range(3).toDF("n"), rules={"mine": broken})
    for rows in ([], [(None, None)], [(1, "a")]):
        few = suggest(spark.createDataFrame(rows, "`order` int, `group` string"))
        assert few.errors == ()
        few.show()


def test_suggestions_are_printed_with_their_evidence(
    suggestions: Suggestions, capsys: pytest.CaptureFixture[str]
) -> None:
    suggestions.show(width=160)
    printed = capsys.readouterr().out
    assert '.is_primary_key("order_id")' in printed
    assert "constraints," in printed
    assert suggestions.to_dict()["suggestions"][0]["evidence"]


def test_orders_that_follow_from_others_are_removed() -> None:
    def order(low: str, high: str) -> Suggestion:
        return Suggestion(
            "ordered", (low, high), ConstraintCall.of("is_at_most", low, high), "", 1.0
        )

    def equal(first: str, second: str) -> Suggestion:
        return Suggestion(
            "equal", (first, second), ConstraintCall.of("is_equal_to", first, second), "", 1.0
        )

    kept = remove_redundant([order("a", "b"), order("b", "c"), order("a", "c")])
    assert [suggestion.columns for suggestion in kept] == [("a", "b"), ("b", "c")]
    assert [
        suggestion.rule for suggestion in remove_redundant([order("a", "b"), equal("b", "a")])
    ] == ["equal"]


def test_the_error_is_kept_of_two_equal_constraints() -> None:
    soft = Suggestion("x", ("a",), ConstraintCall.of("is_complete", "a"), "", 1.0, Level.WARNING)
    firm = Suggestion("y", ("a",), ConstraintCall.of("is_complete", "a"), "", 1.0, Level.ERROR)
    assert remove_redundant([soft, firm]) == [firm]


@pytest.mark.parametrize(("matches", "rows"), [(0, 0), (0, 10), (10, 10), (50, 100), (999, 1000)])
def test_wilsons_interval_contains_the_share(matches: int, rows: int) -> None:
    low, high = wilson(matches, rows)
    assert 0.0 <= low <= (matches / rows if rows else 0.5) <= high <= 1.0
    if rows:
        wider = wilson(matches, rows, z=8.0)
        assert wider[0] <= low
        assert wider[1] >= high


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0, 0.98765, 123456.7, -0.00123, 5e-12, 1e18])
def test_rounding_goes_in_one_direction(value: float) -> None:
    assert round_down(value) <= value <= round_up(value)
    assert round_up(value) - round_down(value) <= abs(value) / 5 + 1e-12


def test_a_warning_is_written_with_its_level() -> None:
    fresh = ConstraintCall.of("is_fresh", "at", timedelta(days=1))
    soft = Suggestion("fresh", ("at",), fresh, "it is new", 0.9, Level.WARNING)
    assert soft.yaml == "- is_fresh: {column: at, within: {days: 1}, level: warning}"
    assert soft.add_to(Check("x")).constraints[0].level is Level.WARNING


def test_a_warning_that_follows_from_a_warning_is_removed() -> None:
    def suggestion(rule: str, method: str, *arguments: Any, level: Level) -> Suggestion:
        call = ConstraintCall.of(method, "n", *arguments)
        return Suggestion(rule, ("n",), call, "", 1.0, level)

    values = suggestion("categorical_range", "is_contained_in", [2013], level=Level.WARNING)
    sign = suggestion("non_negative", "is_non_negative", level=Level.WARNING)
    assert remove_redundant([values, sign]) == [values]
    certain = replace(sign, level=Level.ERROR)
    assert remove_redundant([values, certain]) == [values, certain]


def test_a_sign_is_not_suggested_next_to_a_range_from_zero() -> None:
    sign = Suggestion(
        "non_negative", ("n",), ConstraintCall.of("is_non_negative", "n"), "", 1.0, Level.WARNING
    )
    bounds = Suggestion(
        "numeric_range", ("n",), ConstraintCall.of("is_in_range", "n", 0, 9), "", 1.0, Level.WARNING
    )
    assert remove_redundant([sign, bounds]) == [bounds]
    certain = replace(sign, level=Level.ERROR)
    assert remove_redundant([certain, bounds]) == [certain, bounds]


def test_representations_are_short_and_escape_text() -> None:
    call = ConstraintCall.of("is_contained_in", "a<b>", ["<script>"])
    suggestion = Suggestion("categorical_range", ("a<b>",), call, "seen <9> times", 1.0)
    suggestions = Suggestions((suggestion,), (suggestion,))
    assert repr(suggestions) == "Suggestions(1 constraint, 0 warnings, 1 rejected)"
    assert repr(suggestion) == f"Suggestion({call.python}: seen <9> times)"
    for html in (suggestions._repr_html_(), suggestion._repr_html_()):
        assert "&lt;script&gt;" in html
        assert "<script>" not in html


def test_old_names_of_a_suggestion_warn() -> None:
    suggestion = Suggestion("complete", ("a",), ConstraintCall.of("is_complete", "a"), "", 1.0)
    with pytest.warns(DeprecationWarning, match=r"Suggestion\.constraint"):
        assert suggestion.demand == suggestion.constraint
    with pytest.warns(DeprecationWarning, match=r"Suggestion\.add_to"):
        assert suggestion.on(Check("x")) == suggestion.add_to(Check("x"))


def test_rules_of_other_packages_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(_: Profile) -> list[Suggestion]:
        return []

    def installed(group: str) -> tuple[tuple[str, Any], ...]:
        assert group == "assay.suggestion_rules"
        return (("mine", mine),)

    monkeypatch.setattr("assay.learn.suggest.rules.load_plugins", installed)
    assert all_rules() == {**RULES, "mine": mine}
    monkeypatch.setattr("assay.learn.suggest.rules.load_plugins", lambda _: (("unique", mine),))
    with pytest.raises(PluginError, match="'unique'"):
        all_rules()
