"""The public face of `Check`: signatures, documentation, errors and representations."""

from __future__ import annotations

import inspect
import pickle
import re
from typing import Any

import pytest

from assay import Check, Level
from assay.analyzers import Size
from assay.checks.builder import CheckBuilder
from assay.checks.constraint_method import constraint_methods
from assay.checks.constraint_options import Options
from assay.checks.known_names import _OTHER_NAMES_OF, OTHER_NAMES
from assay.checks.parameter_docs import SHARED
from assay.errors import ArgumentError, AssayError, CheckError, UnknownMethodError
from tools import check_stub

METHODS = sorted(constraint_methods())
COMMON = [name for name in SHARED if name in {**Options.__annotations__, "equals": None}]


def test_the_stub_file_is_current() -> None:
    """Run ``python -m tools.check_stub`` if it is not."""
    assert check_stub.PATH.read_text(encoding="utf-8") == check_stub.write_stub()


def test_every_public_method_is_declared_or_known_to_the_stub() -> None:
    public = {name for name, _ in inspect.getmembers(Check, inspect.isfunction) if name[0] != "_"}
    builder = {name for name in vars(CheckBuilder) if name[0] != "_"}
    assert public - set(METHODS) - builder == {"applicable_to"}


@pytest.mark.parametrize("name", METHODS)
def test_a_signature_lists_every_parameter(name: str) -> None:
    parameters = inspect.signature(getattr(Check, name)).parameters
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    if name != "has_no_anomalies":
        common = [parameters[option] for option in COMMON]
        assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in common)


