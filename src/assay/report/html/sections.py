"""The sections of a report: one function and one line in `SECTIONS` for each.

Other packages add a section by an entry point in the group ``assay.report_sections``. It names a
function that takes a `Report` and returns `Html`, or None if there is nothing to show. The name of
the entry point is the title. Create the HTML with `assay.html.element`, which escapes text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay.checks.formatting import counted_batches, percent
from assay.gate.verdict import TrackRecord
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import (
    Section,
    description_list,
    headline_strip,
    sentence_list,
    table,
    timestamp,
)
from assay.plugins import load_plugins
from assay.report.html.all_columns import overview
from assay.report.html.column_details import column_cards
from assay.report.html.limits_table import limits_table
from assay.report.html.problems import observation_list, problem_articles, problem_list
from assay.report.html.schema_changes import schema_changes
from assay.report.html.segments_table import segments_table
from assay.report.number_format import counted, false_alarms
from assay.store.verdict import Decision
from assay.text import count_noun

if TYPE_CHECKING:
    from assay.report.html.report import Report

__all__ = ["SECTIONS", "create_sections", "create_top"]

#: bytes for lists of any length; a page has at most a million
_PROBLEM_BYTES, _OBSERVATION_BYTES, _KEPT_BYTES = 260_000, 30_000, 40_000
_MAX_MARKS, _MAX_NAME = 20, 200


def create_sections(report: Report) -> list[Section]:
    """Create all sections of a report that have content."""
    built_in = (section for create in SECTIONS if (section := create(report)) is not None)
    return [*built_in, *_plugin_sections(report)]


def create_top(report: Report) -> Html:
    """Create the headline of a report: the outcome, the problems, and what was compared."""
    tone, outcome = report.tone_and_outcome
    verdict, batch = report.verdict, report.batch
    entries: list[tuple[str, str | None]] = [
        ("Dataset", bidi_text(batch.dataset, _MAX_NAME)),
        ("Batch", bidi_text(batch.key, _MAX_NAME)),
        ("Delivered", timestamp(batch.time)),
    ]
    if report.columns is not None:
        entries += [("Rows", f"{report.columns.rows:,}"), ("Columns", f"{report.n_columns:,}")]
    headline = f"{batch.dataset} {batch.key} was recorded without a verdict."
    if verdict is not None:
        compared = counted_batches(verdict.n_history)
        if verdict.history_start is not None:
            compared = f"{compared} since {verdict.history_start}"
        entries.append(("Compared with", compared if verdict.n_history else "nothing: first batch"))
        headline = _summary(report) if report.problems else verdict.headline
    problems = problem_list(report.problems)
    details = description_list(entries)
    content = details if problems is None else join((problems, details))
    return headline_strip(tone, outcome, "Assay: report on a batch", headline, content)


def _summary(report: Report) -> str:
    name = f"{report.batch.dataset} {report.batch.key}"
    n_problems = len(report.problems)
    counted_problems = count_noun(n_problems, "problem")
    return (
        f"{name} has {counted_problems}, the worst first:"
        if n_problems > 1
        else f"{name} has {counted_problems}:"
    )


def _overview(report: Report) -> Section | None:
    content = overview(report)
    if content is None:
        note = "The statistics of this batch were not recorded."
        return Section("columns", "Columns", element("p", note))
    notes = []
    if report.previous_batch is not None:
        previous = bidi_text(report.previous_batch)
        legend = ". Filled: now; dashed: before."
        notes.append(element("p", "Before is the batch ", previous, legend, class_="quiet"))
    return Section("columns", "All columns", join((*notes, content)), report.n_columns)


def _problems(report: Report) -> Section | None:
    if not report.problems:
        return None
    content = problem_articles(report, _PROBLEM_BYTES)
    return Section("problems", "Problems", content, len(report.problems))


def _next_steps(report: Report) -> Section | None:
    if report.decision is not Decision.HOLD or report.marks:
        return None
    run = shlex.quote(f"{report.batch.dataset}/{report.batch.key}")
    steps = (
        ("The batch is right: add it to the dataset", f"assay release {run} --reason …"),
        ("The batch is wrong: keep it out for good", f"assay reject {run} --reason …"),
        ("See the evidence in the terminal", f"assay explain {run}"),
    )
    rows = (
        element("div", element("dt", label), element("dd", element("code", command)))
        for label, command in steps
    )
    return Section("next", "Next steps", element("dl", *rows, class_="steps"))


def _observations(report: Report) -> Section | None:
    observations = () if report.verdict is None else report.verdict.observations
    sentences = [*map(str, observations), *report.open_limits]
    if not sentences:
        return None
    return Section("remarks", "Observations", observation_list(sentences, _OBSERVATION_BYTES))


def _marks(report: Report) -> Section | None:
    if not report.marks:
        return None
    rows = (
        element(
            "tr",
            element("td", timestamp(mark.time)),
            element("th", bidi_text(mark.author), scope="row"),
            element("td", mark.kind.value),
            element("td", mark.reason),
        )
        for mark in report.marks[-_MAX_MARKS:]
    )
    return Section("marks", "Marks", table("Marks", ("time", "author", "mark", "reason"), rows))


def _kept_limits(report: Report) -> Section | None:
    if not report.kept_limits:
        return None
    content = sentence_list(report.kept_limits, _KEPT_BYTES)
    return Section("kept", "Kept limits", content, len(report.kept_limits), folded=True)


def _schema(report: Report) -> Section:
    same = report.schema is not None and report.previous_schema in (None, report.schema)
    content = schema_changes(report.schema, report.previous_schema)
    return Section("schema", "Schema", content, folded=same)


def _details(report: Report) -> Section | None:
    if report.columns is None:
        return None
    n_columns = len(report.columns.columns)
    return Section("details", "Statistics of columns", column_cards(report), n_columns, folded=True)


def _limits(report: Report) -> Section | None:
    if report.limits is None:
        return None
    content = limits_table(
        report.limits.columns,
        report.limits.n_batches,
        approved_by=report.limits.approved_by,
        private=report.private,
    )
    return Section("rules", "Learned limits", content, folded=True)


def _segments(report: Report) -> Section | None:
    evidence = {} if report.verdict is None else report.verdict.evidence
    recorded = evidence.get("segments")
    if not recorded or not recorded["segments"] or recorded["by"] in report.private:
        return None
    return Section("segments", "Segments", segments_table(recorded))


def _origin(report: Report) -> Section:
    arguments = f"{report.batch.dataset!r}, {report.batch.key!r}"
    verdict = report.verdict
    entries: list[tuple[str, str | None]] = [
        ("Store", bidi_text(report.store, _MAX_NAME) if report.store else None),
        ("Time of the batch", timestamp(report.batch.time)),
        ("Judged at", None if report.judged_at is None else timestamp(report.judged_at)),
        (
            "Previous batch",
            None if report.previous_batch is None else bidi_text(report.previous_batch, _MAX_NAME),
        ),
    ]
    if verdict is not None:
        rate = verdict.false_alarm_rate
        entries += [
            ("Budget", false_alarms(verdict.budget) if verdict.budget else None),
            ("These problems", false_alarms(rate) if rate else None),
            ("Earlier verdicts", _describe_track_record(verdict.track_record)),
        ]
    entries.append(("Python", element("code", f"report_of(store, {arguments})")))
    return Section("origin", "Origin", description_list(entries), folded=True)


#: the sections in the order of the page
SECTIONS: tuple[Callable[[Report], Section | None], ...] = (
    _overview,
    _problems,
    _next_steps,
    _observations,
    _marks,
    _schema,
    _segments,
    _details,
    _kept_limits,
    _limits,
    _origin,
)


def _plugin_sections(report: Report) -> Iterator[Section]:
    for name, create in load_plugins("assay.report_sections"):
        try:
            content = create(report)
        except Exception as error:  # other packages can raise anything; the page reports it
            content = element("p", f"This section failed: {type(error).__name__}: {error}")
        if content is not None:
            anchor = f"plugin-{re.sub(r'[^a-z0-9]+', '-', name.lower())}"
            yield Section(
                anchor, name, content if isinstance(content, Html) else element("p", content)
            )


def _describe_track_record(record: TrackRecord) -> str:
    if record.false_alarm_rate is None:
        return "none"
    return (
        f"{counted(record.judged, 'batch', 'batches')} judged, {record.held:,} held,"
        f" {record.warned:,} with warnings; {counted(record.false_alarms, 'false alarm')}"
        f" ({percent(record.false_alarm_rate)})"
    )
