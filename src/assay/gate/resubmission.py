"""Recognize a batch that was submitted before under the same key.

The same rows under the same key are not judged again: the recorded verdict is returned. Other rows
under a known key are a new version of the batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assay.gate.budget.track_record import TrackRecord, load_track_record
from assay.gate.diagnose import group_findings
from assay.gate.finding import Finding
from assay.gate.stored_verdicts import recorded_fingerprint, recorded_verdict
from assay.gate.verdict import Verdict
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Stat
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.protocol import Store
from assay.store.verdict import Decision, MarkKind

__all__ = ["EarlierDelivery", "load_earlier_delivery"]

#: counts that are equal for equal data in any order; they stand in for a missing checksum
_COUNTS = (
    Stat.ROWS,
    Stat.VALUES,
    Stat.DISTINCT,
    Stat.CHARACTERS,
    Stat.LETTERS,
    Stat.DIGITS,
    Stat.SPACES,
    Stat.SYMBOLS,
)


@dataclass(frozen=True)
class EarlierDelivery:
    """The stored versions of a batch key, before the batch is submitted.

    Parameters
    ----------
    accepted, quarantined : tuple of Batch and Fingerprint, optional
        The stored version that is part of the dataset, and the one that is held or rejected.
    accepted_verdict, quarantined_verdict : Verdict, optional
        The last verdict on each.
    bad_mark : Finding, optional
        A warning if a person marked the accepted version as bad.
    track_record : TrackRecord
        Counts of earlier verdicts, this batch included.
    """

    accepted: tuple[Batch, Fingerprint] | None = None
    quarantined: tuple[Batch, Fingerprint] | None = None
    accepted_verdict: Verdict | None = None
    quarantined_verdict: Verdict | None = None
    bad_mark: Finding | None = None
    track_record: TrackRecord = field(default_factory=TrackRecord)

    @property
    def was_judged(self) -> bool:
        """Return whether a batch of this key was judged before."""
        return self.accepted_verdict is not None or self.quarantined_verdict is not None

    def verdict_on(self, batch: Fingerprint) -> Verdict | None:
        """Return the recorded verdict on the same rows; None if these are other rows."""
        if not self.was_judged:
            return None
        if self.accepted is not None and _is_same(self.accepted[1], batch):
            return self._accepted_again(self.accepted[0])
        if self.quarantined is not None and _is_same(self.quarantined[1], batch):
            return self._again(self.quarantined[0], self.quarantined_verdict)
        return None

    def _accepted_again(self, batch: Batch) -> Verdict | None:
        verdict = self.accepted_verdict
        if verdict is None:
            verdict = Verdict(batch, Decision.ACCEPT)
        if not verdict.accepted:
            # it was held and a person released it
            verdict = replace(verdict, decision=Decision.ACCEPT)
        if self.bad_mark is not None:
            problems = (*group_findings([self.bad_mark]), *verdict.problems)
            verdict = replace(verdict, problems=problems)
            if verdict.decision is Decision.ACCEPT:
                verdict = replace(verdict, decision=Decision.WARN)
        return self._again(batch, verdict)

    def _again(self, batch: Batch, verdict: Verdict | None) -> Verdict | None:
        if verdict is None:
            return None
        batch = replace(batch, status=BatchStatus.ACCEPTED)
        return replace(verdict, batch=batch, again=True, track_record=self.track_record)


def load_earlier_delivery(store: Store, batch: Batch) -> EarlierDelivery:
    """Load the versions of a batch key, with their verdicts and marks."""
    dataset, key = batch.dataset, batch.key
    records = store.verdicts(Selection.one(dataset, key))
    if not records:
        return EarlierDelivery()
    accepted = _version(store, Selection.one(dataset, key))
    quarantined = _version(store, Selection.one(dataset, key, QUARANTINED))
    # a hold is about the quarantined version, as long as there is one
    about_accepted = [
        record for record in records if quarantined is None or record.decision != Decision.HOLD
    ]
    marks = store.marks(Selection.one(dataset, key))
    bad_mark = None
    if marks and marks[-1].kind is MarkKind.BAD:
        reason = f"{marks[-1].author} marked this batch as bad: {marks[-1].reason}"
        bad_mark = Finding("gate", Decision.WARN, reason)
    return EarlierDelivery(
        accepted,
        quarantined,
        recorded_verdict(store, about_accepted[-1]) if about_accepted else None,
        recorded_verdict(store, records[-1]),
        bad_mark,
        load_track_record(store, dataset),
    )


def _version(store: Store, selection: Selection) -> tuple[Batch, Fingerprint] | None:
    for batch, states in store.states(selection).items():
        return batch, recorded_fingerprint(store, batch, states)
    return None


def _is_same(that: Fingerprint, this: Fingerprint) -> bool:
    """Return whether two batches hold the same values in each column, in any order.

    A batch that could not be read has no columns, and equals no other.
    """
    if not that.columns or this.rows != that.rows or this.columns.keys() != that.columns.keys():
        return False
    if _known_nulls(this) != _known_nulls(that):
        return False
    return all(
        _identity(stats) == _identity(this.columns[name]) for name, stats in that.columns.items()
    )


def _identity(stats: ColumnStats) -> object:
    """Return the column's checksum; its counts if an older version stored none."""
    if stats.digest is not None:
        return stats.digest
    return [stats.numbers.get(count) for count in _COUNTS]


def _known_nulls(batch: Fingerprint) -> Mapping[str, int]:
    """Return the combinations of nulls if all of them are known."""
    return batch.nulls if sum(batch.nulls.values()) == batch.rows else {}
