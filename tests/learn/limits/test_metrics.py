"""Every metric against pandas and scipy."""

from __future__ import annotations

import math
import string

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import spatial, stats

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.column_stats import ColumnStats, Pair, WeightedSample
from assay.learn.fingerprint.from_rows import (
    Column,
    Text,
    column_stats,
    numbers,
    simulate_column,
    strings,
)
from assay.learn.fingerprint.metrics import BatchMetric
from assay.learn.limits.fault_injection import inject_faults

RNG = np.random.default_rng(7)
GAPS = numbers([None if number < 3 else float(number) for number in RNG.integers(0, 40, 300)])
OTHER = numbers(RNG.normal(25, 9, 250).round(1).tolist())
WORDS = [f"{letter}{letter.lower()}-{digit}" for letter in "ABC" for digit in range(4)]
TEXTS = strings([*RNG.choice([*WORDS, "x y", ""], 400).tolist(), None, None])
OTHERS = strings([*RNG.choice([*WORDS, "NEW 1", "zzz"], 300).tolist(), None])

NUMERIC_PAIRS = [(GAPS, OTHER), (OTHER, GAPS), (GAPS, GAPS)]
TEXT_PAIRS = [(TEXTS, OTHERS), (OTHERS, TEXTS), (TEXTS, TEXTS)]


def beside(this: Column, before: Column) -> dict[str, float]:
    return catalogue.compute(column_stats(this), column_stats(before))


@pytest.mark.parametrize("column", [GAPS, OTHER])
def test_numbers_of_one_batch(column: Column) -> None:
    result, values = catalogue.compute(column_stats(column)), pd.Series(column)
    expected = {
        "min": values.min(),
        "max": values.max(),
        "mean": values.mean(),
        "median": values.median(),
        "sum": values.sum(),
        "range": values.max() - values.min(),
        "row_count": values.size,
        "unique_ratio": values.nunique() / values.count(),
        "complete_ratio": values.notna().mean(),
        "sd": values.std(ddof=0),
        "zero_ratio": (values.dropna() == 0).mean(),
        "negative_ratio": (values.dropna() < 0).mean(),
    }
    assert {name: result[name] for name in expected} == pytest.approx(expected)
    covered = {kind.name for kind in catalogue.with_limits("numeric") if not kind.compares_batches}
    assert covered == set(expected)


@pytest.mark.parametrize("column", [TEXTS, OTHERS])
def test_strings_of_one_batch(column: Column) -> None:
    result, values = catalogue.compute(column_stats(column)), pd.Series(column, dtype=object)
    texts = values.dropna().astype(str)
    punctuation = texts.map(lambda text: sum(c in string.punctuation for c in text))
    expected = {
        "str_len": texts.str.len().mean(),
        "char_len": texts.str.count("[A-Za-z]").mean(),
        "digit_len": texts.str.count("[0-9]").mean(),
        "punc_len": punctuation.mean(),
        "space_len": texts.str.count(r"\s").mean(),
        "empty_ratio": (texts == "").mean(),
        "row_count": values.size,
        "unique_ratio": texts.nunique() / texts.size,
        "complete_ratio": values.notna().mean(),
        "dist_val_count": texts.nunique(),
    }
    assert {name: result[name] for name in expected} == pytest.approx(expected)
    covered = {
        kind.name for kind in catalogue.with_limits("categorical") if not kind.compares_batches
    }
    assert covered == set(expected)


