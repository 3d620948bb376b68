"""Find warnings that no person would act on, and keep them as observations.

A learner compares hundreds of metrics with each batch, so some are unusual in good batches as well.
A warning about one column is worth a person's time if one of these is true:

- another judge than the learners reports it, or both learners report it;
- its cause has a name, such as a renamed value. More than distances to the batch before must be
  unusual, and the batch must have at least `MIN_ROWS` rows;
- its effect is large (`assay.gate.practical_effect.has_large_effect`).

A warning that repeats one of the batch before is an observation as well (`lasting`).

Metrics of one learner are not independent: if values move, all distances of the column grow. So
several of them weigh no more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.gate.causes.cause import CauseCode
from assay.gate.decide.lasting import LastingChanges, repeated
from assay.gate.finding import Finding
from assay.gate.practical_effect import MIN_SHARE, has_large_effect
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.store.verdict import Decision

__all__ = ["is_weak", "without_weak_warnings"]

_LEARNERS = frozenset(("limits", "novelty"))
#: causes that only say that the values of a column are unlike those before
_VAGUE = frozenset((CauseCode.UNKNOWN, CauseCode.SHARES_MOVED, CauseCode.VALUES_SHIFTED))
#: In smaller batches a person sees all rows, and a few of them change every metric of a column.
MIN_ROWS = 10
#: causes about the number of rows, which a finding about one column does not show
_OF_ROWS = frozenset((CauseCode.SEGMENT_MISSING, CauseCode.ROWS_MISSING, CauseCode.ROW_COUNT))
#: metrics that are unusual if a column has more new values than in other batches
_OF_NEW_VALUES = frozenset((metrics.UNSEEN_VALUES, metrics.SURPRISE))


def without_weak_warnings(
    problems: Sequence[Problem],
    batch: Fingerprint,
    last: Fingerprint | None,
    changes: LastingChanges | None = None,
) -> tuple[list[Problem], list[Finding]]:
    """Return the problems worth a person's time, and one observation for each other one.

    Parameters
    ----------
    problems
        The problems with their final levels.
    batch, last
        The batch, and the last accepted batch.
    changes
        The changes that the batch before had.
    """
    kept: list[Problem] = []
    observations: list[Finding] = []
    for problem in problems:
        if (again := repeated(problem, changes or {})) is not None:
            observations.append(again)
        elif is_weak(problem, batch, last):
            observations.append(replace(problem.findings[0], level=Decision.ACCEPT))
        else:
            kept.append(problem)
    return kept, observations


def is_weak(problem: Problem, batch: Fingerprint, last: Fingerprint | None) -> bool:
    """Return whether a problem is a warning of one learner, without a named cause or an effect."""
    findings = problem.findings
    judges = {finding.judge for finding in findings}
    columns = {finding.column for finding in findings}
    if problem.holds or len(judges) != 1 or not judges <= _LEARNERS:
        return False
    if len(columns) != 1 or None in columns:
        return False
    is_named = not _has_vague_cause(problem) and not all(map(_is_distance, findings))
    if is_named and batch.rows >= MIN_ROWS:
        return False
    return not any(has_large_effect(finding, batch, last) for finding in findings)


def _has_vague_cause(problem: Problem) -> bool:
    code = problem.cause_code
    if code == CauseCode.VALUES_NEW:
        return _has_more_new_values_than_usual(problem.findings)
    return code in _VAGUE or code in _OF_ROWS


def _has_more_new_values_than_usual(findings: Sequence[Finding]) -> bool:
    """Return whether a column has new values in ordinary batches as well, and only more of them.

    Values of new characters surprise without being more than usual. Such a finding is ignored
    here.
    """
    by_metric = {metrics.canonical_name(f.metric or ""): f for f in findings}
    unseen = by_metric.get(metrics.UNSEEN_VALUES)
    if unseen is None or not by_metric.keys() <= _OF_NEW_VALUES:
        return False
    return unseen.high is not None and unseen.high >= MIN_SHARE


def _is_distance(finding: Finding) -> bool:
    metric = metrics.find(finding.metric)
    return metric is not None and metric.kind == "distance"
