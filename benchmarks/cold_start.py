"""Judge the first batches of data sets, with and without errors, at many starts.

    python -m benchmarks.cold_start [--quick] [--check] [DATASET ...]

A gate without a history gets seven consecutive batches of a data set. This is repeated from several
starts of each set. The first table counts, of the second to the seventh batch as they are, how many
were warned of or held per 100. Incidents that the README of the set lists do not count.

Gross errors are injected into the second, the fourth and the seventh batch, one at a time. The
batch must raise no alarm as it is. The second table shows how many of them

- raised an *alarm*: a warning, or a hold of a judge that needs no history;
- had the *right first cause*: the first problem names the error and, for errors in columns, one of
  the changed columns.

Statistics come from all rows, not from sketches (`benchmarks.support.batches_of_rows`).

Data: nine recurring data sets. The tolerances of `assay.gate.judges.provisional` were chosen on
five of them. ``jhu_global_daily``, ``ourairports_regions``, ``ca_fires`` and ``fbposts`` were
**kept out** of this work, and have a line of their own.
Time on 2 cores: about 3 minutes; half a minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import math
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from assay import Gate, MemoryStore, Verdict
from assay.gate.backtest import replay
from assay.gate.context import BatchContext
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import judge_measured
from assay.store.verdict import Decision
from benchmarks.support.batches_of_rows import BatchOfRows, KeyedRows, read_rows
from benchmarks.support.command import add_real_data_option, benchmark_parser, run_benchmark
from benchmarks.support.corruption import Columns
from benchmarks.support.goals import Goal
from benchmarks.support.held_batches import kind_of
from benchmarks.support.injected import KINDS, ErrorKind, InjectedError, inject
from benchmarks.support.output import create_table, percent
from benchmarks.support.recurring import CASES, Case

__all__ = ["KEPT_OUT", "Trial"]

#: data sets on which no tolerance was chosen
KEPT_OUT = frozenset(("jhu_global_daily", "ourairports_regions", "ca_fires", "fbposts"))
_BATCHES = 7
#: places of the batches with errors: the second, the fourth and the seventh batch
_PLACES = (1, 3, 6)
_STARTS = 10
#: with --quick: data sets, their batches, and starts
_QUICK = ("nycflights13_daily", "covid_tracking_states", "ca_fires")
_QUICK_BATCHES, _QUICK_STARTS = 40, 4

_GROSS = ("20 % null", "100 % null", "times 1000", "columns swapped", "case", "half of the rows",
          "all rows twice", "5 % garbage", "date format")  # fmt: skip
_TEN_TIMES = ErrorKind("ten times the rows", frozenset(("rows_repeated", "row_count")), True)
_TENTH = ErrorKind("a tenth of the rows", frozenset(("rows_missing", "row_count")), True)
_KINDS = (*(kind for kind in KINDS if kind.name in _GROSS), _TEN_TIMES, _TENTH)
_MAX_WARNINGS, _MIN_ALARMED = 3.0, 0.8


@dataclass(frozen=True)
class Trial:
    """The decision on one of the first batches with an error."""

    dataset: str
    kind: str
    place: int
    decision: Decision
    right: bool
    cause: str


@dataclass
class Outcome:
    """The results of one data set."""

    case: Case
    trials: list[Trial] = field(default_factory=list)
    #: verdicts on the second to the seventh batch of each start, without listed incidents
    verdicts: list[Verdict] = field(default_factory=list)

    def per_100(self, *decisions: Decision) -> float:
        """Return how many of 100 good batches got one of these decisions."""
        alarms = sum(verdict.decision in decisions for verdict in self.verdicts)
        return 100 * alarms / len(self.verdicts) if self.verdicts else math.nan


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("cold_start", __doc__, quick="the start of three data sets")
    add_real_data_option(parser, "recurring")
    parser.add_argument("--list", action="store_true", help="list the alarms of good batches")
    parser.add_argument("datasets", nargs="*", help="use only these data sets")
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Judge the first batches of the chosen data sets."""
    names = options.datasets or (_QUICK if options.quick else [case.name for case in CASES])
    outcomes = []
    for case in CASES:
        if case.name not in names:
            continue
        batches = read_rows(options.data, case, first=_QUICK_BATCHES if options.quick else None)
        outcome = judge(case, batches, _QUICK_STARTS if options.quick else _STARTS)
        outcomes.append(outcome)
        out.print(f"{case.name}: {len(outcome.trials)} errors", highlight=False)
        if options.list:
            _print_alarms(out, outcome)
    out.print(_table_of_good_batches(outcomes))
    trials = [trial for outcome in outcomes for trial in outcome.trials]
    out.print(_table_of_errors(trials))
    return _goals(outcomes)


def judge(case: Case, batches: Sequence[KeyedRows], n_starts: int) -> Outcome:
    """Replay the first batches from several starts, and judge some of them with errors."""
    outcome = Outcome(case)
    last_start = max(1, len(batches) - _BATCHES + 1)
    for start in sorted({int(place) for place in np.linspace(0, last_start - 1, n_starts)}):
        _judge_start(outcome, batches[start : start + _BATCHES], start)
    return outcome


