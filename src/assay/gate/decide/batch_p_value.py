"""The p-value of a held batch: how rarely a good batch is held for such deviations.

A judge that holds good batches at a rate gets a p-value of at most this rate. The value falls with
the distance from the limits:

- *limits*: the rate of limits that the value would just keep, divided by the rate of the broken
  limits. The rates of all limits add up to the budget of the judge, so this is a weighted
  Bonferroni correction over columns and metrics.
- *novelty*: a feature that is 1.6 times farther outside its band is a tenth as likely. This is the
  tail of Student's distribution with 5 degrees of freedom.
- *keys, redelivery, repeated rows, patterns, order and others*: the rate that the judge computed,
  for each column times the number of columns.

The batch has the smallest p-value of its judges, times the number of judges (Bonferroni). If two
judges must agree on a column, this bounds the chance of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.judges.novelty import TENTH_AS_LIKELY
from assay.gate.judges.registry import selected_judges
from assay.learn.fingerprint import metrics
from assay.learn.limits.column_limits import ColumnLimits, series
from assay.learn.limits.metric_limit import Constraint
from assay.learn.limits.tail_bounds import Spread, rate
from assay.learn.novelty.bands import Bands
from assay.store.verdict import Decision

__all__ = ["UNBUDGETED", "p_value"]

#: judges that use no budget: their findings are facts, such as a missing column
UNBUDGETED = frozenset(("gate", "schema", "dialect", "checks", "empty"))
#: judges that only warn
_NEVER_HOLD = frozenset(("counters", "dialect", "drift", "arrival", "provisional"))


def p_value(alarms: Sequence[Finding], context: BatchContext) -> float | None:
    """Return the p-value of a batch that is held.

    Parameters
    ----------
    alarms
        The findings of the problems of the batch.
    context
        What was known before the batch.

    Returns
    -------
    float or None
        1 if the batch is not held. None if it is held for a reason that uses no budget, such as a
        failed check or limits that a person set.
    """
    by_judge: dict[str, float] = {}
    for finding in alarms:
        if finding.level is not Decision.HOLD:
            continue
        if finding.judge in UNBUDGETED or finding.false_alarm_rate <= 0:
            return None
        smallest = by_judge.get(finding.judge, 1.0)
        by_judge[finding.judge] = min(smallest, _p_value_of(finding, context))
    if not by_judge:
        return 1.0
    n_judges = sum(
        judge.name not in UNBUDGETED | _NEVER_HOLD for judge in selected_judges(context.settings)
    )
    return min(1.0, max(1, n_judges) * min(by_judge.values()))


def _p_value_of(finding: Finding, context: BatchContext) -> float:
    """Return the p-value of one judge, corrected for its columns and metrics."""
    if finding.judge == "limits":
        return context.budget.hold * _limit_ratio(finding, context)
    if finding.judge == "novelty":
        return finding.false_alarm_rate * _band_ratio(finding, context)
    last = context.history.metrics.last
    n_columns = 1 if finding.column is None or last is None else max(1, len(last.columns))
    return min(1.0, finding.false_alarm_rate * n_columns)


def _limit_ratio(finding: Finding, context: BatchContext) -> float:
    """Return the rate of limits through the value, as a share of the rate of the broken limits."""
    constraint = _broken_constraint(finding, context)
    if constraint is None or constraint.constant or finding.actual is None:
        return 1.0
    history = context.history.metrics
    column = finding.column or max(history.last.columns if history.last else (), default=None)
    if column is None:
        return 1.0
    values = series(history.of(column), constraint.metric)
    transformed = constraint.transformation.of(values)
    transformed = transformed[np.isfinite(transformed)]
    observed = constraint.compared_value(values, finding.actual)
    inequality = constraint.interval.inequality
    if len(transformed) < 2 or not math.isfinite(observed) or inequality == "stated":
        return 1.0
    spread = Spread.of(transformed)
    if spread.constant:
        return 1.0
    deviations = abs(observed - spread.mean) / spread.deviation
    metric = metrics.get(constraint.metric)
    one_sided = metric.kind == "distance" and not constraint.transformation.lag
    through_value = rate(deviations, spread.batches, inequality, one_sided=one_sided)
    return min(1.0, through_value / constraint.interval.rate)


def _broken_constraint(finding: Finding, context: BatchContext) -> Constraint | None:
    limits = context.limits["strict"].columns.get(finding.column)
    if not isinstance(limits, ColumnLimits):
        return None
    low, high = finding.low, finding.high
    history = context.history.metrics
    values = () if finding.column is None else history.of(finding.column)
    for constraint in limits.constraints:
        if constraint.metric != finding.metric:
            continue
        if finding.column is None or constraint.limits(series(values, constraint.metric)) == (
            low,
            high,
        ):
            return constraint
    return None


def _band_ratio(finding: Finding, context: BatchContext) -> float:
    """Return how rare a feature is, as a share of the rate of features that just hold a batch."""
    if context.settings.novelty.method != "bands" or not math.isfinite(finding.severity):
        return 1.0
    is_row_count = finding.column is None and finding.metric == metrics.ROW_COUNT
    limit = TENTH_AS_LIKELY if is_row_count else Bands().hold
    if finding.severity <= limit:
        return 1.0
    return float((finding.severity / limit) ** -math.log(10.0, TENTH_AS_LIKELY))
