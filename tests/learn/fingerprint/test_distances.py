"""Distances between two distributions."""

from __future__ import annotations

import numpy as np
import pytest

from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.column_stats import Counts

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("seed", range(40))
def test_a_distance_never_exceeds_its_range_by_a_rounding_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 1000, 61).astype(np.float64)
    is_this = rng.random(61) < 0.5
    disjoint = Counts(np.where(is_this, counts, 0.0), np.where(is_this, 0.0, counts))

    assert pair_distances.l1(disjoint) <= 2.0
    assert pair_distances.l_inf(disjoint) <= 1.0
    assert pair_distances.cosine(disjoint) <= 1.0
    assert pair_distances.chi_squared(disjoint) <= 1.0
    assert pair_distances.jensen_shannon(disjoint) <= 1.0
