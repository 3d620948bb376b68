"""Learn the limits of one column from its history (Definitions 3 and 4 of avh-kdd23).

A batch must keep all limits of a column. The paper calls them a conjunctive program.

Two modes:

- ``strict`` is the mode of the paper. It chooses the few constraints that catch the most injected
  faults. Their false-alarm rates add up to at most δ. The rest of δ makes these limits narrower.
- ``sensitive`` sets limits on every metric and divides δ evenly among them (Bonferroni).

δ is the false-alarm rate of a table. It is divided evenly among the columns and the row count,
which is judged once per batch. A single constraint on a metric that never changed may have a rate
above δ. Such constraints have a separate budget.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import visible
from assay.errors import CheckError
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnKind, Floats
from assay.learn.fingerprint.metrics import BatchMetric, MetricValues
from assay.learn.limits.fault_injection import InjectedFault
from assay.learn.limits.faults import OF_ROW_COUNT
from assay.learn.limits.greedy import Bools, Ints, greedy
from assay.learn.limits.metric_limit import (
    MIN_BATCHES,
    Constraint,
    Prepared,
    SkippedMetric,
    candidate_constraints,
    constraint_at_rate,
    prepare,
)
from assay.learn.limits.tail_bounds import Family, false_alarms

__all__ = [
    "PAPER",
    "ColumnHistory",
    "ColumnLimits",
    "Mode",
    "Settings",
    "learn",
    "learn_table",
    "series",
]

Mode = Literal["strict", "sensitive"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How limits are learned.

    Parameters
    ----------
    mode
        ``strict`` for few constraints, ``sensitive`` for limits on every metric.
    delta
        The false-alarm rate of the table: 0.01 is about 1 false alarm in 100 batches.
    family
        The inequalities of strict limits: ``heavy`` for the heavy tails of real metrics,
        ``student`` for normal metrics, ``paper`` for the inequalities of the paper.
    clauses
        The largest number of constraints. Unlimited by default.
    constants
        Number of constraints on unchanged metrics that may exceed δ.
    season
        The number of batches after which metrics repeat, such as 7 for daily batches.
    need
        The smallest number of batches to learn from.
    differencing
        True if drift and season are removed first.
    any_lag
        True to try all lags, as the paper does.
    paper
        True to use the metrics of the paper only.
    tighten
        True to make strict limits narrower with what Algorithm 1 leaves of δ.
    """

    mode: Mode = "strict"
    delta: float = 0.01
    family: Family = "heavy"
    clauses: int | None = None
    constants: int = 1
    season: int | None = None
    need: int = MIN_BATCHES
    differencing: bool = True
    any_lag: bool = False
    paper: bool = False
    tighten: bool = True

    def __post_init__(self) -> None:
        for name, value, options in (
            ("mode", self.mode, get_args(Mode)),
            ("family", self.family, get_args(Family)),
        ):
            if value not in options:
                expected = " or ".join(map(repr, options))
                raise CheckError(f"invalid {name}: expected {expected}, got {value!r}.")
        if not 0 < self.delta < 1:
            raise CheckError(f"invalid delta: expected a rate between 0 and 1, got {self.delta!r}.")
        minimums = {"clauses": 1, "constants": 0, "season": 1, "need": 4}
        for name, minimum in minimums.items():
            value = getattr(self, name)
            if value is not None and value < minimum:
                raise CheckError(f"invalid {name}: expected at least {minimum}, got {value!r}.")


#: The settings of the paper. benchmarks.history compares them with Assay's defaults.
PAPER = Settings(family="paper", paper=True, any_lag=True, need=7, tighten=False)


@dataclass(frozen=True)
class ColumnHistory:
    """The metrics of one column in earlier batches, from which its limits are learned.

    Parameters
    ----------
    kind
        True if the column holds numbers or text.
    metrics
        The metrics of each batch, oldest first.
    injected_faults
        The metrics that the last batch would have had with each fault.
    """

    kind: ColumnKind
    metrics: Sequence[MetricValues]
    injected_faults: Sequence[InjectedFault] = ()
    _prepared: dict[object, Prepared | SkippedMetric | NotEnough] = field(
        default_factory=dict, repr=False, compare=False
    )

    def prepare(
        self, metric: BatchMetric, settings: Settings
    ) -> Prepared | SkippedMetric | NotEnough:
        """Make the history of a metric stationary. The result is cached for other settings."""
        options = settings.season, settings.need, settings.differencing, settings.any_lag
        key = metric.name, options
        if key not in self._prepared:
            self._prepared[key] = prepare(
                metric,
                series(self.metrics, metric.name),
                season=settings.season,
                need=settings.need,
                differencing=settings.differencing,
                any_lag=settings.any_lag,
            )
        return self._prepared[key]


