"""The page of a result of `verify`: what was demanded, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.checks.constraint import Level
from assay.checks.formatting import format_value, one_line
from assay.checks.result import ConstraintResult, Outcome, Result, Status
from assay.report.html.markup import Html, data, element, joined
from assay.report.html.page import Section, Tone, facts, label, page, strip, table
from assay.report.html.size_budget import omitted, within

__all__ = ["result_html"]

_ROOM = 220_000
_TONES: dict[Status, tuple[Tone, str]] = {
    Status.PASSED: ("good", "Passed"),
    Status.WARNING: ("warn", "Passed with a warning"),
    Status.FAILED: ("bad", "Failed"),
    Status.NOT_EVALUATED: ("bad", "Not evaluated"),
}


def result_html(result: Result, title: str = "Assay: a verification") -> str:
    """One file that needs nothing else, of less than a megabyte."""
    tone, word = _TONES[result.status]
    top = strip(tone, word, title, _headline(result), facts(_counts(result)))
    return page(f"{title}: {word.lower()}", top, list(_sections(result)))


def _headline(result: Result) -> str:
    bad = [each for each in result if each.serious and each.outcome is not Outcome.PASSED]
    bad = bad or [each for each in result if each.outcome is not Outcome.PASSED]
    if bad:
        return bad[0].message
    return f"All {len(result):,} constraints hold." if len(result) else "Nothing was demanded."


def _counts(result: Result) -> Iterator[tuple[str, str]]:
    outcomes = [each.outcome for each in result]
    checks = dict.fromkeys(each.check for each in result)
    yield "Checks", f"{len(checks):,}"
    yield "Constraints", f"{len(outcomes):,}"
    for outcome in Outcome:
        yield outcome.value.capitalize(), f"{outcomes.count(outcome):,}"


def _sections(result: Result) -> Iterator[Section]:
    failed = result.failures()
    errors = [each for each in failed if each.level is Level.ERROR]
    warned = [each for each in failed if each.level is Level.WARNING]
    unknown = [each for each in result if each.outcome is Outcome.NOT_EVALUATED]
    passed = [each for each in result if each.outcome is Outcome.PASSED]
    for id_, title, found, badge in (
        ("failed", "What failed", errors, label("bad", "✕ fails")),
        ("warned", "Warnings", warned, label("warn", "! warns")),
        ("unknown", "What could not be evaluated", unknown, label("none", "○ unknown")),
    ):
        if found:
            yield Section(id_, title, _articles(found, badge), len(found))
    yield Section("passed", "What passed", _table(passed), len(passed), folded=bool(failed))


def _articles(found: Sequence[ConstraintResult], badge: Html) -> Html:
    kept, left = within(lambda each: _article(each, badge), found, _ROOM)
    return joined((*kept, omitted(left, "constraint")))


def _article(each: ConstraintResult, badge: Html) -> Html:
    where = each.constraint.analyzer.where
    told: list[tuple[str, str | None]] = [
        ("Check", data(each.check)),
        ("AnyAssertion", each.expected_text),
        ("Found", None if each.problem is not None else format_value(each.value)),
        ("Of rows where", element("code", one_line(where)) if where else None),
    ]
    return element(
        "article",
        element("h3", data(each.constraint.name, 200), badge),
        element("p", each.message),
        facts(told),
        class_="alarm",
    )


def _table(passed: Sequence[ConstraintResult]) -> Html:
    if not passed:
        return element("p", "Nothing.")
    rows, left = within(_row, passed, _ROOM)
    heads = ("constraint", "demanded", "found")
    return joined((table("What passed", heads, rows), omitted(left, "constraint")))


def _row(each: ConstraintResult) -> Html:
    return element(
        "tr",
        element("th", data(each.constraint.name, 200), scope="row"),
        element("td", each.expected_text),
        element("td", format_value(each.value)),
    )
