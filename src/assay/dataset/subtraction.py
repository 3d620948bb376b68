"""Subtract some rows from the stored states of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.state import Invertible, State
from assay.engine.frequency_table import collect_tables
from assay.engine.measure import measure_planned
from assay.engine.measurement import Measurement, Metric, merge_states
from assay.engine.plan import plan_for
from assay.errors import StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["subtract_rows"]

_LOST = Problem(
    "not_invertible",
    "rows were subtracted from the batch, and the state of this metric cannot be subtracted",
)


def subtract_rows(
    states: Mapping[Analyzer, State],
    df: DataFrame,
    tables: str | None,
    *,
    partial: bool,
    private_columns: Sequence[str] = (),
) -> Measurement:
    """Measure some rows, and return what remains of a batch without them.

    Parameters
    ----------
    states
        The states of the batch.
    df
        The rows to subtract. Only these are read.
    tables
        Where the store keeps frequency tables; None if it collects them.
    partial
        True to give up metrics whose states cannot be subtracted, instead of raising an error.
    private_columns
        Columns whose values are never written to frequency tables.
    """
    fixed = [analyzer for analyzer, state in states.items() if not isinstance(state, Invertible)]
    if fixed and not partial:
        raise StateError.not_invertible([analyzer.key for analyzer in fixed])
    invertible = [analyzer for analyzer in states if analyzer not in fixed]
    plan = plan_for(df, invertible, hash_values=tables is not None)
    removed = measure_planned(df, plan, tables, private_columns=private_columns)[()].states
    if tables is None:
        removed = collect_tables(removed)
    differences = {
        analyzer: _subtract(states[analyzer], removed[analyzer])
        for analyzer in invertible
        if analyzer in removed
    }
    remaining = merge_states([differences], list(differences))
    lost = {analyzer: Metric(analyzer, problem=_LOST) for analyzer in states}
    return Measurement({**lost, **remaining.metrics}, remaining.states)


def _subtract(state: State, removed: State) -> State:
    assert isinstance(state, Invertible)
    difference: State = state - removed  # type: ignore[operator]
    return difference
