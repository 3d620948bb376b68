"""Inject errors into good batches, and count how often the first cause of the alarm is right.

    python -m benchmarks.causes [--quick] [--check] [DATASET ...]

Each kind of error is injected into some batches of each recurring data set, one at a time. The gate
judges the batch with the error by the 60 batches before it. The first table shows for each kind

- the number of *errors*, and how many of them raised an *alarm*;
- how often the first problem names the error and one of its columns: of the *alarms*, and of *all*
  errors.

The second table is the confusion of causes: for each kind, the causes of the first problems. A
cause in another column than that of the error is marked with ``elsewhere``.

Batches that raise an alarm without an error are left out, because this alarm has another cause.
Statistics come from all rows, not from sketches (`benchmarks.support.batches_of_rows`).

Data: nine recurring data sets. The rules of `assay.gate.causes` were improved on seven of them.
``covid_tracking_states`` and ``ca_fires`` were **kept out** of this work, and have a line of their
own. The limits and the bands that raise the alarms were developed on all nine.
Time on 2 cores: about 4 minutes; 20 seconds with ``--quick``.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from rich.console import Console
from rich.table import Table

from assay import Gate, MemoryStore
from assay.gate.context import BatchContext, learn_limits
from assay.gate.history import GateHistory
from assay.gate.submit import judge_measured
from assay.learn.limits.metric_history import MetricHistory
from assay.store.verdict import Decision
from benchmarks.support.batches_of_rows import BatchOfRows, KeyedRows, read_rows
from benchmarks.support.command import add_real_data_option, benchmark_parser, run_benchmark
from benchmarks.support.goals import Goal
from benchmarks.support.injected import ALL_KINDS, InjectedError, inject
from benchmarks.support.output import create_table, percent
from benchmarks.support.recurring import CASES, Case

__all__ = ["KEPT_OUT", "Trial", "contexts", "errors"]

#: data sets on which no rule of a cause was improved
KEPT_OUT = frozenset(("covid_tracking_states", "ca_fires"))
#: batches before each batch with an error
_HISTORY = 60
_FIRST = 30
#: batches of each data set into which errors are injected
_PLACES = 5
#: with --quick: data sets, their batches, and batches with errors
_QUICK = ("nycflights13_daily", "online_retail_by_day", "jhu_us_daily", "covid_tracking_states")
_QUICK_BATCHES, _QUICK_PLACES = 60, 2
#: batches that earlier versions of a batch come from
_EARLIER = 7
#: first causes of each kind that the table of confusions shows
_MAX_CAUSES = 4
_MIN_RIGHT = 0.9


@dataclass(frozen=True)
class Trial:
    """The first cause of a batch with an error; `cause` is None without an alarm."""

    dataset: str
    kind: str
    cause: str | None
    right: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("causes", __doc__, quick="the start of four data sets")
    add_real_data_option(parser, "recurring")
    parser.add_argument("datasets", nargs="*", help="use only these data sets")
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Inject errors into the chosen data sets."""
    names = options.datasets or (_QUICK if options.quick else [case.name for case in CASES])
    trials: list[Trial] = []
    for case in CASES:
        if case.name in names:
            batches = read_rows(options.data, case, first=_QUICK_BATCHES if options.quick else None)
            n_places = _QUICK_PLACES if options.quick else _PLACES
            of_case = list(_try_errors(case, batches, n_places))
            out.print(f"{case.name}: {len(of_case)} errors", highlight=False)
            trials += of_case
    out.print(_table_of_kinds(trials))
    out.print(_table_of_confusions(trials))
    return _goals(trials)