@pytest.mark.parametrize(("this", "before"), NUMERIC_PAIRS)
def test_numbers_of_two_batches(this: Column, before: Column) -> None:
    result = beside(this, before)
    x, y = this[~np.isnan(this)], before[~np.isnan(before)]
    pooled = math.sqrt((len(x) * x.var() + len(y) * y.var()) / (len(x) + len(y) - 2))
    # bins: below the least of before, its twentieths, above its greatest
    cuts = np.unique(np.quantile(y, np.arange(1, 21) / 20, method="inverted_cdf"))
    edges = [-np.inf, np.nextafter(y.min(), -np.inf), *cuts, np.inf]
    p, q = (
        pd.cut(pd.Series(values), pd.Index(edges).unique(), right=True).value_counts(sort=False)
        for values in (x, y)
    )
    expected = {
        "EMD": stats.wasserstein_distance(x, y),
        "KS_dist": stats.ks_2samp(x, y).statistic,
        "Cohen_d": abs(x.mean() - y.mean()) / pooled,
        "JS_div": spatial.distance.jensenshannon(p, q, base=2) ** 2,
        "KL_div": stats.entropy(p + 0.5, q + 0.5),
    }
    assert {name: result[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert {kind.name for kind in catalogue.with_limits("numeric") if kind.compares_batches} == set(
        expected
    )


def shape(text: str) -> str:
    result = ""
    for letter in text:
        sign = (
            "9"
            if letter.isdigit()
            else "A"
            if letter.isupper()
            else "a"
            if letter.isalpha()
            else letter
        )
        if not (result and sign == result[-1] and sign in "9Aa"):
            result += sign
    return result


@pytest.mark.parametrize("patterns", [False, True])
@pytest.mark.parametrize(("this", "before"), TEXT_PAIRS)
def test_strings_of_two_batches(this: Column, before: Column, patterns: bool) -> None:
    result = beside(this, before)
    x, y = (
        pd.Series([value for value in column if value is not None]) for column in (this, before)
    )
    if patterns:
        x, y = x.map(shape), y.map(shape)
    table = pd.DataFrame({"p": x.value_counts(), "q": y.value_counts()}).fillna(0.0)
    p, q = table.p / table.p.sum(), table.q / table.q.sum()
    chi = stats.chi2_contingency(table.T.to_numpy(), correction=False)
    expected = {
        "L_1": (p - q).abs().sum(),
        "L_inf": (p - q).abs().max(),
        "Cosine": spatial.distance.cosine(p, q),
        "Chi_squared": math.sqrt(chi.statistic / table.to_numpy().sum()),
        "JS_div": spatial.distance.jensenshannon(p, q, base=2) ** 2,
        "KL_div": stats.entropy(table.p + 0.5, table.q + 0.5),
    }
    named = {f"Pat_{name}" if patterns else name: value for name, value in expected.items()}
    assert {name: result[name] for name in named} == pytest.approx(named, abs=1e-12)
    pairs = {kind.name for kind in catalogue.with_limits("categorical") if kind.compares_batches}
    assert {metric for metric in pairs if metric.startswith("Pat_") == patterns} == set(named)


@given(st.lists(st.text(max_size=12), max_size=8))
def test_a_text_splits_into_the_values_it_was_made_from(values: list[str]) -> None:
    text = Text.of(values)
    assert text.split() == values
    assert text.lengths.tolist() == [len(value) for value in values]


@given(st.lists(st.text("aZ0-_ é", max_size=10), max_size=8))
def test_patterns_are_those_of_the_shape_profile(values: list[str]) -> None:
    assert Text.of(values).shapes() == [shape(value) for value in values]


@settings(max_examples=60)
@given(
    st.lists(st.none() | st.floats(allow_nan=False), max_size=8),
    st.lists(st.none() | st.floats(allow_nan=False), max_size=8),
)
def test_no_numbers_crash_a_metric_and_none_leaves_its_range(
    this: list[float | None], before: list[float | None]
) -> None:
    for name, value in beside(numbers(this), numbers(before)).items():
        kind = catalogue.get(name)
        assert math.isnan(value) or kind.low <= value <= kind.high, name


@given(st.lists(st.none() | st.text(max_size=4)), st.lists(st.none() | st.text(max_size=4)))
def test_no_strings_crash_a_metric_and_none_leaves_its_range(
    this: list[str | None], before: list[str | None]
) -> None:
    for name, value in beside(strings(this), strings(before)).items():
        kind = catalogue.get(name)
        assert math.isnan(value) or kind.low <= value <= kind.high + 1e-12, name


def test_a_batch_without_values_has_no_distances_and_no_means() -> None:
    for column, full in ((numbers([None, None]), GAPS), (strings([None]), TEXTS)):
        for result in (beside(column, full), beside(full, column)):
            undefined = {name for name, value in result.items() if math.isnan(value)}
            assert {
                kind.name
                for kind in catalogue.with_limits(column_stats(full).kind)
                if kind.compares_batches
            } <= undefined
        assert beside(column, full)["complete_ratio"] == 0
    assert math.isnan(catalogue.compute(column_stats(numbers([])))["complete_ratio"])


def test_equals_have_no_distance_and_strangers_the_greatest() -> None:
    assert beside(GAPS, GAPS)["EMD"] == beside(TEXTS, TEXTS)["L_1"] == 0
    far = beside(strings(["a", "b"]), strings(["1", "2"]))
    assert far["L_1"] == 2
    assert far["JS_div"] == far["Cosine"] == far["Chi_squared"] == pytest.approx(1)
    assert beside(numbers([5.0]), numbers([3.0]))["Cohen_d"] == math.inf


def test_metrics_come_from_named_values_as_they_do_from_rows() -> None:
    from_rows = column_stats(GAPS)
    from_states = ColumnStats("numeric", dict(from_rows.numbers))
    result, expected = catalogue.compute(from_states), catalogue.compute(from_rows)
    single = {kind.name for kind in catalogue.with_limits("numeric") if not kind.compares_batches}
    assert {name: result[name] for name in single} == {name: expected[name] for name in single}
    # what a state does not tell is not made up
    assert math.isnan(
        catalogue.compute(ColumnStats("numeric", {"rows": 5.0, "values": 5.0}))["unique_ratio"]
    )
    # an estimate of distinct values may exceed the number of values
    assert (
        catalogue.compute(ColumnStats("numeric", {"values": 100.0, "distinct": 103.0}))[
            "unique_ratio"
        ]
        == 1
    )


def test_values_missing_from_the_counts_are_compared_as_one_value() -> None:
    named = {"rows": 100.0, "values": 100.0}
    before = ColumnStats(
        "categorical", named, value_counts={"a": 60, "b": 30}, shape_counts={"a": 100}
    )
    this = ColumnStats(
        "categorical", named, value_counts={"a": 40, "b": 20, "c": 10}, shape_counts={"a": 80}
    )
    result = catalogue.compute(this, before)
    # a 20, b 10; c may be the 10 others before, and then 30 others are new
    assert result["L_1"] == pytest.approx(0.6)
    assert result["L_inf"] == pytest.approx(0.2)
    assert result["Pat_L_1"] == pytest.approx(0.4)
    assert catalogue.compute(before, before)["L_1"] == 0


@given(
    st.dictionaries(st.text(string.ascii_letters, min_size=1, max_size=3), st.integers(1, 50),
                    min_size=2),
    st.data(),
)  # fmt: skip
def test_a_sketch_that_forgets_values_makes_no_distance(
    counts: dict[str, int], data: st.DataObject
) -> None:
    kept = data.draw(st.sets(st.sampled_from(sorted(counts)), min_size=1))
    complete = ColumnStats(
        "categorical", {"values": float(sum(counts.values()))}, value_counts=counts
    )
    part = ColumnStats(
        "categorical",
        complete.numbers,
        value_counts={value: counts[value] for value in sorted(kept)},
    )
    for this, before in ((part, complete), (complete, part), (part, part)):
        for metric in (
            pair_distances.l1,
            pair_distances.l_inf,
            pair_distances.cosine,
            pair_distances.jensen_shannon,
        ):
            assert metric(Pair(this, before).value_counts) == pytest.approx(0.0, abs=1e-9)


def test_distances_accept_a_sketch_of_ranks() -> None:
    coarse = WeightedSample(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 10.0]))
    exact = WeightedSample.of([1.0] * 10 + [2.0] * 20 + [3.0] * 10)
    named = {"values": 40.0}
    pair = Pair(
        ColumnStats("numeric", named, sample=coarse), ColumnStats("numeric", named, sample=exact)
    )
    assert catalogue.get("KS_dist").of_pair is not None
    assert catalogue.get("KS_dist").of_pair(pair) == 0  # type: ignore[misc]


