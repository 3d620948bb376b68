"""The judge of patterns: do the values of string columns still match their pattern?

The pattern of a column is learned from the values of the batch before (auto-validate-sigmod21,
section 4). One earlier batch suffices, and an index of the data lake improves it. Forms that other
remembered batches had match as well, such as the invoices of cancellations. The judge uses the
values in the fingerprints, so it reads no rows.

A column is reported if the share of mismatches has risen. It is also reported if its values had
one form, and the mismatches have many different forms. Such values are garbage, and a few of them
show it (`assay.learn.patterns.new_forms`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import quote
from assay.checks.assertions.learned_pattern import LearnedPattern
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.formatting import percent, visible
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode, count_of
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import Text
from assay.learn.novelty.seen_values import SeenColumn, SeenValues, shorten_values
from assay.learn.patterns.learner import Patterns
from assay.learn.patterns.new_forms import p_value_of_new_forms
from assay.store.verdict import Decision

__all__ = ["PatternsJudge", "judge_patterns"]

#: examples of values that do not match
MAX_EXAMPLES = 3
#: A form is usual if at least this share of the remembered values have it. Limits and novelty know
#: how much its share varies.
MIN_USUAL_SHARE = 0.001


@dataclass(frozen=True)
class PatternsJudge:
    """Tests the values of string columns against patterns of the last batch's values."""

    name: str = "patterns"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the columns whose values match their pattern less often than before."""
        return judge_patterns(
            batch.fingerprint,
            context.previous,
            Patterns(context.index),
            context.budget,
            private=context.settings.private,
            earlier=context.history.seen_values,
        )


def judge_patterns(
    batch: Fingerprint,
    last: Fingerprint | None,
    learner: Patterns,
    budget: Budget,
    *,
    private: Collection[str] = (),
    earlier: SeenValues | None = None,
) -> list[Finding]:
    """Return the columns in which more values fail to match than expected.

    Each column has an equal part of the budget. A finding warns. It holds the batch if most values
    no longer match a pattern that the lake's index knows.

    Parameters
    ----------
    batch, last
        The batch, and the one before, from whose values patterns are learned.
    learner
        Finds the pattern of some values.
    budget
        The false-alarm budget.
    private
        Columns that are not judged.
    earlier
        The values of all remembered batches. A value of a form that they had is not a mismatch.
    """
    remembered = {} if earlier is None else earlier.columns
    columns_before = {} if last is None else last.columns
    columns = [
        (name, _value_counts(columns_before[name]), _value_counts(now))
        for name, now in batch.columns.items()
        if name in columns_before and name not in private and now.shape_counts
    ]
    findings = []
    for name, counts_before, counts in columns:
        if not counts or not counts_before:
            continue
        learned = learner.learn(counts_before)
        if isinstance(learned, LearnedPattern):
            of_column = remembered.get(name, SeenColumn())
            values = _mismatches(learned, counts, counts_before, of_column)
            mismatches = _Mismatches(learned, values, counts, counts_before)
            findings += _test_pattern(name, mismatches, budget, len(columns))
    return findings


def _mismatches(
    learned: LearnedPattern,
    counts: Mapping[str, int],
    counts_before: Mapping[str, int],
    remembered: SeenColumn,
) -> dict[str, int]:
    """Count the values that do not match the pattern, without remembered values and forms.

    A value of the form of matching values, but with other fixed characters, is a mismatch.
    """
    values = [
        value
        for value in counts
        if not learned.pattern.matches(value)
        and next(iter(shorten_values({value: 1}))) not in remembered.values
    ]
    if not values:
        return {}
    usual = {s for s, n in remembered.shapes.items() if n >= MIN_USUAL_SHARE * remembered.total}
    usual -= set(_shapes([v for v in counts_before if learned.pattern.matches(v)]))
    return {
        value: counts[value]
        for value, shape in zip(values, _shapes(values), strict=True)
        if shape not in usual
    }


def _shapes(values: Sequence[str]) -> list[str]:
    """Return the shape of each value as `SeenColumn` counts it."""
    shapes = Text.of(values).shapes() if values else []
    return [next(iter(shorten_values({shape: 1}))) for shape in shapes]


def _value_counts(stats: ColumnStats) -> Mapping[str, int]:
    """Return the row count of each value; 1 each if a sketch has forgotten some values."""
    if not stats.shape_counts:
        return {}
    return (
        dict.fromkeys(stats.value_counts, 1)
        if stats.uncounted(stats.value_counts)
        else stats.value_counts
    )


@dataclass(frozen=True)
class _Mismatches:
    """The values of a column that do not match its pattern, and all values."""

    learned: LearnedPattern
    values: Mapping[str, int]
    counts: Mapping[str, int]
    counts_before: Mapping[str, int]

    @property
    def n(self) -> int:
        return sum(self.values.values())

    @property
    def n_values(self) -> int:
        return sum(self.counts.values())

    def new_forms_rate(self) -> float:
        """Return the false-alarm rate of different new forms among values of one form."""
        one_form = (
            sum(
                not all(isinstance(piece, str) for piece in pieces)
                for pieces in self.learned.pattern.alternatives
            )
            <= 1
        )
        if not one_form or not self.values:
            return 1.0
        forms_before = set(_shapes(list(self.counts_before)))
        new_forms: Counter[str] = Counter()
        for shape, n_rows in zip(_shapes(list(self.values)), self.values.values(), strict=True):
            if shape not in forms_before:
                new_forms[shape] += n_rows
        return p_value_of_new_forms(
            new_forms,
            n_forms=len(forms_before),
            n_before=sum(self.counts_before.values()),
            n_values=self.n_values,
        )


def _test_pattern(
    column: str, mismatches: _Mismatches, budget: Budget, n_columns: int
) -> list[Finding]:
    learned, n_values = mismatches.learned, mismatches.n_values
    share = 1 - mismatches.n / n_values
    is_known_and_lost = bool(learned.coverage) and mismatches.n > n_values / 2
    for level, alarms in ((Decision.HOLD, budget.hold), (Decision.WARN, budget.warn)):
        rate = alarms / n_columns
        expected = ProportionTest(learned.trained, significance=rate).expectation(n_values)
        may_report = is_known_and_lost or level is Decision.WARN
        if may_report and not expected.holds(share):
            return [_to_finding(column, mismatches, level, expected.low, rate)]
    rate = budget.warn / n_columns
    if mismatches.new_forms_rate() < rate:
        finding = _to_finding(column, mismatches, Decision.WARN, 1.0, rate)
        forms = "Each has another form, and none of these forms was there before."
        return [replace(finding, reason=f"{finding.reason} {forms}")]
    return []


def _to_finding(
    column: str, mismatches: _Mismatches, level: Decision, low: float, rate: float
) -> Finding:
    learned, values, n_values = mismatches.learned, mismatches.values, mismatches.n_values
    share = mismatches.n / n_values
    most_frequent = sorted(values, key=lambda value: (-values[value], value))
    examples = ", ".join(repr(visible(value)) for value in most_frequent[:MAX_EXAMPLES])
    in_lake = f" ({learned.coverage:,} columns of the lake have it)" if learned.coverage else ""
    pattern = visible(str(learned.pattern))
    quoted = quote(column)
    whole_value = sql_string(rf"^(?:{learned.pattern.regex})\z")
    row_filter = f"NOT {quoted} RLIKE {whole_value}"
    group = "GROUP BY 1 ORDER BY 2 DESC"
    return Finding(
        "patterns",
        level,
        f"{count_of(mismatches.n, n_values, 'values')} ({percent(share)}) do"
        f" not match the pattern {pattern}{in_lake}, such as {examples}.",
        column,
        "pattern",
        actual=1 - share,
        low=low,
        high=1.0,
        false_alarm_rate=rate,
        severity=share,
        cause_code=CauseCode.PATTERN_BROKEN,
        sql=f"SELECT {quoted}, count(*) FROM batch WHERE {row_filter} {group}",  # noqa: S608
        row_filter=row_filter,
    )
