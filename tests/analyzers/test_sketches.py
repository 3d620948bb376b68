"""The values and weights that a sketch keeps."""

from __future__ import annotations

from itertools import accumulate

import datasketches
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analyzers.frequent import Frequent, MostFrequentRatio
from assay.analyzers.sketches import Distinct, Quantiles


@given(st.lists(st.integers(0, 1200), min_size=1, max_size=4))
def test_the_weights_of_a_merged_sketch_sum_to_the_number_of_values(sizes: list[int]) -> None:
    merged = datasketches.kll_doubles_sketch(200)
    for offset, size in enumerate(sizes):
        part = datasketches.kll_doubles_sketch(200)
        part.update(np.arange(size, dtype=np.float64) + offset)
        merged.merge(part)
    kept = Quantiles(bytes(merged.serialize())).weighted()
    assert sum(weight for _, weight in kept) == sum(sizes)
    ranks = accumulate(weight for _, weight in kept)
    for (value, weight), rank in zip(kept, ranks, strict=True):
        assert weight > 0
        assert rank == round(merged.get_rank(value, True) * merged.n)


@pytest.mark.parametrize("number", [5, 500, 20_000])
def test_the_number_of_distinct_values_does_not_depend_on_order_or_parts(number: int) -> None:
    def distinct(values: list[int]) -> Distinct:
        sketch = datasketches.hll_sketch(12, datasketches.tgt_hll_type.HLL_8)
        for value in values:
            sketch.update(value)
        return Distinct(bytes(sketch.serialize_updatable()))

    values = list(range(number))
    forwards, backwards = distinct(values), distinct(values[::-1])
    parts = distinct(values[::3]) + distinct(values[1::3]) + distinct(values[2::3])
    assert forwards.metric() == backwards.metric() == parts.metric()
    assert forwards.metric() == pytest.approx(number, rel=0.05)


@pytest.mark.unit
def test_values_that_occur_once_are_never_said_to_occur_more_often() -> None:
    sketch = datasketches.frequent_strings_sketch(10)
    for value in range(20_000):
        sketch.update(f"id-{value}")
    state = Frequent(bytes(sketch.serialize()))

    top = state.top(3)

    assert set(top.counts.values()) == {1}
    assert top.other == 19_997
    ratio = MostFrequentRatio("id").metric(state)
    assert ratio == pytest.approx(1 / 20_000)
