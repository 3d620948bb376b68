"""Totals that only grew, and tables that return to an earlier state."""

from __future__ import annotations

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.gate.judges.counters import judge_counters
from assay.gate.judges.redelivery import judge_earlier_batches
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.store import Decision
from assay.suite.settings import GateSettings
from tests.gate.histories import history_of

pytestmark = pytest.mark.unit

BUDGET = Budget.from_settings(GateSettings())
STATES = [f"state {number}" for number in range(50)]


def snapshot(day: int, *, deaths_day: int | None = None, rows: int = 50) -> Fingerprint:
    """Cases and deaths grow every day in all states; the number of beds goes up and down."""
    deaths_day = day if deaths_day is None else deaths_day
    beds = np.random.default_rng(day).integers(90, 110, rows)
    return fingerprint(
        {
            "state": strings(STATES[:rows]),
            "cases": numbers(np.arange(rows) + 10.0 * day),
            "deaths": numbers(np.arange(rows) + 1.0 * deaths_day),
            "beds": numbers(beds),
        }
    )


def counters(n_batches: int, batch: Fingerprint) -> list[Finding]:
    history = history_of("states", map(snapshot, range(n_batches)))
    return list(judge_counters(history.metrics, batch, BUDGET.of_judge("counters")))


def test_an_older_snapshot_is_one_finding_about_the_table() -> None:
    (finding,) = counters(40, snapshot(35))

    assert (finding.level, finding.column) == (Decision.WARN, None)
    assert finding.cause_code == CauseCode.REDELIVERED
    assert finding.actual == 2


def test_the_only_counter_that_falls_is_named() -> None:
    def deaths(day: int) -> Fingerprint:
        return fingerprint({"deaths": numbers(np.arange(50) + float(day))})

    history = history_of("deaths", map(deaths, range(40)))

    (finding,) = judge_counters(history.metrics, deaths(30), BUDGET.of_judge("counters"))

    assert (finding.column, finding.metric) == ("deaths", metrics.SUM)
    assert finding.cause_code == CauseCode.COUNTER_FELL


@pytest.mark.parametrize(
    ("n_batches", "batch"),
    [
        (40, snapshot(40)),
        (10, snapshot(5)),  # too few batches
        (40, snapshot(39)),  # the same as yesterday: no total fell
        (40, snapshot(40, rows=20)),  # rows are missing, so all totals are smaller
    ],
)
def test_growing_totals_and_missing_rows_are_no_findings(
    n_batches: int, batch: Fingerprint
) -> None:
    assert counters(n_batches, batch) == []


def test_totals_that_fell_before_are_no_counters() -> None:
    days = [*range(20), 17, *range(20, 40)]
    history = history_of("states", map(snapshot, days))
    assert list(judge_counters(history.metrics, snapshot(35), BUDGET)) == []


def regions(version: int) -> Fingerprint:
    """A table that seldom changes: one region is renamed in each version."""
    names = [f"region {number}" for number in range(60)]
    names[version] = f"renamed {version}"
    return fingerprint({"id": numbers(np.arange(60)), "name": strings(names)})


def returned(versions: list[int], version: int) -> list[Finding]:
    history = history_of("regions", map(regions, versions))
    return [
        finding
        for finding in judge_earlier_batches(history, regions(version), BUDGET)
        if finding.metric == "returned_state"
    ]


def test_a_table_that_is_as_it_was_before_its_last_changes_warns() -> None:
    versions = [at // 4 for at in range(40)]

    (finding,) = returned(versions, 7)

    assert (finding.level, finding.cause_code) == (Decision.WARN, CauseCode.REDELIVERED)
    assert "31" in str(finding.cause)  # the last batch of version 7


@pytest.mark.parametrize(
    ("versions", "version"),
    [
        ([at // 4 for at in range(40)], 9),  # as the last batch
        ([at // 4 for at in range(40)], 10),  # a new version
        ([at // 4 % 2 for at in range(40)], 0),  # the table returns all the time
        ([0] * 38 + [1, 1], 0),  # it changed only once
    ],
)
def test_a_table_that_stays_or_changes_as_usual_does_not_warn(
    versions: list[int], version: int
) -> None:
    assert returned(versions, version) == []
