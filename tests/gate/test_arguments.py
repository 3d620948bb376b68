"""Invalid arguments of a gate, and invalid keys and times of batches."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from assay import Check, Gate
from assay.errors import CheckError, StoreError
from assay.store import MemoryStore, Selection
from assay.suite.read_suite import read
from assay.suite.settings import GateSettings

untyped_gate: Any = Gate


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"season": "7"}, "a season is 2 batches or more, not '7'"),
        ({"season": 1.5}, "a season is 2 batches or more, not 1.5"),
        ({"season": True}, "a season is 2 batches or more, not True"),
        ({"on_error": "no"}, "on_error must be 'hold' or 'warn', got 'no'"),
        ({"private": 5}, "name of a column.*got 5"),
        ({"private": ["a", 5]}, "name of a column.*got 5"),
        ({"patterns": 5}, "patterns are an index of them, or its file, not 5"),
        ({"suite": 5}, "invalid suite of a gate: expected a Suite or Checks, got 5"),
        (
            {"suite": "suite.yaml"},
            "invalid suite of a gate: expected a Suite or Checks, got 'suite.yaml'",
        ),
        ({"store": "/data/store"}, r"Write EmbeddedStore\('/data/store'\)"),
        ({"store": Path("store")}, r"Write EmbeddedStore\('store'\)"),
        (
            {"store": None},
            "invalid store of a gate: expected an open store, such as MemoryStore\\(\\), got None",
        ),
        ({"dataset": 5}, "invalid name of a dataset: expected text, such as 'orders', got 5"),
        ({"dataset": ""}, "invalid name of a dataset: expected text, such as 'orders', got ''"),
    ],
)
def test_an_invalid_argument_of_a_gate_raises_an_error_that_names_it(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(CheckError, match=message):
        untyped_gate(**{"dataset": "d", "store": MemoryStore(), **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"judges": "limit"}, "unknown judge 'limit'. Did you mean 'limits'?"),
        ({"judges": ["wind"]}, "unknown judge 'wind'. The judges are: schema, dialect, "),
        ({"metrics": "meen"}, "unknown metric 'meen'. Did you mean 'mean'?"),
        ({"share_false": 1}, "share_false must be a number between 0 and 1, such as 0.1, got 1"),
        ({"columns": "a", "exclude": "a"}, "columns and exclude have the same names: a."),
        ({"detector": "kn"}, "unknown detector 'kn'; did you mean 'knn'?"),
        ({"budget": "1/1"}, "a budget is a share between 0 and 1, such as 1/200, not '1/1'"),
    ],
)
def test_an_unknown_name_is_an_error_with_a_suggestion(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(CheckError) as error:
        untyped_gate("d", MemoryStore(), **arguments)
    assert message in str(error.value)


@pytest.mark.parametrize("budget", [0.005, Fraction(1, 200)])
def test_a_budget_is_text_and_numbers_are_deprecated(budget: object) -> None:
    with pytest.warns(DeprecationWarning, match='use budget="1/200"') as warned:
        settings = untyped_gate("d", MemoryStore(), budget=budget).settings
    assert settings == GateSettings(budget="2/400")
    assert settings.budget_share == Fraction(1, 200)
    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="0.005") as warned:
        GateSettings(budget=0.005)  # type: ignore[arg-type]
    assert warned[0].filename == __file__


def test_a_suite_with_a_number_as_its_budget_stays_readable() -> None:
    text = "version: 1\ndataset: d\ngate: {budget: 0.005}"
    with pytest.warns(DeprecationWarning, match='use budget="1/200"'):
        assert read(text, "suite.yaml").gate.budget == "1/200"


def test_a_gate_accepts_single_values_and_paths() -> None:
    check = Check("d").has_size(at_least=1)
    assert Gate("d", MemoryStore(), None).spec.checks == ()
    assert Gate("d", MemoryStore(), check).spec.checks == (check,)
    assert Gate("d", MemoryStore(), [check]).spec.checks == (check,)
    assert Gate("d", MemoryStore(), private="carrier").settings.private == ("carrier",)
    assert Gate("d", MemoryStore(), patterns=Path("lake.index")).settings.patterns == "lake.index"


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda gate: gate.refuse(5, "no table"), "key of a batch.*got 5"),
        (lambda gate: gate.refuse("a", "no table", time="2026"), "time of batch.*got '2026'"),
        (lambda gate: gate.release(5, author="a", reason="b"), "key of a batch.*got 5"),
        (lambda gate: gate.reject(["a"], author="a", reason="b"), r"key of a batch.*got \['a'\]"),
        (lambda gate: gate.mark(5, "bad", author="a", reason="b"), "key of a batch.*got 5"),
        (lambda gate: gate.mark(["a"], "bad", author="a", reason="b"), "key of a batch.*got"),
    ],
)
def test_an_invalid_key_or_time_is_refused_before_anything_is_stored(
    mistake: Callable[[Any], None], message: str
) -> None:
    gate = Gate("d", MemoryStore())
    with pytest.raises(StoreError, match=message):
        mistake(gate)
    assert gate.quarantine.waiting() == ()
    assert not gate.store.verdicts(Selection("d"))
    assert not gate.store.marks(Selection("d"))


def test_closed_is_a_deprecated_name_of_on_error() -> None:
    with pytest.warns(DeprecationWarning, match="on_error"):
        gate = untyped_gate("d", MemoryStore(), closed=False)
    assert gate.settings.on_error == "warn"
