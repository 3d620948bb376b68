"""The HTML page of a comparison: problems, then one row for each column with both distributions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.gate.compare.row_matches import ROW_LABELS, RowMatches
from assay.gate.diagnose import capitalized
from assay.gate.problem import Problem
from assay.gate.verdict import Verdict
from assay.html.column_table import ColumnRow, column_table
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import (
    HtmlPage,
    Section,
    Tone,
    badge,
    description_list,
    headline_strip,
    sentence_list,
    table,
)
from assay.html.size_budget import fit, omission
from assay.report.advice import cause_words
from assay.report.comparison.column_comparison import ColumnComparison, ColumnSummary
from assay.report.html.all_columns import column_anchors
from assay.report.html.column_details import column_cards, comparison
from assay.report.html.problems import problem_anchor, problem_list
from assay.report.html.report import Report
from assay.report.html.schema_changes import schema_changes
from assay.store.batch import Batch
from assay.store.verdict import Decision
from assay.text import count_noun

if TYPE_CHECKING:
    from assay.report.comparison.table_comparison import TableComparison

__all__ = ["comparison_page"]

_TONES: dict[Decision, tuple[Tone, str]] = {
    Decision.ACCEPT: ("good", "No change"),
    Decision.WARN: ("warn", "Changed"),
    Decision.HOLD: ("bad", "Changed: a gate would hold this table"),
}
_BADGES: dict[Decision, tuple[Tone, str]] = {
    Decision.WARN: ("warn", "! changed"),
    Decision.HOLD: ("bad", "✕ would be held"),
}
_SIGNS: dict[Decision, tuple[Tone, str]] = {
    Decision.ACCEPT: ("good", "✓"),
    Decision.WARN: ("warn", "!"),
    Decision.HOLD: ("bad", "✕"),
}
_TITLES = ("column", "", "old", "new", "distribution", "change")
#: bytes for each section; a page has at most a million
_MAX_COLUMN_BYTES, _MAX_PROBLEM_BYTES, _MAX_OTHER_BYTES = 250_000, 250_000, 80_000
#: characters of a name, and problems, findings and columns that are shown
_MAX_NAME, _MAX_FINDINGS, _MAX_COMPARED = 200, 20, 3


def comparison_page(compared: TableComparison) -> HtmlPage:
    """Create the page of a comparison."""
    report = _report_of(compared)
    title = f"{compared.new.name}: {_TONES[compared.decision][1].lower()}"
    return HtmlPage(title, _top(compared, report), list(_sections(compared, report)))


def _report_of(compared: TableComparison) -> Report:
    """Return the comparison as a report on a batch, whose parts the page reuses.

    A report withholds values of private columns.
    """
    new, last = compared.new, compared.old[-1]
    batch = Batch("comparison", new.name)
    problems, observations = compared.problems, compared.observations
    return Report(
        batch,
        Verdict(batch, compared.decision, problems, observations, n_history=len(compared.old)),
        columns=new.stats,
        previous_columns=last.stats,
        schema=new.schema,
        previous_schema=last.schema,
        private=compared.private,
    )


def _top(compared: TableComparison, report: Report) -> Html:
    tone, outcome = _TONES[compared.decision]
    new, last = compared.new, compared.old[-1]
    entries: list[tuple[str, str | None]] = [
        ("New", _name_and_rows(new.name, new.stats.rows)),
        ("Old", _name_and_rows(last.name, last.stats.rows)),
        ("Older tables", f"{len(compared.old):,}" if len(compared.old) > 1 else None),
    ]
    content = [problem_list(report.problems), description_list(entries)]
    details = join(part for part in content if part is not None)
    headline = _headline(compared)
    return headline_strip(tone, outcome, "Assay: comparison of tables", headline, details)


def _headline(compared: TableComparison) -> str:
    n_problems = len(compared.problems)
    if n_problems:
        changes = count_noun(n_problems, "change")
        return f"{changes}, the worst first:" if n_problems > 1 else f"{changes}:"
    if compared.rows is not None:
        return f"By key: {compared.rows}"
    return "Nothing changed beyond chance."


def _name_and_rows(name: str, n_rows: int) -> Html:
    return join((bidi_text(name, _MAX_NAME), Html(f" ({count_noun(n_rows, 'row')})")))


def _sections(compared: TableComparison, report: Report) -> Iterator[Section]:
    columns = compared.columns
    yield Section("columns", "All columns", _column_table(columns, report), len(columns))
    if report.problems:
        numbered = list(enumerate(report.problems, 1))
        cards, n_omitted = fit(lambda pair: _card(*pair, report), numbered, _MAX_PROBLEM_BYTES)
        content = join((*cards, omission(n_omitted, "change")))
        yield Section("problems", "Changes", content, len(report.problems))
    if compared.rows is not None:
        yield _rows_section(compared.rows)
    if compared.observations:
        sentences = [capitalized(str(finding)) for finding in compared.observations]
        content = sentence_list(sentences, _MAX_OTHER_BYTES)
        yield Section("remarks", "Observations", content)
    schemas = report.schema, report.previous_schema
    changes = schema_changes(*schemas, before="the older table")
    yield Section("schema", "Schema", changes, folded=schemas[0] == schemas[1])
    n_columns = len(compared.new.stats.columns)
    yield Section("details", "Statistics of columns", column_cards(report), n_columns, folded=True)


def _column_table(columns: Sequence[ColumnComparison], report: Report) -> Html:
    words = {
        name: cause_words(problem.cause_code)
        for problem in reversed(report.problems)
        for name in problem.columns
    }
    anchors = column_anchors(report)
    rows = [_column_row(column, words.get(column.name), anchors) for column in columns]
    note = element("p", "Filled: new table; dashed: older table.", class_="quiet")
    return join((note, column_table(rows, titles=_TITLES, max_bytes=_MAX_COLUMN_BYTES)))


def _column_row(column: ColumnComparison, word: str | None, anchors: dict[str, str]) -> ColumnRow:
    tone, sign = _SIGNS[column.level]
    types = dict.fromkeys(s.type for s in (column.old, column.new) if s is not None)
    is_private = any(s.private for s in (column.old, column.new) if s is not None)
    type_name = " → ".join(types)
    return ColumnRow(
        name=column.name,
        type=f"{type_name}, private" if is_private else type_name,
        before=_text(column.old),
        now=_text(column.new),
        picture=None if column.distribution is None else column.distribution.picture,
        tone=tone,
        verdict=sign if word is None else f"{sign} {word}",
        link=anchors.get(column.name),
    )


def _text(summary: ColumnSummary | None) -> str:
    return "-" if summary is None else str(summary)


def _card(number: int, problem: Problem, report: Report) -> Html:
    subject = [bidi_text(name) for name in problem.columns[:_MAX_FINDINGS]]
    figures = [
        comparison(report, name, with_name=len(problem.columns) > 1)
        for name in problem.columns[:_MAX_COMPARED]
    ]
    shown = [figure for figure in figures if figure is not None]
    findings = problem.findings[:_MAX_FINDINGS]
    reasons = [element("li", element("p", capitalized(str(finding)))) for finding in findings]
    return element(
        "article",
        element(
            "h3",
            element("span", f"{number}", class_="count"),
            Html(Html(", ").join(subject)) if subject else "Table",
            badge(*_BADGES[problem.level]),
        ),
        element("p", problem.cause, class_="cause"),
        element("div", *shown, class_="now-before") if shown else None,
        element(
            "details",
            element("summary", f"Evidence: {count_noun(len(problem.findings), 'finding')}"),
            element("ul", *reasons, class_="findings"),
            omission(len(problem.findings) - len(reasons), "finding"),
        ),
        class_="alarm",
        id=problem_anchor(number),
    )


def _rows_section(rows: RowMatches) -> Section:
    title = f"Rows by {', '.join(rows.key)}"
    summary = element("p", capitalized(str(rows)))
    examples = [
        (ROW_LABELS.get(name) or name, row)
        for name, changed in rows.examples.items()
        for row in changed
    ]
    if not examples:
        return Section("rows", title, summary)
    lines, n_omitted = fit(
        lambda example: element(
            "tr",
            element("th", bidi_text(example[0]), scope="row"),
            element("td", bidi_text(example[1].key_text)),
            element("td", bidi_text(example[1].change, _MAX_NAME)),
        ),
        examples,
        _MAX_OTHER_BYTES,
    )
    shown = table("Examples", ("column", "key", "old → new"), lines)
    return Section("rows", title, join((summary, shown, omission(n_omitted, "example"))))
