"""Trials of limits learned from history, as in avh-kdd23, section 5.1.

A trial takes a window of batches and judges what came next:

- An alarm on the real next batch is a false alarm.
- The same batch with an injected fault should raise an alarm. Seed and amounts differ from those
  that the learner injects: amounts are the geometric means of neighbouring ones.
- Similar columns of the same batch, swapped in for the column, should raise an alarm.

All columns, with and without faults, are measured together by a source of statistics
(`benchmarks.support.statistics_source`). The learner injects its faults into the rows that the
source gives it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import Column, column_kind
from assay.learn.fingerprint.metrics import MetricValues
from assay.learn.limits.column_limits import ColumnHistory
from assay.learn.limits.fault_injection import InjectedFault, inject_faults
from assay.learn.limits.faults import PAPER_FAULTS, Fault, FaultType, inject
from benchmarks.support.column_series import Series
from benchmarks.support.corruption import equal
from benchmarks.support.detectors import Batch, Window
from benchmarks.support.statistics_source import ON_ROWS, StatisticsSource

__all__ = ["TESTED_FAULTS", "WINDOW_BATCHES", "Trial", "create_trials"]

WINDOW_BATCHES = 30
_SWAPPED_COLUMNS = 3
#: added to the batch's number: other draws than the learner's
_SEED = 1_000


#: the amounts of nulls between which trials inject them; the paper has no nulls
_NULL_SHARES = (0.01, 0.5, 1.0)


def _faults_between() -> Iterator[Fault]:
    """Yield faults between two amounts of the paper, other than those that the learner injects."""
    amounts: dict[FaultType, list[float]] = defaultdict(list)
    for fault in PAPER_FAULTS:
        amounts[fault.type].append(fault.amount)
    for fault_type, of_type in (*amounts.items(), ("missing", _NULL_SHARES)):
        for low, high in pairwise(sorted(of_type)):
            if not math.isclose(low * high, 1.0):
                yield Fault(fault_type, math.sqrt(low * high))


#: the faults that trials inject
TESTED_FAULTS = tuple(_faults_between())


class MeasuredColumns:
    """The statistics of all columns that trials need, measured together, and their metrics.

    Parameters
    ----------
    columns
        The columns. They are recognized by identity.
    source
        Where the statistics come from.
    """

    def __init__(self, columns: Iterable[Column], source: StatisticsSource) -> None:
        # the columns are kept, so that their identities stay unique
        self._columns = {id(column): column for column in columns}
        stats = source.columns([*self._columns.values()])
        self._stats = dict(zip(self._columns, stats, strict=True))
        self._metrics: dict[int, MetricValues] = {}
        self._source = source

    def stats(self, column: Column) -> ColumnStats:
        """Return the statistics of a column."""
        return self._stats[id(column)]

    def metrics(self, series: Series, place: int) -> MetricValues:
        """Return the metrics of a batch, compared with the previous one, computed once."""
        column = series.columns[place]
        if id(column) not in self._metrics:
            previous = self.stats(series.columns[place - 1]) if place else None
            self._metrics[id(column)] = catalogue.compute(self.stats(column), previous)
        return self._metrics[id(column)]

    def rows_for_learner(self, column: Column) -> Column:
        """Return the rows into which the learner injects faults."""
        return self._source.rows_for_learner(column, self.stats(column))


@dataclass(frozen=True)
class Trial:
    """One column at one batch, judged by the batches before it.

    Attributes
    ----------
    at
        The place of the batch in the series.
    recall
        Whether faults and swapped columns are tried too, not only the real batch.
    faulty
        The column with each fault that applies to it.
    similar
        The columns of the same batch that are swapped in.
    measured
        The statistics of all columns of the trial.
    """

    series: Series
    at: int
    recall: bool
    faulty: Sequence[tuple[Fault, Column]]
    similar: Sequence[Column]
    measured: MeasuredColumns = field(repr=False)

    @cached_property
    def rehearsed(self) -> tuple[InjectedFault, ...]:
        """The last batch of the window with the faults that the learner injects."""
        last = self.at - 1
        column, neighbour = self.series.columns[last], self.series.neighbour(1)
        rows = self.measured.rows_for_learner(column)
        if not len(rows):
            return ()
        return inject_faults(
            rows,
            self.measured.stats(self.series.columns[last - 1]),
            whole=None if rows is column else self.measured.metrics(self.series, last),
            sources={
                "schema": None
                if neighbour is None
                else self.measured.rows_for_learner(neighbour.columns[last]),
                "stale": self.measured.rows_for_learner(self.series.columns[last - 1]),
            },
        )

    def window(self, batches: int = WINDOW_BATCHES) -> Window:
        """Return the last batches before this one."""
        places = range(self.at - batches, self.at)
        metrics = [self.measured.metrics(self.series, place) for place in places]
        history = ColumnHistory(self.series.kind, metrics, self.rehearsed)
        return Window(history, self.series.columns[self.at - 1])

    @property
    def clean(self) -> Batch:
        """The real batch."""
        return Batch(self.measured.metrics(self.series, self.at), self.series.columns[self.at])

    @cached_property
    def injected(self) -> list[tuple[Fault, Batch]]:
        """The real batch with each fault that applies to it."""
        return [(fault, self._replace_column(column)) for fault, column in self.faulty]

    @cached_property
    def swapped(self) -> list[Batch]:
        """The batch with each of the similar columns."""
        return [self._replace_column(column) for column in self.similar]

    def _replace_column(self, column: Column) -> Batch:
        before = self.measured.stats(self.series.columns[self.at - 1])
        return Batch(catalogue.compute(self.measured.stats(column), before), column)


def create_trials(
    every_series: Sequence[Series], step: int, recall_step: int, source: StatisticsSource = ON_ROWS
) -> list[Trial]:
    """Create a trial at every `step`-th batch of each column.

    One in `recall_step` trials also tries faults and swapped columns. All columns that the trials
    need are measured together.
    """
    planned = [
        (series, at, count % recall_step == place % recall_step)
        for place, series in enumerate(every_series)
        for count, at in enumerate(range(WINDOW_BATCHES + place % step, len(series.keys), step))
    ]
    variants: list[tuple[list[tuple[Fault, Column]], list[Column]]] = [
        (_inject_tested_faults(series, at), _most_similar(series, at)) if recall else ([], [])
        for series, at, recall in planned
    ]
    needed = [
        *(column for series, at, _ in planned for column in _window_columns(series, at)),
        *(column for faulty, _ in variants for _, column in faulty),
        *(column for _, similar in variants for column in similar),
    ]
    measured = MeasuredColumns(needed, source)
    return [
        Trial(*plan, *columns, measured) for plan, columns in zip(planned, variants, strict=True)
    ]


def _window_columns(series: Series, at: int) -> Iterator[Column]:
    """Yield the columns of the batch, of its window, and of the batch before the window."""
    yield from series.columns[max(0, at - WINDOW_BATCHES - 1) : at + 1]
    neighbour = series.neighbour(1)
    if neighbour is not None:
        yield neighbour.columns[at - 1]


def _inject_tested_faults(series: Series, at: int) -> list[tuple[Fault, Column]]:
    column, neighbour = series.columns[at], series.neighbour(-1)
    columns: list[tuple[Fault, Column]] = []
    for fault in TESTED_FAULTS:
        if series.kind not in fault.kinds:
            continue
        changed = inject(
            fault,
            column,
            seed=_SEED + at,
            sources={"schema": None if neighbour is None else neighbour.columns[at]},
        )
        if changed is not None and not equal(changed, column):
            columns.append((fault, changed))
    return columns


def _most_similar(series: Series, at: int) -> list[Column]:
    """Return the columns of the batch whose values are most similar by cosine."""
    column = series.columns[at]
    others = [sibling.columns[at] for sibling in series.siblings if sibling.name != series.name]
    candidates = [other for other in others if _count_values(other) and not equal(other, column)]
    values = _count_values(column)
    nearest = sorted(candidates, key=lambda other: -_cosine(values, _count_values(other)))
    return nearest[:_SWAPPED_COLUMNS]


def _count_values(column: Column) -> Counter[object]:
    present = column[~np.isnan(column)] if column_kind(column) == "numeric" else column
    return Counter(value for value in present.tolist() if value is not None)


def _cosine(one: Counter[object], other: Counter[object]) -> float:
    dot = sum(count * other[value] for value, count in one.items())
    norms = (math.sqrt(sum(count**2 for count in counts.values())) for counts in (one, other))
    return dot / max(1e-9, math.prod(norms))
