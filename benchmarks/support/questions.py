"""25 questions about the table of orders: as analyzers, as Spark SQL and as DuckDB SQL.

The hand-written SQL uses the same sketches as the analyzers, so that all answers have the same
precision. Benchmarks compare the answers before they print any time.
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
    """One number that each tool computes."""

    analyzer: Analyzer
    #: hand-written Spark SQL
    spark: str
    #: SQL for DuckDB, where it differs
    duckdb: str = ""
    #: largest relative difference between two answers
    tolerance: float = 1e-6
    #: part of `spark` that is a sketch aggregate, if there is one
    sketch: str = ""

    @property
    def duckdb_sql(self) -> str:
        """The SQL for DuckDB."""
        return self.duckdb or self.spark


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
    if nullable:  # xxhash64(NULL) is a value
        sketch = f"hll_sketch_agg(CASE WHEN {column} IS NOT NULL THEN xxhash64({column}) END)"
    return Question(
        ApproxCountDistinct(column),
        f"hll_sketch_estimate({sketch})",
        f"approx_count_distinct({column})",
        tolerance=0.2,
        sketch=sketch,
    )


def _quantile(analyzer: Analyzer, column: str, share: float) -> Question:
    sketch = f"kll_sketch_agg_double({column})"
    return Question(
        analyzer,
        f"kll_sketch_get_quantile_double({sketch}, {share}D)",
        f"approx_quantile({column}, {share})",
        tolerance=0.1,
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
    Question(Maximum("ordered_at"), "max(ordered_at)", tolerance=1e-4),  # time zones
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
    """Return six statistics of each numeric column, which every profile contains."""
    questions: list[Question] = [Question(Size(), "count(1)")]
    for name in columns:
        questions += [
            _complete(name),
            Question(Mean(name), f"avg({name})"),
            Question(StandardDeviation(name), f"stddev_pop({name})"),
            Question(Minimum(name), f"min({name})"),
            Question(Maximum(name), f"max({name})"),
            _distinct(name, nullable=True),
        ]
    return questions


def differences(questions: Sequence[Question], answers: Mapping[str, Sequence[Any]]) -> list[str]:
    """Describe every answer that differs from the first tool's by more than its tolerance.

    Parameters
    ----------
    answers
        For each tool, one answer per question.
    """
    messages = []
    (reference_name, reference), *others = answers.items()
    for name, values in others:
        for question, expected, actual in zip(questions, reference, values, strict=True):
            if not _is_close(expected, actual, question.tolerance):
                messages.append(
                    f"{question.analyzer}: {expected} by {reference_name}, {actual} by {name}"
                )
    return messages


def _is_close(a: Any, b: Any, tolerance: float) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(_number(a), _number(b), rel_tol=tolerance, abs_tol=1e-12)


def _number(value: Any) -> float:
    if isinstance(value, datetime):
        zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
        return zoned.timestamp()
    return float(value.toordinal()) if isinstance(value, date) else float(value)
