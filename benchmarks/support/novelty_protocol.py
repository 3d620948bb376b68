"""Every batch judged by those before it, as it is and with errors in it (novelty-edbt21, 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_kind, column_stats, fingerprint
from assay.learn.novelty.bands import Bands
from assay.learn.novelty.batch_features import features, of_column, of_table
from assay.learn.novelty.metrics import Features
from assay.learn.novelty.novelty_result import Detector, Novelty
from assay.learn.novelty.outlier_detector import OutlierDetector
from assay.learn.novelty.paper_features import statistics
from assay.learn.novelty.seen_values import SeenColumn, SeenValues
from benchmarks.support.corruption import Columns

__all__ = [
    "FIRST",
    "OURS",
    "PAPERS",
    "Day",
    "Label",
    "Method",
    "Result",
    "Trial",
    "Vectors",
    "judged",
    "walk",
]

#: batches before the first that is judged
FIRST = 8
Label = tuple[str, float]


@dataclass(frozen=True)
class Vectors:
    """The features of a batch: ours, and the paper's."""

    ours: Features
    papers: Features

    @staticmethod
    def of(batch: Fingerprint, memory: SeenValues) -> Vectors:
        """Both, against what was before."""
        return Vectors(features(batch, memory), statistics(batch))


@dataclass(frozen=True)
class Trial:
    """A batch with an error in some of its columns."""

    label: Label
    columns: frozenset[str]
    vectors: Vectors


@dataclass(frozen=True)
class Day:
    """A batch as it is, and with errors."""

    clean: Vectors
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class Method:
    """A detector, and which features it is given."""

    name: str
    detector: Detector
    of: Callable[[Vectors], Features]


OURS = Method("ours", Bands(), lambda each: each.ours)
PAPERS = Method("the paper's", OutlierDetector(), lambda each: each.papers)


@dataclass(frozen=True)
class Result:
    """Whether each batch as it is was an alarm; and each trial, and named rightly, by its place."""

    alarms: Mapping[int, bool]
    trials: Sequence[tuple[Label, int, bool, bool]]

    def false(self, start: int, end: int | None = None, besides: Collection[int] = ()) -> float:
        """The share of false alarms among the batches from one to before another."""
        some = [
            alarm
            for place, alarm in self.alarms.items()
            if place >= start and (end is None or place < end) and place not in besides
        ]
        return float(np.mean(some)) if some else 0.0

    def caught(
        self,
        error: str | None = None,
        size: float | None = None,
        span: tuple[int, int] | None = None,
    ) -> float:
        """The share of trials caught: of all, or of an error, of a size, in a span of batches."""
        some = [
            alarm
            for (name, share), place, alarm, _ in self.trials
            if (error is None or name == error)
            and (size is None or share == size)
            and (span is None or span[0] <= place < span[1])
        ]
        return float(np.mean(some)) if some else float("nan")

    def auc(
        self,
        error: str | None = None,
        size: float | None = None,
        span: tuple[int, int] | None = None,
    ) -> float:
        """Of both labels, with the false alarms of all batches in the span."""
        start, end = span or (FIRST, None)
        return (self.caught(error, size, span) + 1 - self.false(start, end)) / 2

    @property
    def named(self) -> float:
        """The share of caught trials in which the first reason is of a column with the error."""
        return float(np.mean([right for _, _, alarm, right in self.trials if alarm]))


def walk(
    batches: Sequence[Columns],
    errors: Callable[[int, Columns], Iterator[tuple[Label, dict[str, Column]]]],
) -> list[Day]:
    """The features of all batches, and of those with errors, against the batches before each."""
    memory, days = SeenValues(), []
    for place, columns in enumerate(batches):
        known = fingerprint(columns)
        clean = Vectors.of(known, memory)
        trials = [
            Trial(label, frozenset(changed), _changed(columns, known, clean, changed, memory))
            for label, changed in (errors(place, columns) if place >= FIRST else ())
        ]
        days.append(Day(clean, tuple(trials)))
        memory = memory.add(known)
    return days


def _changed(
    columns: Columns,
    known: Fingerprint,
    clean: Vectors,
    changed: Mapping[str, Column],
    memory: SeenValues,
) -> Vectors:
    """The features of a batch of which only some columns are not as they were."""
    anew = {name: column_stats(column) for name, column in changed.items()}
    marks = {name: _marks(changed.get(name, column)) for name, column in columns.items()}
    batch = Fingerprint(known.rows, {**known.columns, **anew}, fingerprint(marks).nulls)
    ours = {**clean.ours, **of_table(batch, memory)}
    for name, each in anew.items():
        ours |= of_column(name, each, memory.columns.get(name, SeenColumn()))
    return Vectors(ours, {**clean.papers, **statistics(Fingerprint(known.rows, anew))})


def _marks(column: Column) -> Column:
    """Null where the column is, and else all the same."""
    if column_kind(column) == "numeric":
        return np.where(np.isnan(column), np.nan, 0.0)
    return np.array([np.nan if each is None else 0.0 for each in column], np.float64)


def judged(days: Sequence[Day], method: Method) -> Result:
    """What a method says of every batch from the ninth on, and of its trials."""
    history = [method.of(day.clean) for day in days]
    alarms: dict[int, bool] = {}
    trials: list[tuple[Label, int, bool, bool]] = []
    for place in range(FIRST, len(days)):
        model = method.detector.learn(history[:place])
        assert not isinstance(model, NotEnough)
        alarms[place] = model.judge(history[place]).alarm
        for trial in days[place].trials:
            found = model.judge(method.of(trial.vectors))
            trials.append((trial.label, place, found.alarm, _named(found, trial.columns)))
    return Result(alarms, trials)


def _named(found: Novelty, columns: Collection[str]) -> bool:
    """A combination of nulls is of its columns."""
    first = found.reasons[0].feature
    return first.column in columns or (first.column is None and first.metric.endswith("nulls"))
