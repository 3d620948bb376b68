"""A change that lasts is said once; the batches after it have an observation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.gate.causes.cause import CauseCode
from assay.gate.decide.lasting import LastingChanges, lasting_changes
from assay.gate.decide.weak_warnings import without_weak_warnings
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.store import Decision, VerdictRecord

pytestmark = pytest.mark.unit

EMPTY = Finding(
    "novelty", Decision.HOLD, "it is empty.", "tests", metrics.COMPLETENESS,
    actual=0.0, low=0.9, high=1.0, severity=9.0, cause_code=CauseCode.NULLS_ROSE,
)  # fmt: skip
STILL_EMPTY = replace(EMPTY, level=Decision.WARN, cause_code=CauseCode.UNKNOWN)


def record(key: str, *findings: Finding) -> VerdictRecord:
    return VerdictRecord("d", key, Decision.HOLD, tuple(f.to_dict() for f in findings))


def reviewed(finding: Finding, changes: LastingChanges) -> tuple[list[Problem], list[Finding]]:
    problem = Problem(
        cause_code=CauseCode.NULLS_ROSE, cause="It is so.", columns=("tests",),
        level=finding.level, findings=(finding,),
    )  # fmt: skip
    return without_weak_warnings([problem], Fingerprint(900, {}), None, changes)


def test_a_warning_that_repeats_a_released_change_is_an_observation_since_its_start() -> None:
    changes = lasting_changes([record("1", EMPTY)], "1")

    kept, (observation,) = reviewed(STILL_EMPTY, changes)

    assert kept == []
    assert (observation.level, observation.since) == (Decision.ACCEPT, "1")
    changes = lasting_changes([record("1", EMPTY), record("2", observation)], "2")
    kept, (observation,) = reviewed(STILL_EMPTY, changes)
    assert kept == []
    assert observation.since == "1"


@pytest.mark.parametrize(
    "finding",
    [
        replace(STILL_EMPTY, level=Decision.HOLD),
        replace(STILL_EMPTY, column="deaths"),
        replace(STILL_EMPTY, metric=metrics.MEAN),
        replace(STILL_EMPTY, severity=90.0),
        replace(STILL_EMPTY, judge="keys"),
        replace(STILL_EMPTY, actual=1.1),  # it was too low, and is too high
    ],
)
def test_another_change_or_a_worse_one_warns_again(finding: Finding) -> None:
    kept, observations = reviewed(finding, lasting_changes([record("1", EMPTY)], "1"))
    assert len(kept) == 1
    assert observations == []


def test_a_change_of_a_batch_that_was_not_let_in_or_had_only_an_observation_is_new() -> None:
    assert lasting_changes([record("1", EMPTY)], "0") == {}
    assert lasting_changes([record("1", replace(EMPTY, level=Decision.ACCEPT))], "1") == {}
    assert lasting_changes([], None) == {}
