"""Trials of limits learned from history, as in avh-kdd23, section 5.1.

A trial takes a window of batches and judges what came next:

- An alarm on the real next batch is a false alarm.
- The same batch with an injected fault should raise an alarm. Seed and amounts differ from those
  that the learner injects: amounts are the geometric means of neighbouring ones.
- Similar columns of the same batch, swapped in for the column, should raise an alarm.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.from_rows import Column, column_kind, column_stats
from assay.learn.limits.column_limits import ColumnHistory
from assay.learn.limits.fault_injection import InjectedFault, inject_faults
from assay.learn.limits.faults import FAULTS, Fault, inject
from benchmarks.support.column_series import Series
from benchmarks.support.corruption import equal
from benchmarks.support.detectors import Batch, Window

__all__ = ["TESTED_FAULTS", "WINDOW_BATCHES", "Trial", "create_trials"]

WINDOW_BATCHES = 30
_SWAPPED_COLUMNS = 3
#: added to the batch's number: other draws than the learner's
_SEED = 1_000


def _faults_between() -> Iterator[Fault]:
    for fault_type in dict.fromkeys(fault.type for fault in FAULTS):
        amounts = sorted(fault.amount for fault in FAULTS if fault.type == fault_type)
        for low, high in pairwise(amounts):
            if not math.isclose(low * high, 1.0):
                yield Fault(fault_type, math.sqrt(low * high))


#: the faults that trials inject
TESTED_FAULTS = tuple(_faults_between())


@dataclass(frozen=True)
class Trial:
    """One column at one batch, judged by the batches before it.

    Attributes
    ----------
    at
        The place of the batch in the series.
    recall
        Whether faults and swapped columns are tried too, not only the real batch.
    """

    series: Series
    at: int
    recall: bool

    @cached_property
    def rehearsed(self) -> tuple[InjectedFault, ...]:
        """The last batch of the window with the faults that the learner injects."""
        last = self.at - 1
        neighbour = self.series.neighbour(1)
        return inject_faults(
            self.series.columns[last],
            self.series.stats[last - 1],
            neighbour=None if neighbour is None else neighbour.columns[last],
        )

    def window(self, batches: int = WINDOW_BATCHES) -> Window:
        """Return the last batches before this one."""
        metrics = self.series.metrics[self.at - batches : self.at]
        history = ColumnHistory(self.series.kind, metrics, self.rehearsed)
        return Window(history, self.series.columns[self.at - 1])

    @property
    def clean(self) -> Batch:
        """The real batch."""
        return Batch(self.series.metrics[self.at], self.series.columns[self.at])

    @cached_property
    def injected(self) -> list[tuple[Fault, Batch]]:
        """The real batch with each fault that applies to it."""
        column, neighbour = self.series.columns[self.at], self.series.neighbour(-1)
        batches: list[tuple[Fault, Batch]] = []
        for fault in TESTED_FAULTS if self.recall else ():
            if self.series.kind not in fault.kinds:
                continue
            changed = inject(
                fault,
                column,
                seed=_SEED + self.at,
                neighbour=None if neighbour is None else neighbour.columns[self.at],
            )
            if changed is not None and not equal(changed, column):
                batches.append((fault, self._replace_column(changed)))
        return batches

    @cached_property
    def swapped(self) -> list[Batch]:
        """The batch with each of the columns whose values are most similar by cosine."""
        column = self.series.columns[self.at]
        others = [
            sibling.columns[self.at]
            for sibling in self.series.siblings
            if sibling.name != self.series.name and self.recall
        ]
        candidates = [
            other for other in others if _count_values(other) and not equal(other, column)
        ]
        values = _count_values(column)
        nearest = sorted(candidates, key=lambda other: -_cosine(values, _count_values(other)))
        return [self._replace_column(other) for other in nearest[:_SWAPPED_COLUMNS]]

    def _replace_column(self, column: Column) -> Batch:
        return Batch(
            catalogue.compute(column_stats(column), self.series.stats[self.at - 1]), column
        )


def create_trials(every_series: Sequence[Series], step: int, recall_step: int) -> list[Trial]:
    """Create a trial at every `step`-th batch of each column.

    One in `recall_step` trials also tries faults and swapped columns.
    """
    return [
        Trial(series, at, recall=count % recall_step == place % recall_step)
        for place, series in enumerate(every_series)
        for count, at in enumerate(range(WINDOW_BATCHES + place % step, len(series.keys), step))
    ]


def _count_values(column: Column) -> Counter[object]:
    present = column[~np.isnan(column)] if column_kind(column) == "numeric" else column
    return Counter(value for value in present.tolist() if value is not None)


def _cosine(one: Counter[object], other: Counter[object]) -> float:
    dot = sum(count * other[value] for value, count in one.items())
    norms = (math.sqrt(sum(count**2 for count in counts.values())) for counts in (one, other))
    return dot / max(1e-9, math.prod(norms))
