"""The judge of orders: a time that lies after another one that was never earlier before.

The last batch shows which order its rows have. Let it have n rows, all in one order. With Jeffreys'
prior, the number of rows in the wrong order in a batch of m rows has a beta-binomial distribution.
Its tail is the false-alarm rate.

>>> f"{wrong_order_rate(4, rows=100, rows_before=100):.4f}"
'0.0214'
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.analyzers.schema import quote
from assay.checks.formatting import percent, visible
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode, count_of
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.dependency import import_optional
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.orders import Order
from assay.store.verdict import Decision

__all__ = ["OrderJudge", "judge_orders", "wrong_order_rate"]

#: columns of fewer rows are in one order by chance
MIN_ROWS = 20


@dataclass(frozen=True)
class OrderJudge:
    """Reports rows in which one time lies after another that was never earlier."""

    name: str = "order"
    holds_alone: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each pair of columns whose order broke."""
        return judge_orders(batch.fingerprint, context.previous, context.budget)


def judge_orders(batch: Fingerprint, last: Fingerprint | None, budget: Budget) -> list[Finding]:
    """Warn of rows in the wrong order, if all rows of the last batch were in one order."""
    if last is None or min(batch.rows, last.rows) < MIN_ROWS:
        return []
    findings = []
    for order, n_wrong in batch.orders.items():
        if not n_wrong or last.orders.get(order) != 0:
            continue
        rate = wrong_order_rate(n_wrong, rows=batch.rows, rows_before=last.rows)
        rate *= len(batch.orders)
        if rate <= budget.warn:
            findings.append(_to_finding(order, n_wrong, batch.rows, last.rows, rate))
    return findings


def wrong_order_rate(n_wrong: int, *, rows: int, rows_before: int) -> float:
    """Return the probability of at least this number of rows in the wrong order.

    Parameters
    ----------
    n_wrong
        The number of rows in the wrong order.
    rows
        The number of rows of the batch.
    rows_before
        The number of rows of the last batch, all of them in one order.
    """
    distribution = import_optional("scipy.stats").betabinom(rows, 0.5, rows_before + 0.5)
    return float(distribution.sf(n_wrong - 1))


def _to_finding(order: Order, n_wrong: int, rows: int, rows_before: int, rate: float) -> Finding:
    earlier, later = order
    row_filter = f"{quote(earlier)} > {quote(later)}"
    share = n_wrong / rows
    are_after = f"{visible(earlier)} is after {visible(later)}"
    count = count_of(n_wrong, rows, "rows")
    return Finding(
        "order",
        Decision.WARN,
        f"{are_after} in {percent(share)} of the rows; in none of {rows_before:,} rows before.",
        earlier,
        "order",
        actual=share,
        low=0.0,
        high=0.0,
        false_alarm_rate=rate,
        severity=share,
        cause=f"{count}: {are_after}. No row of the batch before was in this order.",
        cause_code=CauseCode.ORDER_BROKEN,
        sql=f"SELECT * FROM batch WHERE {row_filter}",  # noqa: S608
        row_filter=row_filter,
    )
