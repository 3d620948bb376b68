"""Measure the false alarms and the recall of limits learned from history, against nine detectors.

    python -m benchmarks.history [--only SECTION ...] [--trials N] [--sketches] [--alarms]
                                 [--quick] [--check]

It repeats the experiments of Auto-Validate-by-History (avh-kdd23, section 5, appendices J and K) on
recurring data sets. An alarm on the batch that came next is a false alarm. The same batch with an
injected fault, or with a similar column swapped in, should raise an alarm
(`benchmarks.support.history_protocol`). The paper's figures are shown where its text states them.

The sections are `quality` (Figures 2 and 3), `faults` (5), `length` (6), `delta` (7), `distances`
(8), `limits` (9), `stationary` (10), `latency` (4) and `learning`.

Goals, on nycflights13_daily, of the settings *strict* and *sensitive*:

- false alarms: at most 1 % and 4 %;
- recall of faults in numeric columns: at least 75 % and 88 %;
- recall of faults in string columns: at least 80 % and 96 %.

The latency of a column of 100,000 rows is at most 150 ms CPU, without its statistics. Learning the
limits of 500 columns takes at most 45 CPU seconds.

With ``--sketches``, the statistics come from states and sketches of Spark, as in a gate. The
batches of each column, with and without faults, are keyed batches of one DataFrame, measured in the
same few passes. As in a gate, the learner injects faults into columns that are simulated from the
statistics. The first table then compares the same trials on rows and through sketches. All other
tables and the goals are those of the sketches. The method *KS or χ²* always compares rows. The
sections `latency` and `learning` are left out by default. With ``--cache FOLDER``, batches are
measured once.

``--alarms`` lists every false alarm of Assay with its reason instead.

Data: six recurring data sets, all of which were used during development. Data sets that are absent
are left out.
Time on 2 cores: about 10 minutes; 1 minute with ``--quick``. ``--sketches`` takes about twice as
long.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

from rich.console import Console
from rich.table import Table

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnKind
from assay.learn.limits.column_limits import PAPER, ColumnLimits, Settings, learn
from assay.learn.limits.judge_limits import judge
from benchmarks.support import history_speed
from benchmarks.support.column_series import SOURCES, Series, series_of
from benchmarks.support.command import (
    add_real_data_option,
    add_sketches_option,
    benchmark_parser,
    run_benchmark,
)
from benchmarks.support.detectors import DETECTORS, Detector, Window, column_limits
from benchmarks.support.goals import Goal
from benchmarks.support.history_protocol import WINDOW_BATCHES, Trial, create_trials
from benchmarks.support.history_tally import (
    CELL_LEGEND,
    SWAPPED,
    Tallies,
    Tally,
    evaluate,
    total,
)
from benchmarks.support.output import create_table, percent
from benchmarks.support.statistics_source import ON_ROWS, StatisticsSource, statistics_of
from tools.real_data import RealDataMissingError, batch_paths

KINDS: tuple[ColumnKind, ...] = ("numeric", "categorical")
#: the data set that the goals apply to
GOAL_DATASET = "nycflights13_daily"
SETTINGS: Mapping[str, Settings] = {
    "strict": Settings(need=7),
    "sensitive": Settings(mode="sensitive", delta=0.04, need=7),
    "as in the paper": PAPER,
}
#: for each setting, the highest rate of false alarms, and the least recall by `KINDS`
GOALS = {"strict": (0.01, 0.75, 0.80), "sensitive": (0.04, 0.88, 0.96)}
#: trials of each data set, twice as many of the one with goals
_TRIALS, _QUICK_TRIALS = 150, 40
#: one trial in four also tries faults and swapped columns
_RECALL_STEP = 4
_SPEED = tuple(history_speed.SECTIONS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("history", __doc__, quick=f"few trials of {GOAL_DATASET}")
    add_real_data_option(parser, "recurring/")
    sections = [*REAL_DATA_SECTIONS, *_SPEED]
    parser.add_argument("--only", nargs="+", choices=sections, help="run only these sections")
    add_sketches_option(parser)
    parser.add_argument(
        "--trials",
        type=int,
        help=f"trials per data set (default: {_TRIALS}), twice as many of {GOAL_DATASET}",
    )
    parser.add_argument(
        "--alarms", action="store_true", help="list the false alarms of Assay instead"
    )
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Run the chosen sections."""
    sections = options.only or [*REAL_DATA_SECTIONS, *([] if options.sketches else _SPEED)]
    trials: list[Trial] = []
    goals: list[Goal] = []
    if options.alarms or any(section in REAL_DATA_SECTIONS for section in sections):
        trial_count = options.trials or (_QUICK_TRIALS if options.quick else _TRIALS)
        columns = read_series(options.data, out, quick=options.quick)
        with statistics_of(options) as statistics:
            trials = choose_trials(columns, trial_count, statistics)
        if options.sketches and trials:
            print_sources(choose_trials(columns, trial_count, ON_ROWS), trials, out)
    if options.alarms:
        print_alarms(trials, out)
        return []
    for section in sections:
        if section in history_speed.SECTIONS:
            goals += history_speed.SECTIONS[section](out, options.quick)
        elif trials:
            goals += REAL_DATA_SECTIONS[section](trials, out)
    return goals


