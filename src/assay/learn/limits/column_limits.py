"""A conjunctive program for a column: which limits a next batch has to keep (Definitions 3 and 4).

Two modes. ``strict`` is the paper's: few constraints, those that catch the most of the issues that
were rehearsed while the expected rates of false alarms add up to δ at most. ``sensitive`` demands
something of every metric, among which δ is divided evenly (Bonferroni).

A metric that has never changed is worth watching even where its rate ε alone exceeds δ; such
constraints then have a budget of their own. δ is that of a table: it is divided evenly among its
columns and the number of rows, which is judged once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_value, visible
from assay.errors import CheckError
from assay.learn.fingerprint.column_stats import ColumnKind, Floats
from assay.learn.limits.fault_injection import InjectedFault
from assay.learn.limits.greedy import Bools, greedy
from assay.learn.limits.kinds import Kind, Measured, kind_of, kinds
from assay.learn.limits.metric_limit import (
    NEED,
    Constraint,
    LeftOut,
    Prepared,
    prepare,
    space,
    tested,
)
from assay.learn.limits.tail_bounds import Family

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

#: the metric that is judged once per table
_ROWS = "row_count"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a program is learned.

    `delta` is the expected rate of false alarms, `family` the inequalities of a strict program:
    heavy tails, as real metrics have them, Student's t, as normal ones would, or the paper's.
    `clauses` are the most metrics that it demands something of, `constants` how many of those that
    never changed it may watch where δ is less than ε. `season` is the number of batches after which
    things repeat. With `paper`, only the paper's metrics are used; with `any_lag`, its lags.
    """

    mode: Mode = "strict"
    delta: float = 0.01
    family: Family = "heavy"
    clauses: int | None = None
    constants: int = 1
    season: int | None = None
    need: int = NEED
    differencing: bool = True
    any_lag: bool = False
    paper: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (
            ("mode", self.mode, get_args(Mode)),
            ("family", self.family, get_args(Family)),
        ):
            if value not in known:
                raise CheckError(f"{name} is {' or '.join(map(repr, known))}, not {value!r}.")
        if not 0 < self.delta < 1:
            raise CheckError(f"delta is between 0 and 1, not {self.delta!r}.")
        least = {"clauses": 1, "constants": 0, "season": 1, "need": 4}
        for name, low in least.items():
            value = getattr(self, name)
            if value is not None and value < low:
                raise CheckError(f"{name} is {low} or more, not {value!r}.")


#: the paper's own choices
PAPER = Settings(family="paper", paper=True, any_lag=True, need=7)


@dataclass(frozen=True)
class ColumnHistory:
    """What is known of a column: its metrics, oldest batch first, and what issues would do."""

    table: ColumnKind
    metrics: Sequence[Measured]
    rehearsed: Sequence[InjectedFault] = ()
    _ready: dict[object, Prepared | LeftOut | NotEnough] = field(
        default_factory=dict, repr=False, compare=False
    )

    def ready(self, kind: Kind, settings: Settings) -> Prepared | LeftOut | NotEnough:
        """A metric made stationary: once, however many programs are learned of it."""
        how = settings.season, settings.need, settings.differencing, settings.any_lag
        if (kind.name, how) not in self._ready:
            self._ready[kind.name, how] = prepare(
                kind,
                series(self.metrics, kind.name),
                season=settings.season,
                need=settings.need,
                differencing=settings.differencing,
                any_lag=settings.any_lag,
            )
        return self._ready[kind.name, how]


@dataclass(frozen=True)
class ColumnLimits:
    """Constraints that a batch has to keep all at once; `column` is None for the number of rows.

    `caught` of `issues` rehearsed break one of them. What metrics are `left_out`, and why, is part
    of it.
    """

    column: str | None
    constraints: tuple[Constraint, ...]
    settings: Settings
    delta: float
    batches: int
    caught: int = 0
    issues: int = 0
    left_out: tuple[LeftOut, ...] = ()

    @property
    def rate(self) -> float:
        """The expected rate of false alarms, at most δ: the sum of those that share it."""
        return math.fsum(each.interval.rate for each in self.constraints if self.shares(each))

    @property
    def constant_rate(self) -> float:
        """That of the constraints with a budget of their own."""
        return math.fsum(each.interval.rate for each in self.constraints if not self.shares(each))

    def shares(self, constraint: Constraint) -> bool:
        """Whether a constraint's rate is part of δ."""
        own = constraint.constant and (
            self.settings.mode == "sensitive" or constraint.interval.rate > self.delta
        )
        return not own

    def __str__(self) -> str:
        whose = "the table" if self.column is None else visible(self.column)
        rate = f"{format_value(self.rate)} of {self.delta:.3g}"
        head = f"{whose}, {self.settings.mode}, false alarms {rate}"
        if self.issues:
            head += f", catches {self.caught} of {self.issues} issues"
        lines = [f"  - {each}" for each in self.constraints] or ["  - nothing is demanded"]
        return "\n".join((head, *lines))


def series(metrics: Sequence[Measured], name: str) -> Floats:
    """A metric's history; NaN where a batch does not have it."""
    return np.array([each.get(name, math.nan) for each in metrics], dtype=np.float64)


