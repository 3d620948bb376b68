"""The judge of what strings look like: patterns of the last batch's values, tried on this one's.

It needs a single batch before, and an index of the lake if there is one (auto-validate, section 4).
Patterns are learned and tried on the values that fingerprints hold, so that nothing more is read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import quote
from assay.checks.assertions.learned_pattern import LearnedPattern
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.formatting import visible
from assay.gate.budget import Budget
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.patterns.learner import Patterns
from assay.store.verdict import Decision

__all__ = ["PatternsJudge", "judge_patterns"]

#: so many values that do not match are shown
_SHOWN = 3


@dataclass(frozen=True)
class PatternsJudge:
    """Tests the values of string columns against patterns of the last batch's values."""

    name: str = "patterns"
    holds_alone: bool = True
    spends_budget: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the columns whose values match their pattern less often than before."""
        return judge_patterns(
            batch.fingerprint,
            context.previous,
            Patterns(context.index),
            context.budget,
            but=context.settings.private,
        )


def judge_patterns(
    batch: Fingerprint,
    last: Fingerprint | None,
    learner: Patterns,
    budget: Budget,
    *,
    but: Collection[str] = (),
) -> list[Finding]:
    """Columns in which more values do not match than the last batch lets expect.

    They warn, and each column has its part of the warnings. A batch is held where most values no
    longer match a pattern that the lake knows.
    """
    before = {} if last is None else last.columns
    told = [
        (name, _values(before[name]), _values(now))
        for name, now in batch.columns.items()
        if name in before and name not in but and now.shape_counts
    ]
    found = []
    for name, then, now in told:
        lesson = learner.learn(then) if then and now else ""
        if isinstance(lesson, LearnedPattern):
            found += _tried(name, lesson, now, budget, len(told))
    return found


def _values(stats: ColumnStats) -> Mapping[str, int]:
    """How often each value occurs; where a sketch has forgotten some, each counts once."""
    if not stats.shape_counts:
        return {}
    return (
        dict.fromkeys(stats.value_counts, 1)
        if stats.uncounted(stats.value_counts)
        else stats.value_counts
    )


def _tried(
    column: str, lesson: LearnedPattern, now: Mapping[str, int], budget: Budget, columns: int
) -> list[Finding]:
    bad = {value: n for value, n in now.items() if not lesson.pattern.matches(value)}
    missed, every = sum(bad.values()), sum(now.values())
    lost = bool(lesson.coverage) and missed > every / 2
    for level, alarms in ((Decision.HOLD, budget.hold), (Decision.WARN, budget.warn)):
        risk = alarms / columns
        expected = ProportionTest(lesson.trained, significance=risk).expectation(every)
        if (lost or level is Decision.WARN) and not expected.holds(1 - missed / every):
            break
    else:
        return []
    most = sorted(bad, key=lambda value: (-bad[value], value))[:_SHOWN]
    shown = ", ".join(repr(visible(value)) for value in most)
    own = quote(column)
    whole = sql_string(rf"^(?:{lesson.pattern.regex})\z")
    rows = f"NOT {own} RLIKE {whole}"
    group = "GROUP BY 1 ORDER BY 2 DESC"
    known = f", which {lesson.coverage:,} columns of the lake have" if lesson.coverage else ""
    return [
        Finding(
            "patterns",
            level,
            f"{missed / every:.1%} of the values do not match {visible(str(lesson.pattern))}"
            f"{known}, such as {shown} ({expected.reason}).",
            column,
            "pattern",
            1 - missed / every,
            expected.low,
            expected.high,
            risk,
            missed / every,
            reproduce=f"SELECT {own}, count(*) FROM batch WHERE {rows} {group}",  # noqa: S608
            rows=rows,
        )
    ]
