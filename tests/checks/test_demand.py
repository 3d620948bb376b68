"""Demands as Python and as YAML say the same."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest

from assay import Check
from assay.checks.demand import Demand
from assay.checks.pattern import Pattern, Token
from assay.errors import CheckError

DEMANDS = [
    Demand.of("is_complete", "a b", 'c"d'),
    Demand.of("has_completeness", "a", at_least=0.9, where="b > 0", level="warning"),
    Demand.of("is_contained_in", "a", ["x", "y'z", "\n"], nulls="fail"),
    Demand.of("is_in_range", "a", 0, 10.5),
    Demand.of("is_primary_key", "a", "b"),
    Demand.of("is_fresh", "at", timedelta(days=2, hours=3)),
    Demand.of("has_mean", "a", between=(1, 2)),
    Demand.of("satisfies", "`a` = year(`b`)", nulls="ignore"),
    Demand.of("has_size", at_least=1),
    Demand.of("matches_pattern", "sku", r"<upper>{3}\|-<digit>+|\u{a0}", trained=(0.5, 48)),
    Demand.of("matches_pattern", "sku", Pattern.of("a\"'", Token("digit")), at_least=0.9),
    Demand.of("is_complete", "\u2028\x85\x1b\x00😀"),
]


@pytest.mark.parametrize("demand", DEMANDS, ids=lambda demand: demand.method)
def test_both_spellings_make_the_same_check(demand: Demand) -> None:
    check = demand.on(Check("orders"))
    from_python = eval(f'Check("orders"){demand.python}', {"Check": Check, "timedelta": timedelta})
    assert from_python == check
    line = demand.yaml
    assert line.startswith(f"- {demand.method}: ")
    document = {demand.method: json.loads(line.removeprefix(f"- {demand.method}: "))}
    assert Demand.read(document).on(Check("orders")) == check


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"is_complet": {"columns": ["a"]}}, "no demand 'is_complet'; did you mean 'is_complete'"),
        ({"__init__": {}}, "no demand '__init__'"),
        ({"show": {}}, "no demand 'show'"),
        ({"has_mean": {"colum": "a"}}, "has_mean has no argument 'colum'; did you mean 'column'"),
        (["is_complete"], "a demand is one name with its arguments"),
        ({"a": 1, "b": 2}, "a demand is one name with its arguments"),
    ],
)
def test_bad_documents(document: Any, words: str) -> None:
    with pytest.raises(CheckError, match=words):
        Demand.read(document)


def test_a_function_has_no_yaml() -> None:
    demand = Demand.of("has_size", satisfies=lambda size: size > 1)
    with pytest.raises(CheckError, match="a function cannot be written in YAML"):
        _ = demand.yaml


def test_dates_are_written_in_full() -> None:
    demand = Demand.of("is_in_range", "day", date(2026, 1, 1), date(2026, 2, 1))
    assert demand.python == '.is_in_range("day", date(2026, 1, 1), date(2026, 2, 1))'
    assert demand.yaml == (
        '- is_in_range: {"column": "day", "low": "2026-01-01", "high": "2026-02-01"}'
    )
