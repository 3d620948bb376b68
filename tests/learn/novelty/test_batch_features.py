"""Features against plain oracles, and against what batches may hold."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.analyzers.literal import read_names, render_names
from assay.errors import StateError
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, WeightedSample
from assay.learn.fingerprint.from_rows import Column, fingerprint, numbers, strings
from assay.learn.novelty import seen_values as remembering
from assay.learn.novelty.batch_features import compute_features, entropy, top_share
from assay.learn.novelty.features import Feature
from assay.learn.novelty.seen_values import SeenColumn, SeenValues, shorten_values
from assay.learn.novelty.trigrams import Trigrams
from tests.learn.novelty.batches import many, remembered, walked

TEXTS = st.lists(st.one_of(st.none(), st.text("aB1 -é", max_size=5)), max_size=15)
NUMBERS = st.lists(st.one_of(st.none(), st.floats()), max_size=15)


def texts(*values: str | None) -> Fingerprint:
    return fingerprint({"t": strings(values)})


@given(TEXTS, TEXTS)
def test_unseen_values_and_distances_are_those_of_rows(
    before: list[str | None], now: list[str | None]
) -> None:
    result = compute_features(texts(*now), SeenValues().add(texts(*before)))
    old = [value for value in before if value is not None]
    new = [value for value in now if value is not None]
    if not old or not new:
        assert all(
            Feature("t", batch) not in result
            for batch in ("unseen_values", "l1_to_history", "surprise")
        )
        return
    p, q = Counter(new), Counter(old)
    differences = [abs(p[value] / len(new) - q[value] / len(old)) for value in {*p, *q}]
    assert result[Feature("t", "unseen_values")] == pytest.approx(
        sum(value not in q for value in new) / len(new)
    )
    assert result[Feature("t", "l1_to_history")] == pytest.approx(sum(differences))
    assert result[Feature("t", "l_inf_to_history")] == pytest.approx(max(differences))


@pytest.mark.parametrize("name", ["x,y", "x y", "`", "x``,`y", "null", "…"])
def test_rows_whose_nulls_never_were_are_seen_whatever_columns_are_called(name: str) -> None:
    memory = SeenValues().add(fingerprint({"a": numbers([1, 2]), name: strings(["u", "v"])}))
    batch = fingerprint({"a": numbers([1, None]), name: strings([None, None])})
    assert compute_features(batch, memory)[Feature(None, "unseen_nulls")] == 1.0
    assert compute_features(batch, memory.add(batch))[Feature(None, "unseen_nulls")] == 0.0
    # columns that came since are not asked
    wider = replace(batch, columns={**batch.columns, "z": batch.columns["a"]})
    assert compute_features(wider, memory)[Feature(None, "unseen_nulls")] == 1.0


@given(st.lists(st.text(",`a b…", max_size=5), unique=True, min_size=1))
def test_names_read_back(names: list[str]) -> None:
    assert read_names(render_names(names)) == tuple(names)


def surprise_by_hand(before: list[str], now: list[str]) -> float:
    three: Counter[str] = Counter()
    two: Counter[str] = Counter()
    for value in before:
        text = f"\x02\x02{value}\x03"
        for i in range(len(text) - 2):
            three[text[i : i + 3]] += 1
            two[text[i : i + 2]] += 1
    bits = []
    for value in now:
        text = f"\x02\x02{value}\x03"
        for i in range(len(text) - 2):
            p = (three[text[i : i + 3]] + 1 / 256) / (two[text[i : i + 2]] + 1)
            bits.append(-math.log2(p))
    return sum(bits) / len(bits)


@given(
    st.lists(st.text("aB1é😀", max_size=5), min_size=1, max_size=9),
    st.lists(st.text("aB1é😀", max_size=5), min_size=1, max_size=9),
)
def test_surprise_is_the_cross_entropy_of_trigrams(before: list[str], now: list[str]) -> None:
    trigrams = Trigrams.of(Counter(before))
    result = trigrams.surprise(Trigrams.of(Counter(now)))
    assert result == pytest.approx(surprise_by_hand(before, now))


@given(st.lists(st.text(max_size=4), max_size=9), st.lists(st.text(max_size=4), max_size=9))
def test_trigrams_add_up_and_can_be_written(one: list[str], other: list[str]) -> None:
    added = Trigrams.of(Counter(one)) + Trigrams.of(Counter(other))
    together = Trigrams.of(Counter(one) + Counter(other))
    assert added.written() == together.written()
    assert Trigrams.read(json.loads(json.dumps(added.written()))).written() == added.written()


@given(st.lists(TEXTS, max_size=5))
def test_seen_values_added_batch_by_batch_are_those_of_all_rows(
    batches: list[list[str | None]],
) -> None:
    result = remembered([texts(*batch) for batch in batches])
    all_values = [value for batch in batches for value in batch]
    at_once = SeenValues().add(texts(*all_values))
    if batches:
        assert result.columns["t"].values == at_once.columns["t"].values
        assert result.columns["t"].shapes == at_once.columns["t"].shapes
        assert result.columns["t"].trigrams.written() == at_once.columns["t"].trigrams.written()
        assert (result.rows, result.nulls) == (at_once.rows, at_once.nulls)
    assert SeenValues.read(json.loads(json.dumps(result.written()))) == result


def test_features_from_seen_values_that_were_written_are_the_same() -> None:
    batches = [fingerprint(columns) for columns in many(4)]
    memory = remembered(batches[:3])
    again = SeenValues.read(json.loads(json.dumps(memory.written())))
    assert compute_features(batches[3], again) == compute_features(batches[3], memory)
    with pytest.raises(StateError, match="got 9"):
        SeenValues.read({**memory.written(), "version": 9})


def test_seen_values_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_MAX_VALUES", "_MAX_SHAPES", "_MAX_TRIGRAMS", "_MAX_NULLS"):
        monkeypatch.setattr(remembering, name, 3)
    seen_column = SeenColumn()
    for n in range(10):
        column = strings(["often", "often", f"{'x-' * n}{n}"])
        seen_column = seen_column.add(fingerprint({"t": column}).columns["t"])
    assert len(seen_column.values) == len(seen_column.shapes) == len(seen_column.trigrams.keys) == 3
    assert seen_column.values["often"] == 20
    assert seen_column.total == 30


def test_long_values_are_remembered_by_their_hash() -> None:
    long, other = "x" * 50, "x" * 51
    assert shorten_values({long: 2, other: 1, "short": 3}) != shorten_values({long: 3, "short": 3})
    assert max(map(len, shorten_values({long: 1}))) <= 41
    result = compute_features(texts(long, other), SeenValues().add(texts(long)))
    assert result[Feature("t", "unseen_values")] == 0.5


def test_the_most_frequent_values_give_nearly_the_same_features() -> None:
    """A skewed column keeps its most frequent values and only the number of the others."""
    rng = np.random.default_rng(0)
    drawn = [np.minimum(rng.zipf(1.6, 3000), 400) for _ in range(2)]
    batches = [fingerprint({"t": strings([f"v{n}" for n in numbers])}) for numbers in drawn]

    def in_part(batch: Fingerprint) -> Fingerprint:
        column = batch.columns["t"]
        head = dict(Counter(column.value_counts).most_common(100))
        return replace(batch, columns={"t": replace(column, value_counts=head)})

    complete = compute_features(batches[1], SeenValues().add(batches[0]))
    part = compute_features(in_part(batches[1]), SeenValues().add(in_part(batches[0])))
    for metric, most in {
        "top_share": 0.0,
        "entropy": 0.03,
        "l_inf_to_history": 0.01,
        "l1_to_history": 0.15,
        "unseen_values": 0.1,
    }.items():
        near = pytest.approx(complete[Feature("t", metric)], abs=most + 1e-12)
        assert part[Feature("t", metric)] == near, metric


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_entropy_and_top_share_of_numbers_and_strings(values: list[int]) -> None:
    counts = list(Counter(values).values())
    for column in (numbers(values), strings(map(str, values))):
        profile = fingerprint({"c": column}).columns["c"]
        assert entropy(profile) == pytest.approx(stats.entropy(counts), abs=1e-12)
        assert top_share(profile) == max(counts) / len(values)


def test_a_column_that_is_gone_has_no_value_and_one_that_is_new_no_history() -> None:
    memory = SeenValues().add(fingerprint({"a": numbers([1, 2]), "b": strings(["x", None])}))
    result = compute_features(
        fingerprint({"a": numbers([1, 2]), "c": strings(["x", None])}), memory
    )
    assert result[Feature("b", "complete_ratio")] == 0
    assert Feature("c", "unseen_values") not in result
    # which columns are null together: among those there before and now
    assert result[Feature(None, "unseen_nulls")] == 0
    again = compute_features(
        fingerprint({"b": strings([None, None]), "a": numbers([1, None])}), memory
    )
    assert again[Feature(None, "unseen_nulls")] == 0.5


def test_rare_combinations_of_nulls_are_fewer_than_one_row_in_a_thousand() -> None:
    column = numbers([None, *[1.0] * 1999])
    result = compute_features(
        fingerprint({"a": column}), SeenValues().add(fingerprint({"a": column}))
    )
    assert result[Feature(None, "unseen_nulls")] == 0
    assert result[Feature(None, "rare_nulls")] == 1 / 2000


@given(NUMBERS, TEXTS, TEXTS)
def test_features_of_any_batch_are_numbers_or_undefined(
    first: list[float | None], second: list[str | None], third: list[str | None]
) -> None:
    batches: list[dict[str, Column]] = [
        {},
        {"a": numbers([]), "b": strings([])},
        {"a": numbers(first)},
        {"a": strings(second)},
        {"a": strings([None] * 3), "b": numbers([None] * 3)},
        {"a": strings(third), "b, c": strings(third)},
    ]
    for result in walked(batches)[0]:
        assert not any(math.isinf(result) for result in result.values())
        for feature, value in result.items():
            metric = catalogue.get(feature.metric)
            if metric.is_share and value == value:
                assert 0 <= value <= 1


def test_only_sketches_of_ranks() -> None:
    named = {"rows": 10.0, "values": 10.0, "distinct": 10.0}
    profile = ColumnStats(
        "numeric", named, sample=WeightedSample(np.array([1.0, 5.0]), np.array([8.0, 2.0]))
    )
    result = compute_features(Fingerprint(10, {"n": profile}), SeenValues())
    assert result[Feature("n", "q50")] == math.asinh(1.0)


METRIC_NAMES = sorted(metric.name for metric in catalogue.all_metrics())


@given(st.floats(allow_nan=False), st.sampled_from(METRIC_NAMES))
def test_units_go_in_and_out(value: float, name: str) -> None:
    metric = catalogue.get(name)
    if metric.low <= value <= metric.high and abs(value) < 1e300:
        assert metric.from_scale(metric.to_scale(value)) == pytest.approx(value, rel=1e-9, abs=1e-9)
