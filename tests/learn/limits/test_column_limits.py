"""Programs, and what they find: budgets, modes, clauses, words, and histories of all kinds."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.assertions.expectation import NotEnough
from assay.errors import CheckError, MissingDependencyError
from assay.learn.dependency import import_optional
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.fingerprint.from_rows import Column, column_stats, strings
from assay.learn.limits.approved_limits import read, written
from assay.learn.limits.column_limits import (
    ColumnHistory,
    ColumnLimits,
    Settings,
    learn,
    learn_table,
)
from assay.learn.limits.fault_injection import InjectedFault
from assay.learn.limits.faults import Fault, inject
from assay.learn.limits.greedy import greedy
from assay.learn.limits.judge_limits import LimitResult, judge, judge_table
from assay.learn.limits.tail_bounds import EPSILON
from tests.learn.limits.batches import carriers, columns, delays, metrics, past, states

STRICT, SENSITIVE = Settings(), Settings(mode="sensitive", delta=0.04)
DELAYS, CARRIERS = columns(delays, 31), columns(carriers, 31)
PASTS = {"delay": past(DELAYS[:30]), "carrier": past(CARRIERS[:30])}


def program_of(which: str, how: Settings, **options: float) -> ColumnLimits:
    result = learn(which, PASTS[which], how, **options)  # type: ignore[arg-type]
    assert isinstance(result, ColumnLimits)
    return result


def findings(which: str, program: ColumnLimits, batch: Column) -> tuple[LimitResult, ...]:
    before = column_stats((DELAYS if which == "delay" else CARRIERS)[29])
    return judge(program, PASTS[which].metrics, catalogue.compute(column_stats(batch), before))


@pytest.mark.parametrize("family", ["paper", "student", "heavy"])
@pytest.mark.parametrize("delta", [0.05, 0.001, 1e-5])
@pytest.mark.parametrize("which", list(PASTS))
def test_rates_never_add_up_to_more_than_delta(which: str, delta: float, family: str) -> None:
    for mode in ("strict", "sensitive"):
        program = program_of(which, Settings(mode=mode, delta=delta, family=family))  # type: ignore[arg-type]
        assert program.rate <= delta
        assert program.constraints
    program = program_of(which, Settings(delta=delta, family=family))  # type: ignore[arg-type]
    assert program.constant_rate <= (EPSILON * 30 / 29 if delta < EPSILON else 0)
    assert len({constraint.metric for constraint in program.constraints}) == len(
        program.constraints
    )


@pytest.mark.parametrize("how", [STRICT, SENSITIVE])
@pytest.mark.parametrize("which", list(PASTS))
def test_a_batch_like_the_others_is_fine_and_a_broken_one_is_not(which: str, how: Settings) -> None:
    program = program_of(which, how)
    batch = (DELAYS if which == "delay" else CARRIERS)[30]
    assert not any(result.broken for result in findings(which, program, batch))
    for issue in (Fault("missing", 0.5), Fault("nulls", 1.0), Fault("perturbation", 1.0)):
        bad = inject(issue, batch, seed=0)
        assert bad is not None
        first = findings(which, program, bad)[0]
        assert first.broken
        assert first.observed is not None
        assert first.low is not None
        assert first.high is not None
        assert not first.low <= first.observed <= first.high
        assert first.batches >= 29
        assert first.share == pytest.approx(first.rate / how.delta)


def test_sensitive_limits_watch_all_metrics_and_strict_limits_few() -> None:
    for which in PASTS:
        strict, sensitive = program_of(which, STRICT), program_of(which, SENSITIVE)
        watched = {
            kind.name for kind in catalogue.with_limits(PASTS[which].kind) if not kind.per_batch
        }
        assert {constraint.metric for constraint in sensitive.constraints} == watched
        assert len(strict.constraints) < len(watched) / 2
        rates = {
            constraint.interval.rate
            for constraint in sensitive.constraints
            if not constraint.constant
        }
        assert len(rates) == 1
        assert sensitive.rate == pytest.approx(SENSITIVE.delta)


def test_real_nulls_are_why_completeness_is_watched() -> None:
    # with three digits, so that a digit less leaves a number
    columns_ = [np.round(column) + 100 for column in DELAYS[:30]]
    ours = learn("delay", past(columns_), STRICT)
    assert isinstance(ours, ColumnLimits)
    assert "complete_ratio" in {constraint.metric for constraint in ours.constraints}
    papers = learn("delay", past(columns_, paper=True), STRICT)
    assert isinstance(papers, ColumnLimits)
    assert "complete_ratio" not in {constraint.metric for constraint in papers.constraints}


def test_constant_metrics_have_their_own_budget_with_a_small_delta() -> None:
    history = past(columns(states, 30))
    small = Settings(delta=0.0005)
    result = {n: learn("s", history, Settings(delta=0.0005, constants=n)) for n in (0, 1, 2)}
    for n, program in result.items():
        assert isinstance(program, ColumnLimits)
        constant_constraints = [
            constraint for constraint in program.constraints if constraint.constant
        ]
        assert len(constant_constraints) <= n
        assert program.rate <= small.delta
        assert program.constant_rate == pytest.approx(len(constant_constraints) * EPSILON, rel=0.05)
    one, two = result[1], result[2]
    assert isinstance(one, ColumnLimits)
    assert isinstance(two, ColumnLimits)
    assert 0 < one.caught <= two.caught
    large = learn("s", history, Settings(delta=0.01))
    assert isinstance(large, ColumnLimits)
    assert large.constant_rate == 0
    assert 0 < large.rate <= 0.01


def test_a_limit_on_clauses() -> None:
    unlimited = program_of("carrier", STRICT)
    caught = []
    for most in (1, 2, 3):
        program = program_of("carrier", Settings(clauses=most))
        assert 1 <= len(program.constraints) <= most
        caught.append(program.caught)
    assert caught == sorted(caught)
    assert caught[0] > 0
    assert caught[-1] <= unlimited.caught


def test_greedy_keeps_the_narrowest_of_a_metric_and_spends_the_rest_again() -> None:
    # the first two are limits on the same metric; only without the wider one the third fits
    catches = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    rates = np.array([0.002, 0.005, 0.005])
    assert greedy(rates, catches, 0.0101, groups=[0, 0, 1]) == [1, 2]
    # as limits on different metrics, two of them do not fit with the third
    assert greedy(rates, catches, 0.0101) == [0, 2]
    # the first is not needed where the others catch its fault
    assert greedy(rates, catches, 0.02) == [2, 1]
    assert greedy(rates, catches, 0.0) == []
    assert greedy(np.zeros(0), np.zeros((0, 3), bool), 0.01) == []
    assert greedy(rates, np.zeros((3, 3), bool), 0.01) == []


limits = st.lists(st.tuples(st.floats(0.0005, 0.01), st.integers(0, 5)), min_size=1, max_size=3)


@settings(max_examples=60)
@given(st.lists(limits, min_size=1, max_size=3), st.floats(0.001, 0.02), st.randoms())
def test_nested_limits_keep_to_the_budget_and_catch_no_less(
    metrics_: list[list[tuple[float, int]]], budget: float, random: random.Random
) -> None:
    rates, catches, groups = [], [], []
    for group, points in enumerate(metrics_):
        order = random.sample(range(6), 6)
        # narrower limits are broken more often and by more faults
        for rate, size in zip(
            sorted(r for r, _ in points), sorted(n for _, n in points), strict=True
        ):
            rates.append(rate)
            catches.append([fault in order[:size] for fault in range(6)])
            groups.append(group)
    costs, caught = np.array(rates), np.array(catches)
    plain, nested = greedy(costs, caught, budget), greedy(costs, caught, budget, groups=groups)
    assert math.fsum(costs[nested]) <= budget
    assert len({groups[index] for index in nested}) == len(nested)
    assert caught[nested].any(axis=0).sum() >= caught[plain].any(axis=0).sum()


def test_rows_are_counted_once_per_table_and_delta_is_divided() -> None:
    programs = learn_table(PASTS, Settings(delta=0.03))
    assert list(programs) == [None, "delay", "carrier"]
    for name, program in programs.items():
        assert isinstance(program, ColumnLimits)
        assert program.delta == pytest.approx(0.01)
        watched = {constraint.metric for constraint in program.constraints}
        assert (watched == {"row_count"}) if name is None else ("row_count" not in watched)
    histories = {name: history.metrics for name, history in PASTS.items()}
    twice = np.concatenate((DELAYS[30], DELAYS[30], DELAYS[30]))
    observed = {
        "delay": catalogue.compute(column_stats(twice), column_stats(DELAYS[29])),
        "carrier": catalogue.compute(column_stats(CARRIERS[30]), column_stats(CARRIERS[29])),
    }
    results = judge_table(programs, histories, observed)
    assert [result.metric for result in results if result.broken and result.column is None] == [
        "row_count"
    ]
    gone = judge_table(programs, histories, {"delay": observed["delay"]})
    assert [
        (judged.column, judged.reason) for judged in gone if judged.broken and not judged.metric
    ] == [("carrier", "the batch has no such column.")]
    assert all(result.broken for result in judge_table(programs, histories, {}))
    assert learn_table({}) == {}


def test_the_paper_watches_the_rows_of_every_column() -> None:
    result = learn("delay", PASTS["delay"], SENSITIVE, rows=True)
    assert isinstance(result, ColumnLimits)
    assert "row_count" in {constraint.metric for constraint in result.constraints}


@pytest.mark.parametrize("batches", [0, 1, 7])
@pytest.mark.parametrize("how", [STRICT, SENSITIVE])
def test_too_few_batches_are_reported_as_not_enough(how: Settings, batches: int) -> None:
    program = learn("delay", ColumnHistory("numeric", metrics(DELAYS[:batches])), how)
    assert program == NotEnough(batches, 8)
    (result,) = judge(program, [], {}, column="delay")
    assert result.status == "not enough history"
    assert "8 needed" in str(result)


def test_seven_batches_suffice_and_their_limits_are_wider() -> None:
    few = learn("delay", ColumnHistory("numeric", metrics(DELAYS[:7])), replace(SENSITIVE, need=7))
    assert isinstance(few, ColumnLimits)
    widths = {constraint.metric: constraint.interval.deviations for constraint in few.constraints}
    many = program_of("delay", SENSITIVE)
    for constraint in many.constraints:
        if constraint.metric in widths and not constraint.constant:
            assert widths[constraint.metric] > constraint.interval.deviations
    # six distances of seven batches are too few
    assert "KS_dist" in {skipped.metric for skipped in few.left_out}
    assert "not enough history: 6 batches, 7 needed." in {
        skipped.reason for skipped in few.left_out
    }


def series_program(values: Floats, how: Settings = SENSITIVE) -> ColumnLimits:
    result = learn(
        "x", ColumnHistory("numeric", [{"mean": value} for value in values.tolist()]), how
    )
    assert isinstance(result, ColumnLimits)
    return result


def verdict(values: Floats, new: float) -> LimitResult:
    history = [{"mean": value} for value in values.tolist()]
    result = judge(series_program(values), history, {"mean": new})
    return result[0]


RISING = np.arange(30.0) * 10
SERIES: dict[str, tuple[Floats, float, float]] = {
    # name: history, a value that is fine, one that is not
    "constant": (np.full(30, 5.0), 5.0, 5.1),
    "constant zero": (np.zeros(30), 0.0, 1e-9),
    "alternating": (np.tile([0.0, 1.0], 15), 0.0, 9.0),
    "a line": (RISING, 300.0, 290.0),
    "exploding": (np.exp2(np.arange(30.0)), 2.0**30, 2.0**33),
    "exploding, never zero": (np.exp2(np.arange(30.0)), 2.0**30, 0.0),
    "large": (1e200 + 1e198 * np.sin(np.arange(30) ** 2), 1e200, 5e200),
    "tiny": (1e-200 + 1e-202 * np.sin(np.arange(30) ** 2), 1e-200, 5e-200),
    "noise": (np.sin(np.arange(30.0) ** 2), 0.5, 30.0),
}


@pytest.mark.parametrize("name", list(SERIES))
def test_histories_of_all_kinds(name: str) -> None:
    history, fine, wrong = SERIES[name]
    assert verdict(history, fine).status == "kept"
    assert verdict(history, wrong).status == "broken"
    for nothing in (math.nan, math.inf, -math.inf):
        assert verdict(history, nothing).status == "broken"


def test_a_metric_that_was_undefined_before_is_unknown_not_kept() -> None:
    history = SERIES["noise"][0].copy()
    history[[3, 14]] = math.nan
    result = verdict(history, math.nan)
    assert result.status == "unknown"
    assert "undefined" in result.reason
    assert verdict(history, 0.5).status == "kept"
    assert verdict(history, 30.0).status == "broken"
    assert verdict(history, math.inf).status == "broken"
    history[12] = math.inf
    assert verdict(history, math.inf).status == "unknown"


def test_the_batch_to_compare_to_may_be_missing() -> None:
    program = series_program(np.cumsum(np.random.default_rng(4).normal(size=30)))
    assert program.constraints[0].transformation.lag == 1
    (result,) = judge(program, [{"mean": math.nan}], {"mean": 3.0})
    assert result.status == "unknown"
    (result,) = judge(program, [], {"mean": 3.0})
    assert result.status == "unknown"


def test_faults_are_injected_in_place_of_the_last_batch() -> None:
    batch_metrics = [{"mean": mean} for mean in RISING.tolist()]
    as_it_was = InjectedFault(Fault("nulls", 0.01), batch_metrics[-1])
    without_growth = InjectedFault(Fault("nulls", 1.0), batch_metrics[-2])
    program = learn(
        "x", ColumnHistory("numeric", batch_metrics, [as_it_was, without_growth]), STRICT
    )
    assert isinstance(program, ColumnLimits)
    assert (program.caught, program.faults) == (1, 2)


def test_small_values_of_a_drifting_distance_break_the_limits_too() -> None:
    steady = np.abs(np.sin(np.arange(30.0) ** 2)) / 10
    drifting = np.cumsum(steady)
    for history, one_sided in ((steady, True), (drifting, False)):
        batch_metrics = [{"EMD": batch} for batch in history.tolist()]
        program = learn("x", ColumnHistory("numeric", batch_metrics), SENSITIVE)
        assert isinstance(program, ColumnLimits)
        (constraint,) = program.constraints
        assert (constraint.transformation.lag == 0) == one_sided
        assert (constraint.interval.low == 0) == one_sided
        small = judge(program, batch_metrics, {"EMD": 0.0})[0]
        assert small.broken != one_sided
        assert judge(program, batch_metrics, {"EMD": 100.0})[0].broken


def test_a_metric_that_a_batch_does_not_have_is_broken() -> None:
    program = series_program(SERIES["noise"][0])
    assert judge(program, [], {})[0].status == "broken"


def test_a_metric_that_is_hardly_ever_there_is_left_out_and_nothing_is_passed() -> None:
    history = np.full(30, math.nan)
    history[:3] = 1.0
    program = series_program(history)
    assert program.constraints == ()
    reasons = {skipped.metric: skipped.reason for skipped in program.left_out}
    assert reasons["mean"] == "only 3 of 30 batches have a value."
    (result,) = judge(program, [], {"mean": 1.0})
    assert result.status == "unknown"
    assert "there are no limits after 30 batches" in result.reason


@settings(max_examples=40)
@given(
    st.lists(st.floats(), min_size=8, max_size=16),
    st.floats(),
    st.sampled_from(["strict", "sensitive"]),
)
def test_nothing_crashes_and_nothing_strange_passes(
    history: list[float], new: float, mode: str
) -> None:
    how = Settings(mode=mode)  # type: ignore[arg-type]
    batch_metrics = [{"mean": batch} for batch in history]
    injected_faults = [InjectedFault(Fault("nulls", 1.0), {"mean": 0.0})]
    program = learn("x", ColumnHistory("numeric", batch_metrics, injected_faults), how)
    assert isinstance(program, ColumnLimits)
    assert program.rate <= how.delta
    for result in judge(program, batch_metrics, {"mean": new}):
        if not math.isfinite(new):
            assert result.status != "kept"
        assert str(result)
    assert str(program)


@pytest.mark.parametrize("make", [delays, carriers, states])
def test_false_alarms_are_rare_where_nothing_is_wrong(
    make: Callable[[np.random.Generator], Column],
) -> None:
    batches = columns(make, 60, seed=9)
    batch_metrics = metrics(batches)
    alarms = {"strict": 0, "sensitive": 0}
    for at in range(30, 60, 7):
        window = ColumnHistory(
            past(batches[:2]).kind,
            batch_metrics[at - 30 : at],
            past(batches[at - 2 : at]).injected_faults,
        )
        for mode in alarms:
            program = learn("x", window, Settings(mode=mode, delta=0.01))  # type: ignore[arg-type]
            assert isinstance(program, ColumnLimits)
            alarms[mode] += any(f.broken for f in judge(program, window.metrics, batch_metrics[at]))
    assert alarms["strict"] <= 1
    assert alarms["sensitive"] <= 2


@pytest.mark.parametrize("how", [STRICT, SENSITIVE, Settings(clauses=1, season=7)])
def test_limits_can_be_written_and_read_back(how: Settings) -> None:
    for which in PASTS:
        program = program_of(which, how)
        assert read(json.loads(json.dumps(written(program)))) == program
    document = written(program)
    with pytest.raises(CheckError, match="invalid limits"):
        read({"column": "x"})
    document["constraints"][0]["metric"] = "means"
    with pytest.raises(CheckError, match="unknown metric 'means'"):
        read(document)


@pytest.mark.parametrize("package", ["scipy", "statsmodels"])
def test_a_package_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'spark-assay\[learn\]'"):
        import_optional(f"{package}.nowhere")


def test_limits_and_findings_read_as_sentences() -> None:
    program = learn("state", past(columns(states, 30)), STRICT)
    assert isinstance(program, ColumnLimits)
    text = str(program)
    assert text.startswith("state, strict, 1 false alarm in ")
    assert "catches" in text
    bad = catalogue.compute(column_stats(strings(["x"] * 50)), column_stats(columns(states, 1)[0]))
    first = judge(program, metrics(columns(states, 30)), bad)[0]
    assert str(first).startswith("state: ")
    assert "expected" in str(first)
    constant = judge(series_program(np.ones(30)), [{"mean": 1.0}] * 30, {"mean": 2.0})[0]
    assert str(constant) == "x: the mean is 2, expected 1 (as in all of 30 batches)."
    line = judge(series_program(RISING), [{"mean": mean} for mean in RISING], {"mean": 290.0})[0]
    same = "the difference to the batch before was the same in all of 29"
    assert str(line) == f"x: the mean is 290, expected 300 ({same})."
    assert f"the mean changes by 10 ({same})" in str(series_program(RISING))
    distance = str(program_of("carrier", SENSITIVE))
    assert "the L1 distance to the batch before is at most" in distance


@pytest.mark.parametrize(
    "wrong",
    [{"mode": "lax"}, {"family": "gauss"}, {"delta": 0.0}, {"delta": 1.0}, {"delta": math.nan},
     {"clauses": 0}, {"constants": -1}, {"season": 0}, {"need": 2}],
)  # fmt: skip
def test_settings_that_are_none(wrong: dict[str, object]) -> None:
    (name,) = wrong
    with pytest.raises(CheckError, match=name):
        Settings(**wrong)  # type: ignore[arg-type]


def test_strict_limits_spend_most_of_delta() -> None:
    for which in PASTS:
        program = program_of(which, STRICT)
        changing = [c for c in program.constraints if not c.constant]
        if changing:
            assert STRICT.delta / 2 < program.rate <= STRICT.delta
