"""`Verdict`: accept, warn or hold a batch, with the problems that led to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, astuple, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from assay.checks.formatting import count_noun, counted_batches, visible
from assay.deprecation import warn_renamed
from assay.errors import AssayError, CheckError
from assay.gate.budget.track_record import TrackRecord
from assay.gate.finding import Finding, worst_first
from assay.gate.problem import Problem
from assay.html_table import html_table
from assay.store.batch import Batch
from assay.store.verdict import Decision, VerdictRecord
from assay.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.dataset.proposal import Proposal

__all__ = ["BatchHeldError", "TrackRecord", "Verdict"]

#: version of `Verdict.to_dict` and of the stored document
FORMAT_VERSION = 2
_WORDS = {Decision.ACCEPT: "✓ ACCEPTED", Decision.WARN: "! WARNING", Decision.HOLD: "✗ HELD"}
#: the first batch of a dataset is stored, but nothing shows that it is good
_FIRST = "○ FIRST BATCH"


class BatchHeldError(AssayError):
    """A batch is held; raised by `Verdict.raise_if_held`."""

    code = "batch_held"


@dataclass(frozen=True, repr=False)
class Verdict:
    """The decision on a batch, and why.

    Parameters
    ----------
    batch : Batch
        Dataset, key and time of the batch.
    decision : Decision
        Accept, warn (accept with a warning) or hold.
    problems : tuple of Problem
        The problems, the worst first; each with its cause and its findings.
    observations : tuple of Finding
        Facts worth knowing, without an alarm.
    row_count, column_count : int, optional
        Rows and columns of the batch; None if it could not be read.
    n_history : int
        Number of accepted batches that it was compared with.
    history_start, history_end : str, optional
        Keys of the first and the last of them.
    similar_dataset : str, optional
        Datasets of the store with a similar name, if this is a first batch.
    budget : float
        Share of good batches that the gate may hold by mistake.
    track_record : TrackRecord
        Counts of earlier verdicts and false alarms.
    again : bool
        True if this is the recorded verdict on the same rows, submitted before.
    evidence : mapping
        Content of reports: metric histories, limits, column statistics, as JSON values.
    """

    batch: Batch
    decision: Decision
    problems: tuple[Problem, ...] = ()
    observations: tuple[Finding, ...] = ()
    _: KW_ONLY
    row_count: int | None = None
    column_count: int | None = None
    n_history: int = 0
    history_start: str | None = None
    history_end: str | None = None
    similar_dataset: str | None = None
    budget: float = 0.0
    track_record: TrackRecord = field(default_factory=TrackRecord)
    again: bool = False
    evidence: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    proposal: Proposal | None = field(default=None, repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        """Return whether the batch may go on, with or without a warning."""
        return self.decision is not Decision.HOLD

    @property
    def is_first(self) -> bool:
        """Return whether there was no earlier batch to compare with."""
        return self.row_count is not None and not self.n_history

    @property
    def outcome(self) -> str:
        """The decision in a sign and a word, such as ``✗ HELD``."""
        is_plain = self.is_first and self.decision is Decision.ACCEPT and not self.again
        return _FIRST if is_plain else _WORDS[self.decision]

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """The findings of all problems, the worst first."""
        return worst_first(f for problem in self.problems for f in problem.findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all problems, and the observations, the worst first."""
        return worst_first((*self.alarms, *self.observations))

    @property
    def false_alarm_rate(self) -> float:
        """The share of good batches that raise alarms such as these.

        Limits have a rate each, which add up. Novelty has one rate for all features.
        """
        decisive = [finding for finding in self.alarms if finding.level is self.decision]
        novelty = [f.false_alarm_rate for f in decisive if f.judge == "novelty"]
        others = sum(f.false_alarm_rate for f in decisive if f.judge != "novelty")
        return min(1.0, others + max(novelty, default=0.0))

    @property
    def headline(self) -> str:
        """The decision and its main reason, in one sentence."""
        name = f"{visible(self.batch.dataset)} {visible(self.batch.key)}"
        if self.decision is Decision.ACCEPT:
            if self.again:
                return f"{name} is accepted, as it was before."
            if self.is_first:
                dataset = repr(visible(self.batch.dataset))
                return f"First batch of {dataset}: nothing to compare with.{self._hint}"
            if not self.n_history:
                return f"{name} is accepted."
            like = "batch" if self.n_history == 1 else counted_batches(self.n_history)
            return f"{name} is accepted: it is like the {like} before."
        word = "held" if self.decision is Decision.HOLD else "accepted with a warning"
        return f"{name} is {word}. {self.problems[0]}" if self.problems else f"{name} is {word}."

    @property
    def compared_with(self) -> str:
        """The size of the batch and the batches it was compared with, in words.

        Empty if the batch could not be read.
        """
        if self.row_count is None:
            return ""
        size = f"{self.row_count:,} {'row' if self.row_count == 1 else 'rows'}"
        if self.column_count is not None:
            columns = "column" if self.column_count == 1 else "columns"
            size = f"{size}, {self.column_count:,} {columns}"
        if self.is_first:
            first = "" if self.outcome == _FIRST else "first batch, "
            return f"{size}: {first}nothing to compare with.{self._hint}"
        since = "" if self.history_start is None else f" since {visible(self.history_start)}"
        return f"{size}, compared with {counted_batches(self.n_history)}{since}"

    @property
    def _hint(self) -> str:
        name = self.similar_dataset
        return "" if name is None else f" Did you mean {visible(name)!r}?"

    def failing(self, subject: Finding | Problem) -> DataFrame:
        """Return the rows of the batch that a finding or a problem is about, lazily.

        Raises
        ------
        CheckError
            If no rows can be named, or if the verdict was read from a store.
        """
        if self.proposal is None:
            raise CheckError(
                "the rows of a recorded verdict are not stored: expected a verdict that"
                " Gate.submit returned. Submit the batch again."
            )
        result = self.proposal.delta
        findings = subject.findings if isinstance(subject, Problem) else (subject,)
        for finding in findings:
            if finding.judge == "checks" and finding.metric is not None:
                return result.failing(finding.metric)
        if isinstance(subject, Problem):
            return subject.failing(result.frame)
        if subject.row_filter is not None:
            return result.frame.where(subject.row_filter)
        raise CheckError(f"no single rows cause this: {subject}")

    def raise_if_held(self) -> Verdict:
        """Return the verdict if the batch was accepted.

        Raises
        ------
        BatchHeldError
            If the batch is held.
        """
        if not self.accepted:
            raise BatchHeldError(self.headline)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
        return {
            "version": FORMAT_VERSION,
            "dataset": self.batch.dataset,
            "batch": self.batch.key,
            "time": self.batch.time.isoformat(),
            "decision": self.decision.value,
            "headline": self.headline,
            "problems": [problem.to_dict() for problem in self.problems],
            "observations": [finding.to_dict() for finding in self.observations],
            "findings": [finding.to_dict() for finding in self.findings],
            **self._scope(),
            "budget": self.budget,
            "false_alarm_rate": self.false_alarm_rate,
            "measured_false_alarm_rate": self.track_record.false_alarm_rate,
            "track_record": self.track_record.to_dict(),
            "again": self.again,
        }

    def _scope(self) -> dict[str, Any]:
        """Return what was compared, as JSON values."""
        return {
            "row_count": self.row_count,
            "column_count": self.column_count,
            "n_history": self.n_history,
            "history_start": self.history_start,
            "history_end": self.history_end,
            "similar_dataset": self.similar_dataset,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the verdict as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_record(self) -> VerdictRecord:
        """Return the stored form. It has all that reports show: they do not judge again."""
        document = {
            "version": FORMAT_VERSION,
            "assay": __version__,
            "time": self.batch.time.isoformat(),
            "problems": [problem.to_dict() for problem in self.problems],
            "observations": [finding.to_dict() for finding in self.observations],
            **self._scope(),
            "budget": self.budget,
            "track_record": list(astuple(self.track_record)),
            "evidence": dict(self.evidence),
        }
        findings = tuple(finding.to_dict() for finding in self.findings)
        return VerdictRecord(
            self.batch.dataset, self.batch.key, self.decision, findings, document=document
        )

    @staticmethod
    def of_record(record: VerdictRecord, batch: Batch | None = None) -> Verdict:
        """Read a stored verdict, of this version or of version 0.1."""
        # diagnose imports the learners; a verdict alone does not
        from assay.gate.diagnose import group_findings

        document = record.document
        if batch is None:
            stored_time = document.get("time")
            time = record.time if stored_time is None else datetime.fromisoformat(stored_time)
            batch = Batch(record.dataset, record.key, time)
        findings = tuple(map(Finding.read, record.findings))
        if document.get("version") != FORMAT_VERSION:
            problems = group_findings(finding for finding in findings if finding.alarm)
            observations = tuple(finding for finding in findings if not finding.alarm)
            return Verdict(batch, record.decision, problems, observations)
        return Verdict(
            batch,
            record.decision,
            tuple(map(Problem.read, document["problems"])),
            tuple(map(Finding.read, document["observations"])),
            row_count=document["row_count"],
            column_count=document.get("column_count"),
            n_history=document["n_history"],
            history_start=document["history_start"],
            history_end=document.get("history_end"),
            similar_dataset=document.get("similar_dataset"),
            budget=document["budget"],
            track_record=TrackRecord(*document["track_record"]),
            evidence=document["evidence"],
        )

    @property
    def spent(self) -> float:
        """Deprecated name of `false_alarm_rate`."""
        warn_renamed("Verdict.spent", "Verdict.false_alarm_rate")
        return self.false_alarm_rate

    @property
    def history(self) -> int:
        """Deprecated name of `n_history`."""
        warn_renamed("Verdict.history", "Verdict.n_history")
        return self.n_history

    @property
    def record(self) -> TrackRecord:
        """Deprecated name of `track_record`."""
        warn_renamed("Verdict.record", "Verdict.track_record")
        return self.track_record

    def __repr__(self) -> str:
        name = f"{visible(self.batch.dataset)} {visible(self.batch.key)}"
        problems = count_noun(len(self.problems), "problem")
        return f"Verdict({name}: {self.decision.value}, {problems})"

    def _repr_html_(self) -> str:
        """Return the problems and observations as an HTML table, which notebooks show."""
        rows = [
            *((problem.level.value, problem.subject, problem.cause) for problem in self.problems),
            *(
                ("observation", finding.column or "table", str(finding))
                for finding in self.observations
            ),
        ]
        caption = ", ".join(filter(None, (self._sign_and_name, self.compared_with)))
        return html_table(("", "columns", "problem") if rows else (), rows, caption=caption)

    @property
    def _sign_and_name(self) -> str:
        """The decision and the batch."""
        name = f"{visible(self.batch.dataset)} {visible(self.batch.key)}"
        return f"{self.outcome}  {name}"

    def __str__(self) -> str:
        again = ", judged before" if self.again else ""
        lines = [f"{self._sign_and_name}        {self.compared_with}{again}".rstrip()]
        width = max((len(problem.subject) for problem in self.problems), default=0)
        lines += (
            f"  {number}  {problem.subject:<{width}}  {problem.cause}"
            for number, problem in enumerate(self.problems, 1)
        )
        lines += (f"  ·  {finding}" for finding in self.observations)
        return "\n".join(map(visible, lines))
