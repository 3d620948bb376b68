"""Read recorded verdicts, with the explanations that were added later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.gate.verdict import Verdict
from assay.learn.fingerprint.analyzers import FingerprintPlan
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store.batch import Batch, BatchStatus, Selection
from assay.store.protocol import Store
from assay.store.verdict import VerdictRecord

__all__ = [
    "Explanation",
    "last_verdict",
    "recorded_fingerprint",
    "recorded_verdict",
    "time_after",
]


@dataclass(frozen=True)
class Explanation:
    """The segment in which each column of a verdict deviates.

    A stored verdict never changes, so an explanation is a record of its own.

    Parameters
    ----------
    verdict_time : str
        Time of the verdict that it explains.
    segments : mapping
        The segment in words, by column; the empty string is the table.
    """

    kind: ClassVar[str] = "explanation"
    version: ClassVar[int] = 2

    verdict_time: str
    segments: Mapping[str, str]

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        return {"verdict_time": self.verdict_time, "segments": dict(self.segments)}

    @classmethod
    def from_json(cls, document: Any) -> Explanation:
        """Convert a document of `to_json` back."""
        return cls(document["verdict_time"], document["segments"])

    def apply(self, verdict: Verdict) -> Verdict:
        """Return the verdict with the segments."""
        problems = tuple(
            replace(
                problem,
                findings=tuple(
                    replace(finding, where=finding.where or self.segments.get(finding.column or ""))
                    for finding in problem.findings
                ),
            )
            for problem in verdict.problems
        )
        return replace(verdict, problems=problems)


def recorded_verdict(store: Store, record: VerdictRecord) -> Verdict:
    """Return a stored verdict, with its segments if it was explained."""
    verdict = Verdict.of_record(record)
    for status in (BatchStatus.ACCEPTED, BatchStatus.HELD):
        records = store.derived(Explanation, record.dataset, [record.key], status)
        explanation = records.get(record.key)
        if explanation is not None and explanation.verdict_time == record.time.isoformat():
            return explanation.apply(verdict)
    return verdict


def recorded_fingerprint(
    store: Store, batch: Batch, states: Mapping[Analyzer, State]
) -> Fingerprint:
    """Return the fingerprint of a stored batch, by the plan that was stored with it."""
    plans = store.derived(FingerprintPlan, batch.dataset, [batch.key], batch.status)
    return fingerprint_of(states, plans.get(batch.key))


def last_verdict(store: Store, dataset: str, key: str) -> Verdict | None:
    """Return the last verdict on a batch; None if it was not judged."""
    records = store.verdicts(replace(Selection.one(dataset, key), latest=1))
    return recorded_verdict(store, records[-1]) if records else None


def time_after(store: Store, dataset: str, key: str) -> datetime:
    """Return now, or a moment after the last verdict and mark if the clock ran backwards."""
    last = replace(Selection.one(dataset, key), latest=1)
    times = [verdict.time for verdict in store.verdicts(last)]
    times += [mark.time for mark in store.marks(last)]
    return max([datetime.now(UTC), *(time + timedelta(microseconds=1) for time in times)])
