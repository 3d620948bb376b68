"""How a check is built: copies, levels, hints, ids; and what cannot be meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from datetime import date, timedelta
from typing import Any

import pytest

from assay import Check, Level
from assay.analyzers import Completeness, Mean
from assay.errors import CheckError


def test_a_check_is_a_value() -> None:
    check = Check("orders").is_complete("id").has_mean("amount", between=(10, 40))
    same = Check("orders").is_complete("id").has_mean("amount", between=(10, 40))
    assert check == same
    assert {check: "known"}[same] == "known"
    assert check != check.warn()
    assert check != Check("orders").is_complete("id").has_mean("amount", between=(10, 41))
    with pytest.raises(FrozenInstanceError):
        check.name = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        check.constraints[0].id = "other"  # type: ignore[misc]


def test_functions_are_equal_to_themselves_only() -> None:
    def large(n: int) -> bool:
        return n > 10

    check = Check("c").has_size(satisfies=large)
    assert check == Check("c").has_size(satisfies=large)
    assert check != Check("c").has_size(satisfies=lambda n: n > 10)


def test_levels_come_from_the_check_the_constraint_or_warn() -> None:
    strict = Check("c").is_complete("a").is_complete("b", level="warning").is_complete("c").warn()
    assert [str(constraint.level) for constraint in strict.constraints] == [
        "error",
        "warning",
        "warning",
    ]
    lax = Check("c", level=Level.WARNING).is_complete("a").is_complete("b", level=Level.ERROR)
    assert [str(constraint.level) for constraint in lax.constraints] == ["warning", "error"]
    assert Check("c", "warning").level is Level.WARNING


def test_warn_and_hint_change_all_constraints_of_the_latest_call() -> None:
    check = Check("c").has_size(at_least=1).is_complete("a", "b").warn().hint("ask the shop")
    assert [(str(constraint.level), constraint.hint) for constraint in check.constraints] == [
        ("error", ""),
        ("warning", "ask the shop"),
        ("warning", "ask the shop"),
    ]
    assert Check("c").is_complete("a", hint="x") == Check("c").is_complete("a").hint("x")
    nothing: dict[str, Any] = dict.fromkeys(("where", "hint", "level", "id", "at_least", "between"))
    assert Check("c").is_complete("a", **nothing) == Check("c").is_complete("a")


def ids(check: Check) -> list[str]:
    return [constraint.id for constraint in check.constraints]


def test_ids_stay_when_bounds_levels_or_the_check_change() -> None:
    before = Check("orders").has_mean("amount", between=(10, 40)).is_unique("id")
    after = Check("shop", "warning").has_mean("amount", at_least=11).is_unique("id", at_least=0.9)
    assert ids(before) == ids(after) == ["has_mean(amount)", "is_unique(id)"]


def test_ids_name_selections_and_number_the_remaining_duplicates() -> None:
    check = (
        Check("c")
        .has_mean("a", at_least=0)
        .has_mean("a", at_most=9)
        .has_mean("a", at_most=9, where="b\n  > 1")
        .has_mean("a", at_most=8)
        .has_mean("a", at_most=8, id="mine")
    )
    assert ids(check) == [
        "has_mean(a)",
        "has_mean(a) #2",
        "has_mean(a) where b > 1",
        "has_mean(a) #3",
        "mine",
    ]


def test_ids_do_not_depend_on_layout_or_on_the_order_of_a_set() -> None:
    wide = Check("c").satisfies("a > 0\n    AND b > 0")
    assert ids(wide) == ["satisfies(a > 0 AND b > 0)"]
    kinds = {"lo", "hi", "mid"}
    assert ids(Check("c").is_contained_in("k", kinds)) == [
        "is_contained_in(k, ['hi', 'lo', 'mid'])"
    ]


def test_names_show_the_arguments() -> None:
    check = (
        Check("c")
        .is_contained_in("k", list("abcdef"))
        .is_in_range("x", 0, 1, closed="left")
        .is_in_range("x", low=0)
        .is_in_range("d", high=date(2026, 1, 1), closed="neither")
        .matches("s", r"\d+")
        .has_approx_quantiles("x", [0.1, 0.9], satisfies=bool)
        .is_complete("a.b", "with space", "tick`")
    )
    assert [constraint.name for constraint in check.constraints] == [
        "is_contained_in(k, ['a', 'b', 'c', 'd', 'e', …])",
        "is_in_range(x, [0, 1))",
        "is_in_range(x, >= 0)",
        "is_in_range(d, < 2026-01-01)",
        r"matches(s, '\\d+')",
        "has_approx_quantiles(x, 0.1, 0.9)",
        "is_complete(a.b)",
        "is_complete(`with space`)",
        "is_complete(`tick```)",
    ]


Build = Callable[[Any], Any]
WRONG: list[tuple[Build, str, str]] = [
    (lambda c: c.has_mean("a"), "has_mean", "got none"),
    (
        lambda c: c.has_mean("a", atleast=1),
        "has_mean",
        "has_mean has no argument 'atleast'; did you mean 'at_least'?",
    ),
    (
        lambda c: c.has_mean("a", min=1),
        "has_mean",
        "has_mean has no argument 'min'; did you mean 'at_least'?",
    ),
    (
        lambda c: c.is_contained_in("a", value_set=[1]),
        "is_contained_in",
        "is_contained_in has no argument 'value_set'; did you mean 'values'?",
    ),
    (
        lambda c: c.has_mean("a", zzz=1),
        "has_mean",
        "has_mean has no argument 'zzz'. It has: column, equals, at_least,",
    ),
    (lambda c: c.has_min("a", between=(5, 1)), "has_min", "(5, 1)"),
    (lambda c: c.has_size(satisfies=5), "has_size", "5"),
    (lambda c: c.has_size(at_least=[1]), "has_size", "[1]"),
    (lambda c: c.has_size(at_least=1, level="fatal"), "has_size", "'fatal'"),
    (lambda c: c.is_complete("a", where=5), "is_complete", "5"),
    (lambda c: c.is_complete("a", where=" "), "is_complete", "' '"),
    (lambda c: c.is_complete(), "is_complete", "got none"),
    (lambda c: c.is_complete([]), "is_complete", "got none"),
    (lambda c: c.is_complete(5), "is_complete", "5"),
    (lambda c: c.is_unique(), "is_unique", "got none"),
    (lambda c: c.is_primary_key(), "is_complete", "got none"),
    (lambda c: c.are_all_complete(), "are_all_complete", "got none"),
    (lambda c: c.are_any_complete(), "are_any_complete", "got none"),
    (lambda c: c.has_entropy(at_least=0), "has_entropy", "got none"),
    (lambda c: c.has_uniqueness(None, at_least=0), "has_uniqueness", "None"),
    (lambda c: c.is_less_than("a", 5), "is_less_than", "5"),
    (lambda c: c.is_positive(5), "is_positive", "5"),
    (lambda c: c.has_min(5, at_least=0), "has_min", "5"),
    (lambda c: c.is_contained_in("a", []), "is_contained_in", "[]"),
    (lambda c: c.is_contained_in("a", "new"), "is_contained_in", "'new'"),
    (lambda c: c.is_contained_in("a", 5), "is_contained_in", "5"),
    (lambda c: c.is_contained_in("a", ["x", None]), "is_contained_in", "['x', None]"),
    (lambda c: c.is_contained_in("a", [{}]), "is_contained_in", "{}"),
    (lambda c: c.is_in_range("a"), "is_in_range", "None"),
    (lambda c: c.is_in_range("a", 5, 1), "is_in_range", "(5, 1)"),
    (
        lambda c: c.is_in_range("a", 1, "b"),
        "is_in_range",
        "(1, 'b')",
    ),
    (lambda c: c.is_in_range("a", 1, closed="in"), "is_in_range", "'in'"),
    (lambda c: c.is_positive("a", nulls="empty"), "is_positive", "'empty'"),
    (lambda c: c.matches("a", "x", nulls="no"), "matches", "'no'"),
    (lambda c: c.has_min_length("a", nulls="fail", at_least=1), "has_min_length", "'fail'"),
    (lambda c: c.satisfies(""), "satisfies", "''"),
    (lambda c: c.satisfies(lambda _: True), "satisfies", "function"),
    (lambda c: c.satisfies_if("a", None), "satisfies_if", "None"),
    (lambda c: c.has("Mean(a)", at_least=0), "has", "'Mean(a)'"),
    (
        lambda c: c.has(Mean("a"), at_least=0, where="b"),
        "has",
        "`where`",
    ),
    (lambda c: c.has(Mean("a")), "has", "got none"),
    (
        lambda c: c.has_column("a", where="b"),
        "has_column",
        "`where`",
    ),
    (
        lambda c: c.has_custom_sql("max(a)", at_most=1, where="b"),
        "has_custom_sql",
        "`where`",
    ),
    (lambda c: c.matches_schema({}), "matches_schema", "{}"),
    (lambda c: c.matches_schema("a int"), "matches_schema", "'a int'"),
    (lambda c: c.is_fresh("a", "1h"), "is_fresh", "'1h'"),
    (lambda c: c.is_fresh("a", timedelta(1), at_most=5), "is_fresh", "both"),
    (lambda c: c.has_approx_quantile("a", 1.5, at_most=1), "has_approx_quantile", "1.5"),
    (lambda c: c.has_approx_quantiles("a", 0.5, satisfies=bool), "has_approx_quantiles", "0.5"),
    (lambda c: c.has_exact_quantile("a", -1, at_most=1), "has_exact_quantile", "-1"),
    (
        lambda c: c.has_histogram_bins("a", edges=(3, 1), satisfies=bool),
        "has_histogram_bins",
        "(3, 1)",
    ),
    (lambda c: c.has_histogram_bins("a", bins=0, satisfies=bool), "has_histogram_bins", "0"),
    (
        lambda c: c.has_mutual_information("a", "a", at_least=0),
        "has_mutual_information",
        "('a', 'a')",
    ),
    (
        lambda c: c.has_histogram("a", at_least=1),
        "has_histogram",
        "satisfies=",
    ),
    (
        lambda c: c.has_histogram_bins("a"),
        "has_histogram_bins",
        "satisfies=",
    ),
    (
        lambda c: c.has_quantile_buckets("a", equals=1),
        "has_quantile_buckets",
        "satisfies=",
    ),
    (
        lambda c: c.has_approx_quantiles("a", [0.5], at_most=1),
        "has_approx_quantiles",
        "satisfies=",
    ),
    (lambda c: c.has_data_type("a", "integer"), "has_data_type", "'integer'"),
    (lambda c: c.refers_to([], "t"), "refers_to", "got none"),
    (lambda c: c.refers_to(["a", "b"], "t", "a"), "refers_to", "('a',)"),
    (lambda c: c.refers_to(5, "t"), "refers_to", "5"),
    (lambda c: c.refers_to("a", 5), "refers_to", "5"),
    (lambda c: c.refers_to("a", "t", 5), "refers_to", "5"),
    (lambda c: c.agrees_with("t", []), "agrees_with", "got none"),
    (lambda c: c.agrees_with("t", "a", [5]), "agrees_with", "5"),
    (lambda c: c.has_row_count_of(""), "has_row_count_of", "''"),
    (lambda c: c.has_row_count_of("t", between=(2, 1)), "has_row_count_of", "(2, 1)"),
    (lambda c: c.has_aggregate_of("", "t"), "has_aggregate_of", "''"),
    (lambda c: c.has_aggregate_of("sum(a)", "t", 5), "has_aggregate_of", "5"),
    (
        lambda c: c.has_aggregate_of("sum(a)", "t", where="b"),
        "has_aggregate_of",
        "`where`",
    ),
    (
        lambda c: c.has_schema_of("t", where="b"),
        "has_schema_of",
        "`where`",
    ),
    (
        lambda c: c.is_complete("b", id="a"),
        "is_complete",
        "is_complete(b): the id 'a' is taken by is_complete(a)",
    ),
    (
        lambda c: c.is_primary_key("x", id="key"),
        "is_unique",
        "'key'",
    ),
]


@pytest.mark.parametrize(
    ("build", "method", "value"), WRONG, ids=[f"{method}: {value}" for _, method, value in WRONG]
)
def test_invalid_arguments_are_refused_at_once(build: Build, method: str, value: str) -> None:
    with pytest.raises(CheckError) as caught:
        build(Check("orders").is_complete("a", id="a"))
    message = str(caught.value)
    assert caught.value.code in {"bad_check", "bad_argument"}
    assert message.startswith(f"orders: {method}")
    assert value in message
    assert message.endswith((".", "?"))
    assert "\n" not in message


def test_invalid_checks_are_refused() -> None:
    with pytest.raises(CheckError, match="'info'"):
        Check("c", "info")  # type: ignore[arg-type]
    with pytest.raises(CheckError, match="name of a check"):
        Check(" ")
    with pytest.raises(CheckError, match="got 5"):
        Check(5)  # type: ignore[arg-type]
    with pytest.raises(CheckError, match=r"^c: "):
        Check("c").warn()
    with pytest.raises(CheckError, match=r"^c: "):
        Check("c").hint("x")


def test_is_fresh_keeps_its_bound_with_other_options() -> None:
    check = Check("c").is_fresh("at", timedelta(days=1), at_least=timedelta(0))
    assert str(check.constraints[0].assertion) == "in [0:00:00, 1 day, 0:00:00]"


def test_any_analyzer_can_be_required() -> None:
    check = Check("c").has(Completeness("a", where="b > 1"), at_least=0.5)
    (constraint,) = check.constraints
    assert constraint.analyzer == Completeness("a", where="b > 1")
    assert str(constraint.assertion) == ">= 0.5"
    assert str(constraint) == "has(Completeness(a)) where b > 1: expected at least 50 %"
    assert ids(check) == ["has(Completeness(a)) where b > 1"]
