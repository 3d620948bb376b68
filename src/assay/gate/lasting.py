"""Say a lasting change once: a warning that repeats those of the batch before is an observation.

A source changes for good, or a storm lasts two days. The first batch with the change warns or is
held. If it was let in, the next batches are like it, and a person knows of the change. The warning
is then an observation, until the change is learned. It warns again if it becomes worse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision, VerdictRecord

__all__ = ["Lasting", "LastingChanges", "lasting_changes", "repeated"]

#: A repeated change is worse if it is this many times as far outside its limits.
MAX_GROWTH = 1.5
#: judges that compare metrics with those of earlier batches
_LEARNERS = frozenset(("limits", "novelty", "redelivery"))


@dataclass(frozen=True, slots=True)
class Lasting:
    """A change that the batch before had: since which batch, and how far outside its limits."""

    since: str
    severity: float


#: a column, a metric, and whether the metric was too high
_Subject = tuple[str | None, str, bool]
LastingChanges = Mapping[_Subject, Lasting]


def lasting_changes(verdicts: Iterable[VerdictRecord], last_key: str | None) -> LastingChanges:
    """Return the changes of the last batch, if it was let in.

    Parameters
    ----------
    verdicts
        Earlier verdicts, oldest first.
    last_key
        The key of the last batch of the history.
    """
    changes: dict[_Subject, Lasting] = {}
    latest = next((v for v in reversed(list(verdicts)) if v.key == last_key), None)
    for document in () if latest is None else latest.findings:
        finding = Finding.read(document)
        subject = _subject(finding)
        # an observation counts only if it is itself a repeated change
        if subject is None or not (finding.alarm or finding.since):
            continue
        before = changes.get(subject)
        severity = finding.severity if before is None else max(before.severity, finding.severity)
        changes[subject] = Lasting(finding.since or str(last_key), severity)
    return changes


def repeated(problem: Problem, changes: LastingChanges) -> Finding | None:
    """Return an observation if a warning repeats a change of the batch before, or None."""
    if problem.holds or not {finding.judge for finding in problem.findings} <= _LEARNERS:
        return None
    lead = problem.findings[0]
    subject = _subject(lead)
    before = None if subject is None else changes.get(subject)
    if before is None or lead.severity > MAX_GROWTH * before.severity:
        return None
    return replace(lead, level=Decision.ACCEPT, since=before.since)


def _subject(finding: Finding) -> _Subject | None:
    if finding.metric is None or finding.judge not in _LEARNERS:
        return None
    actual, high = finding.actual, finding.high
    is_high = actual is not None and high is not None and actual > high
    return finding.column, metrics.canonical_name(finding.metric), is_high
