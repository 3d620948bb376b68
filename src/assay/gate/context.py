"""`BatchContext`: everything that judges need to know besides the batch itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.gate.budget import Budget
from assay.gate.history import GateHistory, load_history
from assay.gate.quarantine import record_of
from assay.gate.verdict import Record
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.column_limits import Mode, Settings
from assay.learn.limits.table_limits import TableLimits, approved, learn_limits_for_each
from assay.learn.patterns.index import PatternIndex
from assay.store.batch import Batch, Selection
from assay.store.protocol import Store
from assay.store.verdict import VerdictRecord
from assay.suite.settings import GateSettings

__all__ = ["BatchContext", "learn_limits", "load_context"]


@dataclass(frozen=True, kw_only=True)
class BatchContext:
    """What a gate knows before it judges a batch, loaded once.

    Parameters
    ----------
    settings : GateSettings
        The gate's settings.
    budget : Budget
        The false-alarm budget, with each learner's share.
    history : GateHistory
        Metrics, features, schema and arrival times of earlier batches.
    verdicts : tuple of VerdictRecord
        Earlier verdicts, oldest first.
    record : Record
        How many batches the gate has judged, held and warned of, and how often by mistake.
    approved_limits : TableLimits, optional
        Limits that a person has approved. They replace the strict learned ones.
    learned_limits : mapping, optional
        Limits that were learned already, as a backtest does. They are learned on demand otherwise.
    load_index : callable
        Loads the pattern index of the lake; None if there is none.
    """

    settings: GateSettings
    budget: Budget
    history: GateHistory
    verdicts: tuple[VerdictRecord, ...] = ()
    record: Record = field(default_factory=Record)
    approved_limits: TableLimits | None = None
    learned_limits: Mapping[Mode, TableLimits] | None = None
    load_index: Callable[[], PatternIndex | None] = field(default=lambda: None, repr=False)

    @cached_property
    def limits(self) -> Mapping[Mode, TableLimits]:
        """Strict limits, which hold a batch, and sensitive ones, which warn."""
        learned = self.learned_limits or learn_limits(self.history, self.budget, self.settings)
        if self.approved_limits is None:
            return learned
        return {**learned, "strict": self.approved_limits}

    @cached_property
    def index(self) -> PatternIndex | None:
        """The pattern index of the lake."""
        return self.load_index()

    @property
    def previous(self) -> Fingerprint | None:
        """The last accepted batch with rows; the last one if none has any."""
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
    modes = [
        Settings(mode=mode, delta=rate, season=settings.season) for mode, rate in rates.items()
    ]
    return dict(
        zip(rates, learn_limits_for_each(history.metrics, modes, only=columns), strict=True)
    )


def load_context(
    store: Store,
    batch: Batch,
    settings: GateSettings,
    budget: Budget,
    load_index: Callable[[], PatternIndex | None],
) -> BatchContext:
    """Load what the store remembers from before a batch.

    A batch that is older than all others is compared with the latest ones.
    """
    dataset, key = batch.dataset, batch.key
    history = load_history(store, dataset, until=batch.time, but=key)
    if not history.metrics.batches:
        history = load_history(store, dataset, but=key)
    return BatchContext(
        settings=settings,
        budget=budget,
        history=history,
        verdicts=store.verdicts(Selection(dataset, but=key)),
        record=record_of(store, dataset, but=key),
        approved_limits=approved(store, dataset),
        load_index=load_index,
    )