def _judge_start(outcome: Outcome, batches: Sequence[KeyedRows], start: int) -> None:
    name = outcome.case.name
    places = {batch.key: place for place, batch in enumerate(batches)}

    def inspect(context: BatchContext, measured: MeasuredBatch) -> None:
        assert isinstance(measured, BatchOfRows)
        place = places[measured.batch.key]
        if place not in _PLACES or judge_measured(context, measured).problems:
            return
        earlier = [batch.columns for batch in batches[:place]]
        seed = f"{name} {start} {place}"
        for error in _errors(batches[place].columns, earlier, seed):
            verdict = judge_measured(context, measured.with_columns(error.columns))
            cause = verdict.problems[0].cause_code if verdict.problems else ""
            right = error.is_first_cause(verdict)
            outcome.trials.append(
                Trial(name, error.kind.name, place, verdict.decision, right, cause)
            )

    measured = [
        BatchOfRows.of(name, batch.key, place, batch.columns) for place, batch in enumerate(batches)
    ]
    verdicts = replay(Gate(name, MemoryStore()).spec, measured, lambda _: True, inspect=inspect)
    outcome.verdicts += [
        verdict
        for verdict in list(verdicts)[1:]
        if not _is_incident(outcome.case, verdict.batch.key)
    ]


def _errors(batch: Columns, earlier: Sequence[Columns], seed: str) -> Iterator[InjectedError]:
    for kind in _KINDS:
        rng = np.random.default_rng(zlib.crc32(f"{seed} {kind.name}".encode()))
        if kind is _TEN_TIMES:
            yield _with_rows(kind, batch, lambda rows: np.tile(np.arange(rows), 10))
        elif kind is _TENTH:
            yield _with_rows(kind, batch, lambda rows: np.arange(max(1, rows // 10)))
        else:
            error = inject(kind.name, batch, earlier, rng)
            if error is not None:
                yield error


def _with_rows(
    kind: ErrorKind, batch: Columns, choose: Callable[[int], NDArray[np.int64]]
) -> InjectedError:
    chosen = choose(len(next(iter(batch.values()))))
    changed = {name: column[chosen] for name, column in batch.items()}
    return InjectedError(kind, changed, frozenset(batch))


def _is_incident(case: Case, key: str) -> bool:
    is_listed = any(key.startswith(beginning) for beginning in case.incidents)
    return is_listed or kind_of(case.name, key) != "false"


def _print_alarms(out: Console, outcome: Outcome) -> None:
    for verdict in outcome.verdicts:
        for problem in verdict.problems:
            judges = ", ".join(sorted({finding.judge for finding in problem.findings}))
            out.print(
                f"  {verdict.batch.key} after {verdict.n_history}: {problem.level.value}"
                f" [{judges}] {problem.cause_code} {problem}",
                highlight=False, markup=False, soft_wrap=True,
            )  # fmt: skip


def _groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    return {
        "used in development": [o for o in outcomes if o.case.name not in KEPT_OUT],
        "kept out": [o for o in outcomes if o.case.name in KEPT_OUT],
    }


def _table_of_good_batches(outcomes: Sequence[Outcome]) -> Table:
    headings = ("batches", "holds", "warnings")
    table = create_table("per 100 good batches, the second to the seventh", "data set", headings)
    for outcome in outcomes:
        table.add_row(outcome.case.name, *_counts([outcome]))
    table.add_section()
    for name, group in _groups(outcomes).items():
        if group:
            table.add_row(name, *_counts(group))
    return table


def _counts(outcomes: Sequence[Outcome]) -> tuple[str, str, str]:
    total = Outcome(outcomes[0].case, verdicts=[v for o in outcomes for v in o.verdicts])
    holds, warnings = (total.per_100(decision) for decision in (Decision.HOLD, Decision.WARN))
    return f"{len(total.verdicts)}", f"{holds:.1f}", f"{warnings:.1f}"


def _table_of_errors(trials: Sequence[Trial]) -> Table:
    headings = ("errors", *(f"alarms\nbatch {p + 1}" for p in _PLACES), "alarms",
                "right\nfirst cause", "first causes")  # fmt: skip
    table = create_table("gross errors in the first batches", "error", headings)
    for kind in _KINDS:
        _add_row(table, kind.name, [trial for trial in trials if trial.kind == kind.name])
    table.add_section()
    _add_row(table, "used in development", [t for t in trials if t.dataset not in KEPT_OUT])
    _add_row(table, "kept out", [t for t in trials if t.dataset in KEPT_OUT])
    return table


def _add_row(table: Table, name: str, trials: Sequence[Trial]) -> None:
    if not trials:
        return
    by_place = ([trial for trial in trials if trial.place == place] for place in _PLACES)
    right = float(np.mean([trial.right for trial in trials]))
    causes = Counter(trial.cause for trial in trials if trial.cause)
    named = ", ".join(f"{cause} {count}" for cause, count in causes.most_common(3))
    shares = (*map(_alarmed, by_place), _alarmed(trials), right)
    table.add_row(name, f"{len(trials)}", *map(percent, shares), named)


def _alarmed(trials: Sequence[Trial]) -> float:
    alarms = [trial.decision is not Decision.ACCEPT for trial in trials]
    return float(np.mean(alarms)) if alarms else math.nan


def _goals(outcomes: Sequence[Outcome]) -> list[Goal]:
    goals = []
    for name, group in _groups(outcomes).items():
        verdicts = [verdict for outcome in group for verdict in outcome.verdicts]
        trials = [trial for outcome in group for trial in outcome.trials]
        if verdicts:
            alarms = sum(verdict.decision is not Decision.ACCEPT for verdict in verdicts)
            actual = 100 * alarms / len(verdicts)
            goals.append(Goal(name=f"alarms per 100, {name}", actual=actual, at_most=_MAX_WARNINGS))
        if trials:
            actual = _alarmed(trials)
            goals.append(Goal(name=f"errors alarmed, {name}", actual=actual, at_least=_MIN_ALARMED))
    return goals


if __name__ == "__main__":
    sys.exit(main())
