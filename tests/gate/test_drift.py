"""Judge batches whose metrics rise or fall a little in each batch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.diagnose import Comparison, diagnose
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges.drift import DriftJudge
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.from_rows import Column, numbers, strings
from assay.learn.limits.metric_history import MetricHistory
from assay.store import Decision
from assay.store.verdict import VerdictRecord
from assay.suite.settings import GateSettings
from benchmarks.support.batches_of_rows import BatchOfRows

pytestmark = pytest.mark.unit

SETTINGS = GateSettings()
START, ROWS = 30, 400
FIRST_DAY = datetime(2026, 9, 1, tzinfo=UTC)


@cache
def measured(day: int, daily: float = 0.0, filled: float = 0.0, rows: float = 0.0) -> BatchOfRows:
    """Return the batch of a day; from `START` on, its metrics change by a share each day."""
    rng = np.random.default_rng(day)
    elapsed = max(0, day - START + 1)
    n = round(ROWS * (1 + rows) ** elapsed * rng.uniform(0.99, 1.01))
    amounts = rng.gamma(9.0, 10.0, n) * (1 + daily) ** elapsed
    city = rng.choice(np.array(["Rome", "Oslo", "Bern"], dtype=object), n)
    share_of_nulls = filled * elapsed if filled >= 0 else 0.2 + filled * elapsed
    city[rng.random(n) < share_of_nulls] = None
    columns: dict[str, Column] = {"amount": numbers(amounts), "city": strings(city)}
    key = f"{FIRST_DAY + timedelta(days=day):%Y-%m-%d}"
    return BatchOfRows.of("orders", key, day, columns)


def judge(
    day: int, verdicts: tuple[VerdictRecord, ...] = (), **changes: float
) -> tuple[GateHistory, list[Finding]]:
    history = GateHistory(MetricHistory("orders"))
    for earlier in range(max(0, day - 60), day):
        batch = measured(earlier, **changes)
        history = history.plus(batch.batch, batch.fingerprint, None)
    context = BatchContext(
        settings=SETTINGS,
        budget=Budget.from_settings(SETTINGS),
        history=history,
        verdicts=verdicts,
    )
    return history, DriftJudge().judge(context, measured(day, **changes))


def test_a_ramp_of_the_mean_warns_and_names_column_size_and_start() -> None:
    _, (finding,) = judge(55, daily=0.01)

    assert (finding.level, finding.column, finding.metric) == (
        Decision.WARN,
        "amount",
        metrics.MEAN,
    )
    assert finding.cause_code == CauseCode.SLOW_DRIFT
    assert finding.since is not None
    assert (
        abs((datetime.fromisoformat(finding.since).replace(tzinfo=UTC) - FIRST_DAY).days - 30) <= 4
    )
    assert finding.actual == pytest.approx(90 * 1.01**26, rel=0.04)
    assert finding.low == pytest.approx(90, rel=0.04)
    assert finding.since in str(finding.cause)
    assert "%" in str(finding.cause)


def test_a_slow_fall_of_completeness_warns() -> None:
    _, findings = judge(58, filled=0.005)

    (finding,) = [f for f in findings if f.metric == metrics.COMPLETENESS]
    assert finding.column == "city"
    assert finding.actual is not None
    assert finding.actual < 0.9


def test_nulls_that_become_fewer_raise_no_warning() -> None:
    assert judge(58, filled=-0.006)[1] == []


def test_a_slow_fall_of_the_row_count_is_one_problem_of_its_own() -> None:
    history, findings = judge(58, rows=-0.01)
    assert [(f.column, f.metric) for f in findings] == [(None, metrics.ROW_COUNT)]

    last = history.metrics.last
    batch = measured(58, rows=-0.01).fingerprint
    (problem,) = diagnose(findings, Comparison(batch, last))

    assert problem.cause_code == CauseCode.SLOW_DRIFT
    assert problem.level is Decision.WARN
    assert problem.findings[0].since == findings[0].since


def test_batches_without_drift_raise_no_warning() -> None:
    assert [judge(day)[1] for day in range(20, 80, 12)] == [[]] * 5


def test_a_drift_is_reported_once() -> None:
    verdicts: tuple[VerdictRecord, ...] = ()
    reported = []
    for day in (*range(40, 50), 55, 60, 65, 70, 75):
        _, findings = judge(day, verdicts, daily=0.01)
        key = measured(day).batch.key
        reported += [day for _ in findings]
        documents = tuple(finding.to_dict() for finding in findings)
        decision = Decision.WARN if findings else Decision.ACCEPT
        verdicts = (*verdicts, VerdictRecord("orders", key, decision, documents))

    assert len(reported) == 1
    assert reported[0] <= 50


def test_a_drift_of_another_column_that_starts_with_a_reported_one_is_an_observation() -> None:
    _, first = judge(55, daily=0.01, filled=0.004)
    mean = next(finding for finding in first if finding.metric == metrics.MEAN)
    verdict = VerdictRecord("orders", measured(50).batch.key, Decision.WARN, (mean.to_dict(),))

    _, later = judge(58, (verdict,), daily=0.01, filled=0.004)

    (completeness,) = [f for f in later if f.metric == metrics.COMPLETENESS]
    assert completeness.level is Decision.ACCEPT
    _, alone = judge(58, filled=0.004)
    assert [f.level for f in alone if f.metric == metrics.COMPLETENESS] == [Decision.WARN]


def test_few_batches_raise_no_warning() -> None:
    assert judge(10, daily=0.01)[1] == []
