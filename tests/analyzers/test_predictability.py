"""Naive Bayes as a state: its predictions, its scores and its errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analyzers import Predictability, PredictabilityWith, Schema, Undefined, parse_key
from assay.analyzers import naive_bayes as module
from assay.analyzers.leave_one_out import Model
from assay.analyzers.naive_bayes import NaiveBayes
from assay.analyzers.prediction_scores import scores
from assay.errors import AssayError, InvalidValueError, StateError
from tests.analyzers.states import trained
from tests.oracle.predicted import Row, predicted, score, weighted
from tests.oracle.xxhash import xxhash64

Rows = Sequence[tuple[int, tuple[int, ...]]]
features = st.lists(st.integers(0, 6), min_size=1, max_size=4).map(tuple)
examples = st.lists(st.tuples(st.integers(0, 3), features), min_size=2, max_size=25)
ADDRESSES = Schema.of(
    zip="string", country="string", place={"city": "string", "zip": "int"}, shape="geometry"
)


@given(rows=examples, name=st.sampled_from(["f1", "precision", "recall"]))
def test_every_row_is_predicted_from_all_other_rows(rows: Rows, name: str) -> None:
    """The score equals that of training a model without each row in turn."""
    state = trained(rows, 100)
    examples_by_count = [
        Row(example.hash, example.label, example.features, n) for example, n in state.sample.items()
    ]
    assert state.score(name) == pytest.approx(score(examples_by_count, examples_by_count, name))


@given(rows=examples)
def test_the_order_of_rows_changes_nothing(rows: Rows) -> None:
    assert trained(rows, 5).metric() == trained(rows[::-1], 5).metric()


@given(rows=examples)
def test_the_likeliest_class_may_have_none_of_the_features(rows: Rows) -> None:
    """Not all classes without the features are scored, but the likeliest one is."""
    state = trained(rows, 100)
    model = Model.of(state.rows, state.counts)
    for label, row_features in rows:
        classes: Any = Counter(state.rows)
        counts: Any = {
            class_label: Counter(class_counts) for class_label, class_counts in state.counts.items()
        }
        classes[label] -= 1
        counts[label].subtract(row_features)
        assert model.predicted(row_features, label) == predicted(row_features, classes, counts)


@given(outcomes=st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 9)))
def test_scores_are_means_weighted_by_how_often_a_value_occurs(outcomes: Any) -> None:
    result = scores(outcomes)
    if result is None:
        assert not outcomes
        return
    for name in ("f1", "precision", "recall"):
        assert result.of(name) == pytest.approx(weighted(Counter(outcomes), name))


def test_known_scores() -> None:
    """Three of four `a` and all of four `b` are correct; `b` is predicted five times."""
    result = scores({("a", "a"): 3, ("a", "b"): 1, ("b", "b"): 4})
    assert result is not None
    assert result.recall == 7 / 8
    assert result.precision == (4 * 1 + 4 * 4 / 5) / 8
    assert result.f1 == pytest.approx((4 * 6 / 7 + 4 * 8 / 9) / 8)


def test_a_dependent_value_is_predicted_if_it_occurs_twice() -> None:
    rows = [(zip_ % 3, (zip_,)) for zip_ in range(30)] * 2
    assert trained(rows, 100).metric() == 1.0
    alone = trained([*rows, (9, (99,))], 100)  # no other row has it
    assert alone.score("recall") == pytest.approx(60 / 61)


def test_each_row_counts_as_often_as_it_occurs() -> None:
    rows: Rows = [(0, (1,))] * 90 + [(1, (1,))] * 10
    state = trained(rows, 100)
    assert len(state.sample) == 2
    assert state.score("recall") == 0.9


def test_a_constant_is_predicted_perfectly() -> None:
    assert trained([(7, (1,)), (7, (2,))], 10).metric() == 1.0


@pytest.mark.parametrize(
    ("state", "reason"),
    [(NaiveBayes.identity(), "no values"), (trained([(1, (1,))], 4), "only one row")],
)
def test_the_score_of_too_few_rows_is_undefined(state: NaiveBayes, reason: str) -> None:
    metric = state.metric()
    assert isinstance(metric, Undefined)
    assert reason in str(metric)


def test_distinct_values_cannot_be_predicted() -> None:
    assert trained([(i, (i,)) for i in range(20)], 100).metric() == 0.0


def test_samples_of_parts_merge_into_the_sample_of_the_whole() -> None:
    rows: Rows = [(i % 2, (i,)) for i in range(200)]
    total, parts = trained(rows, 10), trained(rows[:90], 10) + trained(rows[90:], 10)
    assert len(total.sample) == 10
    assert parts == total


def test_too_many_counts_are_refused_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COUNTS", 5)
    a, b, c = (trained([(i, (3 * i, 3 * i + 1))], 4) for i in range(3))
    assert (a + b).metric() == 0.0
    with pytest.raises(StateError, match="fewer buckets"):
        (a + b) + c
    with pytest.raises(StateError, match="fewer buckets"):
        NaiveBayes.merged([c, b, a])


def test_keys_can_be_parsed() -> None:
    plain = Predictability("country", ["zip", "place.city"], where="zip <> ''")
    assert plain.key == "Predictability(country, zip, place.city) where zip <> ''"
    precise = Predictability("a b", "x`y", "precision", 100)
    assert precise.key == "Predictability(`a b`, `x``y`, score='precision', sample=100)"
    for analyzer in (plain, precise, PredictabilityWith("a", ["b"], "forest")):
        assert parse_key(analyzer.key) == analyzer


@pytest.mark.parametrize(
    ("target", "inputs"),
    [
        ("country", ["zip"]),
        ("place", ["zip"]),
        ("zip", ["place"]),
        ("place.city", ["place.zip", "country"]),
    ],
)
def test_valid_targets_and_inputs_are_accepted(target: str, inputs: list[str]) -> None:
    Predictability(target, inputs).check(ADDRESSES)


@pytest.mark.parametrize(
    ("target", "inputs", "code"),
    [
        ("country", ["Country"], "not_computable"),
        ("place.city", ["place"], "not_computable"),
        ("country", ["zip", "zop"], "unknown_column"),
        ("shape", ["zip"], "wrong_type"),
        ("country", ["shape"], "wrong_type"),
    ],
)
def test_invalid_targets_and_inputs_are_refused_by_the_schema(
    target: str, inputs: list[str], code: str
) -> None:
    with pytest.raises(AssayError) as raised:
        Predictability(target, inputs).check(ADDRESSES)
    assert raised.value.code == code


def test_no_inputs_and_no_classifier_are_refused() -> None:
    for analyzer in (Predictability("country", []), PredictabilityWith("country", ["zip"])):
        with pytest.raises(InvalidValueError) as raised:
            analyzer.check(ADDRESSES)
        assert raised.value.code == "bad_argument"


def test_the_oracles_hash_is_xxh64() -> None:
    """Spark's own documentation: ``SELECT xxhash64('Spark', array(123), 2)``."""
    assert xxhash64("Spark", 123, 2, kind="int") == 5602566077635097486
