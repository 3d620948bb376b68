"""`AlarmHistory`: the subjects of earlier alarms, which show when a run of alarms began."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.gate.diagnose.subjects import LEARNERS, metric_name
from assay.gate.finding import Finding, judge_of
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision, VerdictRecord

__all__ = ["AlarmHistory"]

#: The subject of an alarm. Alarms with the same subject are similar.
_Subject = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class AlarmHistory:
    """The subjects of the alarms of earlier batches.

    Parameters
    ----------
    batches : tuple of (str, frozenset)
        The key of each batch and the subjects of its alarms, the latest batch first.
    """

    batches: tuple[tuple[str, frozenset[_Subject]], ...]

    @staticmethod
    def of(verdicts: Iterable[VerdictRecord]) -> AlarmHistory:
        """Read verdicts, oldest first. Only the last verdict on each batch counts."""
        latest = {verdict.key: verdict for verdict in verdicts}
        return AlarmHistory(
            tuple(
                (verdict.key, frozenset(_subjects_of_alarms(verdict)))
                for verdict in reversed(list(latest.values()))
            )
        )

    def start_of_run(self, finding: Finding) -> str | None:
        """Return the first batch of an unbroken run of similar alarms up to the last verdict.

        Alarms about one column are similar, whatever the metric. Alarms about the table, or about
        the schema, are similar if judge and metric are the same.
        """
        subject = _subject_of(finding)
        first = None
        for key, subjects in self.batches:
            if subject not in subjects:
                break
            first = key
        return first


def _subject_of(finding: Finding) -> _Subject:
    if finding.column is not None and finding.judge != "schema":
        return (finding.column,)
    metric = metric_name(finding) if finding.judge in LEARNERS else finding.metric
    return (finding.column, finding.judge, metric)


def _subjects_of_alarms(verdict: VerdictRecord) -> Iterator[_Subject]:
    for alarm in verdict.findings:
        if alarm.get("level") != Decision.ACCEPT.value:
            yield from _subjects_of(alarm)


def _subjects_of(alarm: Mapping[str, Any]) -> Iterator[_Subject]:
    judge, column, metric = judge_of(alarm), alarm.get("column"), alarm.get("metric")
    if metric is not None and judge in LEARNERS:
        metric = metrics.canonical_name(str(metric))
    yield (column, judge, metric)
    if column is not None and alarm.get("judge") != "schema":
        yield (column,)
