"""`BatchContext`: everything that judges need to know besides the batch itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.errors import nearest
from assay.gate.budget import Budget
from assay.gate.budget.calibration import Calibration, load_calibration
from assay.gate.budget.track_record import TrackRecord, load_track_record
from assay.gate.history import GateHistory, load_history
from assay.gate.mutes import Mute, load_mutes
from assay.gate.resubmission import EarlierDelivery, load_earlier_delivery
from assay.gate.segments.batch_segments import BatchSegments
from assay.gate.selection import only_selected_metrics, select_columns
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.approved_limits import approved
from assay.learn.limits.column_limits import Mode, Settings
from assay.learn.limits.judge_limits import LimitResult
from assay.learn.limits.table_limits import (
    TableLimits,
    judge_batch,
    learn_limits_for_each,
)
from assay.learn.patterns.index import PatternIndex
from assay.store.batch import Batch, Selection
from assay.store.derived import DerivedRecord
from assay.store.protocol import Store
from assay.store.verdict import VerdictRecord
from assay.suite.settings import GateSettings

__all__ = ["BatchContext", "learn_limits", "load_context"]

#: earlier verdicts that tell since when there are alarms
VERDICT_WINDOW = 200

Limits = Mapping[Mode, TableLimits]
LimitResults = Mapping[Mode, tuple[LimitResult, ...]]


@dataclass(frozen=True, kw_only=True)
class BatchContext:
    """The knowledge of a gate before it judges a batch, loaded from one snapshot of the store.

    Parameters
    ----------
    settings : GateSettings
        The gate's settings.
    budget : Budget
        The false-alarm budget, with each learner's share.
    history : GateHistory
        Metrics, features, schema and arrival times of earlier batches.
    verdicts : tuple of VerdictRecord
        The latest earlier verdicts, oldest first.
    track_record : TrackRecord
        Number of batches that were judged, held and warned of, and of false alarms.
    calibration : Calibration
        The factor that divides the budget, if too many batches were held by mistake.
    unsaved : tuple of (str, DerivedRecord)
        Records that were computed while loading, by batch key; ``""`` is the dataset.
    earlier_delivery : EarlierDelivery
        The stored versions of the same batch key.
    later_batch : bool
        True if the dataset has a batch that is younger than this one.
    is_before_all : bool
        True if this batch is older than all others, so that it is compared with later ones.
    similar_dataset : str, optional
        Without a history: a dataset of the store whose name is similar.
    approved_limits : TableLimits, optional
        Limits that a person has approved. They replace the strict learned ones.
    mutes : tuple of Mute
        Findings that a person has muted.
    segments : tuple of (Batch, BatchSegments)
        The segments of the latest accepted batches, if the gate splits its batches.
    learn : callable, optional
        Returns learned limits. By default they are learned from the history.
    load_index : callable
        Loads the pattern index of the lake; None if there is none.
    """

    settings: GateSettings
    budget: Budget
    history: GateHistory
    verdicts: tuple[VerdictRecord, ...] = ()
    track_record: TrackRecord = field(default_factory=TrackRecord)
    calibration: Calibration = field(default_factory=Calibration)
    unsaved: tuple[tuple[str, DerivedRecord], ...] = field(default=(), repr=False)
    earlier_delivery: EarlierDelivery = field(default_factory=EarlierDelivery)
    later_batch: bool = False
    is_before_all: bool = False
    similar_dataset: str | None = None
    approved_limits: TableLimits | None = None
    mutes: tuple[Mute, ...] = ()
    segments: tuple[tuple[Batch, BatchSegments], ...] = field(default=(), repr=False)
    learn: Callable[[], Limits] | None = field(default=None, repr=False)
    load_index: Callable[[], PatternIndex | None] = field(default=lambda: None, repr=False)
    _limit_results: list[tuple[Fingerprint, LimitResults]] = field(
        default_factory=list, repr=False, compare=False
    )

    @cached_property
    def limits(self) -> Limits:
        """Strict limits, which hold a batch, and sensitive ones, which warn."""
        if self.learn is not None:
            learned = self.learn()
        else:
            learned = learn_limits(self.history, self.budget, self.settings)
        if self.approved_limits is None:
            return learned
        return {**learned, "strict": self.approved_limits}

    def limit_results(self, batch: Fingerprint) -> LimitResults:
        """Compare a batch with the limits of each mode, once for judges and evidence."""
        if not self._limit_results or self._limit_results[0][0] is not batch:
            results = {
                mode: judge_batch(limits, self.history.metrics, batch)
                for mode, limits in self.limits.items()
            }
            self._limit_results[:] = [(batch, results)]
        return self._limit_results[0][1]

    @cached_property
    def index(self) -> PatternIndex | None:
        """The pattern index of the lake."""
        return self.load_index()

    @property
    def previous(self) -> Fingerprint | None:
        """The last accepted batch, or the one before it if the last one has no rows."""
        metrics = self.history.metrics
        if metrics.last is not None and not metrics.last.rows:
            return metrics.before or metrics.last
        return metrics.last


def learn_limits(
    history: GateHistory,
    budget: Budget,
    settings: GateSettings,
    columns: set[str | None] | None = None,
) -> dict[Mode, TableLimits]:
    """Learn strict and sensitive limits from past batches, of all columns or of some."""
    rates: dict[Mode, float] = {"strict": budget.hold, "sensitive": budget.warn}
    # A hold needs two judges. Narrower strict limits hold no more errors, but 2 of 84 good batches
    # of two data sets (benchmarks.judgement).
    modes = [
        Settings(mode=mode, delta=rate, season=settings.season, tighten=False)
        for mode, rate in rates.items()
    ]
    metric_history = only_selected_metrics(history.metrics, settings)
    return dict(zip(rates, learn_limits_for_each(metric_history, modes, only=columns), strict=True))


def load_context(
    store: Store,
    batch: Batch,
    settings: GateSettings,
    budget: Budget,
    load_index: Callable[[], PatternIndex | None],
) -> BatchContext:
    """Load the stored history before a batch, in one snapshot.

    A batch that is older than all others is compared with the latest ones.
    """
    dataset, key = batch.dataset, batch.key
    with store.snapshot():
        history = load_history(store, dataset, until=batch.time, but=key)
        later = store.batches(Selection(dataset, since=batch.time, but=key, latest=1))
        is_later = bool(later) and later[-1].time > batch.time
        is_before_all = not history.metrics.batches and is_later
        if not history.metrics.batches:
            history = load_history(store, dataset, but=key)
        unsaved, history = history.unsaved, select_columns(history, settings)
        track_record = load_track_record(store, dataset, but=key)
        recorded = load_calibration(store, dataset)
        calibration = recorded.after(track_record, float(budget.total))
        changed = () if calibration is recorded else (("", calibration),)
        return BatchContext(
            settings=settings,
            budget=replace(budget, factor=calibration.factor),
            history=history,
            verdicts=store.verdicts(Selection(dataset, but=key, latest=VERDICT_WINDOW)),
            track_record=track_record,
            calibration=calibration,
            unsaved=(*unsaved, *changed),
            earlier_delivery=load_earlier_delivery(store, batch),
            later_batch=is_later,
            is_before_all=is_before_all,
            similar_dataset=None if history.metrics.batches else _similar_dataset(store, dataset),
            approved_limits=approved(store, dataset),
            mutes=load_mutes(store, dataset),
            segments=_load_segments(store, history, settings),
            load_index=load_index,
        )


def _load_segments(
    store: Store, history: GateHistory, settings: GateSettings
) -> tuple[tuple[Batch, BatchSegments], ...]:
    """Return the segments of the batches in the window that were split by the same column."""
    batches = history.metrics.batches
    if settings.by is None or not batches:
        return ()
    records = store.derived(BatchSegments, batches[0].dataset, [batch.key for batch in batches])
    return tuple((batch, records[batch.key]) for batch in batches if batch.key in records)


def _similar_dataset(store: Store, dataset: str) -> str | None:
    return nearest(dataset, [name for name in store.datasets() if name != dataset])
