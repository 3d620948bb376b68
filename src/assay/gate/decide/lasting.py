"""Say a lasting change once: a warning that repeats those of the batch before is an observation.

A source changes for good, or a storm lasts two days. The first batch with the change warns or is
held. If it was let in, the next batches are like it, and a person knows of the change. The warning
is then an observation, until the change is learned. It warns again if it becomes worse.

After `MIN_BATCHES` batches in a row with the same change, an observation proposes it as the new
normal. One mark accepts it: the first of these batches, and those that were held since for nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from assay.checks.formatting import visible
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision, VerdictRecord

__all__ = [
    "MIN_BATCHES",
    "OF_CHANGES",
    "Lasting",
    "LastingChanges",
    "changed_subjects",
    "lasting_changes",
    "propose_new_normal",
    "repeated",
]

#: A change is proposed as the new normal after this many batches in a row. Two could be one event,
#: such as a storm that lasts two days.
MIN_BATCHES = 3
#: Judges whose findings may be a lasting change of the source. A failed check, or an old batch that
#: comes again, is an error however often it occurs.
OF_CHANGES = frozenset(("schema", "patterns", "relations", "keys", "limits", "novelty", "segments"))

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
#: a column that changed, None for the table, and the code of the cause
ChangedSubject = tuple[str | None, str]


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


def propose_new_normal(
    dataset: str, findings: Iterable[Finding], verdicts: Sequence[VerdictRecord]
) -> Finding | None:
    """Return an observation that proposes a change as the new normal, or None.

    Parameters
    ----------
    dataset
        The name of the dataset.
    findings
        The findings about the batch, observations of lasting changes included.
    verdicts
        Earlier verdicts, oldest first. The last verdict on each batch counts.
    """
    latest: dict[str, VerdictRecord] = {}
    for verdict in reversed(verdicts):
        latest.setdefault(verdict.key, verdict)
    earlier = [
        (key, changed_subjects(map(Finding.read, verdict.findings)))
        for key, verdict in latest.items()
    ]
    runs = {subject: _run(subject, earlier) for subject in changed_subjects(findings)}
    longest = max(runs.items(), key=lambda item: len(item[1]), default=None)
    if longest is None or len(longest[1]) + 1 < MIN_BATCHES:
        return None
    (column, code), run = longest
    first = run[-1]
    command = f"assay mark {visible(dataset)}/{visible(first)} --new-normal"
    return Finding(
        "gate",
        Decision.ACCEPT,
        f"the same change is in {len(run) + 1} batches in a row, since {visible(first)}. If it is"
        f" permanent, accept it as the new normal: {command}",
        column,
        cause_code=code,
        since=first,
    )


def _run(
    subject: ChangedSubject, earlier: Iterable[tuple[str, frozenset[ChangedSubject]]]
) -> list[str]:
    """Return the keys of the latest batches that changed in the same way, the latest first."""
    return [key for key, _ in takewhile(lambda entry: subject in entry[1], earlier)]


def changed_subjects(findings: Iterable[Finding]) -> frozenset[ChangedSubject]:
    """Return the columns that changed, each with the code of the cause; None is the table."""
    return frozenset(
        (finding.column, finding.cause_code)
        for finding in findings
        if finding.judge in OF_CHANGES
        and finding.cause_code is not None
        and (finding.alarm or finding.since is not None)
    )


def _subject(finding: Finding) -> _Subject | None:
    if finding.metric is None or finding.judge not in _LEARNERS:
        return None
    actual, high = finding.actual, finding.high
    is_high = actual is not None and high is not None and actual > high
    return finding.column, metrics.canonical_name(finding.metric), is_high
