"""Unusual metrics without a practical effect raise no warning."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.context import BatchContext, learn_limits
from assay.gate.finding import Finding
from assay.gate.judges.limits import judge_limits
from assay.gate.practical_effect import has_practical_effect
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import column_stats, fingerprint, numbers
from assay.learn.limits.judge_limits import LimitResult
from assay.store import Decision
from assay.suite.settings import GateSettings
from tests.gate.histories import history_of

pytestmark = pytest.mark.unit

LAST = column_stats(numbers(np.linspace(0, 2359, 500)))


def matters(metric: str, actual: float, low: float, high: float, rows: int = 1000) -> bool:
    finding = Finding(
        "limits", Decision.WARN, "it is so.", "a", metric, actual=actual, low=low, high=high
    )
    return has_practical_effect(finding, rows, LAST)


@pytest.mark.parametrize(
    ("metric", "actual", "low", "high"),
    [
        (metrics.MAX, 2358.0, 2359.0, 2359.0),
        (metrics.KOLMOGOROV_SMIRNOV, 0.03, 0.0, 0.02),
        (metrics.L1, 0.03, 0.0, 0.02),
        (metrics.COHEN_D, 0.08, 0.0, 0.05),
        (metrics.MEAN, 1190.0, 1150.0, 1170.0),
        (metrics.ZERO_RATIO, 0.005, 0.0, 0.0),
        (metrics.COMPLETENESS, 0.998, 1.0, 1.0),
        (metrics.DISTINCT_COUNT, 101.0, 100.0, 100.0),
        (metrics.ROW_COUNT, 1020.0, 1000.0, 1000.0),
    ],
)
def test_a_small_change_does_not_matter(
    metric: str, actual: float, low: float, high: float
) -> None:
    assert not matters(metric, actual, low, high)


@pytest.mark.parametrize(
    ("metric", "actual", "low", "high"),
    [
        (metrics.MAX, 9999.0, 2359.0, 2359.0),
        (metrics.MIN, -1.0, 0.5, 0.5),
        (metrics.KOLMOGOROV_SMIRNOV, 0.2, 0.0, 0.02),
        (metrics.MEAN, 1500.0, 1150.0, 1170.0),
        (metrics.ZERO_RATIO, 0.05, 0.0, 0.0),
        (metrics.COMPLETENESS, 0.99, 1.0, 1.0),
        (metrics.ROW_COUNT, 500.0, 990.0, 1010.0),
        (metrics.COHEN_D, math.inf, 0.0, 0.05),
        ("a metric of another package", 1.0, 2.0, 3.0),
    ],
)
def test_a_large_change_matters(metric: str, actual: float, low: float, high: float) -> None:
    assert matters(metric, actual, low, high)


def test_few_nulls_matter_in_a_large_batch_and_one_row_never() -> None:
    assert matters(metrics.COMPLETENESS, 0.9999, 1.0, 1.0, rows=1_000_000)
    assert not matters(metrics.COMPLETENESS, 0.98, 1.0, 1.0, rows=50)
    assert matters(metrics.COMPLETENESS, 0.96, 1.0, 1.0, rows=50)


def test_distances_to_an_empty_batch_are_not_reported() -> None:
    def day(number: int, rows: int) -> Fingerprint:
        rng = np.random.default_rng(number)
        return fingerprint({"amount": numbers(rng.normal(100, 10, rows))})

    days = [day(number, 300) for number in range(12)]
    settings, budget = GateSettings(), Budget.from_settings(GateSettings())
    limits = learn_limits(history_of("sales", days), budget, settings)
    history = history_of("sales", [*days, day(12, 0)])
    context = BatchContext(settings=settings, budget=budget, history=history, learn=lambda: limits)
    batch = day(13, 300)

    findings = judge_limits(context.limit_results(batch), history, batch)

    compared = [f for f in findings if metrics.get(str(f.metric)).compares_batches]
    assert compared == []


@pytest.mark.parametrize(("distance", "broken"), [(0.05, False), (0.9, True)])
def test_a_batch_that_is_more_similar_than_usual_is_not_reported(
    distance: float, broken: bool
) -> None:
    batch = fingerprint({"amount": numbers(np.arange(100))})
    result = LimitResult(
        "amount", "broken", "so.", metrics.L1, observed=distance, low=0.3, high=0.4, batches=30
    )

    findings = judge_limits({"sensitive": (result,)}, history_of("sales", [batch]), batch)

    assert bool(findings) is broken
