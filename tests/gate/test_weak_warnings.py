"""A warning that no person would act on becomes an observation; all others stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay import Gate, MemoryStore, Verdict
from assay.engine.measurement import Measurement
from assay.gate.backtest.limit_cache import LimitCache
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.decide import decide
from assay.gate.decide.weak_warnings import is_weak, without_weak_warnings
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.practical_effect import has_large_effect, rising_labels, with_practical_effect
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers
from assay.store import Batch, Decision
from assay.suite.settings import GateSettings
from tests.gate.histories import history_of

pytestmark = pytest.mark.unit

#: 1,000 rows from 0 to 99.9, with a standard deviation of 29
LAST = fingerprint({"a": numbers(np.arange(1000) / 10), "b": numbers(np.arange(1000))})


def finding(
    metric: str,
    actual: float = 1.2,
    *limits: float,
    judge: str = "limits",
    column: str | None = "a",
) -> Finding:
    low, high = limits or (0.0, 1.0)
    level = Decision.WARN
    return Finding(judge, level, "so.", column, metric, actual=actual, low=low, high=high)


def problem(code: str, *findings: Finding, level: Decision = Decision.WARN) -> Problem:
    columns = tuple({f.column for f in findings if f.column is not None})
    return Problem(
        cause_code=code, cause="It is so.", columns=columns, level=level, findings=findings
    )


def weak(code: str, *findings: Finding, level: Decision = Decision.WARN) -> bool:
    return is_weak(problem(code, *findings, level=level), LAST, LAST)


MEAN = finding(metrics.MEAN, 55.0, 40.0, 50.0)
MAX = finding(metrics.MAX, 120.0, 90.0, 110.0)


@pytest.mark.parametrize(
    "code", [CauseCode.UNKNOWN, CauseCode.VALUES_SHIFTED, CauseCode.SHARES_MOVED]
)
def test_one_learner_without_a_named_cause_is_weak(code: str) -> None:
    assert weak(code, MEAN)
    assert weak(code, MEAN, MAX)  # metrics of one learner move together


def test_a_named_cause_or_two_learners_or_another_judge_is_worth_a_warning() -> None:
    assert not weak(CauseCode.NULLS_ROSE, MEAN)
    by_novelty = finding(metrics.MEAN, 55.0, 40.0, 50.0, judge="novelty")
    assert not weak(CauseCode.UNKNOWN, MEAN, by_novelty)
    assert not weak(CauseCode.UNKNOWN, finding("own", judge="own"))
    assert not weak(CauseCode.UNKNOWN, finding(metrics.ROW_COUNT, 5.0, 8.0, 9.0, column=None))
    assert not weak("a_cause_of_another_package", MEAN)


def test_a_named_cause_in_very_few_rows_needs_a_large_effect() -> None:
    tiny = fingerprint({"a": numbers([50.0, 60.0, 70.0])})
    assert is_weak(problem(CauseCode.VALUES_NEW, MEAN), tiny, LAST)
    assert is_weak(problem(CauseCode.OFFSET, MEAN), tiny, LAST)
    far = finding(metrics.MEAN, 150.0, 40.0, 50.0)
    assert not is_weak(problem(CauseCode.OFFSET, far), tiny, LAST)


def test_a_problem_that_holds_is_never_weak() -> None:
    assert not weak(CauseCode.UNKNOWN, MEAN, level=Decision.HOLD)


def test_missing_rows_are_not_shown_by_one_column() -> None:
    assert weak(CauseCode.ROWS_MISSING, MEAN)
    rows = finding(metrics.ROW_COUNT, 5.0, 8.0, 9.0, column=None)
    assert not weak(CauseCode.ROWS_MISSING, MEAN, rows)
    in_other_column = finding(metrics.MEAN, 550.0, 400.0, 500.0, column="b")
    assert not weak(CauseCode.ROWS_MISSING, MEAN, in_other_column)


def test_distances_alone_need_a_large_effect_even_with_a_cause() -> None:
    near = finding(metrics.KOLMOGOROV_SMIRNOV, 0.2, 0.0, 0.1)
    infinite = finding(metrics.COHEN_D, float("inf"), 0.0, 9.5)
    assert weak(CauseCode.OFFSET, near, infinite)
    assert not weak(CauseCode.OFFSET, near, MEAN)
    assert not weak(CauseCode.OFFSET, finding(metrics.KOLMOGOROV_SMIRNOV, 0.5, 0.0, 0.1))


def test_more_new_values_are_weak_only_if_new_values_are_usual() -> None:
    def unseen(actual: float, high: float) -> Finding:
        return finding(metrics.UNSEEN_VALUES, actual, 0.0, high, judge="novelty")

    surprise = finding(metrics.SURPRISE, 3.5, 1.0, 3.0, judge="novelty")
    new_form = finding(metrics.UNSEEN_SHAPES, 0.03, 0.0, 0.001, judge="novelty")
    assert weak(CauseCode.VALUES_NEW, unseen(0.3, 0.2))
    assert weak(CauseCode.VALUES_NEW, unseen(0.3, 0.2), surprise)
    assert not weak(CauseCode.VALUES_NEW, unseen(0.03, 0.001))
    assert not weak(CauseCode.VALUES_NEW, unseen(0.5, 0.2))
    assert not weak(CauseCode.VALUES_NEW, unseen(0.3, 0.2), new_form)
    assert not weak(CauseCode.VALUES_NEW, surprise)


@pytest.mark.parametrize(
    ("metric", "actual", "low", "high", "large"),
    [
        (metrics.INTEGER_RATIO, 0.0, 0.99, 1.0, True),
        (metrics.INTEGER_RATIO, 0.85, 0.99, 1.0, False),
        (metrics.L1, 0.5, 0.0, 0.2, False),
        (metrics.L1, 0.7, 0.0, 0.2, True),
        (metrics.MAX, 250.0, 90.0, 110.0, True),
        (metrics.MAX, 200.0, 90.0, 110.0, False),
        (metrics.MEAN, 100.0, 40.0, 50.0, True),
        (metrics.MEAN, 70.0, 40.0, 50.0, False),
        (metrics.COHEN_D, float("inf"), 0.0, 1.0, False),
        ("a metric of another package", 1.1, 0.0, 1.0, True),
    ],
)
def test_an_effect_is_large_far_outside_the_limits(
    metric: str, actual: float, low: float, high: float, large: bool
) -> None:
    assert has_large_effect(finding(metric, actual, low, high), LAST, LAST) is large


def test_a_share_of_few_values_counts_values_and_not_rows() -> None:
    batch = fingerprint({"a": numbers([0.0, *range(1, 20), *[None] * 40])})
    one_zero = finding(metrics.ZERO_RATIO, 1 / 20, 0.0, 0.0)
    assert with_practical_effect([one_zero], batch, LAST) == []
    two_zeros = finding(metrics.ZERO_RATIO, 2 / 20, 0.0, 0.0)
    assert with_practical_effect([two_zeros], batch, LAST) == [two_zeros]


def test_a_number_of_the_day_that_always_rises_may_rise_by_any_step() -> None:
    def day(number: float, rows: int = 40) -> Fingerprint:
        return fingerprint({"a": numbers([number] * rows)})

    history = history_of("days", [day(20_200_600 + number) for number in range(1, 31)])
    larger = finding(metrics.MEAN, 20_200_701.0, 20_200_631.0, 20_200_631.0)
    empty = finding(metrics.COMPLETENESS, 0.5, 1.0, 1.0)

    rising = rising_labels(day(20_200_701), history)

    assert rising == {"a"}
    findings = with_practical_effect([larger, empty], day(20_200_701), None, rising)
    assert findings == [empty]
    assert rising_labels(day(20_200_615), history) == frozenset()


def test_a_weak_warning_stays_visible_as_an_observation() -> None:
    lasting = problem(CauseCode.NULLS_ROSE, MEAN)
    kept, observations = without_weak_warnings(
        [problem(CauseCode.UNKNOWN, MEAN, MAX), lasting], LAST, LAST
    )
    assert kept == [lasting]
    assert [(f.judge, f.column, f.metric, f.level) for f in observations] == [
        ("limits", "a", metrics.MEAN, Decision.ACCEPT)
    ]


def test_a_batch_with_only_weak_warnings_is_accepted() -> None:
    history = history_of("d", [LAST])
    settings = GateSettings()
    context = BatchContext(
        settings=settings, budget=Budget.from_settings(settings), history=history
    )
    batch = MeasuredBatch(Batch("d", "1"), Measurement({}, {}), None)
    batch.__dict__["fingerprint"] = LAST
    lonely_hold = replace(MEAN, level=Decision.HOLD)
    unnamed = problem(CauseCode.UNKNOWN, lonely_hold, level=Decision.HOLD)

    decision, problems, observations = decide([unnamed], context, batch)

    assert (decision, problems) == (Decision.ACCEPT, ())
    assert [f.column for f in observations] == ["a"]
    named = problem(CauseCode.UNIT_CHANGED, lonely_hold, level=Decision.HOLD)
    decision, problems, observations = decide([unnamed, named], context, batch)
    assert (decision, len(problems), len(observations)) == (Decision.WARN, 1, 1)


def test_a_replay_learns_the_limits_of_a_weak_warning_again() -> None:
    observed = replace(MEAN, level=Decision.ACCEPT)
    verdict = Verdict(Batch("d", "1"), Decision.ACCEPT, observations=(observed,))
    cache = LimitCache(Gate("d", MemoryStore()).spec)
    cache.add_accepted(verdict)
    assert cache.changed_columns == {"a"}