def read_series(folder: Path, out: Console, *, quick: bool) -> dict[str, list[Series]]:
    """Read the columns of all data sets that exist; print which ones do not."""
    columns: dict[str, list[Series]] = {}
    for source in SOURCES:
        if quick and source.name != GOAL_DATASET:
            continue
        try:
            batch_paths(source.name, folder=folder)
        except RealDataMissingError as error:
            out.print(f"skipped {source.name}: {error}", highlight=False, soft_wrap=True)
            continue
        columns[source.name] = list(series_of(source, folder, WINDOW_BATCHES + 1))
    return columns


def choose_trials(
    columns: Mapping[str, Sequence[Series]], trial_count: int, statistics: StatisticsSource
) -> list[Trial]:
    """Create trials of all data sets, twice as many of the one with goals."""
    trials: list[Trial] = []
    for name, every_series in columns.items():
        batches = sum(len(series.keys) - WINDOW_BATCHES for series in every_series)
        max_trials = trial_count * (1 + (name == GOAL_DATASET))
        step = max(1, batches // max_trials)
        trials += create_trials(every_series, step, _RECALL_STEP, statistics)
    return trials


def print_quality(trials: Sequence[Trial], out: Console) -> list[Goal]:
    """Print false alarms and recall of all methods (Figures 2 and 3)."""
    tallies = {**evaluate(_assay(), trials), **evaluate(DETECTORS, _with_recall(trials))}
    others = sorted({trial.series.source for trial in trials} - {GOAL_DATASET})
    headings = ("precision", "false alarms", "faults", "swaps")
    for kind in KINDS:
        table = create_table(f"{kind} columns: precision, false alarms and recall", "method")
        for where in (GOAL_DATASET, "the other data sets"):
            for heading in headings:
                top = where if heading == headings[0] else ""
                table.add_column(f"{top}\n{heading}", justify="right")
        for method in (*SETTINGS, *DETECTORS):
            cells: list[str] = []
            for sources in ([GOAL_DATASET], others or ["none"]):
                tally = total(tallies, method, kind, *sources)
                cells += [
                    percent(tally.precision),
                    percent(tally.false_alarm_rate) if tally.clean else "-",
                    percent(tally.recall()),
                    percent(tally.recall(SWAPPED)),
                ]
            table.add_row(method, *cells)
        out.print(table)
    table = create_table(
        f"Assay by data set: {CELL_LEGEND}", "data set, columns", ("batches", *SETTINGS)
    )
    for source in (GOAL_DATASET, *others):
        for kind in KINDS:
            sums = [total(tallies, method, kind, source) for method in SETTINGS]
            cells = [tally.cell for tally in sums]
            table.add_row(f"{source}, {kind}", f"{sums[0].clean}", *cells)
    out.print(table)
    return [goal for name in GOALS for goal in _quality_goals(name, tallies)]


def _quality_goals(method: str, tallies: Tallies) -> list[Goal]:
    max_rate, *min_recalls = GOALS[method]
    both = sum((total(tallies, method, kind, GOAL_DATASET) for kind in KINDS), Tally())
    goals = [
        Goal(
            name=f"{method}: false alarms",
            actual=100 * both.false_alarm_rate,
            at_most=100 * max_rate,
            unit=" %",
        )
    ]
    for kind, min_recall in zip(KINDS, min_recalls, strict=True):
        goals.append(
            Goal(
                name=f"{method}: recall of faults in {kind} columns",
                actual=100 * total(tallies, method, kind, GOAL_DATASET).recall(),
                at_least=100 * min_recall,
                decimals=1,
                unit=" %",
            )
        )
    return goals


def print_sources(on_rows: Sequence[Trial], sketched: Sequence[Trial], out: Console) -> None:
    """Print the outcome of the same trials on rows and through sketches."""
    table = create_table(
        f"the same trials on rows and through sketches: {CELL_LEGEND}",
        "data set, columns, statistics",
        ("batches", *SETTINGS),
    )
    tallies = {
        "on rows": evaluate(_assay(), on_rows),
        "through sketches": evaluate(_assay(), sketched),
    }
    for dataset in dict.fromkeys(trial.series.source for trial in sketched):
        for kind in KINDS:
            for statistics, outcome in tallies.items():
                sums = [total(outcome, method, kind, dataset) for method in SETTINGS]
                cells = [tally.cell for tally in sums]
                table.add_row(f"{dataset}, {kind}, {statistics}", f"{sums[0].clean}", *cells)
    out.print(table)


def print_recall_by_fault(trials: Sequence[Trial], out: Console) -> list[Goal]:
    """Print the recall by type of fault (Figure 5)."""
    tallies = evaluate(_assay(), _with_recall(trials))
    table = create_table("recall by type of fault", "fault")
    for kind in KINDS:
        for method in SETTINGS:
            table.add_column(f"{kind if method == 'strict' else ''}\n{method}", justify="right")
    for fault_type in sorted({name for tally in tallies.values() for name in tally.due}):
        recalls = [
            total(tallies, method, kind).recall(fault_type) for kind in KINDS for method in SETTINGS
        ]
        table.add_row(fault_type, *map(percent, recalls))
    out.print(table)
    out.print("The paper: perturbation, and deletion in numbers, are the hardest to detect.")
    return []


def print_lengths(trials: Sequence[Trial], out: Console) -> list[Goal]:
    """Print the effect of shorter histories (Figure 6)."""
    table = _create_comparison("length of the history", "batches")
    for batches in (7, 14, 21, 28):
        _add_row(table, f"{batches}", evaluate(_assay(), _sample(trials), _last(batches)))
    out.print(table)
    out.print("The paper: 28 batches are best, 7 and 14 are competitive.", highlight=False)
    return []


def _last(batches: int) -> Callable[[Trial], Window]:
    return lambda trial: trial.window(batches)


def print_deltas(trials: Sequence[Trial], out: Console) -> list[Goal]:
    """Print the effect of the budget of false alarms (Figure 7)."""
    table = _create_comparison("budget δ of false alarms", "δ")
    for delta in (0.0005, 0.005, 0.01, 0.05):
        methods = {
            name: column_limits(settings, delta=delta) for name, settings in SETTINGS.items()
        }
        _add_row(table, percent(delta, 2), evaluate(methods, _sample(trials)))
    out.print(table)
    out.print("The paper: the false alarms grow with δ and always stay below it.")
    return []


def print_distances(trials: Sequence[Trial], out: Console) -> list[Goal]:
    """Print the effect of metrics that compare two distributions (Figure 8)."""
    table = _create_comparison("metrics that compare two distributions", "")
    _add_row(table, "with them", evaluate(_assay(), _sample(trials)))
    _add_row(table, "without them", evaluate(_assay(), _sample(trials), _without_pairs))
    out.print(table)
    out.print("The paper: about the same without them.")
    return []


def _without_pairs(trial: Trial) -> Window:
    window = trial.window()
    metrics = [
        {name: value for name, value in batch.items() if not catalogue.get(name).compares_batches}
        for batch in window.history.metrics
    ]
    return replace(window, history=replace(window.history, metrics=metrics))


def print_limit_counts(trials: Sequence[Trial], out: Console) -> list[Goal]:
    """Print the effect of fewer limits (Figure 9), and how many limits are learned."""
    strict = {name: settings for name, settings in SETTINGS.items() if settings.mode == "strict"}
    table = _create_comparison("number of limits of a column (strict)", "at most")
    for max_limits in (1, 2, 3, None):
        methods = {
            name: column_limits(replace(settings, clauses=max_limits))
            for name, settings in strict.items()
        }
        label = "any number" if max_limits is None else f"{max_limits}"
        _add_row(table, label, evaluate(methods, _sample(trials)))
    out.print(table)
    for name, settings in strict.items():
        for kind, paper in zip(KINDS, ("3 and 2.62", "2 and 2.15"), strict=True):
            histories = [
                trial.window().history for trial in _sample(trials) if trial.series.kind == kind
            ]
            learned = (learn("", history, settings, rows=True) for history in histories)
            counts = [
                len(limits.constraints) for limits in learned if isinstance(limits, ColumnLimits)
            ]
            out.print(
                f"{name}, {kind}: median {median(counts):g} limits, mean {mean(counts):.2f}"
                f" (the paper: {paper})",
                highlight=False,
            )
    return []


def print_stationarity(trials: Sequence[Trial], out: Console) -> list[Goal]:
    """Print the effect of making series stationary (Figure 10), and of a declared week."""
    table = _create_comparison("series made stationary", "")
    changes: Mapping[str, Callable[[Settings], Settings]] = {
        "yes": lambda settings: settings,
        "no": lambda settings: replace(settings, differencing=False),
        "with a season of 7": lambda settings: replace(settings, season=7),
    }
    for label, change in changes.items():
        methods = {name: column_limits(change(settings)) for name, settings in SETTINGS.items()}
        _add_row(table, label, evaluate(methods, _sample(trials)))
    out.print(table)
    out.print("The paper: noticeably better for numbers, less so for strings.")
    return []


def print_alarms(trials: Sequence[Trial], out: Console) -> None:
    """Print every false alarm of Assay with its reasons."""
    for name, settings in SETTINGS.items():
        for trial in trials:
            history = trial.window().history
            limits = learn(trial.series.name, history, settings, rows=True)
            outcomes = judge(limits, history.metrics, trial.clean.metrics)
            reasons = " | ".join(str(outcome) for outcome in outcomes if outcome.broken)
            if reasons:
                batch = f"{trial.series.source} {trial.series.keys[trial.at]}"
                out.print(f"{name}, {batch}: {reasons}", highlight=False, soft_wrap=True)


def _with_recall(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.recall]


def _sample(trials: Sequence[Trial]) -> list[Trial]:
    """Return every second trial that tries faults, on which variants are compared."""
    return _with_recall(trials)[::2]


def _assay() -> dict[str, Detector]:
    return {name: column_limits(settings) for name, settings in SETTINGS.items()}


def _create_comparison(title: str, first: str) -> Table:
    headings = [
        f"{method if kind == KINDS[0] else ''}\n{kind}" for method in SETTINGS for kind in KINDS
    ]
    return create_table(f"{title}: {CELL_LEGEND}", first, headings)


def _add_row(table: Table, label: str, tallies: Tallies) -> None:
    sums = [total(tallies, method, kind) for method in SETTINGS for kind in KINDS]
    table.add_row(label, *(tally.cell if tally.clean else "" for tally in sums))


REAL_DATA_SECTIONS: Mapping[str, Callable[[Sequence[Trial], Console], list[Goal]]] = {
    "quality": print_quality,
    "faults": print_recall_by_fault,
    "length": print_lengths,
    "delta": print_deltas,
    "distances": print_distances,
    "limits": print_limit_counts,
    "stationary": print_stationarity,
}

if __name__ == "__main__":
    sys.exit(main())
