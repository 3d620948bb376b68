"""The HTML page of a comparison: problems, then one row for each column with both distributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.checks.formatting import count_noun
from assay.gate.compare.row_matches import ROW_LABELS, RowMatches
from assay.gate.verdict import Verdict
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import HtmlPage, Section, Tone, description_list, headline_strip, table
from assay.html.size_budget import fit, omission
from assay.report.html.problems import problem_list
from assay.report.html.report import Report
from assay.report.html.sections import create_sections
from assay.store.batch import Batch
from assay.store.verdict import Decision

if TYPE_CHECKING:
    from assay.report.comparison.table_comparison import TableComparison

__all__ = ["comparison_page"]

_TONES: dict[Decision, tuple[Tone, str]] = {
    Decision.ACCEPT: ("good", "No change"),
    Decision.WARN: ("warn", "Changed"),
    Decision.HOLD: ("bad", "Changed: a gate would hold this table"),
}
#: sections of a report on a batch that a comparison has as well
_SECTIONS = ("columns", "problems", "remarks", "schema", "details")
_MAX_NAME, _MAX_ROW_BYTES = 200, 100_000


def comparison_page(comparison: TableComparison) -> HtmlPage:
    """Create the page of a comparison."""
    report = _report_of(comparison)
    sections = {section.id: section for section in create_sections(report)}
    return HtmlPage(
        f"{comparison.new.name}: {_TONES[comparison.decision][1].lower()}",
        _top(comparison, report),
        list(_ordered(comparison, sections)),
    )


def _report_of(comparison: TableComparison) -> Report:
    """Return the comparison as a report on a batch, without what only a store has."""
    new, last = comparison.new, comparison.old[-1]
    batch = Batch("comparison", new.name)
    verdict = Verdict(
        batch,
        comparison.decision,
        comparison.problems,
        comparison.observations,
        row_count=new.stats.rows,
        n_history=len(comparison.old),
    )
    return Report(
        batch,
        verdict,
        columns=new.stats,
        previous_columns=last.stats,
        schema=new.schema,
        previous_schema=last.schema,
        private=comparison.private,
    )


def _top(comparison: TableComparison, report: Report) -> Html:
    tone, outcome = _TONES[comparison.decision]
    new, old = comparison.new, comparison.old
    n_problems = len(report.problems)
    found = count_noun(n_problems, "change")
    headline = "Nothing changed beyond chance."
    if n_problems:
        headline = f"{found}, the worst first:" if n_problems > 1 else f"{found}:"
    elif comparison.decision is not Decision.ACCEPT:
        headline = f"By key: {comparison.rows}"
    entries: list[tuple[str, str | None]] = [
        ("New", _table_name(new.name, new.stats.rows)),
        ("Old", _table_name(old[-1].name, old[-1].stats.rows)),
        ("Older tables", f"{len(old):,}" if len(old) > 1 else None),
    ]
    content = [problem_list(report.problems), description_list(entries)]
    details = join(part for part in content if part is not None)
    return headline_strip(tone, outcome, "Assay: comparison of tables", headline, details)


def _table_name(name: str, n_rows: int) -> Html:
    return join((bidi_text(name, _MAX_NAME), Html(f" ({count_noun(n_rows, 'row')})")))


def _ordered(comparison: TableComparison, sections: dict[str, Section]) -> Iterator[Section]:
    for name in _SECTIONS:
        section = sections.get(name)
        if section is None:
            continue
        if name == "columns":
            last = bidi_text(comparison.old[-1].name, _MAX_NAME)
            legend = ". Filled: now; dashed: before."
            note = element("p", "Before is ", last, legend, class_="quiet")
            section = replace(section, content=join((note, section.content)))
        yield section
        if name == "columns" and comparison.rows is not None:
            yield _rows_section(comparison.rows)


def _rows_section(rows: RowMatches) -> Section:
    key = ", ".join(rows.key)
    summary = element("p", str(rows)[:1].upper() + str(rows)[1:])
    examples = [
        (ROW_LABELS.get(name) or name, row)
        for name, changed in rows.examples.items()
        for row in changed
    ]
    if not examples:
        return Section("rows", f"Rows by {key}", summary)
    lines, n_omitted = fit(
        lambda example: element(
            "tr",
            element("th", bidi_text(example[0]), scope="row"),
            element("td", bidi_text(example[1].key_text)),
            element("td", bidi_text(example[1].change, _MAX_NAME)),
        ),
        examples,
        _MAX_ROW_BYTES,
    )
    shown = table("Examples", ("column", "key", "old → new"), lines)
    return Section("rows", f"Rows by {key}", join((summary, shown, omission(n_omitted, "example"))))
