"""The judge of keys: values that repeat in a column, or a pair of columns, and never did before.

If no value of a column, or pair of two columns, was repeated in the last batch, all of them are
counted. If there are more than about 130,000, a sample of about 100,000 is counted, which is chosen
by hash. All occurrences of a sampled value count. Columns of fractions are never keys.

Other columns of more than about 750 values have a sample of about 1,000. If a share s of the values
repeats, it shows none of them with a probability of about (1 - s)^1000: 0.004 % for 1 %, 37 % for
0.1 %.

The false-alarm rate says how often chance repeats this number of values or more, after batches
without a repeated value (`assay.learn.limits.repetition_rate`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.checks.formatting import counted_batches, percent, visible
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.metrics import MetricValues
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.repetition_rate import repetition_rate
from assay.learn.limits.tail_bounds import constant_rate
from assay.learn.relations.choose_relations import held_relations
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind
from assay.store.verdict import Decision

__all__ = ["KeysJudge", "judge_keys", "judge_pairs"]

#: a column is a key if its values never repeated in this number of batches or more, ...
MIN_BATCHES = 3
#: ... which had this number of counted values or more, together
MIN_ROWS = 30
#: If this share of the values was in the last batch as well, chance does not make them unique. The
#: column also has nearly no nulls: counts that seldom change come again as well.
_MIN_COMMON, _MIN_COMPLETENESS = 0.9, 0.95
#: One repeated value is as rare as the first change of another metric (`constant_rate`): two fires
#: may have one name. It is rarer in a batch of fewer than 100 values. Each further value is taken
#: to be a thousand times rarer.
_FURTHER_REPEAT_FACTOR, _MANY_VALUES = 0.001, 100


@dataclass(frozen=True)
class KeysJudge:
    """Reports repeated values in columns that had none before."""

    name: str = "keys"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each key with repeated values."""
        budget = context.budget.of_judge(self.name)
        fingerprint, history = batch.fingerprint, context.history
        return [
            *judge_keys(history.metrics, fingerprint, budget),
            *judge_pairs(history.relations, fingerprint, budget),
        ]


def judge_keys(history: MetricHistory, batch: Fingerprint, budget: Budget) -> Iterator[Finding]:
    """Hold a batch if more values of a key repeat than chance explains.

    Warn if chance explains the number only rarely.
    """
    keys = {
        name: earlier
        for name, stats in batch.columns.items()
        if _can_be_key(stats) and _are_unique(earlier := _counted(history, name))
    }
    for name, earlier in keys.items():
        stats = batch.columns[name]
        repeated = stats["sampled"] - stats["sampled_distinct"]
        if not repeated > 0:
            continue
        if _come_again(stats, None if history.last is None else history.last.columns.get(name)):
            rate = constant_rate(len(earlier)) * _FURTHER_REPEAT_FACTOR ** (repeated - 1)
            rate *= min(1.0, stats.n_values / _MANY_VALUES)
        else:
            pairs = stats["sampled"] * stats["values"] / 2
            earlier_pairs = sum(map(_pairs, earlier))
            rate = repetition_rate(int(repeated), pairs=pairs, earlier_pairs=earlier_pairs)
        # Each key is tested, and each test can be wrong by chance: multiply the rate.
        rate *= len(keys)
        if rate <= budget.warn:
            yield _to_finding(name, stats, len(earlier), rate, holds=rate <= budget.hold)


def _counted(history: MetricHistory, name: str) -> list[MetricValues]:
    return [values for values in history.of(name) if _pairs(values) >= 0]


def _are_unique(earlier: Sequence[MetricValues]) -> bool:
    """Return whether no value of a column was repeated in enough batches and rows."""
    return (
        len(earlier) >= MIN_BATCHES
        and not any(values[metrics.REPEATED_VALUES] for values in earlier)
        and sum(values[metrics.SAMPLED_VALUES] for values in earlier) >= MIN_ROWS
    )


