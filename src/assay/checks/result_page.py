"""The HTML page of a result of `verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.checks.constraint import Level
from assay.checks.constraint_result import ConstraintResult, Outcome, Status
from assay.checks.examples import Examples
from assay.checks.formatting import count_noun, one_line
from assay.errors import require_instance
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import (
    HtmlPage,
    Section,
    Tone,
    badge,
    description_list,
    headline_strip,
    searchable,
    table,
)
from assay.html.size_budget import fit, omission

if TYPE_CHECKING:
    from assay.checks.result import Result

__all__ = ["result_html", "result_page"]

#: bytes for each list of constraints
_MAX_BYTES = 220_000
_MAX_NAME = 200
_TONES: dict[Status, tuple[Tone, str]] = {
    Status.PASSED: ("good", "Passed"),
    Status.WARNING: ("warn", "Passed with a warning"),
    Status.FAILED: ("bad", "Failed"),
    Status.NOT_EVALUATED: ("bad", "Not evaluated"),
}


def result_html(result: Result, title: str = "Assay: verification") -> str:
    """Return the page of a result: one HTML file that loads nothing else, smaller than a megabyte.

    Parameters
    ----------
    result
        The result of `verify`.
    title
        Title of the page.

    Raises
    ------
    CheckError
        If `result` is not a result.
    """
    from assay.checks.result import Result

    require_instance(result, Result, "invalid result", "a Result, as verify() returns it")
    return result_page(result, title).html


def result_page(result: Result, title: str = "Assay: verification") -> HtmlPage:
    """Return the page of a result as a value."""
    tone, word = _TONES[result.status]
    counts = description_list(_counts(result))
    top = headline_strip(tone, word, title, _headline(result), counts)
    return HtmlPage(f"{title}: {word.lower()}", top, list(_sections(result)))


def _headline(result: Result) -> str:
    """Return how many constraints failed; the whole message if it is one."""
    not_passed = [constraint for constraint in result if constraint.outcome is not Outcome.PASSED]
    if len(not_passed) == 1:
        return not_passed[0].message
    if not_passed:
        return f"{len(not_passed):,} of {count_noun(len(result), 'constraint')} did not pass."
    if not len(result):
        return "The checks have no constraints."
    return f"All {len(result):,} constraints hold." if len(result) > 1 else "1 constraint holds."


def _counts(result: Result) -> Iterator[tuple[str, str]]:
    outcomes = [constraint.outcome for constraint in result]
    checks = {constraint.check for constraint in result}
    yield "Checks", f"{len(checks):,}"
    yield "Constraints", f"{len(outcomes):,}"
    for outcome in Outcome:
        yield outcome.value.capitalize(), f"{outcomes.count(outcome):,}"


def _sections(result: Result) -> Iterator[Section]:
    failed = result.failures()
    errors = [constraint for constraint in failed if constraint.level is Level.ERROR]
    warnings = [constraint for constraint in failed if constraint.level is Level.WARNING]
    unknown = [constraint for constraint in result if constraint.outcome is Outcome.NOT_EVALUATED]
    passed = [constraint for constraint in result if constraint.outcome is Outcome.PASSED]
    for id_, title, constraints, label in (
        ("failed", "Failed", errors, badge("bad", "✕ failed")),
        ("warned", "Warnings", warnings, badge("warn", "! warning")),
        ("unknown", "Not evaluated", unknown, badge("none", "○ not evaluated")),
    ):
        if constraints:
            yield Section(id_, title, _articles(constraints, label), len(constraints))
    yield Section("passed", "Passed", _table(passed), len(passed), folded=bool(failed))


def _articles(constraints: Sequence[ConstraintResult], label: Html) -> Html:
    parts, n_omitted = fit(lambda constraint: _article(constraint, label), constraints, _MAX_BYTES)
    return join((*parts, omission(n_omitted, "constraint")))


def _article(result: ConstraintResult, label: Html) -> Html:
    where = result.constraint.analyzer.where
    counts, hint = result.counts, result.constraint.hint
    entries: list[tuple[str, str | None]] = [
        ("Expected", result.expected_text),
        ("Actual", None if result.problem is not None else result.metric_text),
        ("Failing rows", None if counts is None else counts.rows),
        ("Rows", element("code", one_line(where)) if where else None),
        ("Check", bidi_text(result.check)),
    ]
    return element(
        "article",
        element("h3", bidi_text(result.constraint.name, _MAX_NAME), label),
        element("p", result.message) if result.problem is not None else None,
        element("p", result.detail) if result.detail else None,
        description_list(entries),
        None if result.examples is None else _examples(result.examples),
        element("p", element("b", "Hint: "), hint) if hint else None,
        class_="alarm",
    )


def _examples(examples: Examples) -> Html:
    """Show the most frequent values of the failing rows."""
    rows = [
        element(
            "tr",
            element("th", bidi_text(example.text, _MAX_NAME), scope="row"),
            element("td", f"{example.rows:,}"),
        )
        for example in examples.values
    ]
    others = count_noun(examples.other_rows, "row with another value", "rows with other values")
    return element(
        "div",
        table("Examples", ("value of failing rows", "rows"), rows),
        element("p", f"and {others}", class_="quiet") if examples.other_rows else None,
    )


def _table(passed: Sequence[ConstraintResult]) -> Html:
    if not passed:
        return element("p", "None.")
    rows, n_omitted = fit(_row, passed, _MAX_BYTES)
    titles = ("constraint", "expected", "actual")
    content = join((table("Passed constraints", titles, rows), omission(n_omitted, "constraint")))
    return searchable(content, len(rows))


def _row(result: ConstraintResult) -> Html:
    return element(
        "tr",
        element("th", bidi_text(result.constraint.name, _MAX_NAME), scope="row"),
        element("td", result.expected_text, data_title="expected"),
        element("td", result.metric_text, data_title="actual"),
    )
