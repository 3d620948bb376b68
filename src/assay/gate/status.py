"""The state of all datasets of a store: last verdict, age, held batches and owner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.gate.budget.calibration import Calibration, load_calibration
from assay.gate.budget.track_record import TrackRecord, load_track_record
from assay.gate.stored_verdicts import recorded_verdict
from assay.store.batch import BatchStatus, Selection
from assay.store.dataset_info import DatasetInfo, load_dataset_info
from assay.store.protocol import Store
from assay.store.verdict import VerdictRecord

__all__ = ["DatasetStatus", "dataset_statuses"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetStatus:
    """The state of a dataset.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    info : DatasetInfo
        Owner, tags and description.
    verdict : VerdictRecord, optional
        The last verdict.
    reason : str
        The leading problem of that verdict; "" without one.
    last : datetime, optional
        Time of the newest batch, of whatever status.
    batches : int
        Number of accepted batches.
    held : int
        Number of batches that wait for a decision.
    track_record : TrackRecord
        Number of batches that were judged, held and warned of, and of reviewed alarms.
    calibration : Calibration
        Whether limits are wider than the budget alone would make them.
    """

    dataset: str
    info: DatasetInfo
    verdict: VerdictRecord | None
    reason: str
    last: datetime | None
    batches: int
    held: int
    track_record: TrackRecord
    calibration: Calibration

    @property
    def promised(self) -> float | None:
        """The budget of the last verdict: the share of batches that may be held by mistake."""
        budget = None if self.verdict is None else self.verdict.document.get("budget")
        return float(budget) if budget else None

    def age(self, now: datetime | None = None) -> timedelta | None:
        """Return how long ago the newest batch was delivered."""
        return None if self.last is None else (now or datetime.now(UTC)) - self.last

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON can hold it."""
        return {
            "dataset": self.dataset,
            "verdict": None if self.verdict is None else self.verdict.decision.value,
            "batch": None if self.verdict is None else self.verdict.key,
            "reason": self.reason,
            "last": None if self.last is None else self.last.isoformat(),
            "batches": self.batches,
            "held": self.held,
            "promised_false_hold_rate": self.promised,
            "track_record": self.track_record.to_dict(),
            "limits_widened_by": self.calibration.factor,
            "owner": self.info.owner,
            "tags": list(self.info.tags),
            "description": self.info.description,
        }


def dataset_statuses(store: Store, tags: Iterable[str] = ()) -> tuple[DatasetStatus, ...]:
    """Return the state of the datasets that have all these tags, in one snapshot.

    Datasets with held batches come first.
    """
    wanted = set(tags)
    with store.snapshot():
        states = [_status(store, dataset) for dataset in store.datasets()]
    selected = [state for state in states if wanted <= set(state.info.tags)]
    return tuple(sorted(selected, key=lambda state: (state.held == 0, state.dataset)))


def _status(store: Store, dataset: str) -> DatasetStatus:
    accepted = store.batches(Selection(dataset))
    others = (BatchStatus.HELD, BatchStatus.REJECTED)
    quarantined = store.batches(Selection(dataset, status=others))
    verdicts = store.verdicts(Selection(dataset, latest=1))
    verdict = verdicts[-1] if verdicts else None
    problems = () if verdict is None else recorded_verdict(store, verdict).problems
    return DatasetStatus(
        dataset=dataset,
        info=load_dataset_info(store, dataset),
        verdict=verdict,
        reason=str(problems[0]) if problems else "",
        last=max((batch.time for batch in (*accepted, *quarantined)), default=None),
        batches=len(accepted),
        held=sum(batch.status is BatchStatus.HELD for batch in quarantined),
        track_record=load_track_record(store, dataset),
        calibration=load_calibration(store, dataset),
    )
