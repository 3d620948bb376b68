"""Inject errors into the batches of recurring data sets, and count what the gate decides.

    python -m benchmarks.judgement [--quick] [--check] [DATASET ...]

Every data set is replayed in order. Held batches are released. After the 30th batch, each kind of
error is injected into some of the batches, one at a time. The gate judges the batch with the error
by the batches before it. The table shows, for each kind, the shares of errors that

- *held* the batch;
- *held or warned*;
- had the *right first cause*: the first problem names the error and, for errors in columns, one of
  the changed columns.

Two simple methods judge the same batches. *3 sigma* alarms if a number is more
than three standard deviations from its mean. The numbers are the row count, and the mean, the mean
length and the completeness of each column.
*KS or χ²* compares each column with the batch before (p < .001, divided by the number of columns).

The second table counts holds and warnings of the batches as they are, per 100 batches after the
30th. Incidents and disturbed days that the README of the set lists do not count, nor do the errors
and changes of `benchmarks.support.held_batches`.

Statistics come from all rows, not from sketches (`benchmarks.support.batches_of_rows`).

Data: nine recurring data sets. **All were used in development**: limits, causes and this benchmark
were improved on them. The figures are not a test on unseen data.
Time on 2 cores: about 40 minutes; half a minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import math
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from assay import Gate, MemoryStore
from assay.gate.backtest import replay
from assay.gate.context import BatchContext
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import judge_measured
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.from_rows import column_kind, is_null
from assay.learn.limits.column_limits import series
from assay.store.verdict import Decision
from benchmarks.support.batches_of_rows import BatchOfRows, KeyedRows, read_rows
from benchmarks.support.command import add_real_data_option, benchmark_parser, run_benchmark
from benchmarks.support.corruption import Columns
from benchmarks.support.goals import Goal
from benchmarks.support.held_batches import kind_of
from benchmarks.support.injected import KINDS, InjectedError, inject
from benchmarks.support.output import create_table, percent
from benchmarks.support.recurring import CASES, Case

#: batches before the first one that is judged
_FIRST = 30
#: batches of each data set into which errors are injected
_PLACES = 12
#: with --quick: data sets, their batches, and batches with errors
_QUICK = ("nycflights13_daily", "online_retail_by_day")
_QUICK_BATCHES, _QUICK_PLACES = 60, 5
_SIGMAS = 3.0
_MAX_P_VALUE = 0.001

_MIN_RIGHT, _MIN_ALARMED = 0.9, 0.95
_MAX_FALSE_HOLDS, _MAX_WARNINGS = 0.5, 3.0
#: errors that must raise an alarm nearly always
_MUST_ALARM = ("20 % null", "100 % null", "columns swapped", "half of the rows",
               "all rows twice", "20 % of rows twice", "old batch")  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """The decisions on one batch with an error."""

    kind: str
    decision: Decision
    right: bool
    three_sigma: bool
    two_sample: bool


@dataclass
class Outcome:
    """The results of one data set."""

    case: Case
    trials: list[Trial] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    #: alarms of the two simple methods on the batches as they are
    simple_alarms: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def per_100(self, decision: Decision) -> float:
        """Return how many of 100 good batches got this decision."""
        counted = len(self.decisions)
        return 100 * self.decisions.count(decision) / counted if counted else math.nan


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("judgement", __doc__, quick="the start of two data sets")
    add_real_data_option(parser, "recurring")
    parser.add_argument("datasets", nargs="*", help="use only these data sets")
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Replay the chosen data sets."""
    names = options.datasets or (_QUICK if options.quick else [case.name for case in CASES])
    outcomes = []
    for case in CASES:
        if case.name in names:
            batches = read_rows(options.data, case, first=_QUICK_BATCHES if options.quick else None)
            outcomes.append(judge(case, batches, _QUICK_PLACES if options.quick else _PLACES))
            out.print(f"{case.name}: {len(batches)} batches", highlight=False)
    out.print("These data sets were used in development: this is not a test on unseen data.")
    trials = [trial for outcome in outcomes for trial in outcome.trials]
    out.print(_table_of_errors(trials))
    out.print(_table_of_good_batches(outcomes))
    return _goals(trials, outcomes)


def judge(case: Case, batches: Sequence[KeyedRows], n_places: int) -> Outcome:
    """Replay a data set, and judge some of its batches with errors."""
    outcome = Outcome(case)
    places = {batch.key: place for place, batch in enumerate(batches)}
    step = max(1, (len(batches) - _FIRST) // n_places)
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))

    def inspect(context: BatchContext, measured: MeasuredBatch) -> None:
        assert isinstance(measured, BatchOfRows)
        place = places[measured.batch.key]
        if place < _FIRST or _is_incident(case, measured.batch.key):
            return
        before = [batch.columns for batch in batches[max(0, place - 7) : place]]
        for name, alarm in _simple_alarms(context, batches[place].columns, before[-1]).items():
            outcome.simple_alarms[name] += alarm
        if (place - _FIRST) % step:
            return
        for kind in KINDS:
            error = inject(kind.name, batches[place].columns, before, rng)
            if error is not None:
                outcome.trials.append(_try(context, measured, error, before[-1]))

    measured = [
        BatchOfRows.of(case.name, batch.key, place, batch.columns)
        for place, batch in enumerate(batches)
    ]
    gate = Gate(case.name, MemoryStore())
    verdicts = replay(gate.spec, measured, lambda _: True, inspect=inspect)
    outcome.decisions = [
        verdict.decision
        for verdict in list(verdicts)[_FIRST:]
        if not _is_incident(case, verdict.batch.key)
    ]
    return outcome


