"""A metric that never changed may change by one row without an alarm."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.learn.limits.one_row import explained_by_one_row


def of(values: Sequence[float]) -> ColumnStats:
    return fingerprint({"x": numbers(values)}).columns["x"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=20, unique=True), st.data())
def test_a_row_that_is_missing_is_no_change_of_the_extremes(
    values: list[float], data: st.DataObject
) -> None:
    gone = data.draw(st.sampled_from(values))
    last, now = of(values), catalogue.compute(of([value for value in values if value != gone]))
    for metric, then in catalogue.compute(last).items():
        if metric in {"min", "max", "range"}:
            assert explained_by_one_row(metric, then, now[metric], last, len(values) - 1)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20), st.floats(1.0, 1e3))
def test_a_value_outside_the_earlier_range_is_a_change(values: list[float], more: float) -> None:
    last = of(values)
    now = catalogue.compute(of([*values, max(values) + more, min(values) - more]))
    for metric in ("min", "max", "range"):
        then = catalogue.compute(last)[metric]
        assert not explained_by_one_row(metric, then, now[metric], last, len(values) + 2)


@pytest.mark.parametrize(
    ("then", "now", "excused"),
    [
        (0.8, 0.82, True),
        (0.8, 0.5, False),
        (1.0, 0.98, False),  # the first null there ever was
        (0.0, 0.02, False),
        (0.8, 1.0, False),
        (0.02, 0.0, False),
    ],
)
def test_a_share_may_move_by_chance_but_not_begin_or_end(
    then: float, now: float, excused: bool
) -> None:
    assert explained_by_one_row("complete_ratio", then, now, of([1.0]), 50) is excused


def test_a_value_that_was_seen_once_may_be_missing_and_none_may_be_new() -> None:
    last = fingerprint({"x": strings([*"aabbbc"])}).columns["x"]
    result = [explained_by_one_row("dist_val_count", 3, now, last, 6) for now in (2, 1, 4)]
    assert result == [True, False, False]


def test_one_row_excuses_no_change_of_other_metrics() -> None:
    assert not explained_by_one_row("mean", 1.0, 1.01, of([1.0, 2.0]), 50)
    assert not explained_by_one_row("max", 2.0, float("nan"), of([1.0, 2.0]), 50)