def test_a_column_can_be_simulated_from_its_statistics() -> None:
    for column in (GAPS, OTHER, TEXTS, OTHERS):
        profile = column_stats(column)
        assert catalogue.compute(
            column_stats(simulate_column(profile, 10**6)), profile
        ) == catalogue.compute(profile, profile)
        few = catalogue.compute(column_stats(simulate_column(profile, 100)), profile)
        assert few["row_count"] == 100
        assert few["complete_ratio"] == pytest.approx(
            catalogue.compute(profile)["complete_ratio"], abs=0.01
        )
        assert few["JS_div"] < 0.05
    assert simulate_column(column_stats(numbers([])), 5).tolist() == []
    assert simulate_column(column_stats(strings([None, None])), 5).tolist() == [None, None]
    assert np.isnan(simulate_column(column_stats(numbers([None, None])), 5)).all()
    assert simulate_column(ColumnStats("numeric", {}), 5).tolist() == []


def test_faults_can_be_injected_without_the_rows() -> None:
    profile, before = column_stats(OTHER), column_stats(GAPS)
    all_metrics = catalogue.compute(profile, before)
    from_rows = {fault.fault: fault.metrics for fault in inject_faults(OTHER, before)}
    sketched = inject_faults(simulate_column(profile, 100), before, whole=all_metrics)
    assert {injected.fault for injected in sketched} == from_rows.keys()
    for injected in sketched:
        if injected.fault.type in {"unit", "volume", "first", "last", "nulls", "missing"}:
            for name in ("mean", "row_count", "complete_ratio", "zero_ratio", "KS_dist"):
                expected = from_rows[injected.fault][name]
                assert injected.metrics[name] == pytest.approx(
                    expected, rel=0.2, abs=0.1, nan_ok=True
                )


