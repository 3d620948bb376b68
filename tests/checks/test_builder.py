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
WRONG: list[tuple[Build, str]] = [
    (lambda c: c.has_mean("a"), "has_mean(a): a bound is missing; there are: equals"),
    (
        lambda c: c.has_mean("a", atleast=1),
        "has_mean has no argument 'atleast'; did you mean 'at_least'?",
    ),
    (lambda c: c.has_min("a", between=(5, 1)), "has_min(a): no value lies between 5 and 1."),
    (lambda c: c.has_size(satisfies=5), "has_size(): satisfies takes a function, not 5."),
    (lambda c: c.has_size(at_least=[1]), "has_size(): at_least takes one value, not [1];"),
    (lambda c: c.has_size(at_least=1, level="fatal"), "a level is 'error' or 'warning', not 'fat"),
    (lambda c: c.is_complete("a", where=5), "is_complete(a): a predicate of Spark SQL is expected"),
    (lambda c: c.is_complete("a", where=" "), "a predicate of Spark SQL is expected, not ' '."),
    (lambda c: c.is_complete(), "is_complete(): at least one column is needed."),
    (lambda c: c.is_complete([]), "is_complete(): at least one column is needed."),
    (lambda c: c.is_complete(5), "is_complete(5): a column's name is text, not 5."),
    (lambda c: c.is_unique(), "is_unique(): at least one column is needed."),
    (lambda c: c.is_primary_key(), "at least one column is needed."),
    (lambda c: c.are_all_complete(), "are_all_complete(): at least one column is needed."),
    (lambda c: c.are_any_complete(), "are_any_complete(): at least one column is needed."),
    (lambda c: c.has_entropy(at_least=0), "has_entropy(): at least one column is needed."),
    (lambda c: c.has_uniqueness(None, at_least=0), "a column's name is text, not None."),
    (lambda c: c.is_less_than("a", 5), "is_less_than(a, 5): a column's name is text, not 5."),
    (lambda c: c.is_positive(5), "is_positive(5): a column's name is text, not 5."),
    (lambda c: c.has_min(5, at_least=0), "has_min(5): a column's name is text, not 5."),
    (lambda c: c.is_contained_in("a", []), "no values are given that 'a' may have."),
    (lambda c: c.is_contained_in("a", "new"), "a list of values is expected, not 'new'."),
    (lambda c: c.is_contained_in("a", 5), "a list of values is expected, not 5."),
    (lambda c: c.is_contained_in("a", ["x", None]), "null cannot be one of the values of 'a'"),
    (lambda c: c.is_contained_in("a", [{}]), "a dict cannot be compared with a column: {}."),
    (lambda c: c.is_in_range("a"), "an end of the range is missing"),
    (lambda c: c.is_in_range("a", 5, 1), "no value lies between 5 and 1"),
    (lambda c: c.is_in_range("a", 1, "b"), "not supported between instances of 'int' and 'str'."),
    (lambda c: c.is_in_range("a", 1, closed="in"), "closed is 'both', 'left', 'right' or 'neithe"),
    (lambda c: c.is_positive("a", nulls="empty"), "nulls must be 'ignore' or 'fail', not 'empty'."),
    (lambda c: c.matches("a", "x", nulls="no"), "'empty' or 'fail' or 'skip', not 'no'"),
    (
        lambda c: c.has_min_length("a", nulls="fail", at_least=1),
        "nulls must be 'ignore' or 'empty', n",
    ),
    (lambda c: c.satisfies(""), "satisfies(): a predicate of Spark SQL is expected, not ''."),
    (lambda c: c.satisfies(lambda _: True), "a predicate of Spark SQL is expected, not <funct"),
    (lambda c: c.satisfies_if("a", None), "a predicate of Spark SQL is expected, not None."),
    (lambda c: c.has("Mean(a)", at_least=0), "has takes an analyzer, not 'Mean(a)'."),
    (lambda c: c.has(Mean("a"), at_least=0, where="b"), "`where` belongs into the analyzer."),
    (lambda c: c.has(Mean("a")), "has(Mean(a)): a bound is missing"),
    (lambda c: c.has_column("a", where="b"), "has_column(a): ColumnExists takes no `where`."),
    (lambda c: c.has_custom_sql("max(a)", at_most=1, where="b"), "CustomSql takes no `where`."),
    (lambda c: c.matches_schema({}), "types by column are expected, not {}."),
    (lambda c: c.matches_schema("a int"), "types by column are expected, not 'a int'."),
    (lambda c: c.is_fresh("a", "1h"), "within is a timedelta, not '1h'."),
    (lambda c: c.is_fresh("a", timedelta(1), at_most=5), "within and at_most say the same twice."),
    (lambda c: c.has_approx_quantile("a", 1.5, at_most=1), "a quantile must be between 0 and 1"),
    (lambda c: c.has_approx_quantiles("a", 0.5, satisfies=bool), "quantiles must be a sequence"),
    (lambda c: c.has_exact_quantile("a", -1, at_most=1), "a quantile must be between 0 and 1"),
    (
        lambda c: c.has_histogram_bins("a", edges=(3, 1), satisfies=bool),
        "two or more ascending numbers",
    ),
    (
        lambda c: c.has_histogram_bins("a", bins=0, satisfies=bool),
        "bins must be at least 1, not 0.",
    ),
    (lambda c: c.has_mutual_information("a", "a", at_least=0), "mutual information needs two colu"),
    (lambda c: c.has_histogram("a", at_least=1), "several values are judged by satisfies=… alone."),
    (lambda c: c.has_histogram_bins("a"), "several values are judged by satisfies=… alone."),
    (lambda c: c.has_quantile_buckets("a", equals=1), "several values are judged by satisfies=…"),
    (lambda c: c.has_approx_quantiles("a", [0.5], at_most=1), "several values are judged by sati"),
    (lambda c: c.has_data_type("a", "integer"), "type must be one of integral, fractional"),
    (lambda c: c.refers_to([], "t"), "a key needs at least one column, not 0."),
    (lambda c: c.refers_to(["a", "b"], "t", "a"), "a key of 2 columns cannot refer to a key of 1"),
    (lambda c: c.refers_to(5, "t"), "refers_to(5, t(5)): a column's name is text, not 5."),
    (lambda c: c.refers_to("a", 5), "refers_to(a, 5(a)): the name of a table must be text, n"),
    (lambda c: c.refers_to("a", "t", 5), "refers_to(a, t(5)): the name of a column must be text"),
    (lambda c: c.agrees_with("t", []), "agrees_with(t, []): a key needs at least one column, n"),
    (lambda c: c.agrees_with("t", "a", [5]), "agrees_with(t, [a], 5): a column's name is text, no"),
    (lambda c: c.has_row_count_of(""), "the name of a table must be text, not ''."),
    (lambda c: c.has_row_count_of("t", between=(2, 1)), "no value lies between 2 and 1."),
    (lambda c: c.has_aggregate_of("", "t"), "an aggregate of Spark SQL is expected, not ''."),
    (
        lambda c: c.has_aggregate_of("sum(a)", "t", 5),
        "an aggregate of Spark SQL is expected, not 5",
    ),
    (lambda c: c.has_aggregate_of("sum(a)", "t", where="b"), "AggregateMatch takes no `where`."),
    (lambda c: c.has_schema_of("t", where="b"), "TableSchemaMatch takes no `where`."),
    (lambda c: c.is_complete("b", id="a"), "is_complete(b): the id 'a' is taken by is_complete(a)"),
    (lambda c: c.is_primary_key("x", id="key"), "the id 'key' is taken by is_complete(x);"),
]