@dataclass(frozen=True)
class ColumnLimits:
    """The limits of one column. A batch must keep all of them.

    Parameters
    ----------
    column
        The column; None for the row count.
    constraints
        The limits.
    settings
        Settings with which they were learned.
    delta
        The column's share of the table's false-alarm rate.
    batches
        Number of batches they were learned from.
    caught, faults
        Number of injected faults that break a constraint.
    left_out
        The metrics without limits, with the reasons.
    """

    column: str | None
    constraints: tuple[Constraint, ...]
    settings: Settings
    delta: float
    batches: int
    caught: int = 0
    faults: int = 0
    left_out: tuple[SkippedMetric, ...] = ()

    @property
    def rate(self) -> float:
        """The false-alarm rate of the constraints that share δ. It is at most δ."""
        return math.fsum(
            constraint.interval.rate
            for constraint in self.constraints
            if self.shares_delta(constraint)
        )

    @property
    def constant_rate(self) -> float:
        """The false-alarm rate of the constraints with a separate budget."""
        return math.fsum(
            constraint.interval.rate
            for constraint in self.constraints
            if not self.shares_delta(constraint)
        )

    def shares_delta(self, constraint: Constraint) -> bool:
        """Return whether the rate of a constraint counts against δ.

        Constraints on unchanged metrics do not count in sensitive mode, or if their rate exceeds δ.
        """
        exempt = constraint.constant and (
            self.settings.mode == "sensitive" or constraint.interval.rate > self.delta
        )
        return not exempt

    def __str__(self) -> str:
        subject = "the table" if self.column is None else visible(self.column)
        rate, allowed = false_alarms(self.rate), f"{1 / self.delta:,.3g}"
        head = f"{subject}, {self.settings.mode}, {rate} (1 in {allowed} allowed)"
        if self.faults:
            head += f", catches {self.caught} of {self.faults} injected faults"
        lines = [f"  - {constraint}" for constraint in self.constraints] or ["  - no limits"]
        return "\n".join((head, *lines))


def series(metrics: Sequence[MetricValues], name: str) -> Floats:
    """Return the history of one metric, with NaN for batches without a value."""
    values = [batch_metrics.get(name, math.nan) for batch_metrics in metrics]
    return np.array(values, dtype=np.float64)


def learn(
    column: str | None,
    past: ColumnHistory,
    settings: Settings | None = None,
    *,
    delta: float | None = None,
    rows: bool = False,
) -> ColumnLimits | NotEnough:
    """Learn the limits of one column.

    Parameters
    ----------
    column
        The column; None for the row count alone.
    past
        The history of the column.
    settings
        Settings of learning.
    delta
        The column's share of ``settings.delta``. All of it by default.
    rows
        True to set limits on the row count too, as the paper does for each column.

    Returns
    -------
    ColumnLimits or NotEnough
        `NotEnough` if there are fewer batches than ``settings.need``.
    """
    settings = Settings() if settings is None else settings
    delta = settings.delta if delta is None else delta
    if len(past.metrics) < settings.need:
        return NotEnough(len(past.metrics), settings.need)
    ready: list[Prepared] = []
    left_out: list[SkippedMetric] = []
    for metric in _metrics_to_limit(column, past.kind, settings, rows=rows):
        prepared = past.prepare(metric, settings)
        if isinstance(prepared, Prepared):
            ready.append(prepared)
        elif isinstance(prepared, SkippedMetric):
            left_out.append(prepared)
        else:
            left_out.append(SkippedMetric(metric.name, f"{prepared}."))
    faults = past.injected_faults
    if column is None:
        faults = [injected for injected in faults if injected.fault.type in OF_ROW_COUNT]
    if settings.mode == "sensitive":
        constraints = _limit_every_metric(ready, delta)
        catches = _catches(constraints, past.metrics, faults)
    else:
        candidates = [
            constraint
            for prepared in ready
            for constraint in candidate_constraints(prepared, delta, settings.family)
        ]
        all_catches = _catches(candidates, past.metrics, faults)
        chosen = _choose_constraints(candidates, all_catches, settings, delta)
        constraints = [candidates[at] for at in chosen]
        catches = all_catches[chosen]
    return ColumnLimits(
        column,
        tuple(constraints),
        settings,
        delta,
        len(past.metrics),
        int(catches.any(axis=0).sum()),
        len(faults),
        tuple(left_out),
    )


