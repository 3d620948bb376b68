"""What a sketch keeps, told as values and weights."""

from __future__ import annotations

from itertools import accumulate

import datasketches
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analyzers.sketches import Distinct, Quantiles


@given(st.lists(st.integers(0, 1200), min_size=1, max_size=4))
def test_the_weights_of_merged_sketches_are_all_values(sizes: list[int]) -> None:
    merged = datasketches.kll_doubles_sketch(200)
    for at, size in enumerate(sizes):
        part = datasketches.kll_doubles_sketch(200)
        part.update(np.arange(size, dtype=np.float64) + at)
        merged.merge(part)
    kept = Quantiles(bytes(merged.serialize())).weighted()
    assert sum(weight for _, weight in kept) == sum(sizes)
    ranks = accumulate(weight for _, weight in kept)
    for (value, weight), rank in zip(kept, ranks, strict=True):
        assert weight > 0
        assert rank == round(merged.get_rank(value, True) * merged.n)


@pytest.mark.parametrize("number", [5, 500, 20_000])
def test_a_number_of_distinct_values_is_that_of_any_order_and_any_parts(number: int) -> None:
    def distinct(values: list[int]) -> Distinct:
        sketch = datasketches.hll_sketch(12, datasketches.tgt_hll_type.HLL_8)
        for each in values:
            sketch.update(each)
        return Distinct(bytes(sketch.serialize_updatable()))

    values = list(range(number))
    whole, backwards = distinct(values), distinct(values[::-1])
    parts = distinct(values[::3]) + distinct(values[1::3]) + distinct(values[2::3])
    assert whole.metric() == backwards.metric() == parts.metric()
    assert whole.metric() == pytest.approx(number, rel=0.05)
