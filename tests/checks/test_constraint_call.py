"""A constraint written as Python and as YAML is the same constraint."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from assay import Check
from assay.checks.codegen.constraint_call import ConstraintCall, calls_of
from assay.checks.pattern import Pattern, Token
from assay.errors import CheckError
from assay.learn.patterns import Patterns
from assay.suite import Suite
from tests.checks.constraint_examples import EXAMPLES as EVERY

EXAMPLES = [
    ConstraintCall.of("is_complete", "a b", 'c"d'),
    ConstraintCall.of("has_completeness", "a", at_least=0.9, where="b > 0", level="warning"),
    ConstraintCall.of("is_contained_in", "a", ["x", "y'z", "\n"], nulls="fail"),
    ConstraintCall.of("is_in_range", "a", 0, 10.5),
    ConstraintCall.of("is_primary_key", "a", "b"),
    ConstraintCall.of("is_fresh", "at", timedelta(days=2, hours=3)),
    ConstraintCall.of("has_mean", "a", between=(1, 2)),
    ConstraintCall.of("satisfies", "`a` = year(`b`)", nulls="ignore"),
    ConstraintCall.of("has_size", at_least=1),
    ConstraintCall.of("matches_pattern", "sku", r"<upper>{3}\|-<digit>+|\u{a0}", trained=(0.5, 48)),
    ConstraintCall.of("matches_pattern", "sku", Pattern.of("a\"'", Token("digit")), at_least=0.9),
    ConstraintCall.of("is_complete", "\u2028\x85\x1b\x00😀"),
]


@pytest.mark.parametrize("call", EXAMPLES, ids=lambda call: call.method)
def test_both_spellings_make_the_same_check(call: ConstraintCall) -> None:
    check = call.add_to(Check("orders"))
    from_python = eval(f'Check("orders"){call.python}', {"Check": Check, "timedelta": timedelta})
    assert from_python == check
    suite = f"version: 1\ndataset: d\nchecks:\n- name: orders\n  constraints:\n  {call.yaml}\n"
    assert Suite.parse(suite).checks == (check,)


def test_a_function_has_no_yaml() -> None:
    call = ConstraintCall.of("has_size", satisfies=lambda size: size > 1)
    with pytest.raises(CheckError, match="a function cannot be written in YAML"):
        _ = call.yaml


def test_dates_are_written_in_full() -> None:
    call = ConstraintCall.of("is_in_range", "day", date(2026, 1, 1), date(2026, 2, 1))
    assert call.python == '.is_in_range("day", date(2026, 1, 1), date(2026, 2, 1))'
    assert call.yaml == "- is_in_range: {column: day, low: 2026-01-01, high: 2026-02-01}"


def test_an_argument_after_a_gap_is_passed_by_name() -> None:
    assert ConstraintCall.of("is_in_range", "x", high=5).python == '.is_in_range("x", high=5)'


def test_an_unknown_method_is_refused_with_a_suggestion() -> None:
    with pytest.raises(CheckError, match=r"unknown constraint .is_complet"):
        ConstraintCall.of("is_complet", "a")
    for name in ("__init__", "warn", "applicable_to"):
        with pytest.raises(CheckError, match="unknown constraint"):
            ConstraintCall.of(name)


@pytest.mark.parametrize("example", EVERY, ids=lambda example: example.name)
def test_a_check_records_the_calls_that_built_it(example: Any) -> None:
    check = example.add_to(Check("c")).warn().is_complete("id", ["a", "b"]).hint("ask")
    made = calls_of(check)
    assert [call.method for call in made] == [example.name, "is_complete"]
    again = Check("c")
    for call in made:
        again = call.add_to(again)
    assert again == check


def test_a_pattern_learned_from_a_sample_is_recorded_as_a_fixed_pattern() -> None:
    check = Check("c").matches_learned_pattern("sku", Patterns(), sample=iter(["AB-1", "CD-22"]))
    (call,) = calls_of(check)
    assert call.method == "matches_pattern"


def test_values_that_change_or_are_gone_later() -> None:
    values = ["a", "b"]
    check = Check("c").is_contained_in("x", values).is_contained_in("z", iter("cd"))
    values.append("z")
    assert [call.yaml for call in calls_of(check)] == [
        "- is_contained_in: {column: x, values: [a, b]}",
        "- is_contained_in: {column: z, values: [c, d]}",
    ]


def test_constraints_from_elsewhere_cannot_be_written() -> None:
    check = replace(Check("c").is_complete("a"), constraints=Check("c").is_unique("b").constraints)
    with pytest.raises(CheckError, match="c: some of its constraints were not added"):
        calls_of(check)
