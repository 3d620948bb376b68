"""Charts of distributions show the shape of the data, not the way in which it is recorded."""

from __future__ import annotations

import numpy as np
import pytest

from assay.gate.verdict_evidence import N_QUANTILES
from assay.learn.fingerprint.column_stats import ColumnStats, Stat, WeightedSample
from assay.report.html.distribution_chart import distributions


def recorded(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> ColumnStats:
    """Return the statistics of numbers as a verdict records them: by some quantiles."""
    sample = WeightedSample.of(values)
    if len(sample.values) > N_QUANTILES:
        quantiles = sample.quantiles(np.linspace(0, 1, N_QUANTILES))
        sample = WeightedSample(quantiles, np.full(N_QUANTILES, len(values) / N_QUANTILES))
    return ColumnStats("numeric", {Stat.VALUES: float(len(values))}, sample=sample)


def test_evenly_spread_numbers_fill_all_bins_alike() -> None:
    compared = distributions(recorded(np.arange(10_000.0)), None)

    assert compared is not None
    assert sum(compared.now) == pytest.approx(1)
    assert min(compared.now) > 0.8 * max(compared.now)


def test_a_value_that_half_of_the_rows_have_is_one_high_bin() -> None:
    values = np.concatenate((np.zeros(5000), np.arange(1.0, 5001.0)))

    compared = distributions(recorded(values), None)

    assert compared is not None
    assert compared.now[0] == pytest.approx(0.5, abs=0.05)
    assert max(compared.now[1:]) < 0.05


def test_few_whole_numbers_have_a_bin_each() -> None:
    hours = np.repeat(np.arange(5.0, 24.0), 10)

    compared = distributions(recorded(hours), recorded(hours))

    assert compared is not None
    assert compared.now == pytest.approx([1 / 19] * 19)
    assert (compared.low, compared.high) == ("5", "23")
