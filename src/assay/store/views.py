"""Views: metrics over any combination of batches, from what is remembered alone.

Scenario 3 of differential-icde19 (section II): ``m(⊕ s(d_p))`` over the batches p meant. Scan
states merge on the driver without a Spark job; tables of frequencies in one job however many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.state import Invertible, State
from assay.engine.measurement import Measurement, Metric, merge_state_lists
from assay.errors import NotComputableError
from assay.store.batch import Selection
from assay.store.protocol import DatasetTotals, MergedStates, Store

__all__ = ["view", "whole"]


def view(store: Store, selection: Selection, analyzers: Iterable[Analyzer]) -> Measurement:
    """The metrics of these batches together.

    An analyzer that one of them has no state of cannot be known of the whole, and says so.
    """
    asked = tuple(dict.fromkeys(analyzers))
    number, found = store.merged_states(selection, asked)
    missing = _missing(number, found)
    if not number:
        problem = Problem("no_batches", "no batch is meant")
        missing = {each: Metric(each, problem=problem) for each in asked}
    known = merge_state_lists({each: found[each].states for each in asked if each not in missing})
    return Measurement({each: missing.get(each) or known[each] for each in asked}, known.states)


def whole(
    store: Store,
    dataset: str,
    analyzers: Iterable[Analyzer],
    *,
    without: str | None = None,
    plus: Mapping[Analyzer, State] | None = None,
) -> DatasetTotals:
    """The whole dataset: without one batch, with the states of another, or as it is.

    Running totals are taken where there are any, and only what came since is added (scenario 1),
    or the batch that goes is taken out of them (scenario 2); where a state cannot be taken out
    (a minimum, a sketch, an infinite sum) or has no total, it is put together again from all
    batches.
    """
    asked = tuple(dict.fromkeys(analyzers))
    changes = store.changes(dataset)
    since: dict[int, list[Mapping[Analyzer, State]]] = {}
    leaving = _leaving(store, dataset, without, asked)
    parts: dict[Analyzer, list[State]] = {}
    lessened: dict[tuple[int, ...], State] = {}  # a table that several analyzers share, once
    for analyzer, (at, total) in store.totals(dataset, asked).items():
        if at < changes.removed:
            continue
        if at not in since:
            later = Selection(dataset, after=at)
            since[at] = list(store.states(later, asked).values()) if at < changes.latest else []
        if any(analyzer not in each for each in since[at]):
            continue
        found: list[State] = [total, *(each[analyzer] for each in since[at])]
        if leaving is not None:
            if not isinstance(total, Invertible) or analyzer not in leaving:
                continue
            shared = (*map(id, found), id(leaving[analyzer]))
            try:
                if shared not in lessened:
                    lessened[shared] = _without(found, leaving[analyzer])
            except NotComputableError:  # what is not finite leaves nothing finite behind
                continue
            found = [lessened[shared]]
        parts[analyzer] = found
    rest = [each for each in asked if each not in parts and each.incremental]
    metrics: dict[Analyzer, Metric] = {}
    if rest:
        number, found_of = store.merged_states(Selection(dataset, but=without), rest)
        metrics = _missing(number, found_of)
        parts |= {each: list(found_of[each].states) for each in rest if each not in metrics}
    return DatasetTotals(changes.latest, _together(parts, plus, asked, metrics))


def _together(
    parts: Mapping[Analyzer, Sequence[State]],
    plus: Mapping[Analyzer, State] | None,
    asked: Sequence[Analyzer],
    metrics: dict[Analyzer, Metric],
) -> Measurement:
    lists = {analyzer: list(found) for analyzer, found in parts.items()}
    for analyzer, state in (plus or {}).items():
        lists.setdefault(analyzer, []).append(state)
    known = merge_state_lists(
        {each: lists[each] for each in asked if lists.get(each) and each not in metrics}
    )
    for each in asked:
        if each not in known.metrics and each not in metrics:
            problem = Problem("no_batches", "no batch has a state of it")
            metrics[each] = Metric(each, problem=problem)
    return Measurement({each: metrics.get(each) or known[each] for each in asked}, known.states)


def _without(found: Sequence[Any], leaving: State) -> State:
    state: State = type(found[0]).merged(found) - leaving
    return state


def _leaving(
    store: Store, dataset: str, key: str | None, analyzers: Sequence[Analyzer]
) -> Mapping[Analyzer, State] | None:
    """The states of the batch that goes; none where there is no such batch."""
    if key is None:
        return None
    found = store.states(Selection.one(dataset, key), analyzers)
    return next(iter(found.values()), None)


def _missing(number: int, found: Mapping[Analyzer, MergedStates]) -> dict[Analyzer, Metric]:
    """The analyzers that some batch has no state of."""
    return {
        analyzer: Metric(
            analyzer,
            problem=Problem(
                "no_state", f"{number - stack.batches} of {number} batches have no state of it"
            ),
        )
        for analyzer, stack in found.items()
        if stack.batches < number
    }
