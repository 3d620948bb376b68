"""Review policies, and runs of equal alarms, without Spark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assay.errors import CheckError
from assay.gate import Finding, Verdict
from assay.gate.backtest import Backtest
from assay.gate.backtest.alarm_runs import alarm_runs
from assay.gate.backtest.review import review_of
from assay.store import Batch, Decision
from tests.gate.verdicts import verdict_of

MEAN = Finding("limits", Decision.HOLD, "the mean is 9, expected 5", "amount", "Mean(amount)")
CHECK = Finding("checks", Decision.HOLD, "is_complete(id) fails", "id", "Completeness(id)")


def judged(day: int, *findings: Finding) -> Verdict:
    batch = Batch("orders", f"{day:02}", datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day))
    levels = {finding.level for finding in findings}
    decision = Decision.HOLD if Decision.HOLD in levels else Decision.ACCEPT
    return verdict_of(batch, decision, findings)


@pytest.mark.parametrize(
    ("policy", "accepts_mean", "accepts_check"),
    [(None, False, False), ("none", False, False), ("release", True, True),
     ("reject-errors", True, False)],
)  # fmt: skip
def test_a_policy_decides_about_held_batches(
    policy: str | None, accepts_mean: bool, accepts_check: bool
) -> None:
    review = review_of(policy)
    assert review(judged(1, MEAN)) is accepts_mean
    assert review(judged(1, CHECK)) is accepts_check


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(CheckError, match="'release'"):
        review_of("releas")


def test_consecutive_batches_with_the_same_leading_problem_are_one_run() -> None:
    verdicts = (
        judged(1), judged(2, MEAN), judged(3, MEAN), judged(4, MEAN), judged(5, CHECK), judged(6),
        judged(7, MEAN),
    )  # fmt: skip
    runs = alarm_runs(verdicts)
    assert [(run.name, len(run)) for run in runs] == [("02 … 04", 3), ("05", 1), ("07", 1)]
    backtest = Backtest(verdicts, released=("02",))
    assert backtest.runs == runs
    assert "1 of 5 held batches" in backtest.review_effect
    assert len(str(backtest).splitlines()) == 4
