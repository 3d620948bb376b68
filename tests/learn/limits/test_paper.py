"""The paper's examples 1 to 7 and its propositions 1 to 5 (avh-kdd23, sections 3 and 4)."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.from_rows import column_stats, numbers, strings
from assay.learn.limits.column_limits import PAPER, ColumnHistory, ColumnLimits, Settings, learn
from assay.learn.limits.greedy import greedy
from assay.learn.limits.metric_limit import (
    Constraint,
    Prepared,
    candidate_constraints,
    prepare,
)
from assay.learn.limits.stationary import AS_IS, Transformation, stationary
from assay.learn.limits.tail_bounds import (
    Interval,
    Spread,
    cantelli,
    chebyshev,
    inequality_of,
    interval,
    normal,
)
from assay.learn.limits.unit_root import unit_root
from tests.learn.limits.batches import STATES, columns, past, states

NONE = np.zeros(0)
DISTANCES = {"EMD", "JS_div", "KL_div", "KS_dist", "Cohen_d", "L_1", "L_inf", "Cosine"}
MEANS = {"row_count", "mean", "str_len", "char_len", "digit_len", "punc_len", "complete_ratio"}


def demand(metric: str, low: float, high: float) -> Constraint:
    return Constraint(metric, Interval(low, high, 0.0, "chebyshev", 0.0))


def broken(constraint: Constraint, value: float) -> bool:
    return constraint.holds(NONE, value) is False


def test_example_1_a_column_without_duplicates_or_with_few() -> None:
    unique = column_stats(strings([f"R{number}" for number in range(100)]))
    twice = column_stats(strings([f"R{number}" for number in range(97)] + ["R1", "R2", "R3"]))
    q1, q2 = demand("unique_ratio", 1, 1), demand("unique_ratio", 0.95, 1)
    assert not broken(q1, catalogue.compute(unique)["unique_ratio"])
    assert broken(q1, catalogue.compute(twice)["unique_ratio"])
    assert not broken(q2, catalogue.compute(twice)["unique_ratio"])


def test_examples_2_and_3_a_conjunction_over_payment_types() -> None:
    before = column_stats(strings(["cash"] * 50 + ["credit"] * 50))
    near = catalogue.compute(column_stats(strings(["cash"] * 101 + ["credit"] * 99)), before)
    far = catalogue.compute(column_stats(strings(["cash"] * 104 + ["credit"] * 96)), before)
    full = catalogue.compute(
        column_stats(strings(["cash"] * 101 + ["credit"] * 99 + [None] * 20)), before
    )
    q3, q4 = demand("L_inf", 0, 0.01), demand("complete_ratio", 0.95, 1)
    q5 = demand("dist_val_count", 0, 6)

    def fails(batch: dict[str, float]) -> list[str]:
        return [
            constraint.metric
            for constraint in (q3, q4, q5)
            if broken(constraint, batch[constraint.metric])
        ]

    assert fails(near) == []
    assert fails(far) == ["L_inf"]
    assert fails(full) == ["complete_ratio"]


def test_example_4_completeness_of_a_tenth_less() -> None:
    spread = Spread(0.9, 0.01, 30, 0.88, 0.92)
    reach = (catalogue.get("complete_ratio").low, catalogue.get("complete_ratio").high)
    q6 = interval(spread, 5.0, "chebyshev", reach=reach)
    q7 = interval(spread, 10.0, "chebyshev", reach=reach)
    assert (q6.low, q6.high, q6.rate) == pytest.approx((0.85, 0.95, 0.04))
    assert (q7.low, q7.high, q7.rate) == pytest.approx((0.8, 1.0, 0.01))
    assert q7.high <= 1.0


#: traffic that grows by two or three thousand a day, as in example 5
TRAFFIC = 100_000.0 + np.cumsum(
    [0, *(1000 * np.random.default_rng(5).choice([1, 2, 3], 29)).tolist()]
)


def test_examples_5_and_6_growing_traffic_is_differenced() -> None:
    assert unit_root(TRAFFIC) > 0.05
    result = stationary(TRAFFIC)
    assert result == Transformation(lag=1)
    steps = result.of(TRAFFIC)
    assert set(steps.tolist()) == {1000.0, 2000.0, 3000.0}
    assert unit_root(steps) < 0.05
    prepared = prepare(catalogue.get("row_count"), TRAFFIC)
    assert isinstance(prepared, Prepared)
    wide = candidate_constraints(prepared, 0.01)[8]
    assert wide.holds(TRAFFIC, TRAFFIC[-1] + 2000) is True
    # a day like the first is as bad as none at all
    assert wide.holds(TRAFFIC, TRAFFIC[0]) is False
    low, high = wide.limits(TRAFFIC)
    assert low == TRAFFIC[-1] + wide.interval.low
    assert high == TRAFFIC[-1] + wide.interval.high


def test_example_7_fifty_states_are_an_invariant() -> None:
    batches = columns(states, 30)
    neighbour = strings(["spring", "summer", "autumn", "winter"] * 13)[:50]
    history = past(batches, neighbour)
    prepared = prepare(
        catalogue.get("dist_val_count"),
        np.array([batch_metrics["dist_val_count"] for batch_metrics in history.metrics]),
    )
    assert isinstance(prepared, Prepared)
    (q8,) = candidate_constraints(prepared, 0.01)
    assert (q8.interval.low, q8.interval.high) == pytest.approx((50, 50))
    caught = [
        broken(q8, injected.metrics["dist_val_count"]) for injected in history.injected_faults
    ]
    assert sum(caught) > len(caught) / 2
    program = learn("state", history, PAPER)
    assert isinstance(program, ColumnLimits)
    assert program.caught == len(history.injected_faults)
    assert len(program.constraints) <= 3
    assert len(STATES) == 50


DRAWS = 200_000


@pytest.mark.parametrize("k", [1.5, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("law", ["normal", "exponential", "uniform", "two points"])
def test_propositions_1_and_2_hold_whatever_the_distribution(law: str, k: float) -> None:
    rng = np.random.default_rng(0)
    at = 1 / (1 + k * k)
    drawn, mean, sd = {
        "normal": (rng.normal(3, 2, DRAWS), 3.0, 2.0),
        "exponential": (rng.exponential(1, DRAWS), 1.0, 1.0),
        "uniform": (rng.random(DRAWS), 0.5, math.sqrt(1 / 12)),
        # the distribution for which Cantelli's inequality is an equation
        "two points": (
            np.where(rng.random(DRAWS) < at, k, -1 / k), 0.0, 1.0,
        ),
    }[law]  # fmt: skip
    spread = Spread(mean, sd, 30, float(drawn.min()), float(drawn.max()))
    two_sided = interval(spread, k, "chebyshev")
    one_sided = interval(spread, k - 1e-9, "cantelli", one_sided=True)
    outside = ((drawn < two_sided.low) | (drawn > two_sided.high)).mean()
    above = (drawn > one_sided.high).mean()
    noise = 4 * math.sqrt(at / DRAWS)
    assert outside <= two_sided.rate + noise
    assert above <= one_sided.rate + noise
    if law == "two points":
        assert above == pytest.approx(one_sided.rate, abs=noise)


@pytest.mark.parametrize("k", [1.0, 2.0, 3.0])
def test_proposition_3_means_are_nearly_normal(k: float) -> None:
    rng = np.random.default_rng(0)
    means = rng.exponential(1, (10_000, 300)).mean(axis=1)
    spread = Spread(1.0, 1 / math.sqrt(300), 30, float(means.min()), float(means.max()))
    result = interval(spread, k, "clt")
    outside = ((means < result.low) | (means > result.high)).mean()
    assert outside == pytest.approx(result.rate, abs=0.01)
    assert result.rate == pytest.approx(2 * stats.norm.sf(k), rel=1e-9)


def test_the_propositions_are_for_the_metrics_that_the_paper_names() -> None:
    kinds = {
        kind.name: kind
        for table in ("numeric", "categorical")
        for kind in catalogue.with_limits(table)
    }
    paper = {name: kind for name, kind in kinds.items() if kind.in_paper}
    patterns = {f"Pat_{distance}" for distance in ("L_1", "L_inf", "Cosine", "Chi_squared")}
    assert {name for name, kind in paper.items() if kind.kind == "distance"} == (
        DISTANCES | patterns | {"Chi_squared", "Pat_JS_div", "Pat_KL_div"}
    )
    assert {name for name, kind in paper.items() if kind.kind == "mean"} == MEANS
    assert inequality_of("any", "paper", one_sided=False) == "chebyshev"
    assert inequality_of("distance", "paper", one_sided=True) == "cantelli"
    assert inequality_of("distance", "paper", one_sided=False) == "chebyshev"
    assert inequality_of("mean", "paper", one_sided=False) == "clt"


@given(st.floats(1.0, 110.0))
def test_tighter_bounds_where_more_is_known(k: float) -> None:
    assert cantelli(k) < chebyshev(k) or k == 1.0
    assert normal(k) <= chebyshev(k)


instances = st.integers(1, 5).flatmap(
    lambda issues: st.lists(
        st.tuples(
            st.floats(0.0005, 0.02),
            st.lists(st.booleans(), min_size=issues, max_size=issues),
        ),
        min_size=1,
        max_size=7,
    )
)


@settings(max_examples=100)
@given(instances, st.floats(0.001, 0.03))
def test_proposition_4_greedy_catches_a_constant_share_of_the_optimum(
    instance: list[tuple[float, list[bool]]], budget: float
) -> None:
    rates = np.array([rate for rate, _ in instance])
    catches = np.array([caught for _, caught in instance])
    chosen = greedy(rates, catches, budget)
    best = max(
        int(catches[list(some)].any(axis=0).sum())
        for size in range(len(rates) + 1)
        for some in combinations(range(len(rates)), size)
        if math.fsum(rates[list(some)]) <= budget * (1 - 1e-12)
    )
    assert math.fsum(rates[chosen]) <= budget
    assert len(set(chosen)) == len(chosen)
    caught = int(catches[chosen].any(axis=0).sum())
    assert caught >= (0.5 - 0.5 / math.e) * best
    assert caught <= best


def test_proposition_5_greedy_may_miss_the_best_solution() -> None:
    """Maximum coverage with unit costs: the best pair does not contain the best single limit."""
    catches = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1]], dtype=bool)
    chosen = greedy(np.full(3, 0.01), catches, budget=0.021)
    assert catches[chosen].any(axis=0).sum() == 5
    assert catches[[1, 2]].any(axis=0).sum() == 6


def test_line_9_the_best_that_fits_may_be_better_alone() -> None:
    catches = np.array([[1, 0, 0, 0], [0, 1, 1, 1]], dtype=bool)
    # the first is worth 1000 and leaves too little for the second, which is worth 300
    assert greedy(np.array([0.001, 0.01]), catches, budget=0.0105) == [1]
    # a limit that exceeds the budget is not chosen
    assert greedy(np.array([0.001, 0.02]), catches, budget=0.0105) == [0]


def test_a_metric_that_is_not_stationary_is_left_out() -> None:
    jumps = np.cumsum(np.cumsum(np.random.default_rng(0).normal(size=30)))
    history = ColumnHistory("numeric", [{"mean": mean} for mean in jumps])
    program = learn("x", history, Settings(mode="sensitive"))
    assert isinstance(program, ColumnLimits)
    assert stationary(jumps) is None
    assert "it is not stationary in 30 batches." in str(program.left_out)
    assert stationary(np.random.default_rng(0).normal(size=30)) == AS_IS


def test_numbers_are_judged_by_the_metrics_of_table_3_and_strings_by_those_of_table_4() -> None:
    numeric = {kind.name for kind in catalogue.with_limits("numeric", paper_only=True)}
    categorical = {kind.name for kind in catalogue.with_limits("categorical", paper_only=True)}
    assert numeric == {
        "EMD", "JS_div", "KL_div", "KS_dist", "Cohen_d", "min", "max", "mean", "median", "sum",
        "range", "row_count", "unique_ratio", "complete_ratio",
    }  # fmt: skip
    assert len(categorical) == 20
    assert set(catalogue.compute(column_stats(numbers([1.0])))) >= numeric
    assert set(catalogue.compute(column_stats(strings(["a"])))) >= categorical
