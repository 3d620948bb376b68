"""Detect a batch that repeats an earlier one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_stats, fingerprint, strings
from assay.learn.novelty.batch_features import compute_features
from assay.learn.novelty.features import UNCHANGED
from assay.learn.novelty.repetition import (
    Repetition,
    find_repetition,
    identical,
    share_of_unchanged_columns,
)
from assay.learn.novelty.seen_values import SeenValues

NUMBERS = st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), min_size=1, max_size=30)
TEXTS = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=30)


def mark(column: Column) -> str | None:
    return column_stats(column).digest


@given(st.data())
def test_a_mark_is_that_of_the_same_values_in_any_order(data: st.DataObject) -> None:
    numbers, texts = data.draw(NUMBERS), data.draw(TEXTS)
    mixed, shuffled = (data.draw(st.permutations(value)) for value in (numbers, texts))
    assert mark(np.array(numbers)) == mark(np.array(mixed))
    assert mark(strings(texts)) == mark(strings(shuffled))


@given(TEXTS, TEXTS)
def test_and_of_no_others(one: list[str | None], other: list[str | None]) -> None:
    same = sorted(one, key=str) == sorted(other, key=str)
    nothing = {*one, *other} == {None}
    assert (mark(strings(one)) == mark(strings(other))) == (same or nothing)


def test_a_checksum_distinguishes_columns_whose_values_are_partly_known() -> None:
    many = {"rows": 9.0, "values": 9.0}
    one, other = (
        ColumnStats("categorical", {**many, "checksum": checksum}) for checksum in (40.0, 41.0)
    )
    assert one.digest is not None
    assert (
        one.digest
        == ColumnStats("categorical", {**many, "checksum": 40.0}, value_counts={"a": 2}).digest
    )
    assert one.digest != other.digest
    # only the most frequent values are known: the others may be anything
    assert ColumnStats("categorical", many, value_counts={"a": 2}).digest is None
    assert ColumnStats("categorical", {"rows": 9.0, "values": 0.0}).digest == ""


def test_unknown_or_constant_columns_are_no_evidence_of_a_repeated_batch() -> None:
    columns = {name: strings([name, "x"]) for name in "abc"} | {"e": strings([None] * 2)}
    batch = fingerprint(columns)
    same = {name: stats.digest for name, stats in batch.columns.items()}
    assert share_of_unchanged_columns(batch, same) == 1
    assert share_of_unchanged_columns(batch, same | {"a": "another"}) == pytest.approx(2 / 3)
    assert share_of_unchanged_columns(batch, same | {"a": None}) == pytest.approx(2 / 3)
    # it was filled, and is empty
    assert share_of_unchanged_columns(batch, same | {"e": "another"}) == 0.75
    assert math.isnan(share_of_unchanged_columns(batch, {"z": "gone"}))
    assert math.isnan(share_of_unchanged_columns(batch, {}))
    quiet = fingerprint(columns | {"zero": np.zeros(2)})
    same = {name: stats.digest for name, stats in quiet.columns.items()}
    # on a quiet day all are 0, and were on the day before; a constant is always the same
    assert share_of_unchanged_columns(quiet, same, {"a", "zero"}) == 0.75
    assert share_of_unchanged_columns(quiet, same, {"a"}) == 1
    assert share_of_unchanged_columns(quiet, same | {"zero": "another"}) == 0.75
    assert identical(quiet, same)
    assert not identical(quiet, same | {"zero": "another"})
    assert not identical(quiet, same | {"gone": "one"})
    assert not identical(
        Fingerprint(2, {"a": ColumnStats("categorical", {"values": 2.0})}), {"a": None}
    )


def test_a_batch_is_compared_to_the_last_one_that_had_rows() -> None:
    batch, other = (fingerprint({"a": strings([text, "x"])}) for text in "ab")
    memory = SeenValues().add(other).add(batch).add(fingerprint({"a": strings([])}))
    assert compute_features(batch, memory)[UNCHANGED] == 1
    assert compute_features(other, memory)[UNCHANGED] == 0
    assert SeenValues.read(memory.written()) == memory


@pytest.mark.parametrize(
    ("history", "now", "expected"),
    [
        # half of the columns that usually change have not changed
        ([0.5] * 8, 0.75, Repetition(0.75, 0.5, 0.75, 8, 0, 0)),
        ([0.5] * 8, 0.74, None),
        ([0.5] * 5, 1.0, None),
        # constant columns and columns that cannot be compared prove nothing
        ([1.0] * 20, 1.0, None),
        ([0.0] * 20, math.nan, None),
        ([0.0] * 5 + [math.nan] * 5, 1.0, None),
        # earlier batches had as many unchanged columns
        ([0.0] * 18 + [0.6, 0.9], 0.8, Repetition(0.8, 0.0, 0.5, 20, 1, 2)),
    ],
)
def test_a_repetition_needs_half_of_the_usual_changes_to_be_missing(
    history: list[float], now: float, expected: Repetition | None
) -> None:
    assert find_repetition([{UNCHANGED: batch} for batch in history], {UNCHANGED: now}) == expected
