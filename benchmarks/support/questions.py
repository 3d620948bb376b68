"""25 questions about the orders: as analyzers, as Spark SQL and as DuckDB SQL.

The hand-written SQL uses the same sketches as the analyzers, so that the answers have the same
quality; each tool's answers are compared with those of the others before any time is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    ApproxQuantile,
    Completeness,
    Compliance,
    Correlation,
    Maximum,
    MaxLength,
    Mean,
    Median,
    Minimum,
    PatternMatch,
    Size,
    StandardDeviation,
)

__all__ = ["QUESTIONS", "Question", "basic", "differences"]


@dataclass(frozen=True)
class Question:
    """One number: `spark` is its SQL by hand, `duck` DuckDB's where it differs."""

    analyzer: Analyzer
    spark: str
    duck: str = ""
    #: how far answers may be apart, relative to the answer
    within: float = 1e-6
    #: the part of `spark` that is a sketch aggregate, if there is one
    sketch: str = ""

    @property
    def duck_sql(self) -> str:
        """The SQL for DuckDB."""
        return self.duck or self.spark


def _complete(column: str) -> Question:
    return Question(Completeness(column), f"count({column}) / count(1)")


def _matching(column: str, pattern: str) -> Question:
    return Question(
        PatternMatch(column, pattern),
        f"count_if({column} rlike '^{pattern}$') / count(1)",
        f"count_if(regexp_full_match({column}, '{pattern}')) / count(1)",
    )


def _distinct(column: str, *, nullable: bool = False) -> Question:
    sketch = f"hll_sketch_agg(xxhash64({column}))"
    if nullable:  # the hash of a null is no null
        sketch = f"hll_sketch_agg(CASE WHEN {column} IS NOT NULL THEN xxhash64({column}) END)"
    return Question(
        ApproxCountDistinct(column),
        f"hll_sketch_estimate({sketch})",
        f"approx_count_distinct({column})",
        within=0.2,
        sketch=sketch,
    )


def _quantile(analyzer: Analyzer, column: str, share: float) -> Question:
    sketch = f"kll_sketch_agg_double({column})"
    return Question(
        analyzer,
        f"kll_sketch_get_quantile_double({sketch}, {share}D)",
        f"approx_quantile({column}, {share})",
        within=0.1,
        sketch=sketch,
    )


QUESTIONS: Sequence[Question] = (
    Question(Size(), "count(1)"),
    _complete("email"),
    _complete("discount"),
    _complete("shipped_at"),
    _complete("comment"),
    Question(Mean("amount"), "avg(amount)"),
    Question(StandardDeviation("amount"), "stddev_pop(amount)"),
    Question(Minimum("amount"), "min(amount)"),
    Question(Maximum("quantity"), "max(quantity)"),
    Question(Mean("price"), "avg(price)"),
    Question(Maximum("ordered_at"), "max(ordered_at)", within=1e-4),  # time zones
    Question(Minimum("ordered_on"), "min(ordered_on)"),
    Question(
        Compliance("store BETWEEN 0 AND 499 AND quantity > 0"),
        "count_if(store BETWEEN 0 AND 499 AND quantity > 0) / count(1)",
    ),
    Question(
        Compliance("status IN ('new', 'paid', 'shipped', 'void')"),
        "count_if(status IN ('new', 'paid', 'shipped', 'void')) / count(1)",
    ),
    Question(
        Compliance("abs(latitude) <= 90 AND abs(longitude) <= 180"),
        "count_if(abs(latitude) <= 90 AND abs(longitude) <= 180) / count(1)",
    ),
    _matching("sku", "[A-Z]{2}-[0-9]{5}"),
    _matching("phone", "[+][0-9]{2} [0-9]{3} [0-9]+"),
    _distinct("order_id"),
    _distinct("customer_id"),
    _distinct("country"),
    _distinct("email", nullable=True),
    _quantile(ApproxQuantile("amount", 0.95), "amount", 0.95),
    _quantile(Median("weight"), "weight", 0.5),
    Question(MaxLength("comment"), "max(length(comment))"),
    Question(Correlation("amount", "tax"), "corr(amount, cast(tax AS double))"),
)


def basic(columns: Sequence[str]) -> Sequence[Question]:
    """Six statistics of each numeric column, as many as a profile has at least."""
    asked: list[Question] = [Question(Size(), "count(1)")]
    for name in columns:
        asked += [
            _complete(name),
            Question(Mean(name), f"avg({name})"),
            Question(StandardDeviation(name), f"stddev_pop({name})"),
            Question(Minimum(name), f"min({name})"),
            Question(Maximum(name), f"max({name})"),
            _distinct(name, nullable=True),
        ]
    return asked


def differences(questions: Sequence[Question], answers: Mapping[str, Sequence[Any]]) -> list[str]:
    """Where the tools do not agree, in words; `answers` has one for each question."""
    found = []
    (_, reference), *others = answers.items()
    for name, given in others:
        for question, ours, theirs in zip(questions, reference, given, strict=True):
            if not _close(ours, theirs, question.within):
                found.append(f"{question.analyzer}: {ours}, but {theirs} by {name}")
    return found


def _close(a: Any, b: Any, within: float) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(_number(a), _number(b), rel_tol=within, abs_tol=1e-12)


def _number(value: Any) -> float:
    if isinstance(value, datetime):
        zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
        return zoned.timestamp()
    return float(value.toordinal()) if isinstance(value, date) else float(value)
