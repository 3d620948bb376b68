"""The sections of a report: one function and one line in `SECTIONS` for each.

Other packages add a section by an entry point in the group ``assay.report_sections``. It names a
function that takes a `Report` and returns `Html`, or None if there is nothing to show. The name of
the entry point is the title. Create the HTML with `assay.report.html.markup.element`, which escapes
text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay.gate.verdict import TrackRecord
from assay.plugins import load_plugins
from assay.report.html.column_cards import column_cards
from assay.report.html.limits_table import limits_table
from assay.report.html.markup import Html, bidi_text, element, join
from assay.report.html.page import (
    Section,
    description_list,
    headline_strip,
    sentence_list,
    table,
    timestamp,
)
from assay.report.html.problems import observation_list, problem_articles
from assay.report.html.schema_changes import schema_changes
from assay.report.number_format import counted, false_alarms, percent
from assay.store.verdict import Decision

if TYPE_CHECKING:
    from assay.report.html.report import Report

__all__ = ["SECTIONS", "create_sections", "create_top"]

#: bytes for lists of any length; a page has at most a million
_HELD_BYTES, _WARNING_BYTES, _OBSERVATION_BYTES, _KEPT_BYTES = 280_000, 120_000, 30_000, 60_000
_MAX_MARKS, _MAX_NAME = 20, 200


def create_sections(report: Report) -> list[Section]:
    """Create all sections of a report that have content."""
    built_in = (section for create in SECTIONS if (section := create(report)) is not None)
    return [*built_in, *_plugin_sections(report)]


def create_top(report: Report) -> Html:
    """Create the headline of a report."""
    tone, outcome = report.tone_and_outcome
    verdict, batch = report.verdict, report.batch
    entries: list[tuple[str, str | None]] = [
        ("Dataset", bidi_text(batch.dataset, _MAX_NAME)),
        ("Batch", bidi_text(batch.key, _MAX_NAME)),
        ("Delivered", timestamp(batch.time)),
        ("Rows", None if report.columns is None else f"{report.columns.rows:,}"),
    ]
    headline = f"{batch.dataset} {batch.key} was recorded without a verdict."
    if verdict is not None:
        headline = verdict.headline
        compared = counted(verdict.n_history, "earlier batch", "earlier batches")
        entries += [
            ("Compared with", compared if verdict.n_history else "nothing: the first batch"),
            ("Budget", false_alarms(verdict.budget) if verdict.budget else None),
            (
                "These problems",
                false_alarms(verdict.false_alarm_rate) if verdict.false_alarm_rate else None,
            ),
            ("Earlier verdicts", _describe_track_record(verdict.track_record)),
        ]
    title = "Assay: report on a batch"
    return headline_strip(tone, outcome, title, headline, description_list(entries))


def _held(report: Report) -> Section | None:
    problems = [problem for problem in report.problems if problem.level is Decision.HOLD]
    if not problems:
        return None
    content = problem_articles(problems, report.series, _HELD_BYTES)
    return Section("held", "Problems that hold the batch", content, len(problems))


def _warnings(report: Report) -> Section | None:
    problems = [problem for problem in report.problems if problem.level is not Decision.HOLD]
    if not problems:
        return None
    content = problem_articles(problems, report.series, _WARNING_BYTES)
    return Section("warned", "Warnings", content, len(problems))


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
    return Section("schema", "Schema", schema_changes(report.schema, report.previous_schema))


def _columns(report: Report) -> Section:
    if report.columns is None:
        content = element("p", "The statistics of this batch were not recorded.")
        return Section("columns", "Columns", content)
    levels: dict[str, Decision] = {}
    for problem in reversed(report.problems):
        for name in problem.columns:
            is_worse = levels.get(name) is not Decision.HOLD
            levels[name] = problem.level if is_worse else Decision.HOLD
    types = {} if report.schema is None else dict(report.schema.types)
    content = column_cards(report.columns, report.previous_columns, types, levels, report.private)
    if report.previous_batch is not None:
        previous = bidi_text(report.previous_batch)
        content = join(
            (element("p", "Compared with the previous batch, ", previous, class_="quiet"), content)
        )
    return Section("columns", "Columns", content, len(report.columns.columns))


def _limits(report: Report) -> Section | None:
    if report.limits is None:
        return None
    content = limits_table(
        report.limits.columns,
        report.limits.n_batches,
        approved_by=report.limits.approved_by,
        private=report.private,
    )
    return Section("rules", "Learned limits", content)


def _origin(report: Report) -> Section:
    arguments = f"{report.batch.dataset!r}, {report.batch.key!r}"
    entries: list[tuple[str, str | None]] = [
        ("Store", bidi_text(report.store, _MAX_NAME) if report.store else None),
        ("Time of the batch", timestamp(report.batch.time)),
        ("Judged at", None if report.judged_at is None else timestamp(report.judged_at)),
        (
            "Previous batch",
            None if report.previous_batch is None else bidi_text(report.previous_batch, _MAX_NAME),
        ),
        ("Python", element("code", f"report_of(store, {arguments})")),
    ]
    return Section("origin", "Origin", description_list(entries))


#: the sections in the order of the page
SECTIONS: tuple[Callable[[Report], Section | None], ...] = (
    _held,
    _warnings,
    _observations,
    _marks,
    _kept_limits,
    _schema,
    _columns,
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
