"""Learn the limits of all columns of a dataset, and judge a batch by them.

δ is the false-alarm rate of the whole table. It is divided among the columns and the row count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from assay.checks.assertions.expectation import NotEnough
from assay.errors import CheckError, StoreError
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import simulate_column
from assay.learn.limits.column_limits import ColumnHistory, ColumnLimits, Settings, learn_table
from assay.learn.limits.fault_injection import SAMPLE_ROWS, InjectedFault, inject_faults
from assay.learn.limits.faults import FaultType
from assay.learn.limits.judge_limits import LimitResult, judge_table
from assay.learn.limits.metric_history import MetricHistory, load_metric_history
from assay.learn.limits.metric_limit import Constraint
from assay.learn.limits.tail_bounds import Interval
from assay.store.protocol import Store

__all__ = [
    "TableLimits",
    "judge_batch",
    "learn_limits",
    "learn_limits_for_each",
    "learn_stored_limits",
]

#: The number of rows for fault injection in all columns of a table together. The more columns a
#: table has, the fewer rows each of them gets.
_FAULT_ROWS_PER_TABLE = 20_000
#: The smallest number of rows for fault injection in one column: 1 % of 250 rows is still 2 rows.
_MIN_FAULT_ROWS = 250

_ORDER = ("broken", "unknown", "not enough history", "kept")
_KIND_LABELS = {"numeric": "numbers", "categorical": "no numbers"}


@dataclass(frozen=True)
class TableLimits:
    """The limits on the next batch of a dataset.

    Parameters
    ----------
    dataset
        The name of the dataset.
    columns
        The limits of each column and, under None, of the row count.
    kinds
        For each column, whether it held numbers or text.
    batches
        The number of batches that the limits were learned from.
    by
        The person who approved them. Approved limits apply until others are approved. Without an
        approval (None), limits are learned again for each batch.
    """

    dataset: str
    columns: Mapping[str | None, ColumnLimits | NotEnough]
    kinds: Mapping[str, str]
    batches: int
    by: str | None = None

    def without(self, column: str | None, metric: str) -> TableLimits:
        """Return the limits without those on one metric of a column.

        Raises
        ------
        StoreError
            If this metric has no limits.
        """
        limits = self.columns.get(column)
        metric = catalogue.canonical_name(metric)
        if not isinstance(limits, ColumnLimits) or metric not in {
            constraint.metric for constraint in limits.constraints
        }:
            raise StoreError(
                f"there are no limits on {metric} of {_subject(column)} in dataset"
                f" {self.dataset!r}."
            )
        kept = tuple(constraint for constraint in limits.constraints if constraint.metric != metric)
        return replace(self, columns={**self.columns, column: replace(limits, constraints=kept)})

    def with_bounds(self, column: str | None, metric: str, low: float, high: float) -> TableLimits:
        """Return the limits with the bounds that a person states for one metric of a column.

        An infinite bound means that this side has no limit. Stated bounds count no false alarms.

        Raises
        ------
        StoreError
            If the dataset has no limits on this column yet.
        CheckError
            If `low` exceeds `high`.
        """
        limits = self.columns.get(column)
        metric = catalogue.get(metric).name
        if not isinstance(limits, ColumnLimits):
            raise StoreError(
                f"no limits on {_subject(column)} in dataset {self.dataset!r}: they need more"
                " batches, or another name."
            )
        if not low <= high:
            raise CheckError(
                f"{metric} of {_subject(column)}: expected low <= high, got {low} and {high}."
            )
        bounds = Interval(low, high, 0.0, "stated", 0.0)
        stated = Constraint(metric, bounds, batches=self.batches)
        others = (constraint for constraint in limits.constraints if constraint.metric != metric)
        changed = replace(limits, constraints=(*others, stated))
        return replace(self, columns={**self.columns, column: changed})

    def renewed(self, later: TableLimits) -> TableLimits:
        """Return the limits with those of some columns replaced by later ones."""
        return replace(
            self,
            columns={**self.columns, **later.columns},
            kinds={**self.kinds, **later.kinds},
            batches=later.batches,
        )

    def __iter__(self) -> Iterator[ColumnLimits]:
        """Iterate over the limits of the columns with enough history."""
        return (limits for limits in self.columns.values() if isinstance(limits, ColumnLimits))

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or f"no limits for {self.dataset} yet."


def _subject(column: str | None) -> str:
    return "the table" if column is None else f"column {column!r}"


def learn_stored_limits(
    store: Store,
    dataset: str,
    settings: Settings | None = None,
    *,
    until: datetime | None = None,
    latest: int = 60,
) -> TableLimits:
    """Learn the limits for the next batch of a dataset from the batches in a store.

    Parameters
    ----------
    store
        The store.
    dataset
        The name of the dataset.
    settings
        Settings of learning.
    until
        Use batches before this time only.
    latest
        The number of batches to use.

    Notes
    -----
    Held batches and batches that are marked bad are not used, unless they were released.
    """
    return learn_limits(load_metric_history(store, dataset, until=until, latest=latest), settings)


def learn_limits(history: MetricHistory, settings: Settings | None = None) -> TableLimits:
    """Learn the limits for the next batch from loaded metrics."""
    (limits,) = learn_limits_for_each(history, [Settings() if settings is None else settings])
    return limits


def learn_limits_for_each(
    history: MetricHistory,
    settings: Iterable[Settings],
    *,
    only: Collection[str | None] | None = None,
) -> Iterator[TableLimits]:
    """Learn limits for each of several settings. Steps that they share are computed once.

    Parameters
    ----------
    history
        The metrics of past batches.
    settings
        The settings.
    only
        Learn the limits of these columns only.
    """
    columns = {} if history.last is None else history.last.columns
    rows = max(_MIN_FAULT_ROWS, min(SAMPLE_ROWS, _FAULT_ROWS_PER_TABLE // max(1, len(columns))))
    plain = {name: ColumnHistory(stats.kind, history.of(name)) for name, stats in columns.items()}
    kinds = {name: str(stats.kind) for name, stats in columns.items()}
    for one_settings in settings:
        histories = plain
        # Sensitive limits cover every metric. Only strict limits need faults to choose metrics.
        if one_settings.mode == "strict":
            histories = {
                name: replace(
                    column_history,
                    injected_faults=_inject_faults(history, name, columns[name], rows),
                )
                if only is None or None in only or name in only
                else column_history
                for name, column_history in plain.items()
            }
        learned = learn_table(histories, one_settings, only=only)
        yield TableLimits(history.dataset, learned, kinds, len(history.batches))


def judge_batch(
    limits: TableLimits, history: MetricHistory, batch: Fingerprint
) -> tuple[LimitResult, ...]:
    """Compare a batch with limits. Broken limits come first in the result.

    Parameters
    ----------
    limits
        The limits.
    history
        The metrics of the batches before this one.
    batch
        The batch.
    """
    observed = history.measured(batch)
    other_kind = [
        name
        for name, kind in limits.kinds.items()
        if name in batch.columns and batch.columns[name].kind != kind
    ]
    results = [
        _result_of_other_kind(name, limits.kinds[name], batch.columns[name]) for name in other_kind
    ]
    results += (
        LimitResult(name, "not enough history", "the column is new.")
        for name in observed
        if name not in limits.columns
    )
    comparable = {
        name: column_limits
        for name, column_limits in limits.columns.items()
        if name not in other_kind
    }
    histories = {name: history.of(name) for name in observed}
    results += judge_table(comparable, histories, observed)
    return tuple(sorted(results, key=lambda result: _ORDER.index(result.status)))


def _result_of_other_kind(name: str, kind: str, now: ColumnStats) -> LimitResult:
    reason = f"the column held {_KIND_LABELS[kind]} and now holds {_KIND_LABELS[now.kind]}."
    return LimitResult(name, "broken", reason)


def _inject_faults(
    history: MetricHistory, name: str, stats: ColumnStats, rows: int
) -> tuple[InjectedFault, ...]:
    """Inject faults into a column that is simulated from the statistics of the last batch."""
    before = None if history.before is None else history.before.columns.get(name)
    if before is not None and before.kind != stats.kind:
        before = None
    sample = simulate_column(stats, rows)
    if not len(sample):
        return ()
    copied: dict[FaultType, ColumnStats | None] = {
        "schema": _neighbour(history, name, stats),
        "stale": before,
    }
    sources = {type_: simulate_column(source, rows) for type_, source in copied.items() if source}
    whole = history.of(name)[-1]
    return inject_faults(sample, before, whole=whole, sources=sources, rows=rows)


def _neighbour(history: MetricHistory, name: str, stats: ColumnStats) -> ColumnStats | None:
    """Return the next column of the same kind: its values may arrive in place of the column's."""
    columns = {} if history.last is None else history.last.columns
    names = list(columns)
    after = names.index(name) + 1
    others = (columns[other] for other in (*names[after:], *names[: after - 1]))
    return next((other for other in others if other.kind == stats.kind), None)
