"""Count the false alarms and the alarms that were due, by method, data set and kind of column."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from assay.learn.fingerprint.column_stats import ColumnKind
from benchmarks.support.detectors import Detector, Window
from benchmarks.support.history_protocol import Trial

__all__ = ["CELL_LEGEND", "SWAPPED", "Tallies", "Tally", "evaluate", "total"]

#: the name under which alarms on swapped columns are counted
SWAPPED = "swapped"
#: what `Tally.cell` shows
CELL_LEGEND = "false alarms / recall of faults / recall of swaps, in %"


@dataclass
class Tally:
    """The outcome of a method's trials.

    `due` and `caught` count the batches that should raise an alarm, and those that did, by type.
    """

    clean: int = 0
    false_alarms: int = 0
    due: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.clean + other.clean,
            self.false_alarms + other.false_alarms,
            self.due + other.due,
            self.caught + other.caught,
        )

    @property
    def false_alarm_rate(self) -> float:
        """The share of real batches that raised an alarm."""
        return self.false_alarms / max(1, self.clean)

    def recall(self, *types: str) -> float:
        """Return the recall of some types, or of all faults; ``swapped`` for swapped columns."""
        chosen = types or [fault_type for fault_type in self.due if fault_type != SWAPPED]
        due = sum(self.due[fault_type] for fault_type in chosen)
        caught = sum(self.caught[fault_type] for fault_type in chosen)
        return caught / due if due else float("nan")

    @property
    def precision(self) -> float:
        """The share of alarms that are right, if every second batch were wrong."""
        recall = self.recall()
        alarms = recall + self.false_alarm_rate
        return recall / alarms if alarms else float("nan")

    @property
    def cell(self) -> str:
        """The three figures of `CELL_LEGEND`."""
        shares = (self.recall(), self.recall(SWAPPED))
        recalls = ("-" if math.isnan(share) else f"{100 * share:.0f}" for share in shares)
        return " / ".join((f"{100 * self.false_alarm_rate:.1f}", *recalls))


#: by method, data set and kind of column
Tallies = Mapping[tuple[str, str, ColumnKind], Tally]


def evaluate(
    methods: Mapping[str, Detector],
    trials: Iterable[Trial],
    window: Callable[[Trial], Window] = Trial.window,
) -> Tallies:
    """Run the methods on all trials.

    Parameters
    ----------
    window
        Returns the history of a trial that a method gets.
    """
    tallies: defaultdict[tuple[str, str, ColumnKind], Tally] = defaultdict(Tally)
    for trial in trials:
        history = window(trial)
        for name, method in methods.items():
            tally = tallies[name, trial.series.source, trial.series.kind]
            alarm = method(history)
            tally.clean += 1
            tally.false_alarms += alarm(trial.clean)
            for fault, batch in trial.injected:
                tally.due[fault.type] += 1
                tally.caught[fault.type] += alarm(batch)
            for batch in trial.swapped:
                tally.due[SWAPPED] += 1
                tally.caught[SWAPPED] += alarm(batch)
    return tallies


def total(tallies: Tallies, method: str, kind: ColumnKind, *sources: str) -> Tally:
    """Add up the tallies of a method over some data sets, or over all."""
    chosen = (
        tally
        for (name, source, column_kind), tally in tallies.items()
        if name == method and column_kind == kind and (not sources or source in sources)
    )
    return sum(chosen, Tally())
