"""Naive Bayes as a state: what it predicts, how well, and what it refuses."""

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
from assay.analyzers.scores import scores
from assay.errors import AssayError, StateError
from tests.analyzers.states import learnt
from tests.oracle.predicted import Row, predicted, score, weighted
from tests.oracle.xxhash import xxhash64

Rows = Sequence[tuple[int, tuple[int, ...]]]
features = st.lists(st.integers(0, 6), min_size=1, max_size=4).map(tuple)
examples = st.lists(st.tuples(st.integers(0, 3), features), min_size=2, max_size=25)
ADDRESSES = Schema.of(
    zip="string", country="string", place={"city": "string", "zip": "int"}, shape="geometry"
)


@given(rows=examples, name=st.sampled_from(["f1", "precision", "recall"]))
def test_every_row_is_predicted_by_all_others(rows: Rows, name: str) -> None:
    """The same as taking one row out, learning anew by the formula, and putting it back."""
    state = learnt(rows, 100)
    known = [Row(each.hash, each.label, each.features, n) for each, n in state.sample.items()]
    assert state.score(name) == pytest.approx(score(known, known, name))


@given(rows=examples)
def test_the_order_of_rows_changes_nothing(rows: Rows) -> None:
    assert learnt(rows, 5).metric() == learnt(rows[::-1], 5).metric()


@given(rows=examples)
def test_the_likeliest_class_is_found_among_those_without_a_feature_too(rows: Rows) -> None:
    """Classes that have none of the features are not all looked at, but none is missed."""
    state = learnt(rows, 100)
    model = Model.of(state.rows, state.counts)
    for label, found in rows:
        classes: Any = Counter(state.rows)
        counts: Any = {each: Counter(of) for each, of in state.counts.items()}
        classes[label] -= 1
        counts[label].subtract(found)
        assert model.predicted(found, label) == predicted(found, classes, counts)


@given(outcomes=st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 9)))
def test_scores_are_means_weighted_by_how_often_a_value_occurs(outcomes: Any) -> None:
    found = scores(outcomes)
    if found is None:
        assert not outcomes
        return
    for name in ("f1", "precision", "recall"):
        assert found.of(name) == pytest.approx(weighted(Counter(outcomes), name))


def test_known_scores() -> None:
    """Three of four `a` and all of four `b` are found; five times `b` is guessed."""
    found = scores({("a", "a"): 3, ("a", "b"): 1, ("b", "b"): 4})
    assert found is not None
    assert found.recall == 7 / 8
    assert found.precision == (4 * 1 + 4 * 4 / 5) / 8
    assert found.f1 == pytest.approx((4 * 6 / 7 + 4 * 8 / 9) / 8)


def test_a_value_that_follows_from_another_is_predicted_as_far_as_it_occurs_twice() -> None:
    rows = [(zip_ % 3, (zip_,)) for zip_ in range(30)] * 2
    assert learnt(rows, 100).metric() == 1.0
    alone = learnt([*rows, (9, (99,))], 100)  # nothing tells of it
    assert alone.score("recall") == pytest.approx(60 / 61)


def test_rows_that_occur_often_count_as_often() -> None:
    rows: Rows = [(0, (1,))] * 90 + [(1, (1,))] * 10
    state = learnt(rows, 100)
    assert len(state.sample) == 2
    assert state.score("recall") == 0.9


def test_a_constant_is_predicted_perfectly() -> None:
    assert learnt([(7, (1,)), (7, (2,))], 10).metric() == 1.0


@pytest.mark.parametrize(
    ("state", "reason"),
    [(NaiveBayes.identity(), "no values"), (learnt([(1, (1,))], 4), "only one row")],
)
def test_nothing_is_said_of_nothing(state: NaiveBayes, reason: str) -> None:
    found = state.metric()
    assert isinstance(found, Undefined)
    assert reason in str(found)


def test_values_that_are_all_different_cannot_be_predicted() -> None:
    assert learnt([(i, (i,)) for i in range(20)], 100).metric() == 0.0


def test_the_sample_of_the_whole_is_within_those_of_its_parts() -> None:
    rows: Rows = [(i % 2, (i,)) for i in range(200)]
    whole, parts = learnt(rows, 10), learnt(rows[:90], 10) + learnt(rows[90:], 10)
    assert len(whole.sample) == 10
    assert parts == whole


def test_too_many_counts_are_refused_in_whatever_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COUNTS", 5)
    a, b, c = (learnt([(i, (3 * i, 3 * i + 1))], 4) for i in range(3))
    assert (a + b).metric() == 0.0
    with pytest.raises(StateError, match="fewer buckets"):
        (a + b) + c
    with pytest.raises(StateError, match="fewer buckets"):
        NaiveBayes.merged([c, b, a])


def test_what_is_asked_reads_well_and_reads_back() -> None:
    plain = Predictability("country", ["zip", "place.city"], where="zip <> ''")
    assert plain.key == "Predictability(country, zip, place.city) where zip <> ''"
    precise = Predictability("a b", "x`y", "precision", 100)
    assert precise.key == "Predictability(`a b`, `x``y`, score='precision', sample=100)"
    for each in (plain, precise, PredictabilityWith("a", ["b"], "forest")):
        assert parse_key(each.key) == each


@pytest.mark.parametrize(
    ("target", "inputs"),
    [
        ("country", ["zip"]),
        ("place", ["zip"]),
        ("zip", ["place"]),
        ("place.city", ["place.zip", "country"]),
    ],
)
def test_what_makes_sense(target: str, inputs: list[str]) -> None:
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
def test_what_makes_none_is_known_from_the_schema(
    target: str, inputs: list[str], code: str
) -> None:
    with pytest.raises(AssayError) as raised:
        Predictability(target, inputs).check(ADDRESSES)
    assert raised.value.code == code


def test_no_inputs_and_no_classifier_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one column"):
        Predictability("country", []).check(ADDRESSES)
    with pytest.raises(ValueError, match="no classifier"):
        PredictabilityWith("country", ["zip"]).check(ADDRESSES)


def test_the_oracles_hash_is_xxh64() -> None:
    """Sparks' own documentation: ``SELECT xxhash64('Spark', array(123), 2)``."""
    assert xxhash64("Spark", 123, 2, kind="int") == 5602566077635097486
