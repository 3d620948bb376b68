"""`Report`: everything that the page of a batch shows, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime
from pathlib import Path

from assay.gate.problem import Problem
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import Verdict
from assay.html.has_page import HasPage
from assay.html.page import HtmlPage, Tone
from assay.html.sparkline import MetricSeries
from assay.io.atomic_write import write_atomically
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.column_limits import ColumnLimits
from assay.report.html.privacy import withhold_from_problem, withhold_values
from assay.report.html.problems import MetricKey
from assay.report.html.sections import create_sections, create_top
from assay.store.batch import Batch
from assay.store.verdict import Decision, Mark, MarkKind

__all__ = ["LearnedLimits", "Report", "Trend"]


@dataclass(frozen=True)
class LearnedLimits:
    """The limits that a batch was compared with.

    Parameters
    ----------
    columns
        The limits of each column, and of the table.
    n_batches
        Number of batches from which they were learned.
    approved_by
        The person who approved them; None if they were learned for this batch.
    """

    columns: tuple[ColumnLimits, ...]
    n_batches: int
    approved_by: str | None = None


@dataclass(frozen=True)
class Trend:
    """A plain metric of a column, or of the table, in earlier batches."""

    metric: str
    series: MetricSeries


@dataclass(frozen=True)
class Report(HasPage):
    """The report on one batch.

    `assay.report.report_of` creates it from a store.

    Parameters
    ----------
    batch
        The batch.
    verdict
        The verdict on it; None if it was not judged.
    judged_at
        When it was judged.
    marks
        Marks of people, oldest first.
    columns, previous_columns
        Statistics of the columns in this batch and in the previous one; None if unknown.
    previous_batch
        Key of the previous batch.
    schema, previous_schema
        Names and types of the columns.
    series
        Earlier values of the metrics with findings.
    trends
        Earlier values of one metric of each column; None is the table.
    kept_limits, open_limits
        Limits that the batch keeps, and limits that could not be evaluated, in words.
    limits
        The limits that were applied.
    private
        Columns whose values are withheld.
    store
        Name of the store.
    """

    batch: Batch
    verdict: Verdict | None = None
    _: KW_ONLY
    judged_at: datetime | None = None
    marks: tuple[Mark, ...] = ()
    columns: Fingerprint | None = None
    previous_columns: Fingerprint | None = None
    previous_batch: str | None = None
    schema: TableSchema | None = None
    previous_schema: TableSchema | None = None
    series: Mapping[MetricKey, MetricSeries] = field(default_factory=dict)
    trends: Mapping[str | None, Trend] = field(default_factory=dict)
    kept_limits: tuple[str, ...] = ()
    open_limits: tuple[str, ...] = ()
    limits: LearnedLimits | None = None
    private: frozenset[str] = frozenset()
    store: str = ""

    def __post_init__(self) -> None:
        if self.verdict is None:
            return
        verdict = replace(
            self.verdict,
            problems=tuple(withhold_from_problem(p, self.private) for p in self.verdict.problems),
            observations=tuple(
                withhold_values(finding, self.private) for finding in self.verdict.observations
            ),
        )
        object.__setattr__(self, "verdict", verdict)

    @property
    def page(self) -> HtmlPage:
        """The page as a value."""
        title = f"{self.batch.dataset} {self.batch.key}: {self.outcome.lower()}"
        return HtmlPage(title, create_top(self), create_sections(self))

    @property
    def html(self) -> str:
        """The page: one HTML file that loads nothing else, smaller than a megabyte."""
        return self.page.html

    def write(self, path: str | Path) -> None:
        """Write the page to a file, completely or not at all."""
        write_atomically(Path(path), self.html)

    @property
    def n_columns(self) -> int:
        """The number of columns, including those whose statistics are not recorded."""
        n_measured = 0 if self.columns is None else len(self.columns.columns)
        return n_measured if self.schema is None else max(n_measured, len(self.schema.types))

    @property
    def decision(self) -> Decision | None:
        """The decision; None if the batch was not judged."""
        return None if self.verdict is None else self.verdict.decision

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems, the worst first."""
        return () if self.verdict is None else self.verdict.problems

    @property
    def outcome(self) -> str:
        """The decision and the last mark, in a few words."""
        return self.tone_and_outcome[1]

    @property
    def tone_and_outcome(self) -> tuple[Tone, str]:
        """The colour and the words of the headline."""
        later = [
            mark for mark in self.marks if self.judged_at is None or mark.time >= self.judged_at
        ]
        last = later[-1].kind if later else None
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
            case _ if self.verdict is not None and self.verdict.is_first:
                return "none", "First batch"
            case _:
                return "good", "Accepted"

    def __repr__(self) -> str:
        return f"Report({self.batch.dataset!r}, {self.batch.key!r}, {self.outcome})"
