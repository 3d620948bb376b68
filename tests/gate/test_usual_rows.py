"""The usual number of rows is that of recent batches, or of the weekday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assay.gate.causes.cause import CauseCode
from assay.gate.causes.rows import cause_of_rows
from assay.gate.causes.usual_rows import UsualRows, usual_rows
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.metric_history import MetricHistory
from assay.store import Batch

pytestmark = pytest.mark.unit

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)


def history(*row_counts: float) -> MetricHistory:
    batches = tuple(
        Batch("d", str(day), MONDAY + timedelta(days=day)) for day in range(len(row_counts))
    )
    return MetricHistory("d", batches, tuple({"a": {metrics.ROW_COUNT: n}} for n in row_counts))


def test_the_usual_rows_are_those_of_the_weekday_if_weekdays_differ() -> None:
    weeks = history(*[1000, 1010, 990, 1000, 1020, 980, 300] * 6)

    sunday, monday = (usual_rows(weeks, MONDAY + timedelta(days=41 + n)) for n in (7, 8))

    assert sunday == UsualRows(300, "median of 6 Sundays")
    assert monday is not None
    assert monday.count == pytest.approx(1000, abs=10)


def test_one_odd_batch_before_does_not_change_what_is_usual() -> None:
    usual = usual_rows(history(*[1000] * 20, 90), MONDAY)
    assert usual == UsualRows(1000, "median of 14 batches")

    cause = cause_of_rows(Fingerprint(370, {}), Fingerprint(90, {}), usual)

    assert cause is not None
    assert cause.code is CauseCode.ROWS_MISSING
    assert cause.sentence.startswith(
        "63 % of the rows are missing. 370 rows arrived; usually 1,000"
    )


def test_few_or_empty_batches_have_no_usual_number_of_rows() -> None:
    assert usual_rows(history(9, 9, 9, 9), MONDAY) is None
    assert usual_rows(history(*[0] * 9), MONDAY) is None
