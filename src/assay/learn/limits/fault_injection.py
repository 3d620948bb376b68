"""What each issue would have done to the metrics of the last batch (section 4.3, equation 8).

Issues are done to a sample of at most 1,000 rows. What they change there is changed in the metrics
of the whole batch: a metric that grows with the rows in proportion, any other by as much. Where
the sample is the whole batch, the metrics are those of the batch with the issue, and no estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from assay.learn.fingerprint.column_stats import ColumnStats, WeightedSample
from assay.learn.fingerprint.from_rows import Column, column_kind, column_stats
from assay.learn.limits.faults import Fault, injected, issues
from assay.learn.limits.kinds import Kind, Measured, kind_of, measured

__all__ = ["ROWS", "InjectedFault", "inject_faults"]

#: issues are done to so many rows
ROWS = 1000
#: and compared to so many different values of the batch before: the most frequent, or quantiles
_VALUES = 2000


@dataclass(frozen=True)
class InjectedFault:
    """The metrics of a batch, had it had an issue."""

    issue: Fault
    metrics: Measured


def inject_faults(
    column: Column,
    before: ColumnStats | None,
    *,
    whole: Measured | None = None,
    neighbour: Column | None = None,
    seed: int = 0,
    rows: int = ROWS,
    paper: bool = False,
) -> tuple[InjectedFault, ...]:
    """All issues that a column can have, done to the last batch or to a sample of it.

    `before` is the batch before the last, to which its distances are; `whole` are the metrics of
    the last batch, if `column` is only a sample of it. Issues that change nothing are left out.
    """
    few = None if before is None else _fewer(before)
    if whole is None and (few is not before or len(column) > rows):
        whole = measured(column_stats(column), before)
    before = few
    if len(column) > rows:
        chosen = np.random.default_rng(seed).choice(len(column), rows, replace=False)
        column = column[np.sort(chosen)]
    plain = measured(column_stats(column), before)
    found: list[InjectedFault] = []
    for issue in issues(column_kind(column), paper=paper):
        changed = injected(issue, column, seed=seed, neighbour=neighbour)
        if changed is None or _same(changed, column):
            continue
        metrics = measured(column_stats(changed), before)
        if whole is not None:
            metrics = {
                name: _carried(kind_of(name), value, plain[name], whole.get(name, math.nan))
                for name, value in metrics.items()
            }
        found.append(InjectedFault(issue, metrics))
    return tuple(found)


def _fewer(known: ColumnStats) -> ColumnStats:
    """The facts with no more values than a sample can be told from."""
    if known.sample is not None and len(known.sample.values) > _VALUES:
        shares = (np.arange(_VALUES) + 0.5) / _VALUES
        weights = np.full(_VALUES, known.sample.total / _VALUES)
        return replace(known, sample=WeightedSample(known.sample.quantiles(shares), weights))
    if len(known.value_counts) > _VALUES:
        values, counts = (
            list(known.value_counts),
            np.fromiter(known.value_counts.values(), np.int64),
        )
        most = np.argpartition(-counts, _VALUES)[:_VALUES].tolist()
        return replace(known, value_counts={values[at]: int(counts[at]) for at in most})
    return known


def _carried(kind: Kind, changed: float, plain: float, whole: float) -> float:
    """The change of a metric in a sample, carried over to the whole."""
    if changed == plain:
        return whole
    if kind.extensive:
        return whole * (changed / plain) if plain else changed
    # in this order, NaN stays what it is
    return min(max(whole + (changed - plain), kind.low), kind.high)


def _same(one: Column, other: Column) -> bool:
    if len(one) != len(other):
        return False
    if column_kind(one) == "numeric":
        return np.array_equal(one, other, equal_nan=True)
    return bool((one == other).all())
