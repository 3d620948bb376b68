"""Changes of one column that matter, and differences that chance makes."""

from __future__ import annotations

import numpy as np
import pytest

from assay.gate.compare.continued import is_continued
from assay.gate.compare.effects import find_effects
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import Column, column_stats, numbers, strings

RNG = np.random.default_rng(11)
AMOUNTS = RNG.gamma(2.0, 20.0, 600).round(2)
STATES = strings(RNG.choice(["new", "paid", "void", "sent"], 600).tolist())
NAMES = strings([f"name-{number}" for number in RNG.integers(0, 10**9, 600)])
EMPTY = strings([None] * 600)


def times(day: int, later: int = 0) -> Column:
    """Return times of a day, in minutes from 6 o'clock on."""
    minutes = np.random.default_rng(day).integers(360, 1080, 600) + later
    return strings(f"2026-11-{day} {m // 60:02d}:{m % 60:02d}" for m in minutes.tolist())


def effects(now: Column, before: Column) -> dict[str, float]:
    reported = find_effects(column_stats(now), column_stats(before))
    return {effect.metric: effect.size for effect in reported}


@pytest.mark.parametrize(
    ("now", "before", "metric"),
    [
        (np.where(np.arange(600) < 60, np.nan, AMOUNTS), AMOUNTS, metrics.COMPLETENESS),
        (AMOUNTS * 1000, AMOUNTS, metrics.KOLMOGOROV_SMIRNOV),
        (np.where(np.arange(600) < 90, 0.0, AMOUNTS), AMOUNTS, metrics.ZERO_RATIO),
        (np.where(np.arange(600) < 90, -AMOUNTS, AMOUNTS), AMOUNTS, metrics.NEGATIVE_RATIO),
        (strings([*STATES[:560], *["lost"] * 40]), STATES, metrics.UNSEEN_VALUES),
        (strings([*STATES[:400], *["paid"] * 200]), STATES, metrics.L_INF),
        (strings([*STATES[:500], *[""] * 100]), STATES, metrics.EMPTY_RATIO),
        (strings([*NAMES[:540], *["#~!"] * 60]), NAMES, metrics.UNSEEN_SHAPES),
        (strings([name[:4] for name in NAMES]), NAMES, metrics.MEAN_LENGTH),
        (times(14, later=300), times(14), metrics.L1),
        (numbers([*range(500), *range(100)]), numbers(range(600)), metrics.DISTINCT_RATIO),
    ],
)
def test_a_change_that_matters_is_found(now: Column, before: Column, metric: str) -> None:
    assert metric in effects(now, before)


@pytest.mark.parametrize("column", [AMOUNTS, STATES, NAMES, EMPTY, numbers([1.0] * 600), times(14)])
def test_halves_of_one_column_are_alike(column: Column) -> None:
    assert effects(column[::2], column[1::2]) == {}
    assert effects(column[:9], column[9:20]) == {}


def test_a_small_share_in_a_large_table_is_below_the_practical_size() -> None:
    many = np.tile(AMOUNTS, 100)
    assert effects(np.where(np.arange(60_000) < 900, np.nan, many), many) == {}
    assert effects(np.where(np.arange(60_000) < 1_500, np.nan, many), many) == {
        metrics.COMPLETENESS: pytest.approx(0.025)
    }


def test_values_that_are_mostly_zero_are_compared_by_their_mean() -> None:
    rare = np.where(np.arange(2_000) % 25 == 0, 5.0, 0.0)
    assert effects(rare * 1000, rare).keys() == {metrics.MEAN}


def test_private_numbers_are_compared_by_their_mean() -> None:
    before, now = column_stats(AMOUNTS), column_stats(AMOUNTS + 20)
    hidden = [ColumnStats("numeric", {**s.numbers}) for s in (now, before)]
    (effect,) = find_effects(*hidden)
    assert (effect.metric, effect.may_hold) == (metrics.MEAN, True)


@pytest.mark.parametrize(
    ("now", "before"),
    [
        (numbers(range(600, 1200)), numbers(range(600))),
        (numbers([14.0] * 9), numbers([13.0] * 9)),
        (times(15), times(14)),
        (strings([f"2026-11-{15 + n % 9}" for n in range(60)]), strings(["2026-11-14"] * 60)),
        (
            strings([f"A-{n}" for n in range(500, 600)]),
            strings([f"A-{n}" for n in range(400, 500)]),
        ),
    ],
)
def test_counters_days_and_identifiers_go_on(now: Column, before: Column) -> None:
    assert is_continued(column_stats(now), column_stats(before))
    assert effects(now, before) == {}


def test_another_category_is_no_continuation() -> None:
    assert metrics.UNSEEN_VALUES in effects(strings(["USD"] * 60), strings(["EUR"] * 60))
    assert metrics.UNSEEN_VALUES in effects(strings(["wait"] * 60), STATES)


def test_a_larger_unit_is_no_continuation() -> None:
    numbers_before = numbers(RNG.integers(900, 1100, 600))
    assert not is_continued(column_stats(numbers_before * 1000), column_stats(numbers_before))
    assert metrics.KOLMOGOROV_SMIRNOV in effects(numbers_before * 1000, numbers_before)


def test_a_column_of_another_kind_is_left_to_the_schema() -> None:
    assert effects(strings([str(amount) for amount in AMOUNTS]), AMOUNTS) == {}