def learn_table(
    columns: Mapping[str, ColumnHistory],
    settings: Settings | None = None,
    *,
    only: Collection[str | None] | None = None,
) -> dict[str | None, ColumnLimits | NotEnough]:
    """Learn the limits of all columns of a table and, under the key None, of the row count.

    Parameters
    ----------
    columns
        The history of each column.
    settings
        Settings. ``settings.delta`` is divided evenly among the columns and the row count.
    only
        Learn the limits of these columns only. Their share of δ is the same.
    """
    settings = Settings() if settings is None else settings
    if not columns:
        return {}
    delta = settings.delta / (len(columns) + 1)
    longest = max(columns.values(), key=lambda history: len(history.metrics))
    histories = [(None, longest), *columns.items()]
    return {
        name: learn(name, history, settings, delta=delta)
        for name, history in histories
        if only is None or name in only
    }


def _metrics_to_limit(
    column: str | None, kind: ColumnKind, settings: Settings, *, rows: bool
) -> Iterator[BatchMetric]:
    if column is None:
        yield catalogue.get(catalogue.ROW_COUNT)
        return
    for metric in catalogue.with_limits(kind, paper_only=settings.paper):
        if rows or not metric.per_batch:
            yield metric


def _limit_every_metric(ready: Sequence[Prepared], delta: float) -> list[Constraint]:
    """Set limits on every metric. δ is divided evenly among the metrics that have changed."""
    n_changing = sum(not prepared.spread.constant for prepared in ready)
    return [constraint_at_rate(prepared, delta / max(1, n_changing)) for prepared in ready]


def _choose_constraints(
    candidates: Sequence[Constraint], catches: Bools, settings: Settings, delta: float
) -> list[int]:
    """Choose constraints by Algorithm 1, and spend the rest of δ on narrower limits.

    Constraints on unchanged metrics whose rate exceeds δ are chosen first, from a separate budget.
    """
    if not candidates:
        return []
    rates = np.array([constraint.interval.rate for constraint in candidates])
    last_of_metric = {constraint.metric: at for at, constraint in enumerate(candidates)}
    groups = np.array([last_of_metric[constraint.metric] for constraint in candidates])
    constant = np.array([constraint.constant for constraint in candidates])
    exempt = constant & (rates > delta)
    first: list[int] = []
    if exempt.any() and settings.constants:
        places = np.flatnonzero(exempt)
        # The factor allows for rounding errors of the sum, which could exclude a constraint.
        budget = settings.constants * float(rates[places].max()) * (1 + 1e-9)
        first = [int(places[at]) for at in greedy(rates[places], catches[places], budget)]
        first = first[: settings.clauses]
    places = np.flatnonzero(~exempt)
    max_groups = None if settings.clauses is None else settings.clauses - len(first)
    others = greedy(
        rates[places],
        catches[places],
        delta,
        groups=groups[places].tolist(),
        max_groups=max_groups,
        caught=np.asarray(catches[first].any(axis=0)),
    )
    chosen = [int(places[at]) for at in others]
    if settings.tighten:
        chosen = _tighten(chosen, rates, groups, delta)
    return [*first, *chosen]


def _tighten(chosen: Sequence[int], rates: Floats, groups: Ints, delta: float) -> list[int]:
    """Spend what the choice leaves of δ: replace each constraint by a narrower one on its metric.

    The constraints get equal parts of it. A narrower constraint catches all that the wider one
    does.
    """
    if not chosen:
        return []
    part = (delta - math.fsum(rates[list(chosen)])) / len(chosen)
    narrower = []
    for at in chosen:
        affordable = np.flatnonzero((groups == groups[at]) & (rates <= rates[at] + part))
        narrower.append(int(affordable[0]))
    return narrower


def _catches(
    constraints: Sequence[Constraint],
    metrics: Sequence[MetricValues],
    faults: Sequence[InjectedFault],
) -> Bools:
    """Return which constraints each fault in the last batch would have broken (equation 8)."""
    catches = np.zeros((len(constraints), len(faults)), np.bool_)
    for name in dict.fromkeys(constraint.metric for constraint in constraints):
        rows = [row for row, constraint in enumerate(constraints) if constraint.metric == name]
        history = series(metrics[:-1], name)
        values = (injected.metrics.get(name, math.nan) for injected in faults)
        # Constraints on one metric differ in their limits only: the first one transforms for all.
        first = constraints[rows[0]]
        compared = np.array([first.compared_value(history, value) for value in values])
        low = np.array([[constraints[row].interval.low] for row in rows])
        high = np.array([[constraints[row].interval.high] for row in rows])
        within = (low <= compared) & (compared <= high) & np.isfinite(compared)
        catches[rows] = ~within & ~np.isnan(compared)
    return catches