def _come_again(now: ColumnStats, before: ColumnStats | None) -> bool:
    """Return whether nearly all values were in the last batch as well, and few are null.

    Chance would repeat some of so few values in each batch. The column is a key, such as the code
    of a country in a table with one row for each.
    """
    if before is None or now.n_values < _MIN_COMPLETENESS * now.n_rows:
        return False
    values = now.value_counts if not now.uncounted(now.value_counts) else now.sampled_counts
    earlier = before.value_counts if values is now.value_counts else before.sampled_counts
    if not values and now.sample is not None and before.sample is not None:
        values = dict.fromkeys(map(str, now.sample.values.tolist()), 1)
        earlier = dict.fromkeys(map(str, before.sample.values.tolist()), 1)
    return bool(values) and sum(value in earlier for value in values) >= _MIN_COMMON * len(values)


def judge_pairs(
    history: Sequence[BatchRelations], batch: Fingerprint, budget: Budget
) -> Iterator[Finding]:
    """Hold a batch if more pairs of values repeat than chance explains, and none did before."""
    for relation in held_relations(history):
        if relation.kind is not RelationKind.KEY or relation not in batch.relations:
            continue
        now = batch.relations[relation]
        earlier = [of_batch.counts[relation] for of_batch in history if relation in of_batch.counts]
        has_history = len(earlier) >= MIN_BATCHES and sum(c.rows for c in earlier) >= MIN_ROWS
        if not now.broken or not has_history:
            continue
        earlier_pairs = sum(counts.rows**2 / 2 for counts in earlier)
        rate = repetition_rate(now.broken, pairs=now.rows**2 / 2, earlier_pairs=earlier_pairs)
        rate *= len(batch.columns)
        if rate <= budget.warn:
            level = Decision.HOLD if rate <= budget.hold else Decision.WARN
            yield _to_pair_finding(relation, now, len(earlier), level, rate)


def _to_pair_finding(
    relation: Relation, now: RelationCounts, n_batches: int, level: Decision, rate: float
) -> Finding:
    first, second = map(visible, relation.columns)
    noun = "sampled rows" if now.sampled else "rows"
    examples = f", such as {'; '.join(map(visible, now.examples))}" if now.examples else ""
    count = f"{now.broken:,} of {now.rows:,} {noun} repeat the values of another row{examples}"
    return Finding(
        "keys",
        level,
        f"together with {second}, {count}; in {counted_batches(n_batches)} before, all pairs were"
        " different.",
        relation.columns[0],
        "repeated_pairs",
        actual=now.broken,
        low=0.0,
        high=0.0,
        false_alarm_rate=rate,
        severity=now.share,
        cause=f"{first} and {second}: {count}. No pair of values was repeated before.",
        cause_code=CauseCode.KEY_DUPLICATED,
        related=relation.columns[1:],
        row_filter=now.row_filter,
    )


def _can_be_key(stats: ColumnStats) -> bool:
    return stats.kind == "categorical" or stats["integers"] == stats["values"]


def _pairs(values: MetricValues) -> float:
    """Return the number of pairs of rows that were compared; NaN if values were not counted."""
    n_values = values.get(metrics.ROW_COUNT, math.nan) * values.get(metrics.COMPLETENESS, math.nan)
    return values.get(metrics.SAMPLED_VALUES, math.nan) * n_values / 2


def _to_finding(
    name: str, stats: ColumnStats, n_batches: int, rate: float, *, holds: bool
) -> Finding:
    sampled, repeated = stats["sampled"], stats["sampled"] - stats["sampled_distinct"]
    share = repeated / sampled
    if sampled == stats["values"]:
        count = f"{repeated:,.0f} of {sampled:,.0f} values repeat another value ({percent(share)})"
    else:
        count = (
            f"about {percent(share)} of the values repeat another value"
            f" ({repeated:,.0f} of {sampled:,.0f} sampled values)"
        )
    return Finding(
        "keys",
        Decision.HOLD if holds else Decision.WARN,
        f"{count}; in {counted_batches(n_batches)} before, all values were different.",
        name,
        metrics.REPEATED_VALUES,
        actual=repeated,
        low=0.0,
        high=0.0,
        false_alarm_rate=rate,
        severity=share,
        cause=f"{visible(name)}: {count}. No value was repeated before.",
        cause_code=CauseCode.KEY_DUPLICATED,
    )