def test_limits_are_learned_on_a_registered_metric() -> None:
    spread = BatchMetric(
        name="iqr_like", label="the spread", columns=frozenset(("numeric",)), low=0.0,
        of_batch=lambda stats: stats["sd"],
    )  # fmt: skip
    catalogue.register(spread)
    try:
        computed = catalogue.compute(column_stats(OTHER))
        assert computed["iqr_like"] == computed[catalogue.STANDARD_DEVIATION]
        assert spread in catalogue.with_limits("numeric")
        assert spread not in catalogue.with_limits("numeric", paper_only=True)
    finally:
        catalogue.unregister("iqr_like")


def test_a_column_of_strings_holds_no_numbers() -> None:
    with pytest.raises(TypeError, match="3"):
        strings(["a", 3])


def test_metrics_of_faults_injected_into_a_sample_are_scaled_to_all_rows() -> None:
    rng = np.random.default_rng(3)
    batch = rng.normal(50, 5, 20_000).round(1)
    before = column_stats(rng.normal(50, 5, 20_000).round(1))
    sampled = {fault.fault: fault.metrics for fault in inject_faults(batch, before)}
    full = {fault.fault: fault.metrics for fault in inject_faults(batch, before, rows=10**6)}
    assert sampled.keys() == full.keys()
    for fault, metrics in full.items():
        for name in ("mean", "row_count", "sum", "complete_ratio", "zero_ratio"):
            # three standard errors of the mean of a sample
            assert sampled[fault][name] == pytest.approx(
                metrics[name], rel=0.1, abs=0.5, nan_ok=True
            )
