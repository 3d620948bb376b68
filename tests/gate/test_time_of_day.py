"""Times in another zone are an hour or more later than on all days before."""

from __future__ import annotations

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.gate.backtest import replay
from assay.gate.causes.cause import CauseCode
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import strings
from assay.learn.fingerprint.time_of_day import mean_hour
from assay.store import Decision
from benchmarks.support.batches_of_rows import BatchOfRows

pytestmark = pytest.mark.unit


def day(number: int, hours_later: int = 0) -> BatchOfRows:
    """Return a day of departures: most in the morning and in the evening."""
    rng = np.random.default_rng(number)
    minutes = np.concatenate((rng.normal(480, 60, 300), rng.normal(1080, 60, 200)))
    departures = [
        f"2026-09-{number + 1:02d} {int(minute) // 60 + hours_later:02d}:{int(minute) % 60:02d}:00"
        for minute in minutes
    ]
    return BatchOfRows.of("flights", f"{number}", number, {"departure": strings(departures)})


def test_times_an_hour_later_than_on_all_days_before_are_reported() -> None:
    days = [day(number) for number in range(25)]

    *others, usual = replay(Gate("flights", MemoryStore()).spec, days)
    *_, shifted = replay(Gate("flights", MemoryStore()).spec, [*days[:-1], day(24, hours_later=1)])

    assert {verdict.decision for verdict in (*others[8:], usual)} == {Decision.ACCEPT}
    assert shifted.decision is not Decision.ACCEPT
    assert shifted.problems[0].cause_code == CauseCode.TIME_SHIFTED
    assert "1 hour later" in shifted.problems[0].cause


def test_only_columns_of_several_times_have_a_mean_hour() -> None:
    for counts in ({"2026-11-14 05:00:00": 9}, {"2026-11-14 05:00:00": 9, "soon": 1}, {"a": 1}, {}):
        assert np.isnan(mean_hour(ColumnStats("categorical", {}, value_counts=counts)))
