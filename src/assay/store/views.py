"""Compute metrics over any combination of batches from their stored states.

This is scenario 3 of differential-icde19 (section II): ``m(⊕ s(d_p))`` over the selected batches p.
States of a scan merge on the driver without a Spark job. Frequency tables take one job for any
number of batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.state import Invertible, State
from assay.engine.measurement import Measurement, Metric, merge_state_lists
from assay.errors import NotComputableError, StateError
from assay.store.batch import Selection
from assay.store.protocol import DatasetTotals, MergedStates, Store

__all__ = ["dataset_totals", "view"]


def view(store: Store, selection: Selection, analyzers: Iterable[Analyzer]) -> Measurement:
    """Return the metrics of the selected batches together.

    Parameters
    ----------
    store
        The store of the batches.
    selection
        The batches.
    analyzers
        The analyzers whose states are merged.

    Returns
    -------
    Measurement
        If a batch has no state for an analyzer, the metric has the problem ``no_state``. If no
        batch is selected, each metric has the problem ``no_batches``.

    Examples
    --------
    >>> from assay import Dataset, MemoryStore
    >>> from assay.analyzers import Size
    >>> orders = Dataset("orders", MemoryStore(), analyzers=[Size()])
    >>> for day in ("date=2026-11-14", "date=2026-11-15"):
    ...     _ = orders.append(spark.range(3), day)
    >>> view(orders.store, Selection("orders", where="date > '2026-11-14'"), [Size()]).value(Size())
    3
    """
    analyzers = tuple(dict.fromkeys(analyzers))
    n_batches, merged = store.merged_states(selection, analyzers)
    incomplete = _metrics_without_state(n_batches, merged)
    if not n_batches:
        problem = Problem("no_batches", "the selection has no batch")
        incomplete = {analyzer: Metric(analyzer, problem=problem) for analyzer in analyzers}
    computed = merge_state_lists(
        {analyzer: merged[analyzer].states for analyzer in analyzers if analyzer not in incomplete}
    )
    return _in_order(analyzers, incomplete, computed)


def dataset_totals(
    store: Store,
    dataset: str,
    analyzers: Iterable[Analyzer],
    *,
    without: str | None = None,
    plus: Mapping[Analyzer, State] | None = None,
) -> DatasetTotals:
    """Return the metrics and states of all batches of a dataset.

    Running totals are used if they are stored: only later batches are added (scenario 1). A batch
    that is replaced or removed is subtracted from them (scenario 2). If a state cannot be
    subtracted, such as a minimum or a sketch, the states of all batches are merged again.

    Parameters
    ----------
    store, dataset
        The store, and the name of the dataset.
    analyzers
        The analyzers whose states are merged.
    without
        Key of a batch to leave out.
    plus
        States of a batch to add.

    Examples
    --------
    >>> from assay import Dataset, MemoryStore
    >>> from assay.analyzers import Size
    >>> orders = Dataset("orders", MemoryStore(), analyzers=[Size()])
    >>> for day in ("date=2026-11-14", "date=2026-11-15"):
    ...     _ = orders.append(spark.range(3), day)
    >>> dataset_totals(orders.store, "orders", [Size()]).measurement.value(Size())
    6
    """
    with store.snapshot():
        analyzers = tuple(dict.fromkeys(analyzers))
        changes = store.changes(dataset)
        parts = _parts_from_totals(store, dataset, analyzers, without)
        metrics: dict[Analyzer, Metric] = {}
        missing = [
            analyzer for analyzer in analyzers if analyzer not in parts and analyzer.incremental
        ]
        if missing:
            n_batches, merged = store.merged_states(Selection(dataset, but=without), missing)
            metrics = _metrics_without_state(n_batches, merged)
            parts |= {
                analyzer: list(merged[analyzer].states)
                for analyzer in missing
                if analyzer not in metrics
            }
    for analyzer, state in (plus or {}).items():
        parts.setdefault(analyzer, []).append(state)
    computed = merge_state_lists(
        {
            analyzer: parts[analyzer]
            for analyzer in analyzers
            if parts.get(analyzer) and analyzer not in metrics
        }
    )
    problem = Problem("no_batches", "no batch has a state of this metric")
    for analyzer in analyzers:
        if analyzer not in computed.metrics and analyzer not in metrics:
            metrics[analyzer] = Metric(analyzer, problem=problem)
    return DatasetTotals(changes.latest, _in_order(analyzers, metrics, computed))


def _parts_from_totals(
    store: Store, dataset: str, analyzers: Sequence[Analyzer], without: str | None
) -> dict[Analyzer, list[State]]:
    """Return the running total of each analyzer, with the states of later batches.

    Analyzers are left out if their total is out of date, or if a batch cannot be subtracted.
    """
    changes = store.changes(dataset)
    leaving = _states_of(store, dataset, without, analyzers)
    later_states: dict[int, list[Mapping[Analyzer, State]]] = {}
    parts: dict[Analyzer, list[State]] = {}
    # a frequency table that several analyzers share is subtracted from once
    differences: dict[tuple[int, ...], State] = {}
    for analyzer, (change, total) in store.totals(dataset, analyzers).items():
        if change < changes.removed:
            continue
        if change not in later_states:
            later = Selection(dataset, after=change)
            states = store.states(later, analyzers) if change < changes.latest else {}
            later_states[change] = list(states.values())
        if any(analyzer not in states for states in later_states[change]):
            continue
        added = [total, *(states[analyzer] for states in later_states[change])]
        if leaving is None:
            parts[analyzer] = added
            continue
        if not isinstance(total, Invertible) or analyzer not in leaving:
            continue
        operands = (*map(id, added), id(leaving[analyzer]))
        try:
            if operands not in differences:
                differences[operands] = _difference(added, leaving[analyzer])
        except (NotComputableError, StateError):  # infinity minus infinity, or other columns
            continue
        parts[analyzer] = [differences[operands]]
    return parts


def _difference(states: Sequence[Any], removed: State) -> State:
    difference: State = type(states[0]).merged(states) - removed
    return difference


def _states_of(
    store: Store, dataset: str, key: str | None, analyzers: Sequence[Analyzer]
) -> Mapping[Analyzer, State] | None:
    """Return the states of a batch, or None if it is not stored."""
    if key is None:
        return None
    states = store.states(Selection.one(dataset, key), analyzers)
    return next(iter(states.values()), None)


def _metrics_without_state(
    n_batches: int, merged: Mapping[Analyzer, MergedStates]
) -> dict[Analyzer, Metric]:
    """Return a metric with a problem for each analyzer that some batch has no state for."""
    return {
        analyzer: Metric(
            analyzer,
            problem=Problem(
                "no_state",
                f"{n_batches - states.batches} of {n_batches} batches have no state of this metric",
            ),
        )
        for analyzer, states in merged.items()
        if states.batches < n_batches
    }


def _in_order(
    analyzers: Iterable[Analyzer], metrics: Mapping[Analyzer, Metric], computed: Measurement
) -> Measurement:
    return Measurement(
        {analyzer: metrics.get(analyzer) or computed[analyzer] for analyzer in analyzers},
        computed.states,
    )
