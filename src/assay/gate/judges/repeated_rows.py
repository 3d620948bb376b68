"""The judge of repeated rows: more rows of a batch equal another row than in earlier batches.

Rows are counted by a hash of all columns: all rows of a small batch, or a sample by hash. If no
row was ever repeated, the rate of chance is that of equal pairs of rows. Otherwise the share of
repeated rows is compared with the median of earlier batches. The scale is the median absolute
deviation, but at least the sampling error. A few past batches with repeated rows change neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.checks.formatting import counted_batches, percent
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.repetition_rate import repetition_rate
from assay.learn.limits.tail_bounds import heavy
from assay.learn.novelty.contents import BatchContents
from assay.store.verdict import Decision

__all__ = ["RepeatedRowsJudge", "judge_repeated_rows"]

#: The smallest number of batches to compare with, if some of them had repeated rows.
MIN_BATCHES = 8
#: The same, if no row was ever repeated.
MIN_BATCHES_WITHOUT = 3
#: Fewer rows repeat by chance.
MIN_ROWS = 20
#: If repeated rows are usual, a rise of their share below 10 % has no practical effect.
MIN_RISE = 0.1
_MIN_RISE_OF_NULLS = 0.05
#: Nulls explain repeated rows if their share rose by at least this part of the repeated rows.
_MIN_EXPLAINED = 0.8
#: A column with fewer distinct values than this share of those before has lost values.
_MIN_KEPT_DISTINCT = 0.1
#: The smallest standard deviation of the share from batch to batch.
_MIN_SPREAD = 0.003
#: The median absolute deviation of a normal distribution is this part of its standard deviation.
_NORMAL_MAD = 0.6745


@dataclass(frozen=True)
class RepeatedRowsJudge:
    """Reports rows that were delivered twice within a batch."""

    name: str = "repeated rows"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return a finding if unusually many rows equal another row."""
        if _lost_values(batch.fingerprint, context.previous):
            return []
        return judge_repeated_rows(
            context.history.contents, batch.fingerprint, context.budget.of_judge(self.name)
        )


def judge_repeated_rows(
    history: Sequence[BatchContents], batch: Fingerprint, budget: Budget
) -> list[Finding]:
    """Hold a batch if its share of repeated rows is far above that of earlier batches."""
    now = BatchContents.of(batch)
    earlier = [contents for contents in history if contents.sampled >= MIN_ROWS]
    if now.sampled < MIN_ROWS or not now.repeated or len(earlier) < MIN_BATCHES_WITHOUT:
        return []
    share = now.repeated / now.sampled
    shares = np.array([contents.repeated / contents.sampled for contents in earlier])
    usual = float(np.median(shares))
    if not shares.any():
        earlier_pairs = sum(map(_pairs, earlier))
        rate = repetition_rate(now.repeated, pairs=_pairs(now), earlier_pairs=earlier_pairs)
    elif len(earlier) >= MIN_BATCHES and share - usual >= MIN_RISE:
        spread = float(np.median(np.abs(shares - usual))) / _NORMAL_MAD
        sampling_error = math.sqrt(max(usual, 1 / now.sampled) * (1 - usual) / now.sampled)
        deviations = (share - usual) / max(spread, sampling_error, _MIN_SPREAD)
        rate = heavy(deviations, len(earlier), sides=1)
    else:
        return []
    if rate > budget.warn:
        return []
    level = Decision.HOLD if rate <= budget.hold else Decision.WARN
    return [_to_finding(now, batch, level, usual, len(earlier), rate)]


def _lost_values(batch: Fingerprint, last: Fingerprint | None) -> bool:
    """Return whether rows are equal because a column lost its values.

    Other judges report nulls, and columns with fewer distinct values.
    """
    if last is None:
        return False
    now = BatchContents.of(batch)
    share = now.repeated / now.sampled if now.sampled else 0.0
    for name, stats in batch.columns.items():
        before = last.columns.get(name)
        if before is None or not before.n_rows or not stats.n_rows:
            continue
        rise_of_nulls = before.n_values / before.n_rows - stats.n_values / stats.n_rows
        has_fewer = stats.n_distinct < _MIN_KEPT_DISTINCT * before.n_distinct > 1
        if rise_of_nulls >= max(_MIN_RISE_OF_NULLS, _MIN_EXPLAINED * share) or (
            has_fewer and batch.rows >= last.rows / 2
        ):
            return True
    return bool(last.columns.keys() - batch.columns.keys())


def _pairs(contents: BatchContents) -> float:
    """Return the number of pairs of rows that were compared."""
    return contents.sampled * contents.rows / 2


def _to_finding(
    now: BatchContents,
    batch: Fingerprint,
    level: Decision,
    usual: float,
    n_batches: int,
    rate: float,
) -> Finding:
    share = now.repeated / now.sampled
    least = min(batch.row_counts.values())
    all_twice = least > 1
    if all_twice:
        times = "twice" if least == 2 else f"at least {least:,.0f} times"
        cause = f"Every row was delivered {times}: {batch.rows:,} rows arrived."
    elif now.sampled == now.rows:
        cause = f"{now.repeated:,} of {now.rows:,} rows repeat another row ({percent(share)})."
    else:
        cause = f"About {percent(share)} of the rows repeat another row."
    return Finding(
        "repeated rows",
        level,
        f"{percent(share)} of the rows repeat another row; usually {percent(usual)} do"
        f" ({counted_batches(n_batches)}).",
        metric="repeated_rows",
        actual=share,
        low=0.0,
        high=usual,
        false_alarm_rate=rate,
        severity=share,
        cause=cause,
        cause_code=CauseCode.ROWS_REPEATED if all_twice else CauseCode.ROWS_DUPLICATED,
    )