def learn(
    column: str | None,
    past: ColumnHistory,
    settings: Settings | None = None,
    *,
    delta: float | None = None,
    rows: bool = False,
) -> ColumnLimits | NotEnough:
    """The program of one column; with `rows` it watches their number too, as in the paper.

    `delta` is the column's part of the settings'. A column of None is the number of rows alone.
    """
    settings = Settings() if settings is None else settings
    delta = settings.delta if delta is None else delta
    if len(past.metrics) < settings.need:
        return NotEnough(len(past.metrics), settings.need)
    ready: list[Prepared] = []
    left_out: list[LeftOut] = []
    for kind in _watched(column, past.table, settings, rows=rows):
        found = past.ready(kind, settings)
        if isinstance(found, Prepared):
            ready.append(found)
        elif isinstance(found, LeftOut):
            left_out.append(found)
        else:
            left_out.append(LeftOut(kind.name, f"{found}."))
    rehearsed = past.rehearsed
    if column is None:
        rehearsed = [each for each in rehearsed if each.issue.type == "volume"]
    if settings.mode == "sensitive":
        constraints = _all(ready, delta)
        catches = _catches(constraints, past.metrics, rehearsed)
    else:
        candidates = [each for one in ready for each in space(one, delta, settings.family)]
        every = _catches(candidates, past.metrics, rehearsed)
        chosen = _strict(candidates, every, settings, delta)
        constraints = [candidates[each] for each in chosen]
        catches = every[chosen]
    return ColumnLimits(
        column,
        tuple(constraints),
        settings,
        delta,
        len(past.metrics),
        int(catches.any(axis=0).sum()),
        len(rehearsed),
        tuple(left_out),
    )


def learn_table(
    columns: Mapping[str, ColumnHistory],
    settings: Settings | None = None,
    *,
    only: Collection[str | None] | None = None,
) -> dict[str | None, ColumnLimits | NotEnough]:
    """The programs of all columns of a table and, under None, that of the number of rows.

    With `only`, those of some, which have the same part of δ.
    """
    settings = Settings() if settings is None else settings
    if not columns:
        return {}
    delta = settings.delta / (len(columns) + 1)
    longest = max(columns.values(), key=lambda past: len(past.metrics))
    every = [(None, longest), *columns.items()]
    return {
        name: learn(name, past, settings, delta=delta)
        for name, past in every
        if only is None or name in only
    }


def _watched(
    column: str | None, table: ColumnKind, settings: Settings, *, rows: bool
) -> Iterator[Kind]:
    if column is None:
        yield kind_of(_ROWS)
        return
    for kind in kinds(table, paper=settings.paper):
        if rows or not kind.of_rows:
            yield kind


def _all(ready: Sequence[Prepared], delta: float) -> list[Constraint]:
    """Something of every metric; δ is divided among those that have ever changed."""
    changing = sum(not each.spread.constant for each in ready)
    return [tested(each, delta / max(1, changing)) for each in ready]


def _strict(
    candidates: Sequence[Constraint], catches: Bools, settings: Settings, delta: float
) -> list[int]:
    """Algorithm 1; before it, what never changed with a budget of its own where δ is too small."""
    if not candidates:
        return []
    rates = np.array([each.interval.rate for each in candidates])
    names = {each.metric: at for at, each in enumerate(candidates)}
    groups = np.array([names[each.metric] for each in candidates])
    own = np.array([each.constant for each in candidates]) & (rates > delta)
    first: list[int] = []
    if own.any() and settings.constants:
        at = np.flatnonzero(own)
        budget = settings.constants * float(rates[at].max()) * (1 + 1e-9)
        first = [int(at[each]) for each in greedy(rates[at], catches[at], budget)]
        first = first[: settings.clauses]
    at = np.flatnonzero(~own)
    most = None if settings.clauses is None else settings.clauses - len(first)
    rest = greedy(
        rates[at],
        catches[at],
        delta,
        groups=groups[at].tolist(),
        most=most,
        caught=np.asarray(catches[first].any(axis=0)),
    )
    return [*first, *(int(at[each]) for each in rest)]


def _catches(
    constraints: Sequence[Constraint],
    metrics: Sequence[Measured],
    rehearsed: Sequence[InjectedFault],
) -> Bools:
    """Which constraints each issue in the last batch would have broken (equation 8)."""
    found = np.zeros((len(constraints), len(rehearsed)), np.bool_)
    for name in dict.fromkeys(each.metric for each in constraints):
        rows = [row for row, each in enumerate(constraints) if each.metric == name]
        history = series(metrics[:-1], name)
        values = (one.metrics.get(name, math.nan) for one in rehearsed)
        # constraints of one metric differ in nothing but their limits
        first = constraints[rows[0]]
        placed = np.array([first.placed(history, value) for value in values])
        low = np.array([[constraints[row].interval.low] for row in rows])
        high = np.array([[constraints[row].interval.high] for row in rows])
        within = (low <= placed) & (placed <= high) & np.isfinite(placed)
        found[rows] = ~within & ~np.isnan(placed)
    return found
