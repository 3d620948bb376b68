"""The judge of redeliveries: does a batch repeat an earlier one, in full or in part?

A batch repeats another if most of its columns, or many of its rows, are the same. The false-alarm
rate says how often a good batch is so similar to an earlier one. Suppose that n past batches were
compared with earlier ones, and that k of them were as similar or more. Then the rate is
``(k + 1) / (n + 1)``. If k is 0, it is the rate at which a metric changes that never changed before
(`constant_rate`). If no two past batches were similar, an exact repetition is rarer still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.checks.formatting import counted_batches, percent, visible
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.tail_bounds import constant_rate
from assay.learn.novelty.contents import BatchContents
from assay.learn.novelty.earlier_batches import EarlierBatch, find_earlier, find_repeated_labels
from assay.learn.novelty.features import UNCHANGED
from assay.learn.novelty.repetition import find_repetition, identical
from assay.learn.novelty.returned_state import find_returned_state
from assay.store.verdict import Decision

__all__ = ["RedeliveryJudge", "judge_earlier_batches", "judge_redelivery"]

#: in batches of fewer rows, columns are often equal by chance
MIN_ROWS = 3
#: in batches of fewer rows, columns are sometimes equal by chance, so such batches only warn
MIN_ROWS_TO_HOLD = 20
#: The share of good batches that repeat an earlier one, or its date, and no two past batches were
#: similar. There were 3 in 2,858 batches of nine recurring tables (benchmarks.relations).
_REPEAT_RATE = 0.001
#: Past batches with at most this share of equal columns or rows are not similar.
_MAX_SIMILARITY = 0.5


@dataclass(frozen=True)
class RedeliveryJudge:
    """Detects a batch that repeats an earlier one."""

    name: str = "redelivery"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the most severe finding if columns, rows or the day of a batch come again."""
        history, fingerprint, budget = (
            context.history,
            batch.fingerprint,
            context.budget.of_judge(self.name),
        )
        return _most_severe(
            judge_redelivery(history, fingerprint, budget),
            judge_earlier_batches(history, fingerprint, budget),
        )


def judge_redelivery(history: GateHistory, batch: Fingerprint, budget: Budget) -> list[Finding]:
    """Hold a batch whose columns all equal those of the batch before.

    Warn if

    - most of its columns are equal, but not all,
    - an earlier batch was nearly as similar to the one before it, or
    - the batch has few rows, or few batches are known.
    """
    repetition = find_repetition(history.features, history.features_of(batch))
    if repetition is None or batch.rows < MIN_ROWS:
        return []
    n_similar, n_batches = repetition.like, repetition.batches
    all_equal = identical(batch, history.seen_values.last)
    is_exact = all_equal and not repetition.near and repetition.usual <= _MAX_SIMILARITY
    rate = (n_similar + 1) / (n_batches + 1) if n_similar else _rate(n_batches, is_exact=is_exact)
    if rate > budget.warn:
        return []
    holds = (
        all_equal and not repetition.near and rate <= budget.hold and batch.rows >= MIN_ROWS_TO_HOLD
    )
    columns = (
        "all columns are" if all_equal else f"{percent(repetition.observed)} of the columns are"
    )
    usual = f"usually {percent(repetition.usual)} of the columns are the same"
    usual = f"{usual} ({counted_batches(n_batches)})"
    last = history.metrics.batches[-1].key if history.metrics.batches else ""
    cause = f"The batch before ({visible(last)}) was delivered again"
    return [
        Finding(
            "redelivery",
            Decision.HOLD if holds else Decision.WARN,
            f"{columns} exactly as in the batch before; {usual}.",
            *UNCHANGED,
            actual=repetition.observed,
            low=0.0,
            high=repetition.limit,
            false_alarm_rate=rate,
            severity=repetition.observed / repetition.limit,
            cause=f"{cause}: all columns have the same values."
            if all_equal
            else f"{cause}, with changes.",
            cause_code=CauseCode.REDELIVERED,
        )
    ]


def judge_earlier_batches(
    history: GateHistory, batch: Fingerprint, budget: Budget
) -> list[Finding]:
    """Hold a batch that repeats any of the latest batches.

    Warn if

    - a part of its rows is repeated, but not all,
    - an earlier batch was as similar to one before it,
    - a table of snapshots is again as it was before its last changes, or
    - the batch has few rows, or few batches are known.

    A label column has one value per batch, such as the day. If its value was delivered before, that
    is a finding, too. If both rows and labels repeat, the most severe result is returned.
    """
    keys = [earlier.key for earlier in history.metrics.batches]
    n_known = min(len(keys), len(history.contents))
    if batch.rows < MIN_ROWS or not n_known:
        return []
    keys, contents = keys[-n_known:], history.contents[-n_known:]
    now, may_hold = BatchContents.of(batch), batch.rows >= MIN_ROWS_TO_HOLD
    return _most_severe(
        _judge_rows(now, keys, contents, budget, may_hold=may_hold),
        _judge_labels(now, keys, contents, budget, may_hold=may_hold),
        _judge_state(now, keys, contents, budget),
    )


