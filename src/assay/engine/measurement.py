"""What a measurement came to: a state and a metric for each analyzer, or the reason why not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import GroupingAnalyzer, Needs
from assay.analyzers.metric import Problem, Undefined, Value, plain
from assay.analyzers.state import State
from assay.engine.failure import one_line
from assay.engine.frequency_table import FrequencyTable
from assay.engine.jobs import run_concurrently
from assay.engine.session import active_session
from assay.errors import StateError

__all__ = ["Measurement", "Metric", "merged", "merged_lists", "metric_of"]


@dataclass(frozen=True)
class Metric:
    """An analyzer's answer: a value, or the problem that left none."""

    analyzer: Analyzer
    value: Value | None = None
    problem: Problem | None = None

    def __str__(self) -> str:
        return (
            f"{self.analyzer} = {self.value!s}"
            if self.problem is None
            else (f"{self.analyzer}: {self.problem}")
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        shown: dict[str, Any] = {"analyzer": self.analyzer.key, "value": plain(self.value)}
        if self.problem is not None:
            shown["problem"] = {"code": self.problem.code, "reason": self.problem.reason}
        return shown


@dataclass(frozen=True)
class Measurement(Mapping[Analyzer, Metric]):
    """Metrics by analyzer, and the states that they came from.

    Measurements of disjoint data add up: ``measure(a) + measure(b)`` is ``measure(a ∪ b)``.
    """

    metrics: Mapping[Analyzer, Metric]
    states: Mapping[Analyzer, State]

    def __getitem__(self, analyzer: Analyzer) -> Metric:
        return self.metrics[analyzer]

    def __iter__(self) -> Iterator[Analyzer]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def value(self, analyzer: Analyzer) -> Value | None:
        """The metric's value; None where there is none."""
        return self.metrics[analyzer].value

    def number(self, analyzer: Analyzer) -> float:
        """The metric's value as a number; NaN where it has none."""
        value = self.metrics[analyzer].value
        return float(value) if isinstance(value, int | float | Decimal) else math.nan

    def __add__(self, other: Measurement) -> Measurement:
        asked = {**self.metrics, **other.metrics}
        lacking = {
            analyzer: each.metrics[analyzer]
            for each in (other, self)
            for analyzer in each.metrics
            if analyzer not in each.states
        }
        both = merged([self.states, other.states], [each for each in asked if each not in lacking])
        # what could not be measured in one part cannot be known of the whole
        return Measurement({a: lacking.get(a) or both.metrics[a] for a in asked}, both.states)

    def to_dict(self) -> list[dict[str, Any]]:
        """The metrics as JSON can hold them."""
        return [metric.to_dict() for metric in self.metrics.values()]


def merged(parts: Sequence[Mapping[Analyzer, State]], analyzers: Iterable[Analyzer]) -> Measurement:
    """The measurement of disjoint data from the states of its parts.

    A part that has no state of an analyzer has no rows for it. Scan states merge without a Spark
    job; a table of frequencies is summed up once for all analyzers that read it, tables at once.
    """
    return merged_lists(
        {
            analyzer: [part[analyzer] for part in parts if analyzer in part]
            for analyzer in dict.fromkeys(analyzers)
        }
    )


def merged_lists(lists: Mapping[Analyzer, Sequence[State]]) -> Measurement:
    """The same from the states of each analyzer, one or more."""
    metrics: dict[Analyzer, Metric] = {}
    states: dict[Analyzer, State] = {}
    done: dict[tuple[int, ...], State] = {}
    for analyzer, found in lists.items():
        if not found:
            problem = Problem("no_state", "nothing has a state of it")
            metrics[analyzer] = Metric(analyzer, problem=problem)
            continue
        if len(found) > 1 and not analyzer.incremental:
            reason = "its states do not merge; compute it anew over the whole"
            metrics[analyzer] = Metric(analyzer, problem=Problem("not_incremental", reason))
            continue
        # analyzers that share a table of frequencies share the sum of several
        shared = tuple(map(id, found))
        try:
            if shared not in done:
                done[shared] = found[0] if len(found) == 1 else type(found[0]).merged(found)
            states[analyzer] = done[shared]
        except StateError as error:
            metrics[analyzer] = Metric(analyzer, problem=Problem(error.code, str(error)))
    states = _summed_up(states)
    metrics |= {analyzer: metric_of(analyzer, state) for analyzer, state in states.items()}
    return Measurement(metrics, states)


def _summed_up(states: Mapping[Analyzer, State]) -> dict[Analyzer, State]:
    """The same, with each table of frequencies summed up once for all that read it."""
    needs: dict[int, Needs] = {}
    tables: dict[int, FrequencyTable] = {}
    for analyzer, state in states.items():
        if isinstance(analyzer, GroupingAnalyzer) and isinstance(state, FrequencyTable):
            needs[id(state)] = needs.get(id(state), Needs()) | analyzer.needs()
            tables[id(state)] = state
    jobs = {which: partial(_summed, table, needs[which]) for which, table in tables.items()}
    session = active_session() if len(jobs) > 1 else None
    known = dict(zip(jobs, run_concurrently(list(jobs.values()), session), strict=True))
    return {analyzer: known.get(id(state), state) for analyzer, state in states.items()}


def _summed(table: FrequencyTable, needs: Needs) -> FrequencyTable:
    with suppress(StateError):  # it says so to each analyzer that asks
        return table.with_summary(needs)
    return table


def metric_of(analyzer: Analyzer, state: State) -> Metric:
    """What a state says to an analyzer."""
    ask: Any = analyzer
    try:
        value = ask.metric(state)
    except Exception as error:  # a formula that the user wrote
        reason = one_line(f"{type(error).__name__}: {error}")
        return Metric(analyzer, problem=Problem("formula_failed", reason))
    if isinstance(value, Undefined):
        return Metric(analyzer, problem=Problem("undefined", str(value)))
    return Metric(analyzer, value)
