"""The result of measuring: a state and a metric for each analyzer, or a problem."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import GroupingAnalyzer, Needs
from assay.analyzers.metric import Problem, Undefined, Value, plain
from assay.analyzers.state import State
from assay.engine.failure import capture_failure, one_line
from assay.engine.frequency_table import FrequencyTable
from assay.engine.jobs import run_concurrently
from assay.engine.session import active_session
from assay.errors import StateError
from assay.text import count_noun

__all__ = ["Measurement", "Metric", "merge_state_lists", "merge_states", "metric_of"]


@dataclass(frozen=True)
class Metric:
    """The value of an analyzer, or the problem that prevented it.

    Attributes
    ----------
    analyzer : Analyzer
        The analyzer that was measured.
    value : int, float, Decimal, str, date, datetime, Distribution or None
        The value; None if there is a problem.
    problem : Problem, Undefined or None
        The reason for a missing value: the metric is undefined, or it could not be computed.

    Examples
    --------
    >>> from assay.analyzers import Size
    >>> print(Metric(Size(), 3))
    Size() = 3
    """

    analyzer: Analyzer
    value: Value | None = None
    problem: Problem | None = None

    def __str__(self) -> str:
        if self.problem is not None:
            return f"{self.analyzer}: {self.problem}"
        return f"{self.analyzer} = {self.value!s}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to values that JSON can represent."""
        converted: dict[str, Any] = {"analyzer": self.analyzer.key, "value": plain(self.value)}
        if self.problem is not None:
            converted["problem"] = {"code": self.problem.code, "reason": self.problem.reason}
        return converted


@dataclass(frozen=True)
class Measurement(Mapping[Analyzer, Metric]):
    """Metrics by analyzer, and the states that they are computed from.

    Measurements of disjoint rows can be added: ``measure(a) + measure(b)`` equals
    ``measure(a ∪ b)``.

    Attributes
    ----------
    metrics : Mapping
        The metric of each analyzer.
    states : Mapping
        The state of each analyzer that has one. States can be merged and stored.

    Examples
    --------
    >>> from assay import measure
    >>> from assay.analyzers import Maximum, Size
    >>> first = measure(spark.range(3), [Size(), Maximum("id")])
    >>> first.value(Maximum("id"))
    2
    >>> (first + measure(spark.range(5), [Size(), Maximum("id")])).value(Size())
    8
    """

    metrics: Mapping[Analyzer, Metric]
    states: Mapping[Analyzer, State]

    def __repr__(self) -> str:
        metrics = count_noun(len(self.metrics), "metric")
        return f"Measurement({metrics}, {count_noun(len(self.states), 'state')})"

    def __getitem__(self, analyzer: Analyzer) -> Metric:
        return self.metrics[analyzer]

    def __iter__(self) -> Iterator[Analyzer]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def value(self, analyzer: Analyzer) -> Value | None:
        """Return the value of a metric, or None if it has a problem."""
        return self.metrics[analyzer].value

    def number(self, analyzer: Analyzer) -> float:
        """Return the value of a metric as a number, or NaN if it has none."""
        value = self.metrics[analyzer].value
        return float(value) if isinstance(value, int | float | Decimal) else math.nan

    def without(self, analyzers: Set[Analyzer]) -> Measurement:
        """Return the measurement without some analyzers."""
        return Measurement(
            {key: metric for key, metric in self.metrics.items() if key not in analyzers},
            {key: state for key, state in self.states.items() if key not in analyzers},
        )

    def __add__(self, other: Measurement) -> Measurement:
        analyzers = {**self.metrics, **other.metrics}
        without_state = {
            analyzer: part.metrics[analyzer]
            for part in (other, self)
            for analyzer in part.metrics
            if analyzer not in part.states
        }
        mergeable = [analyzer for analyzer in analyzers if analyzer not in without_state]
        total = merge_states([self.states, other.states], mergeable)
        # a problem in one part is a problem of the whole
        metrics = {a: without_state.get(a) or total.metrics[a] for a in analyzers}
        return Measurement(metrics, total.states)

    def to_dict(self) -> list[dict[str, Any]]:
        """Convert the metrics to values that JSON can represent."""
        return [metric.to_dict() for metric in self.metrics.values()]


