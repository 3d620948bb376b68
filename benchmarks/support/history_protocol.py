"""Back-in-time tests: a window of batches, the one that came next, and others that did not.

An alarm on the batch that came next is a false one. One is due on the same batch with an issue,
done with another seed and other amounts than those that are rehearsed (the geometric means of
neighbouring ones), and on similar columns of the same table in its place (avh-kdd23, section 5.1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from assay.learn.fingerprint.from_rows import Column, column_kind, column_stats
from assay.learn.limits.column_limits import ColumnHistory
from assay.learn.limits.fault_injection import InjectedFault, inject_faults
from assay.learn.limits.faults import FAULTS, Fault, injected
from assay.learn.limits.kinds import measured
from benchmarks.support.column_series import Series
from benchmarks.support.detectors import Batch, Window

__all__ = ["LENGTH", "TESTED", "Trial", "trials"]

#: batches in a window
LENGTH = 30
#: columns that are swapped in
_SIMILAR = 3
_SEED = 1_000


def _between() -> Iterator[Fault]:
    for kind in dict.fromkeys(each.type for each in FAULTS):
        amounts = sorted(each.amount for each in FAULTS if each.type == kind)
        for low, high in pairwise(amounts):
            if not math.isclose(low * high, 1.0):
                yield Fault(kind, math.sqrt(low * high))


#: the issues that are tested
TESTED = tuple(_between())


@dataclass(frozen=True)
class Trial:
    """A column at a batch: what is known before, what comes, and what might have come."""

    series: Series
    at: int
    #: whether more than the next batch is tested
    recall: bool

    @cached_property
    def rehearsed(self) -> tuple[InjectedFault, ...]:
        """What issues would have done to the last batch of the window."""
        last = self.at - 1
        beside = self.series.neighbour(1)
        return inject_faults(
            self.series.columns[last],
            self.series.stats[last - 1],
            neighbour=None if beside is None else beside.columns[last],
        )

    def window(self, length: int = LENGTH) -> Window:
        """The last batches before this one."""
        metrics = self.series.metrics[self.at - length : self.at]
        past = ColumnHistory(self.series.kind, metrics, self.rehearsed)
        return Window(past, self.series.columns[self.at - 1])

    @property
    def clean(self) -> Batch:
        """The one that came."""
        return Batch(self.series.metrics[self.at], self.series.columns[self.at])

    @cached_property
    def injected(self) -> list[tuple[Fault, Batch]]:
        """The one that came, with each issue that it can have."""
        column, beside = self.series.columns[self.at], self.series.neighbour(-1)
        found: list[tuple[Fault, Batch]] = []
        for issue in TESTED if self.recall else ():
            if self.series.kind not in issue.tables:
                continue
            neighbour = None if beside is None else beside.columns[self.at]
            changed = injected(issue, column, seed=_SEED + self.at, neighbour=neighbour)
            if changed is not None and not _same(changed, column):
                found.append((issue, self._instead(changed)))
        return found

    @cached_property
    def swapped(self) -> list[Batch]:
        """The columns of the same batch with the most similar values, by their cosine."""
        own = self.series.columns[self.at]
        others = [
            each.columns[self.at]
            for each in self.series.kin
            if each.name != self.series.name and self.recall
        ]
        near = sorted(
            (each for each in others if _values(each) and not _same(each, own)),
            key=lambda each: -_cosine(_values(own), _values(each)),
        )
        return [self._instead(each) for each in near[:_SIMILAR]]

    def _instead(self, column: Column) -> Batch:
        return Batch(measured(column_stats(column), self.series.stats[self.at - 1]), column)


def trials(every: Sequence[Series], step: int, recall: int) -> list[Trial]:
    """A trial at each so manieth batch of each column; of these, each so manieth has recall."""
    return [
        Trial(series, at, recall=count % recall == place % recall)
        for place, series in enumerate(every)
        for count, at in enumerate(range(LENGTH + place % step, len(series.keys), step))
    ]


def _values(column: Column) -> Counter[object]:
    present = column[column == column] if column_kind(column) == "numeric" else column
    return Counter(each for each in present.tolist() if each is not None)


def _cosine(one: Counter[object], other: Counter[object]) -> float:
    dot = sum(count * other[each] for each, count in one.items())
    norms = (math.sqrt(sum(count**2 for count in each.values())) for each in (one, other))
    return dot / max(1e-9, math.prod(norms))


def _same(one: Column, other: Column) -> bool:
    if len(one) != len(other):
        return False
    if column_kind(one) == "numeric":
        return np.array_equal(one, other, equal_nan=True)
    return bool((one == other).all())
