"""Results in a notebook and in a Python session: short, useful, and without foreign markup."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay import Backtest, Check, Decision, Finding, Plan, Result, Suggestion, Suggestions, Verdict
from assay.analyzers import Completeness, Schema, Uniqueness
from assay.analyzers.metric import Distribution
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.result import ConstraintResult, Outcome
from assay.engine import plan
from assay.engine.measurement import Measurement
from assay.gate.problem import Problem
from assay.html import HasPage
from assay.learn.profile import Profile
from assay.learn.profile.column_profile import ColumnProfile
from assay.store import Batch
from tests.report.html.reading import sound

MARKUP = "<script>alert(1)</script>\x1b[31m"


def a_check() -> Check:
    return Check(MARKUP).is_complete(MARKUP).is_contained_in("a", [MARKUP])


def a_result() -> Result:
    check = a_check()
    results = tuple(
        ConstraintResult(check.name, constraint, Outcome.FAILED, MARKUP)
        for constraint in check.constraints
    )
    return Result(results, Measurement({}, {}), None, None, None)


def a_plan() -> Plan:
    schema = Schema.of(**{"id": "bigint", MARKUP: "string"})
    return plan([Completeness(MARKUP), Uniqueness(MARKUP)], schema)


def a_verdict() -> Verdict:
    batch = Batch(MARKUP, MARKUP, datetime(2026, 11, 14, tzinfo=UTC))
    finding = Finding("schema", Decision.HOLD, MARKUP, MARKUP)
    problem = Problem(
        cause_code="unknown",
        cause=MARKUP,
        columns=(MARKUP,),
        level=Decision.HOLD,
        findings=(finding,),
    )
    return Verdict(batch, Decision.HOLD, (problem,), (finding,), row_count=956, n_history=11)


def a_profile() -> Profile:
    counts = Distribution({MARKUP: 3.0})
    column = ColumnProfile(MARKUP, "string", 3, 3, 1, "string", values=counts, exact=True)
    return Profile(3, {MARKUP: column}, {MARKUP: "string"}, Measurement({}, {}))


def a_suggestion() -> Suggestion:
    call = ConstraintCall.of("is_contained_in", MARKUP, [MARKUP])
    return Suggestion("categorical_range", (MARKUP,), call, MARKUP, 1.0)


SHOWN = {
    "check": a_check(),
    "result": a_result(),
    "verdict": a_verdict(),
    "profile": a_profile(),
    "suggestion": a_suggestion(),
    "suggestions": Suggestions((a_suggestion(),), ()),
    "backtest": Backtest((a_verdict(),)),
    "plan": a_plan(),
}


#: values that a notebook shows as a page; the others are small tables
PAGES = {name: value for name, value in SHOWN.items() if isinstance(value, HasPage)}
TABLES = {name: value for name, value in SHOWN.items() if name not in PAGES}


def test_results_of_commands_have_pages() -> None:
    assert set(PAGES) == {"result", "profile", "suggestions", "backtest"}


@pytest.mark.parametrize("value", PAGES.values(), ids=PAGES)
def test_a_notebook_shows_the_page_without_foreign_markup(value: HasPage, tmp_path: Path) -> None:
    fragment = value._repr_html_()
    assert fragment.startswith('<div class="assay"><style>')
    assert "<script" not in fragment
    document = value.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == document
    page = sound(document)
    for html in (fragment, document):
        assert MARKUP not in html
        assert "&lt;script&gt;" in html
        assert "\x1b" not in html
    assert page.text.count("alert(1)") > 0


@pytest.mark.parametrize("value", TABLES.values(), ids=TABLES)
def test_a_notebook_shows_a_table_without_foreign_markup(value: object) -> None:
    html = value._repr_html_()  # type: ignore[attr-defined]
    assert html.startswith("<table><caption>")
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "\x1b" not in html
    assert len(html) < 2000


@pytest.mark.parametrize("value", SHOWN.values(), ids=SHOWN)
def test_texts_are_short_and_cannot_act_on_a_terminal(value: object) -> None:
    assert len(repr(value)) < 300
    assert repr(value).startswith(type(value).__name__ + "(")
    assert "\n" not in repr(value)
    for text in (repr(value), str(value)):
        assert "\x1b" not in text
        assert " object at 0x" not in text


def test_a_representation_says_what_the_value_holds() -> None:
    assert repr(a_plan()) == "Plan(2 analyzers, 2 passes)"
    assert repr(SHOWN["backtest"]) == "Backtest(1 batch: 0 accept, 0 warn, 1 hold)"
    assert repr(a_verdict()).endswith(": hold, 1 problem)")


def test_an_accepted_batch_is_one_line_in_a_notebook() -> None:
    batch = Batch("orders", "2026-11-14", datetime(2026, 11, 14, tzinfo=UTC))
    html = Verdict(batch, Decision.ACCEPT, row_count=1, n_history=1)._repr_html_()
    assert html == (
        "<table><caption>✓ ACCEPTED  orders 2026-11-14, 1 row, compared with 1 batch</caption>"
        "</table>"
    )


def test_a_notebook_calls_an_observation_by_its_name() -> None:
    batch = Batch("orders", "2026-11-14", datetime(2026, 11, 14, tzinfo=UTC))
    observed = Finding("checks", Decision.ACCEPT, "a constraint was not evaluated")
    html = Verdict(batch, Decision.ACCEPT, (), (observed,), row_count=1, n_history=1)._repr_html_()
    assert "<td>observation</td>" in html