def _judge_rows(
    now: BatchContents,
    keys: Sequence[str],
    contents: Sequence[BatchContents],
    budget: Budget,
    *,
    may_hold: bool,
) -> list[Finding]:
    earlier = find_earlier(now, contents)
    if earlier is None:
        return []
    is_exact = earlier.similarity == 1 and earlier.highest <= _MAX_SIMILARITY
    rate = _rate(earlier.batches, is_exact=is_exact)
    if earlier.like:
        rate = (earlier.like + 1) / (earlier.batches + 1)
    if rate > budget.warn:
        return []
    holds = may_hold and earlier.similarity == 1 and rate <= budget.hold
    return [_repeats(keys[earlier.place], earlier, rate, holds=holds)]


def _judge_labels(
    now: BatchContents,
    keys: Sequence[str],
    contents: Sequence[BatchContents],
    budget: Budget,
    *,
    may_hold: bool,
) -> list[Finding]:
    n_known = len(keys)
    rate = _rate(n_known, is_exact=True)
    if rate > budget.warn:
        return []
    return [
        _repeats_label(name, keys[place], n_known, rate, holds=may_hold and rate <= budget.hold)
        for name, place in find_repeated_labels(now, contents).items()
    ]


def _judge_state(
    now: BatchContents, keys: Sequence[str], contents: Sequence[BatchContents], budget: Budget
) -> list[Finding]:
    """Warn if a table of snapshots changed, and is now as it was before the change."""
    returned = find_returned_state(now, contents)
    if returned is None:
        return []
    n_batches = len(contents)
    rate = constant_rate(n_batches)
    if returned.n_returns:
        rate = (returned.n_returns + 1) / (n_batches + 1)
    if rate > budget.warn:
        return []
    cause = f"The table is again as it was in the batch {visible(keys[returned.place])}"
    usual = f"it changed {returned.n_changes} times in {counted_batches(n_batches)}"
    return [
        Finding(
            "redelivery",
            Decision.WARN,
            f"all columns are as in the batch {visible(keys[returned.place])}, and not as in the"
            f" last one; {usual}.",
            None,
            "returned_state",
            actual=1.0,
            low=0.0,
            high=0.0,
            false_alarm_rate=rate,
            severity=1.0,
            cause=f"{cause}: later changes are lost.",
            cause_code=CauseCode.REDELIVERED,
        )
    ]


def _rate(n_batches: int, *, is_exact: bool) -> float:
    """Return the rate of a similarity that no past batch had."""
    return _REPEAT_RATE if is_exact else constant_rate(n_batches)


def _most_severe(*results: list[Finding]) -> list[Finding]:
    """Return the result that holds, or else the first one that is not empty."""
    return max(
        results,
        key=lambda findings: (any(f.level is Decision.HOLD for f in findings), bool(findings)),
    )


def _repeats(key: str, earlier: EarlierBatch, rate: float, *, holds: bool) -> Finding:
    is_all = earlier.similarity == 1 and earlier.is_exact
    share = "all" if is_all else f"about {percent(earlier.similarity)} of the"
    again = f"{share} rows were already delivered with the batch {visible(key)}"
    usual = f"usually {percent(earlier.usual)} of the rows were delivered before"
    usual = f"{usual} ({counted_batches(earlier.batches)})"
    return Finding(
        "redelivery",
        Decision.HOLD if holds else Decision.WARN,
        f"{again}; {usual}.",
        *UNCHANGED,
        actual=earlier.similarity,
        low=0.0,
        high=earlier.highest,
        false_alarm_rate=rate,
        severity=earlier.similarity,
        cause=f"{again[:1].upper()}{again[1:]}.",
        cause_code=CauseCode.REDELIVERED,
    )


def _repeats_label(column: str, key: str, n_batches: int, rate: float, *, holds: bool) -> Finding:
    value = f"the value of {visible(column)} was already delivered with the batch {visible(key)}"
    return Finding(
        "redelivery",
        Decision.HOLD if holds else Decision.WARN,
        f"{value}; the {counted_batches(n_batches)} before had different values.",
        column,
        "label",
        false_alarm_rate=rate,
        severity=1.0,
        cause=f"{value[:1].upper()}{value[1:]}.",
        cause_code=CauseCode.REDELIVERED,
    )