@pytest.mark.parametrize(("build", "sentence"), WRONG, ids=[sentence for _, sentence in WRONG])
def test_invalid_arguments_are_refused_at_once(build: Build, sentence: str) -> None:
    with pytest.raises(CheckError) as caught:
        build(Check("orders").is_complete("a", id="a"))
    message = str(caught.value)
    assert message.startswith("orders: ")
    assert sentence in message
    assert message.endswith((".", "?"))
    assert "\n" not in message


def test_invalid_checks_are_refused() -> None:
    with pytest.raises(CheckError, match=r"^a level is 'error' or 'warning', not 'info'\.$"):
        Check("c", "info")  # type: ignore[arg-type]
    with pytest.raises(CheckError, match=r"^a check needs a name\.$"):
        Check(" ")
    with pytest.raises(CheckError, match=r"^c: the check has no constraint yet"):
        Check("c").warn()
    with pytest.raises(CheckError, match=r"^c: the check has no constraint yet"):
        Check("c").hint("x")


def test_is_fresh_keeps_its_bound_with_other_options() -> None:
    check = Check("c").is_fresh("at", timedelta(days=1), at_least=timedelta(0))
    assert str(check.constraints[0].assertion) == "in [0:00:00, 1 day, 0:00:00]"


def test_any_analyzer_can_be_required() -> None:
    check = Check("c").has(Completeness("a", where="b > 1"), at_least=0.5)
    assert str(check.constraints[0]) == "Completeness(a) where b > 1 >= 0.5"
    assert ids(check) == ["has(Completeness(a)) where b > 1"]
