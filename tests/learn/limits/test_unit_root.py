"""The test of a unit root against statsmodels' general one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.learn.dependency import import_optional
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.limits.unit_root import unit_root

SHAPES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "noise": lambda rng, n: rng.normal(size=n),
    "walk": lambda rng, n: np.cumsum(rng.normal(size=n)),
    "growth": lambda rng, n: 3 * np.arange(n) + rng.normal(size=n),
    "week": lambda rng, n: 10 * (np.arange(n) % 7) + rng.normal(size=n),
    "memory": lambda rng, n: np.convolve(rng.normal(size=n + 3), [1, 0.8, 0.6, 0.4], "valid"),
    "shares": lambda rng, n: rng.binomial(200, 0.01, n) / 200 + 1e-6 * rng.normal(size=n),
}


def general(series: Floats) -> float:
    n = len(series)
    lags = max(0, min(int((n - 1) ** (1 / 3) + 1e-9), n // 2 - 3))
    stattools: Any = import_optional("statsmodels.tsa.stattools")
    result = stattools.adfuller(series, maxlag=lags, autolag="AIC")
    return float(result.pvalue if hasattr(result, "pvalue") else result[1])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [8, 9, 14, 30, 61])
def test_the_unit_root_test_equals_the_general_test(shape: str, n: int) -> None:
    for seed in range(4):
        series = SHAPES[shape](np.random.default_rng(seed), n)
        assert unit_root(series) == pytest.approx(general(series), rel=1e-6, abs=1e-9)


def test_neither_scale_nor_place_makes_a_difference() -> None:
    walk = np.cumsum(np.random.default_rng(4).normal(size=30))
    for scale in (1e-300, 1e-9, 1e9, 1e290):
        assert unit_root(walk * scale) == pytest.approx(unit_root(walk))
    assert unit_root(walk + 1e6) == pytest.approx(unit_root(walk), rel=1e-4)


def test_series_without_noise_have_a_defined_unit_root_test() -> None:
    assert unit_root(np.full(30, 2.0)) == 0.0
    assert unit_root(np.tile([0.0, 1.0], 15)) == 0.0
    assert unit_root(np.power(0.9, np.arange(30.0))) == 0.0
    assert unit_root(np.power(1.1, np.arange(30.0))) == 1.0
    # a line has nothing that the level would explain
    assert unit_root(np.arange(30.0)) > 0.05
    # all that happened was before the batches over which lags are compared
    assert unit_root(np.append(5.0, np.full(29, 1.0))) == 0.0