def contexts(
    case: Case, batches: Sequence[KeyedRows], n_places: int
) -> Iterator[tuple[int, BatchContext]]:
    """Return the places of some batches, each with the history before it."""
    spec = Gate(case.name, MemoryStore()).spec
    step = max(1, (len(batches) - _FIRST) // n_places)
    for place in range(_FIRST, len(batches), step)[:n_places]:
        history = GateHistory(MetricHistory(case.name))
        for before in range(max(0, place - _HISTORY), place):
            batch = BatchOfRows.of(case.name, batches[before].key, before, batches[before].columns)
            history = history.plus(batch.batch, batch.fingerprint, batch.schema)
            history = history.after(batch.batch, batch.schema, accepted=True)
        # the limits are learned once for all errors of a batch
        limits = cache(partial(learn_limits, history, spec.budget, spec.settings))
        yield (
            place,
            BatchContext(settings=spec.settings, budget=spec.budget, history=history, learn=limits),
        )


def errors(case: Case, batches: Sequence[KeyedRows], place: int) -> Iterator[InjectedError]:
    """Return the batch with each kind of error that it can have."""
    earlier = [batch.columns for batch in batches[max(0, place - _EARLIER) : place]]
    for kind in ALL_KINDS:
        # a kind that is added later leaves the others as they are
        seed = zlib.crc32(f"{case.name} {place} {kind.name}".encode())
        error = inject(kind.name, batches[place].columns, earlier, np.random.default_rng(seed))
        if error is not None:
            yield error


def _try_errors(case: Case, batches: Sequence[KeyedRows], n_places: int) -> Iterator[Trial]:
    for place, context in contexts(case, batches, n_places):
        batch = BatchOfRows.of(case.name, batches[place].key, place, batches[place].columns)
        if judge_measured(context, batch).decision is not Decision.ACCEPT:
            continue
        for error in errors(case, batches, place):
            verdict = judge_measured(context, batch.with_columns(error.columns))
            cause = None
            if verdict.problems:
                first = verdict.problems[0]
                is_near = not first.columns or error.targets & set(first.columns)
                cause = first.cause_code if is_near else f"{first.cause_code} elsewhere"
            yield Trial(case.name, error.kind.name, cause, error.is_first_cause(verdict))


def _shares(trials: Sequence[Trial]) -> tuple[str, str, str, str]:
    """Return the number of errors, the share with an alarm, and the shares with a right cause."""
    alarmed = [trial.right for trial in trials if trial.cause is not None]
    right = float(np.mean(alarmed)) if alarmed else float("nan")
    n_errors = len(trials)
    return (
        f"{n_errors}",
        percent(len(alarmed) / n_errors),
        percent(right),
        percent(sum(alarmed) / n_errors),
    )


def _table_of_kinds(trials: Sequence[Trial]) -> Table:
    headings = ("errors", "alarms", "first cause right,\nof alarms", "of all")
    table = create_table("first causes of errors in good batches", "error", headings)
    for kind in ALL_KINDS:
        chosen = [trial for trial in trials if trial.kind == kind.name]
        if chosen:
            table.add_row(kind.name, *_shares(chosen))
    table.add_section()
    kept_out = [trial for trial in trials if trial.dataset in KEPT_OUT]
    developed = [trial for trial in trials if trial.dataset not in KEPT_OUT]
    groups: dict[str, Sequence[Trial]] = {
        "used in development": developed,
        "kept out": kept_out,
        "all": trials,
    }
    for name, group in groups.items():
        if group:
            table.add_row(name, *_shares(group))
    return table


def _table_of_confusions(trials: Sequence[Trial]) -> Table:
    table = create_table("first causes by kind of error", "error")
    table.add_column("first causes")
    for kind in ALL_KINDS:
        causes = Counter(
            trial.cause for trial in trials if trial.kind == kind.name and trial.cause is not None
        )
        named = [f"{cause} {count}" for cause, count in causes.most_common(_MAX_CAUSES)]
        n_others = causes.total() - sum(count for _, count in causes.most_common(_MAX_CAUSES))
        if n_others:
            named.append(f"others {n_others}")
        if named:
            table.add_row(kind.name, ", ".join(named))
    return table


def _goals(trials: Sequence[Trial]) -> list[Goal]:
    goals = []
    for name, chosen in (
        ("right first cause", trials),
        ("right first cause, data kept out", [t for t in trials if t.dataset in KEPT_OUT]),
    ):
        right = [trial.right for trial in chosen if trial.cause is not None]
        if right:
            goals.append(Goal(name=name, actual=float(np.mean(right)), at_least=_MIN_RIGHT))
    return goals


if __name__ == "__main__":
    sys.exit(main())
