"""Dates and times that a batch counted have a range and a distribution."""

from __future__ import annotations

import pytest

from assay.learn.fingerprint.column_stats import ColumnStats
from assay.report.html.dates_and_times import moments_of
from assay.report.html.distribution_chart import distributions


def column(counts: dict[str, int], values: int | None = None) -> ColumnStats:
    total = sum(counts.values()) if values is None else values
    numbers = {"rows": total, "values": total, "distinct": len(counts)}
    return ColumnStats("categorical", numbers, value_counts=counts)


@pytest.mark.parametrize(
    ("counts", "ends"),
    [
        ({"2026-11-01": 5, "2026-11-14": 9}, ("2026-11-01", "2026-11-14")),
        (
            {"2013-02-08T13:00:00.000000Z": 1, "2013-02-09T00:30:00.000000+01:00": 1},
            ("2013-02-08 13:00", "2013-02-08 23:30"),
        ),
        ({"05:17": 5, "23:59:30": 9, "?": 1}, ("05:17", "23:59")),
        ({"2026-02-30": 1, "2026-03-01": 20}, ("2026-03-01", "2026-03-01")),
    ],
)
def test_moments_have_a_range(counts: dict[str, int], ends: tuple[str, str]) -> None:
    moments = moments_of(column(counts))
    assert moments is not None
    assert moments.ends == ends
    assert moments.is_complete


@pytest.mark.parametrize(
    "counts", [{}, {"20261114": 5}, {"2026-W05": 2}, {"a": 1, "2026-11-14": 1}, {"12:5": 1}]
)
def test_other_values_are_no_moments(counts: dict[str, int]) -> None:
    assert moments_of(column(counts)) is None


def test_a_range_of_some_values_is_not_complete() -> None:
    moments = moments_of(column({"2026-11-01": 5, "2026-11-14": 9}, values=1000))
    assert moments is not None
    assert not moments.is_complete


def test_dates_are_compared_on_one_axis() -> None:
    now, before = column({"1970-01-01": 15, "2026-11-14": 85}), column({"2026-11-13": 100})
    compared = distributions(now, before)
    assert compared is not None
    assert (compared.low, compared.high) == ("1970-01-01", "2026-11-14")
    assert compared.now[0] == pytest.approx(0.15)
    assert compared.before[0] == 0
    assert compared.before[-1] == pytest.approx(1)