@pytest.mark.parametrize("name", METHODS)
def test_a_docstring_has_all_sections_and_every_parameter(name: str) -> None:
    doc = inspect.getdoc(getattr(Check, name)) or ""
    assert doc.splitlines()[0].endswith(".")
    for section in ("Parameters", "Returns", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in doc, section
    for parameter in constraint_methods()[name].signature.parameters:
        assert f"\n{parameter}\n    " in doc, parameter
    assert "\n>>> " in doc


#: methods that read no values of a column
WITHOUT_VALUES = {
    "has",
    "has_column",
    "has_column_count",
    "has_no_anomalies",
    "has_row_count_of",
    "has_schema_of",
    "has_size",
    "matches_schema",
}


@pytest.mark.parametrize("name", METHODS)
def test_help_states_the_formula_and_the_meaning_of_nulls(name: str) -> None:
    doc = inspect.getdoc(getattr(Check, name)) or ""
    notes = doc.partition("\nNotes\n-----\n")[2].partition("\nExamples\n")[0]
    assert re.match(r"Metric: ``.+``\.\n", notes)
    assert name in WITHOUT_VALUES or re.search(r"\bnulls?\b", doc, re.I)


@pytest.mark.parametrize("name", sorted({"applicable_to", *vars(CheckBuilder)} - {"level", "on"}))
def test_every_other_public_method_has_an_example(name: str) -> None:
    method = getattr(Check, name, None)
    if not name.startswith("_") and inspect.isfunction(method):
        assert "\n>>> " in (inspect.getdoc(method) or "")


def call(name: str, *args: Any, **named: Any) -> Any:
    return getattr(Check("orders"), name)(*args, **named)


def test_a_bound_without_a_name_is_refused_with_the_right_call() -> None:
    with pytest.raises(ArgumentError, match=r"has_size takes bounds by name: has_size\(equals=500"):
        call("has_size", 500)
    with pytest.raises(ArgumentError, match=r"has_mean\('amount', equals=5\)"):
        call("has_mean", "amount", 5)
    with pytest.raises(TypeError):
        call("has_mean", "amount", 5)
    with pytest.raises(CheckError, match="missing a required argument: 'column'"):
        call("has_mean", at_least=1)


@pytest.mark.parametrize(
    ("other", "ours"),
    [
        ("not_null", "is_complete"),
        ("accepted_values", "is_contained_in"),
        ("row_count", "has_size"),
        ("expect_column_values_to_be_unique", "is_unique"),
        ("isComplete", "is_complete"),
        ("hasSize", "has_size"),
        ("is_uniqe", "is_unique"),
        ("ExpectColumnValuesToNotBeNull", "is_complete"),
        ("ExpectColumnPairValuesAToBeGreaterThanB", "is_greater_than"),
        ("expect_column_values_to_be_in_set", "is_contained_in"),
        ("containsURL", "is_url"),
        ("hasNumberOfDistinctValues", "has_count_distinct"),
        ("str_matches", "matches"),
        ("col_vals_not_null", "is_complete"),
        ("missing_count", "is_complete"),
        ("relationships", "refers_to"),
        ("expect_column_values_to_be_positive", "is_positive"),
    ],
)
def test_a_name_of_another_tool_suggests_the_method(other: str, ours: str) -> None:
    with pytest.raises(UnknownMethodError, match=f"use '{ours}'") as caught:
        getattr(Check("orders"), other)
    assert isinstance(caught.value, AttributeError)
    assert isinstance(caught.value, AssayError)
    assert caught.value.code == "unknown_method"
    assert not hasattr(Check("orders"), other)


def test_every_suggested_method_exists() -> None:
    assert {call.partition("(")[0] for call in OTHER_NAMES.values()} <= set(METHODS)
    assert not set(OTHER_NAMES) & set(METHODS)
    names = " ".join(_OTHER_NAMES_OF.values()).split()
    assert len(names) == len(set(names))


def test_a_suggestion_shows_the_bound_that_the_other_name_implies() -> None:
    with pytest.raises(UnknownMethodError, match=r"use has_completeness\(column, equals=0\)\."):
        getattr(Check("orders"), "expect_column_values_to_be_null")  # noqa: B009


def test_the_level_of_a_check_and_warn_agree() -> None:
    lax = Check("orders", level="warning").is_complete("id")
    assert lax.constraints == Check("orders").is_complete("id").warn().constraints
    assert lax.constraints[0].level is Level.WARNING


def test_where_selects_rows_for_all_following_constraints() -> None:
    check = (
        Check("orders")
        .is_complete("id")
        .where("paid")
        .has_size(at_least=1)
        .is_primary_key("id", where="amount > 0")
        .has_column("id")
        .where(None)
        .has_mean("amount", at_least=0)
    )
    assert [constraint.analyzer.where for constraint in check.constraints] == [
        None,
        "paid",
        "(paid) AND (amount > 0)",
        "(paid) AND (amount > 0)",
        None,
        None,
    ]


def test_where_refuses_what_is_not_a_condition_and_methods_that_take_analyzers() -> None:
    with pytest.raises(CheckError, match="a predicate of Spark SQL, got"):
        Check("c").where(" ")
    with pytest.raises(CheckError, match=r"Check.where\(\) does not apply to has_no_anomalies"):
        Check("c").where("paid").has_no_anomalies(Size(), object())  # type: ignore[arg-type]
    with pytest.raises(CheckError, match="CustomSql takes no `where`"):
        Check("c").where("paid").has_custom_sql("max(a)", at_most=1)


def test_representations_are_short() -> None:
    check = Check("orders").is_complete("id").has_mean("amount", at_least=5, on="both")
    assert repr(check) == "Check('orders', 2 constraints)"
    assert str(check).splitlines() == [
        "orders",
        "  error    is_complete(id): expected 100 %",
        "  error    has_mean(amount): expected at least 5",
    ]
    assert repr(check.constraints[1]) == (
        "Constraint('has_mean(amount)', 'at least 5', level='error', on='both')"
    )


def test_a_check_as_html_escapes_other_peoples_text() -> None:
    html = Check("<script>").is_contained_in("a", ["<b>\x1b"])._repr_html_()
    assert "<script>" not in html
    assert "&lt;b&gt;" in html
    assert "\x1b" not in html


def test_a_check_survives_pickling() -> None:
    check = Check("orders", "warning", on="whole").is_complete("id")
    assert pickle.loads(pickle.dumps(check)) == check
