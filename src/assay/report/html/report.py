"""The report on one batch: a value with all that is shown, and the page made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from assay.gate.diagnose import group_findings
from assay.gate.finding import Finding
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import TrackRecord, Verdict
from assay.io.atomic_write import write_atomically
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.table_limits import TableLimits
from assay.report.html.column_cards import column_cards
from assay.report.html.findings import Metric, alarms, remarks
from assay.report.html.limits_table import limits_table
from assay.report.html.markup import Html, bidi_text, element, join
from assay.report.html.numbers import counted, one_in
from assay.report.html.page import (
    Section,
    Tone,
    description_list,
    headline_strip,
    page,
    sentence_list,
    table,
    timestamp,
)
from assay.report.html.privacy import withhold_values
from assay.report.html.schema_changes import schema_changes
from assay.report.html.sparkline import MetricSeries
from assay.store.batch import Batch
from assay.store.verdict import Decision, Mark, MarkKind

__all__ = ["Report"]

#: bytes for lists that may be of any length; the page has a million
_HELD, _WARNED, _REMARKS, _KEPT = 280_000, 120_000, 30_000, 60_000
_MARKS, _CAUSES = 20, 3


@dataclass(frozen=True)
class Report:
    """What is shown of a batch.

    `decision` is None for one that nobody judged, `fingerprint` where it could not be read.
    `reference` is that of the batch `before` it, `past` the history of each metric that something
    was found of. `kept` are the limits that the batch keeps, in words, `open` what could not be
    told. `limits` may be a word on why there are none. Of `private` columns no value is shown.
    """

    batch: Batch
    decision: Decision | None
    findings: tuple[Finding, ...] = ()
    judged: datetime | None = None
    marks: tuple[Mark, ...] = ()
    record: TrackRecord = field(default_factory=TrackRecord)
    budget: float | None = None
    history: int = 0
    fingerprint: Fingerprint | None = None
    reference: Fingerprint | None = None
    before: Batch | None = None
    columns: TableSchema | None = None
    columns_before: TableSchema | None = None
    past: Mapping[Metric, MetricSeries] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    limits: TableLimits | str | None = None
    private: frozenset[str] = frozenset()
    store: str = ""

    def __post_init__(self) -> None:
        found = tuple(withhold_values(each, self.private) for each in self.findings)
        object.__setattr__(self, "findings", found)

    @property
    def html(self) -> str:
        """The page: one file that needs nothing else, of less than a megabyte."""
        title = f"{self.batch.dataset} {self.batch.key}: {self.word.lower()}"
        return page(title, self._top(), list(self._sections()))

    def write(self, path: str | Path) -> None:
        """Write the page, all of it or nothing."""
        write_atomically(Path(path), self.html)

    @property
    def word(self) -> str:
        """What became of the batch."""
        return self._standing[1]

    @property
    def _standing(self) -> tuple[Tone, str]:
        said = [each for each in self.marks if self.judged is None or each.time >= self.judged]
        last = said[-1].kind if said else None
        match self.decision:
            case None:
                return "none", "Not judged"
            case Decision.HOLD if last is not None and last.usable_for_learning:
                return "warn", "Held, then released"
            case Decision.HOLD if last is MarkKind.REJECTED or last is MarkKind.BAD:
                return "bad", "Held, then rejected"
            case Decision.HOLD:
                return "bad", "Held"
            case _ if last is not None and not last.usable_for_learning:
                return "bad", "Accepted, then marked bad"
            case Decision.WARN:
                return "warn", "Accepted with a warning"
            case _:
                return "good", "Accepted"

    def _top(self) -> Html:
        tone, word = self._standing
        rows = None if self.fingerprint is None else f"{self.fingerprint.rows:,}"
        spent = 0.0 if self.decision is None else self._verdict(self.decision).false_alarm_rate
        known: list[tuple[str, str | None]] = [
            ("Dataset", bidi_text(self.batch.dataset, 200)),
            ("Batch", bidi_text(self.batch.key, 200)),
            ("Delivered", timestamp(self.batch.time)),
            ("Rows", rows),
            ("Judged by", f"{counted(self.history, 'batch', 'batches')} before"),
            ("Budget", None if self.budget is None else f"{one_in(self.budget)} held by mistake"),
            ("Spent", f"{spent:.2g} false alarms" if spent else None),
            ("Record of the gate", _record(self.record)),
        ]
        causes = dict.fromkeys((each.column, each.cause) for each in self.findings if each.cause)
        likely = [
            element(
                "p", element("b", "Likely: "), *(() if of is None else (bidi_text(of), ": ")), cause
            )
            for of, cause in list(causes)[:_CAUSES]
        ]
        title = "Assay: the report on a batch"
        return headline_strip(
            tone, word, title, self._headline, join((*likely, description_list(known)))
        )

    @property
    def _headline(self) -> str:
        alarmed = any(each.alarm for each in self.findings)
        if self.decision is None or (not alarmed and self.decision is not Decision.ACCEPT):
            return f"{self.batch.dataset} {self.batch.key}: nobody wrote down why."
        return self._verdict(self.decision).headline

    def _verdict(self, decision: Decision) -> Verdict:
        problems = group_findings(finding for finding in self.findings if finding.alarm)
        return Verdict(self.batch, decision, problems, n_history=self.history)

    def _sections(self) -> Iterator[Section]:
        found = [each for each in self.findings if each.alarm]
        holds = [each for each in found if each.level is Decision.HOLD]
        columns = {each.column for each in holds} - {None}
        # warnings about a column that holds the batch say more about the same
        held = [each for each in found if each in holds or each.column in columns]
        warned = [each for each in found if each not in held]
        if held:
            content = alarms(held, self.past, _HELD)
            yield Section("held", "What holds it", content, len(held))
        if warned:
            content = alarms(warned, self.past, _WARNED)
            yield Section("warned", "Warnings", content, len(warned))
        told = [*(str(each) for each in self.findings if not each.alarm), *self.open]
        if told:
            yield Section("remarks", "Remarks", remarks(told, _REMARKS))
        if self.marks:
            yield Section("marks", "What people said", self._said())
        if self.kept:
            content = sentence_list(self.kept, _KEPT)
            yield Section("kept", "What is as it should be", content, len(self.kept), folded=True)
        yield Section("schema", "Schema", schema_changes(self.columns, self.columns_before))
        yield self._columns()
        if self.limits is not None:
            content = (
                element("p", self.limits)
                if isinstance(self.limits, str)
                else limits_table(self.limits, self.private)
            )
            yield Section("rules", "Learned rules", content)
        yield Section("origin", "Where this comes from", self._origin())

    def _columns(self) -> Section:
        if self.fingerprint is None:
            return Section("columns", "Columns", element("p", "Nothing is known of its rows."))
        levels = {
            each.column: each.level
            for each in reversed(self.findings)
            if each.alarm and each.column is not None
        }
        types = {} if self.columns is None else dict(self.columns.types)
        content = column_cards(self.fingerprint, self.reference, types, levels, self.private)
        if self.before is not None:
            beside = element(
                "p", "Beside the batch before, ", bidi_text(self.before.key), class_="quiet"
            )
            content = join((beside, content))
        return Section("columns", "Columns", content, len(self.fingerprint.columns))

    def _said(self) -> Html:
        rows = (
            element(
                "tr",
                element("td", timestamp(each.time)),
                element("th", bidi_text(each.author), scope="row"),
                element("td", each.kind.value),
                element("td", each.reason),
            )
            for each in self.marks[-_MARKS:]
        )
        return table("Marks", ("when", "who", "what", "why"), rows)

    def _origin(self) -> Html:
        given = f"{self.batch.dataset!r}, {self.batch.key!r}"
        known: list[tuple[str, str | None]] = [
            ("Store", bidi_text(self.store, 200) if self.store else None),
            ("Batch of", timestamp(self.batch.time)),
            ("Judged at", None if self.judged is None else timestamp(self.judged)),
            (
                "Learned from",
                f"{counted(self.history, 'accepted batch', 'accepted batches')} before it",
            ),
            ("Beside", None if self.before is None else bidi_text(self.before.key, 200)),
            ("Made again by", element("code", f"report_of(store, {given})")),
        ]
        return description_list(known)


def _record(record: TrackRecord) -> str:
    """Of all batches that were judged, before this one and since."""
    if record.false_alarm_rate is None:
        return "No other batch was judged."
    return (
        f"{counted(record.judged, 'other batch', 'other batches')} judged: {record.held} held,"
        f" {record.warned} warned, {counted(record.false_alarms, 'false alarm')}"
        f" ({record.false_alarm_rate:.1%})."
    )
