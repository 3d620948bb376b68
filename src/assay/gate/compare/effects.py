"""Practical effects: the changes between two columns that matter, with few rows or with many.

Two tables differ by chance. A change is reported if it is both

- *larger than chance*: `CHANCE_DEVIATIONS` standard errors of the smaller table, and
- *large enough to matter*: a share of the rows, or a distance between distributions.

With one older table nothing else is known. With eight or more, the gate learns its limits instead.

>>> from assay.learn.fingerprint.from_rows import column_stats, numbers
>>> before, now = column_stats(numbers([1, 2, 3, 4] * 99)), column_stats(numbers([3, 4, 5, 6] * 99))
>>> [(effect.metric, effect.size) for effect in find_effects(now, before)]
[('KS_dist', 0.5)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.checks.formatting import percent
from assay.gate.compare.continued import is_continued
from assay.gate.compare.effect import (
    MAX_ABSENT_SHARE,
    MIN_HOLDING_SHARE,
    Effect,
    exceeds_chance,
)
from assay.gate.compare.number_effects import compare_distributions, compare_means
from assay.gate.compare.value_effects import compare_lengths, compare_shapes, compare_values
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Stat

__all__ = ["MIN_VALUES", "find_effects"]

#: share of rows that became null: one row in fifty is the least that the causes name
MIN_NULLS = 0.02
#: Share by which zeros, negative numbers or empty strings became more or less frequent. Such shares
#: differ by some percent between two ordinary days (benchmarks.compare).
MIN_KIND_SHARE = 0.05
#: A column is a key if nearly all its values differ. The distinct count is an estimate in large
#: tables, with an error of 1.6 %.
MIN_KEY_SHARE = 0.97
#: Share of repeated values that a former key must have. A random half of a nearly unique column can
#: have none, and the other half some.
MIN_REPEATED = 0.03
#: a table of fewer values differs by chance in every way
MIN_VALUES = 5


def find_effects(now: ColumnStats, before: ColumnStats) -> list[Effect]:
    """Return the changes of a column, nulls first."""
    if not now.n_rows or not before.n_rows:
        return []
    effects = list(_nulls(now, before))
    if min(now.n_values, before.n_values) >= MIN_VALUES and now.kind == before.kind:
        rules = _NUMBER_RULES if now.kind == "numeric" else _VALUE_RULES
        if is_continued(now, before):
            rules = ()
        for rule in (*rules, _repeated_keys):
            effects += rule(now, before)
    return effects


def _nulls(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    share, share_before = (stats.null_share for stats in (now, before))
    if abs(share - share_before) >= MIN_NULLS and exceeds_chance(
        share, share_before, now.n_rows, before.n_rows
    ):
        yield Effect(
            metric=metrics.COMPLETENESS,
            size=share - share_before,
            actual=1 - share,
            before=1 - share_before,
            reason=f"{percent(share)} of the rows are null; {percent(share_before)} before.",
            may_hold=share - share_before >= MIN_HOLDING_SHARE,
        )


def _share(name: str, metric: str, noun: str) -> Callable[[ColumnStats, ColumnStats], list[Effect]]:
    """Return the rule for the share of one kind of value."""

    def rule(now: ColumnStats, before: ColumnStats) -> list[Effect]:
        share, share_before = now.per_value(name), before.per_value(name)
        if not abs(share - share_before) >= MIN_KIND_SHARE or not exceeds_chance(
            share, share_before, now.n_values, before.n_values
        ):
            return []
        reason = f"{percent(share)} of the values are {noun}; {percent(share_before)} before."
        return [
            Effect(
                metric=metric,
                size=abs(share - share_before),
                actual=share,
                before=share_before,
                reason=reason,
                may_hold=share_before < MAX_ABSENT_SHARE and share >= MIN_HOLDING_SHARE,
            )
        ]

    return rule


def _repeated_keys(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    share, share_before = (min(1.0, stats.per_value(Stat.DISTINCT)) for stats in (now, before))
    is_key = share_before >= MIN_KEY_SHARE and share_before - share >= MIN_REPEATED
    if not is_key or not exceeds_chance(share, share_before, now.n_values, before.n_values):
        return
    yield Effect(
        metric=metrics.DISTINCT_RATIO,
        size=share_before - share,
        actual=share,
        before=share_before,
        reason=f"{percent(1 - share)} of the values are repetitions;"
        f" {percent(1 - share_before)} before.",
        may_hold=share_before == 1,
    )


Rule = Callable[[ColumnStats, ColumnStats], "Iterator[Effect] | list[Effect]"]
_NUMBER_RULES: tuple[Rule, ...] = (
    _share(Stat.ZEROS, metrics.ZERO_RATIO, "zeros"),
    _share(Stat.NEGATIVES, metrics.NEGATIVE_RATIO, "negative numbers"),
    compare_distributions,
    compare_means,
)
_VALUE_RULES: tuple[Rule, ...] = (
    _share(Stat.EMPTY, metrics.EMPTY_RATIO, "empty strings"),
    compare_values,
    compare_shapes,
    compare_lengths,
)