def merge_states(
    parts: Sequence[Mapping[Analyzer, State]], analyzers: Iterable[Analyzer]
) -> Measurement:
    """Measure disjoint rows together by merging the states of the parts.

    A part without a state of an analyzer counts as a part without rows. States of scans merge
    without a Spark job. A frequency table is summarized once for all analyzers that read it, and
    all tables at the same time.
    """
    return merge_state_lists(
        {
            analyzer: [part[analyzer] for part in parts if analyzer in part]
            for analyzer in dict.fromkeys(analyzers)
        }
    )


def merge_state_lists(lists: Mapping[Analyzer, Sequence[State]]) -> Measurement:
    """Merge the states of each analyzer."""
    metrics: dict[Analyzer, Metric] = {}
    states: dict[Analyzer, State] = {}
    merged: dict[tuple[int, ...], State] = {}
    for analyzer, parts in lists.items():
        if not parts:
            problem = Problem("no_state", "no state of this metric is stored")
            metrics[analyzer] = Metric(analyzer, problem=problem)
            continue
        if len(parts) > 1 and not analyzer.incremental:
            reason = "its states cannot be merged: measure all rows together"
            metrics[analyzer] = Metric(analyzer, problem=Problem("not_incremental", reason))
            continue
        # analyzers that share a frequency table also share the merged one
        identities = tuple(map(id, parts))
        try:
            if identities not in merged:
                merged[identities] = _merged(parts)
            states[analyzer] = merged[identities]
        except StateError as error:
            metrics[analyzer] = Metric(analyzer, problem=Problem(error.code, str(error)))
    kept: dict[Analyzer, State] = {}
    for analyzer, state in _with_summaries(states).items():
        if isinstance(state, Problem):
            metrics[analyzer] = Metric(analyzer, problem=state)
        else:
            kept[analyzer] = state
            metrics[analyzer] = metric_of(analyzer, state)
    return Measurement(metrics, kept)


def _merged(parts: Sequence[State]) -> State:
    first = type(parts[0])
    if len({type(part) for part in parts}) > 1:
        raise StateError.of_several_kinds([type(part).__name__ for part in parts])
    return parts[0] if len(parts) == 1 else first.merged(parts)


def _with_summaries(states: Mapping[Analyzer, State]) -> dict[Analyzer, State | Problem]:
    """Summarize each frequency table once for all analyzers that read it."""
    needs: dict[int, Needs] = {}
    tables: dict[int, FrequencyTable] = {}
    for analyzer, state in states.items():
        if isinstance(analyzer, GroupingAnalyzer) and isinstance(state, FrequencyTable):
            needs[id(state)] = needs.get(id(state), Needs()) | analyzer.needs()
            tables[id(state)] = state
    jobs = {
        identity: partial(_with_summary, table, needs[identity])
        for identity, table in tables.items()
    }
    session = active_session() if len(jobs) > 1 else None
    results = run_concurrently(list(jobs.values()), session)
    summarized = dict(zip(jobs, results, strict=True))
    return {analyzer: summarized.get(id(state), state) for analyzer, state in states.items()}


def _with_summary(table: FrequencyTable, needs: Needs) -> FrequencyTable | Problem:
    summarized = capture_failure(partial(table.with_summary, needs))()
    # analyzers that need no values can read a table of hashes
    hashed = isinstance(summarized, Problem) and summarized.code == "values_hashed"
    return table if hashed else summarized


def metric_of(analyzer: Analyzer, state: State) -> Metric:
    """Compute the metric of an analyzer from a state."""
    untyped: Any = analyzer
    try:
        value = untyped.metric(state)
    except StateError as error:
        return Metric(analyzer, problem=Problem(error.code, str(error)))
    except Exception as error:  # a formula that the user wrote may raise anything
        reason = one_line(f"{type(error).__name__}: {error}")
        problem = Problem("formula_failed", reason, may_quote_values=True)
        return Metric(analyzer, problem=problem)
    if isinstance(value, Undefined):
        return Metric(analyzer, problem=Problem("undefined", str(value)))
    return Metric(analyzer, value)