def _is_incident(case: Case, key: str) -> bool:
    is_listed = key.startswith((*case.incidents, *case.disturbed, "-"))
    return is_listed or kind_of(case.name, key) != "false"


def _try(
    context: BatchContext, measured: BatchOfRows, error: InjectedError, before: Columns
) -> Trial:
    changed = measured.with_columns(error.columns)
    verdict = judge_measured(context, changed)
    simple = _simple_alarms(context, error.columns, before)
    return Trial(
        error.kind.name,
        verdict.decision,
        error.is_first_cause(verdict),
        simple["3 sigma"],
        simple["KS or χ²"],
    )


def _simple_alarms(context: BatchContext, batch: Columns, before: Columns) -> dict[str, bool]:
    return {"3 sigma": _three_sigma(context, batch), "KS or χ²": _two_sample(batch, before)}


def _three_sigma(context: BatchContext, batch: Columns) -> bool:
    history = context.history.metrics
    for name, column in batch.items():
        earlier_values = history.of(name)
        present = column[~is_null(column)]
        values: dict[str, float] = {
            metrics.ROW_COUNT: len(column),
            metrics.COMPLETENESS: len(present) / len(column) if len(column) else math.nan,
        }
        if len(present) and column_kind(column) == "numeric":
            values[metrics.MEAN] = float(present.mean())
        elif len(present):
            values[metrics.MEAN_LENGTH] = float(np.mean([len(value) for value in present]))
        for metric, value in values.items():
            earlier = series(earlier_values, metric)
            earlier = earlier[np.isfinite(earlier)]
            if len(earlier) < 2:
                continue
            room = _SIGMAS * earlier.std(ddof=1) + 1e-9 * abs(earlier.mean())
            if abs(value - earlier.mean()) > room:
                return True
    return False


def _two_sample(batch: Columns, before: Columns) -> bool:
    stats: Any = import_module("scipy.stats")
    limit = _MAX_P_VALUE / max(1, len(batch))
    for name, column in batch.items():
        if name not in before or column_kind(before[name]) != column_kind(column):
            continue
        this, last = (values[~is_null(values)] for values in (column, before[name]))
        if not len(this) or not len(last):
            continue
        if column_kind(column) == "numeric":
            p = stats.ks_2samp(this, last, method="asymp").pvalue
        else:
            values, at = np.unique(np.concatenate((this, last)).astype(str), return_inverse=True)
            if len(values) < 2:
                continue
            counts = [
                np.bincount(part, minlength=len(values)) for part in np.split(at, [len(this)])
            ]
            p = stats.chi2_contingency(counts).pvalue
        if p < limit:
            return True
    return False


def _table_of_errors(trials: Sequence[Trial]) -> Table:
    headings = ("errors", "held", "held or\nwarned", "right\nfirst cause", "3 sigma", "KS or χ²")
    table = create_table("errors injected into good batches", "error", headings)
    for name in (*(kind.name for kind in KINDS), "all"):
        chosen = [trial for trial in trials if name in (trial.kind, "all")]
        if chosen:
            table.add_row(name, f"{len(chosen)}", *map(percent, _shares(chosen)))
    return table


def _shares(trials: Sequence[Trial]) -> list[float]:
    flags = [
        (
            trial.decision is Decision.HOLD,
            trial.decision is not Decision.ACCEPT,
            trial.right,
            trial.three_sigma,
            trial.two_sample,
        )
        for trial in trials
    ]
    return [float(share) for share in np.mean(flags, axis=0)]


def _table_of_good_batches(outcomes: Sequence[Outcome]) -> Table:
    headings = ("batches", "holds", "warnings", "3 sigma", "KS or χ²")
    table = create_table("per 100 good batches after the 30th", "data set", headings)
    for outcome in outcomes:
        counted = max(1, len(outcome.decisions))
        table.add_row(
            outcome.case.name,
            f"{len(outcome.decisions)}",
            f"{outcome.per_100(Decision.HOLD):.1f}",
            f"{outcome.per_100(Decision.WARN):.1f}",
            *(f"{100 * outcome.simple_alarms[n] / counted:.1f}" for n in ("3 sigma", "KS or χ²")),
        )
    return table


def _goals(trials: Sequence[Trial], outcomes: Sequence[Outcome]) -> list[Goal]:
    goals = []
    if trials:
        goals.append(Goal(name="right first cause", actual=_shares(trials)[2], at_least=_MIN_RIGHT))
    for name in _MUST_ALARM:
        chosen = [trial for trial in trials if trial.kind == name]
        if chosen:
            actual = _shares(chosen)[1]
            goals.append(Goal(name=f"{name}: alarms", actual=actual, at_least=_MIN_ALARMED))
    decisions = [decision for outcome in outcomes for decision in outcome.decisions]
    if decisions:
        for decision, at_most in (
            (Decision.HOLD, _MAX_FALSE_HOLDS),
            (Decision.WARN, _MAX_WARNINGS),
        ):
            actual = 100 * decisions.count(decision) / len(decisions)
            name = f"good batches: {decision.value} per 100"
            goals.append(Goal(name=name, actual=actual, at_most=at_most))
    return goals


if __name__ == "__main__":
    sys.exit(main())
