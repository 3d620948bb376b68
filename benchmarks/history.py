"""Demands that histories make: ``python -m benchmarks.history [--only …] [--quick] [--check]``.

The experiments of Auto-Validate-by-History (avh-kdd23, section 5, appendices J and K) on recurring
tables of real batches: alarms on what came next are false, and those on what might have come are
due (`benchmarks.support.history_protocol`). Of the paper's figures, only what its text says can be
shown beside ours.
``--alarms`` lists every false alarm of ours instead, and why.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean, median

from rich.console import Console
from rich.table import Table

from assay.learn.fingerprint.column_stats import ColumnKind as Kind
from assay.learn.limits.column_limits import PAPER, ColumnLimits, Settings, learn
from assay.learn.limits.judge_limits import judge
from assay.learn.limits.kinds import kind_of
from benchmarks.names import DATA
from benchmarks.support import history_speed
from benchmarks.support.column_series import SOURCES, series_of
from benchmarks.support.detectors import DETECTORS, Detector, Window, programmed
from benchmarks.support.goals import Goal, conclude, console
from benchmarks.support.history_protocol import LENGTH, Trial, trials

KINDS: tuple[Kind, ...] = ("numeric", "categorical")
#: the data set that the goals are of
HELD_TO = "nycflights13_daily"
OURS: Mapping[str, Settings] = {
    "strict": Settings(need=7),
    "sensitive": Settings(mode="sensitive", delta=0.04, need=7),
    "as in the paper": PAPER,
}
#: false alarms at most; recall at least, of numbers and of strings
GOALS = {"strict": (0.01, 0.75, 0.80), "sensitive": (0.04, 0.88, 0.96)}
#: trials of each data set, twice as many of the one with goals; one in so many has recall
_TRIALS, _QUICK, _RECALL = 150, 40, 4


@dataclass
class Tally:
    """How a method did."""

    clean: int = 0
    false: int = 0
    due: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        both = (self.clean + other.clean, self.false + other.false)
        return Tally(*both, self.due + other.due, self.caught + other.caught)

    @property
    def rate(self) -> float:
        """Of false alarms."""
        return self.false / max(1, self.clean)

    def recall(self, *types: str) -> float:
        """Of these types, or of all issues; that of swapped columns as of ``swapped``."""
        chosen = types or [each for each in self.due if each != "swapped"]
        due = sum(self.due[each] for each in chosen)
        return sum(self.caught[each] for each in chosen) / due if due else float("nan")

    @property
    def precision(self) -> float:
        """The share of alarms that are due, were every second batch wrong."""
        recall = self.recall()
        return recall / (recall + self.rate) if recall + self.rate else float("nan")

    @property
    def cell(self) -> str:
        """False alarms, recall of issues, recall of swaps."""
        recalls = (f"{each:.2f}" for each in (self.recall(), self.recall("swapped")))
        return " ".join((_percent(self.rate), *recalls)).replace(" 0.", " .")


Tallies = Mapping[tuple[str, str, Kind], Tally]


def evaluate(
    methods: Mapping[str, Detector],
    every: Iterable[Trial],
    window: Callable[[Trial], Window] = Trial.window,
) -> Tallies:
    """The methods on all trials, by method, data set and kind of column."""
    found: defaultdict[tuple[str, str, Kind], Tally] = defaultdict(Tally)
    for trial in every:
        known = window(trial)
        for name, method in methods.items():
            tally = found[name, trial.series.source, trial.series.kind]
            alarm = method(known)
            tally.clean += 1
            tally.false += alarm(trial.clean)
            for issue, batch in trial.injected:
                tally.due[issue.type] += 1
                tally.caught[issue.type] += alarm(batch)
            for batch in trial.swapped:
                tally.due["swapped"] += 1
                tally.caught["swapped"] += alarm(batch)
    return found


def whole(tallies: Tallies, method: str, kind: Kind, *sources: str) -> Tally:
    """Over these data sets, or over all."""
    chosen = (
        tally
        for (name, source, of), tally in tallies.items()
        if name == method and of == kind and (not sources or source in sources)
    )
    return sum(chosen, Tally())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history")
    add = parser.add_argument
    sections = [*REAL, *history_speed.SECTIONS]
    add("--only", nargs="+", choices=sections, default=sections, help="these sections")
    add("--trials", type=int, help=f"of each data set ({_TRIALS}), twice as many of {HELD_TO}")
    add("--data", type=Path, default=DATA, help="the folder that has recurring/")
    add("--alarms", action="store_true", help="list the false alarms of ours instead")
    add("--quick", action="store_true", help="a sample: under a minute")
    add("--check", action="store_true", help="exit 1 where a goal is missed")
    given = parser.parse_args(arguments)
    out = console()
    every: list[Trial] = []
    if given.alarms or any(section in REAL for section in given.only):
        number = given.trials or (_QUICK if given.quick else _TRIALS)
        every = read(given.data, number, out, quick=given.quick)
    if given.alarms:
        alarms(every, out)
        return 0
    goals: list[Goal] = []
    for section in given.only:
        if section in history_speed.SECTIONS:
            goals += history_speed.SECTIONS[section](out, given.quick)
        elif every:
            goals += REAL[section](every, out)
    return conclude(out, goals, check=given.check)


def read(folder: Path, number: int, out: Console, *, quick: bool) -> list[Trial]:
    """Trials of all data sets that are there."""
    if not (folder / "recurring").exists():
        out.print(f"no real data at {folder / 'recurring'} (set ASSAY_DATA to their folder)")
        return []
    found: list[Trial] = []
    for source in SOURCES:
        if quick and source.name != HELD_TO:
            continue
        if not (folder / "recurring" / source.name).exists():
            out.print(f"no {source.name} at {folder / 'recurring'}: left out")
            continue
        columns = list(series_of(source, folder, LENGTH + 1))
        batches = sum(len(each.keys) - LENGTH for each in columns)
        most = number * (1 + (source.name == HELD_TO))
        found += trials(columns, max(1, batches // most), _RECALL)
    return found


def quality(every: Sequence[Trial], out: Console) -> list[Goal]:
    """False alarms and recall of all methods (Figures 2 and 3)."""
    tallies = {**evaluate(_ours(), every), **evaluate(DETECTORS, _few(every))}
    others = sorted({each.series.source for each in every} - {HELD_TO})
    headings = ("precision", "false alarms", "issues", "swaps")
    for kind in KINDS:
        table = _table(f"{kind} columns: what is false, what is caught", "method")
        for where in (HELD_TO, "the other data sets"):
            for heading in headings:
                above = where if heading == headings[0] else ""
                table.add_column(f"{above}\n{heading}", justify="right")
        for method in (*OURS, *DETECTORS):
            cells: list[str] = []
            for sources in ([HELD_TO], others or ["none"]):
                tally = whole(tallies, method, kind, *sources)
                recalls = (_share(tally.recall()), _share(tally.recall("swapped")))
                cells += [_share(tally.precision), _percent(tally.rate), *recalls]
            table.add_row(method, *cells)
        out.print(table)
    table = _table("ours by data set: false alarms, recall of issues and of swaps", "data set")
    for heading in ("batches", *OURS):
        table.add_column(heading, justify="right")
    for source in (HELD_TO, *others):
        for kind in KINDS:
            found = [whole(tallies, method, kind, source) for method in OURS]
            table.add_row(f"{source}, {kind}", f"{found[0].clean}", *(each.cell for each in found))
    out.print(table)
    return [goal for name in GOALS for goal in _goals(name, tallies)]


def _goals(method: str, tallies: Tallies) -> list[Goal]:
    rate, *recalls = GOALS[method]
    both = sum((whole(tallies, method, kind, HELD_TO) for kind in KINDS), Tally())
    found = [Goal(f"{method}: false alarms {both.rate:.4f}, to {rate}", both.rate / rate, 1.0)]
    for kind, least in zip(KINDS, recalls, strict=True):
        recall = whole(tallies, method, kind, HELD_TO).recall()
        found.append(
            Goal(
                f"{method}: {least:.2f} to the recall of {kind}, {recall:.3f}", least / recall, 1.0
            )
        )
    return found


def by_issue(every: Sequence[Trial], out: Console) -> list[Goal]:
    """Recall by type of issue (Figure 5)."""
    tallies = evaluate(_ours(), _few(every))
    table = _table("recall by type of issue", "issue")
    for kind in KINDS:
        for method in OURS:
            table.add_column(f"{kind if method == 'strict' else ''}\n{method}", justify="right")
    for issue in sorted({each for tally in tallies.values() for each in tally.due}):
        found = [whole(tallies, name, kind).recall(issue) for kind in KINDS for name in OURS]
        table.add_row(issue, *map(_share, found))
    out.print(table)
    out.print("the paper: hardest are perturbation and, of numbers, deletion")
    return []


def lengths(every: Sequence[Trial], out: Console) -> list[Goal]:
    """Shorter histories (Figure 6)."""
    table = _variants("the length of the history", "batches")
    for length in (7, 14, 21, 28):
        _row(table, f"{length}", evaluate(_ours(), _fewer(every), _last(length)))
    out.print(table)
    out.print("the paper: 28 are best, 7 and 14 are competitive")
    return []


def _last(length: int) -> Callable[[Trial], Window]:
    return lambda trial: trial.window(length)


def deltas(every: Sequence[Trial], out: Console) -> list[Goal]:
    """Budgets, and what comes of them (Figure 7)."""
    table = _variants("the budget δ", "δ")
    for delta in (0.0005, 0.005, 0.01, 0.05):
        methods = {name: programmed(each, delta=delta) for name, each in OURS.items()}
        _row(table, f"{delta:g}", evaluate(methods, _fewer(every)))
    out.print(table)
    out.print("the paper: false alarms grow with δ and are always fewer")
    return []


def distances(every: Sequence[Trial], out: Console) -> list[Goal]:
    """Without metrics of two distributions (Figure 8)."""
    table = _variants("metrics of two distributions", "")
    _row(table, "with them", evaluate(_ours(), _fewer(every)))
    _row(table, "without them", evaluate(_ours(), _fewer(every), _single))
    out.print(table)
    out.print("the paper: about the same without them")
    return []


def _single(trial: Trial) -> Window:
    window = trial.window()
    metrics = [
        {name: value for name, value in each.items() if not kind_of(name).pair}
        for each in window.past.metrics
    ]
    return replace(window, past=replace(window.past, metrics=metrics))


def clauses(every: Sequence[Trial], out: Console) -> list[Goal]:
    """Fewer demands (Figure 9), and how many there are."""
    strict = {name: each for name, each in OURS.items() if each.mode == "strict"}
    table = _variants("demands of a strict program", "at most")
    for most in (1, 2, 3, None):
        methods = {name: programmed(replace(each, clauses=most)) for name, each in strict.items()}
        _row(table, "any number" if most is None else f"{most}", evaluate(methods, _fewer(every)))
    out.print(table)
    for name, settings in strict.items():
        for kind, paper in zip(KINDS, ("3 and 2.62", "2 and 2.15"), strict=True):
            pasts = [each.window().past for each in _fewer(every) if each.series.kind == kind]
            programs = (learn("", past, settings, rows=True) for past in pasts)
            sizes = [len(each.constraints) for each in programs if isinstance(each, ColumnLimits)]
            out.print(
                f"{name}, {kind}: {median(sizes):g} demands in the median, {mean(sizes):.2f} in the"
                f" mean (the paper: {paper})"
            )
    return []


def stationarity(every: Sequence[Trial], out: Console) -> list[Goal]:
    """Without making series stationary (Figure 10), and with a week declared."""
    table = _variants("series made stationary", "")
    changes: Mapping[str, Callable[[Settings], Settings]] = {
        "yes": lambda settings: settings,
        "no": lambda settings: replace(settings, differencing=False),
        "with a season of 7": lambda settings: replace(settings, season=7),
    }
    for words, change in changes.items():
        methods = {name: programmed(change(each)) for name, each in OURS.items()}
        _row(table, words, evaluate(methods, _fewer(every)))
    out.print(table)
    out.print("the paper: noticeably better with it for numbers, less so for strings")
    return []


def alarms(every: Sequence[Trial], out: Console) -> None:
    """Every false alarm of ours."""
    for name, settings in OURS.items():
        for trial in every:
            past = trial.window().past
            program = learn(trial.series.name, past, settings, rows=True)
            found = judge(program, past.metrics, trial.clean.metrics)
            reasons = " | ".join(str(each) for each in found if each.broken)
            if reasons:
                where = f"{name} {trial.series.source} {trial.series.keys[trial.at]}"
                out.print(f"{where} {reasons}", highlight=False, soft_wrap=True)


def _few(every: Sequence[Trial]) -> list[Trial]:
    return [each for each in every if each.recall]


def _fewer(every: Sequence[Trial]) -> list[Trial]:
    """What variants are tried on: every second of them."""
    return _few(every)[::2]


def _ours() -> dict[str, Detector]:
    return {name: programmed(settings) for name, settings in OURS.items()}


def _variants(title: str, first: str) -> Table:
    table = _table(f"{title}: false alarms, recall of issues and of swaps", first)
    for method in OURS:
        for kind in KINDS:
            table.add_column(f"{method if kind == KINDS[0] else ''}\n{kind}", justify="right")
    return table


def _row(table: Table, words: str, tallies: Tallies) -> None:
    found = [whole(tallies, method, kind) for method in OURS for kind in KINDS]
    table.add_row(words, *(each.cell if each.clean else "" for each in found))


def _table(title: str, first: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    table.add_column(first)
    return table


def _share(value: float) -> str:
    return "-" if value != value else f"{value:.3f}".removeprefix("0")


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


REAL: Mapping[str, Callable[[Sequence[Trial], Console], list[Goal]]] = {
    "quality": quality,
    "issues": by_issue,
    "length": lengths,
    "delta": deltas,
    "distances": distances,
    "clauses": clauses,
    "stationary": stationarity,
}

if __name__ == "__main__":
    sys.exit(main())
