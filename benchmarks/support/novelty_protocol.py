"""The protocol of novelty-edbt21, section 5.1.

Every batch is judged by the batches before it: once as it is, and once for each injected error. The
statistics come from a source (`benchmarks.support.statistics_source`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column
from assay.learn.novelty import batch_features
from assay.learn.novelty.bands import Bands
from assay.learn.novelty.batch_features import column_features, table_features
from assay.learn.novelty.features import Features
from assay.learn.novelty.novelty_result import Detector, Novelty
from assay.learn.novelty.outlier_detector import OutlierDetector
from assay.learn.novelty.paper_features import compute_paper_features
from assay.learn.novelty.seen_values import SeenColumn, SeenValues
from benchmarks.support.corruption import Columns
from benchmarks.support.statistics_source import ON_ROWS, StatisticsSource, Table

__all__ = [
    "ASSAY",
    "FIRST_JUDGED",
    "PAPER",
    "BatchTrials",
    "CorruptedBatch",
    "CorruptedTrial",
    "Errors",
    "Label",
    "Method",
    "Result",
    "Vectors",
    "compute_features",
    "inject_errors",
    "judge_batches",
]

#: batches before the first one that is judged
FIRST_JUDGED = 8
#: an error and its magnitude
Label = tuple[str, float]


@dataclass(frozen=True)
class Vectors:
    """The features of a batch: Assay's and the paper's."""

    assay: Features
    paper: Features

    @staticmethod
    def of(batch: Fingerprint, history: SeenValues) -> Vectors:
        """Compute both from a batch and the values of earlier batches."""
        return Vectors(
            batch_features.compute_features(batch, history), compute_paper_features(batch)
        )


#: yields the label and the changed columns of each error, for the place and the columns of a batch
Errors = Callable[[int, Columns], Iterator[tuple[Label, dict[str, Column]]]]


@dataclass(frozen=True)
class CorruptedBatch:
    """The place of a batch, its columns that are replaced, and those of them with an error."""

    place: int
    label: Label
    replaced: Columns
    wrong: frozenset[str]


@dataclass(frozen=True)
class CorruptedTrial:
    """The features of a batch with an error in some of its columns."""

    label: Label
    columns: frozenset[str]
    vectors: Vectors


@dataclass(frozen=True)
class BatchTrials:
    """A batch as it is, and with errors."""

    clean: Vectors
    trials: tuple[CorruptedTrial, ...]


@dataclass(frozen=True)
class Method:
    """A detector and the features that it gets."""

    name: str
    detector: Detector
    features: Callable[[Vectors], Features]


ASSAY = Method("Assay", Bands(), lambda vectors: vectors.assay)
PAPER = Method("the paper's", OutlierDetector(), lambda vectors: vectors.paper)


@dataclass(frozen=True)
class Result:
    """The outcome of one method."""

    #: by the place of a batch as it is, whether it raised an alarm
    alarms: Mapping[int, bool]
    #: label and place of each batch with an error, whether it raised an alarm, and whether the
    #: first reason names a column with the error
    trials: Sequence[tuple[Label, int, bool, bool]]

    def false_alarm_rate(
        self, start: int, end: int | None = None, excluded: Collection[int] = ()
    ) -> float:
        """Return the share of false alarms among the batches from `start` to before `end`."""
        alarms = [
            alarm
            for place, alarm in self.alarms.items()
            if place >= start and (end is None or place < end) and place not in excluded
        ]
        return float(np.mean(alarms)) if alarms else 0.0

    def recall(
        self,
        error: str | None = None,
        magnitude: float | None = None,
        span: tuple[int, int] | None = None,
    ) -> float:
        """Return the share of errors that raised an alarm.

        Parameters
        ----------
        error, magnitude
            Count only this error or this magnitude.
        span
            Count only batches from the first place to before the second.
        """
        alarms = [
            alarm
            for (name, share), place, alarm, _ in self.trials
            if (error is None or name == error)
            and (magnitude is None or share == magnitude)
            and (span is None or span[0] <= place < span[1])
        ]
        return float(np.mean(alarms)) if alarms else float("nan")

    def auc(
        self,
        error: str | None = None,
        magnitude: float | None = None,
        span: tuple[int, int] | None = None,
    ) -> float:
        """Return the AUC of the two labels: the mean of the recall and the share accepted.

        The share accepted is that of all batches in the span as they are.
        """
        start, end = span or (FIRST_JUDGED, None)
        accepted = 1 - self.false_alarm_rate(start, end)
        return (self.recall(error, magnitude, span) + accepted) / 2

    @property
    def named(self) -> float:
        """The share of alarms whose first reason names a column with the error."""
        return float(np.mean([right for _, _, alarm, right in self.trials if alarm]))


def inject_errors(batches: Sequence[Columns], errors: Errors) -> list[CorruptedBatch]:
    """Inject errors into all batches from the ninth on."""
    return [
        CorruptedBatch(place, label, changed, frozenset(changed))
        for place, columns in enumerate(batches)
        for label, changed in (errors(place, columns) if place >= FIRST_JUDGED else ())
    ]


def compute_features(
    batches: Sequence[Columns],
    corrupted: Sequence[CorruptedBatch],
    statistics: StatisticsSource = ON_ROWS,
) -> list[BatchTrials]:
    """Compute the features of all batches, as they are and with errors.

    Their statistics are measured together. For a batch with an error, only those of the changed
    columns and the combinations of nulls are computed again.
    """
    tables = [
        *(Table(columns) for columns in batches),
        *(
            Table({**batches[error.place], **error.replaced}, frozenset(error.replaced))
            for error in corrupted
        ),
    ]
    fingerprints = statistics.tables(tables)
    trials_by_place: dict[int, list[tuple[CorruptedBatch, Fingerprint]]] = defaultdict(list)
    for error, changed in zip(corrupted, fingerprints[len(batches) :], strict=True):
        trials_by_place[error.place].append((error, changed))
    history, results = SeenValues(), []
    for place, batch in enumerate(fingerprints[: len(batches)]):
        clean = Vectors.of(batch, history)
        trials = [
            CorruptedTrial(
                error.label,
                error.wrong,
                _update_features(batch, clean, changed, history),
            )
            for error, changed in trials_by_place[place]
        ]
        results.append(BatchTrials(clean, tuple(trials)))
        history = history.add(batch)
    return results


def _update_features(
    batch: Fingerprint, clean: Vectors, changed: Fingerprint, history: SeenValues
) -> Vectors:
    """Compute the features of a batch again for the changed columns only."""
    corrupted = replace(changed, columns={**batch.columns, **changed.columns})
    assay = {**clean.assay, **table_features(corrupted, history)}
    for name, stats in changed.columns.items():
        assay |= column_features(name, stats, history.columns.get(name, SeenColumn()))
    return Vectors(assay, {**clean.paper, **compute_paper_features(changed)})


def judge_batches(batches: Sequence[BatchTrials], method: Method) -> Result:
    """Judge every batch from the ninth on, and its trials, by the batches before it."""
    history = [method.features(batch.clean) for batch in batches]
    alarms: dict[int, bool] = {}
    trials: list[tuple[Label, int, bool, bool]] = []
    for place in range(FIRST_JUDGED, len(batches)):
        model = method.detector.learn(history[:place])
        assert not isinstance(model, NotEnough)
        alarms[place] = model.judge(history[place]).alarm
        for trial in batches[place].trials:
            novelty = model.judge(method.features(trial.vectors))
            named = _names_column(novelty, trial.columns)
            trials.append((trial.label, place, novelty.alarm, named))
    return Result(alarms, trials)


def _names_column(novelty: Novelty, columns: Collection[str]) -> bool:
    """Return whether the first reason is one of the columns or a combination of nulls."""
    first = novelty.reasons[0].feature
    return first.column in columns or (first.column is None and first.metric.endswith("nulls"))
