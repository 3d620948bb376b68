"""Standard errors of features: their random variation, with the rows as a random sample.

The standard errors for n values from the distribution of the last batch are:

- mean: ``sd/√n``; standard deviation: ``sd·√((kurtosis - 1)/4n)``;
- quantile p: half the distance between the quantiles ``p ± √(p(1-p)/n)``;
- minimum and maximum: the distance to the next value;
- number of distinct values: the root of the number of values that occurred once;
- entropy: ``√(Var(ln p)/n)``;
- L1 distance: ``√(Σp(1-p)/n)``; L-infinity distance: ``√(max p(1-p)/n)``.

`bands` computes the errors of shares. One row must never hold a batch. The `step` is the
largest effect of one row on shares, entropy and distances. It is always allowed.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> last = fingerprint({"n": numbers([1.0, 2.0, 3.0, 4.0] * 25)})
>>> few = fingerprint({"n": numbers([1.0, 3.0, 3.0, 4.0])})
>>> mean = Feature("n", catalogue.MEAN)
>>> [round(sampling_errors(batch, last)[mean].error, 3) for batch in (last, few)]
[0.042, 0.208]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Floats
from assay.learn.novelty.features import Feature

__all__ = ["SamplingError", "sampling_errors"]

_QUARTILES = {
    catalogue.LOWER_QUARTILE: 0.25,
    catalogue.MIDDLE_QUARTILE: 0.5,
    catalogue.UPPER_QUARTILE: 0.75,
}


class SamplingError(NamedTuple):
    """The standard error of a feature on its scale, and the largest effect of one row."""

    error: float = 0.0
    step: float = 0.0


def sampling_errors(
    batch: Fingerprint, last: Fingerprint | None
) -> Mapping[Feature, SamplingError]:
    """Estimate the errors of a batch's features from the last batch and the number of values.

    Parameters
    ----------
    batch
        The batch.
    last
        The last accepted batch, or None.
    """
    errors: dict[Feature, SamplingError] = {}
    for name, stats in batch.columns.items():
        n = stats.n_values
        if not n:
            continue
        errors |= {
            Feature(name, metric.name): SamplingError(
                step=1 / (n if metric.share_of == "values" else batch.rows)
            )
            for metric in catalogue.all_metrics()
            if metric.is_share
        }
        before = None if last is None else last.columns.get(name)
        if before is None or before.kind != stats.kind or not before.n_values:
            continue
        of_column = {**dict(_of_counts(before, n)), **dict(_of_kind(before, n))}
        errors |= {Feature(name, metric): error for metric, error in of_column.items()}
    return errors


def _of_kind(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    return _of_numbers(before, n) if before.kind == "numeric" else _of_strings(before, n)


def _of_counts(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    distinct = before.n_distinct
    counts = np.fromiter(before.value_counts.values(), np.float64, len(before.value_counts))
    if not len(counts) and before.sample is not None:
        counts = before.sample.weights
    once = float((counts == 1).sum())
    if distinct == distinct:
        step = 1 / (1 + distinct)
        yield catalogue.DISTINCT_COUNT, SamplingError(math.sqrt(once) * step, step)
    total = float(counts.sum())
    if not total:
        return
    p = counts[counts > 0] / total
    logs = np.log(p)
    spread = max(0.0, float(p @ logs**2) - float(p @ logs) ** 2)
    yield catalogue.ENTROPY, SamplingError(math.sqrt(spread / n), (1 + math.log(n)) / n)
    variances = p * (1 - p)
    yield catalogue.L1_TO_HISTORY, SamplingError(math.sqrt(float(variances.sum()) / n), 2 / n)
    yield catalogue.L_INF_TO_HISTORY, SamplingError(math.sqrt(float(variances.max()) / n), 1 / n)


def _of_numbers(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    sample, mean, sd = before.sample, before.mean, before.sd
    if sample is None or not sample.total or not math.isfinite(mean) or not math.isfinite(sd):
        return
    # The derivative of asinh(x) is 1 / hypot(1, x).
    yield catalogue.MEAN, SamplingError(sd / math.sqrt(n) / math.hypot(1, mean))
    if sd:
        with np.errstate(over="ignore"):
            fourth_powers = ((sample.values - mean) / sd) ** 4
        kurtosis = float(fourth_powers @ sample.weights) / sample.total
        if math.isfinite(kurtosis):
            error = sd * math.sqrt(max(1.0, kurtosis - 1) / (4 * n))
            yield catalogue.STANDARD_DEVIATION, SamplingError(error / math.hypot(1, sd))
    values: Floats = np.arcsinh(sample.values)
    if len(values) > 1:
        # In a sketch, a value with a weight above 1 stands for several: the next value is unknown.
        below, above = sample.weights[1] == 1, sample.weights[-2] == 1
        yield catalogue.MIN, SamplingError(float(values[1] - values[0]) if below else 0.0)
        yield catalogue.MAX, SamplingError(float(values[-1] - values[-2]) if above else 0.0)
    for name, p in _QUARTILES.items():
        width = math.sqrt(p * (1 - p) / n)
        ends = np.clip(np.array([p - width, p + width]), 0.0, 1.0)
        low, high = np.arcsinh(sample.quantiles(ends)).tolist()
        yield name, SamplingError((high - low) / 2)


def _of_strings(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    counts = np.fromiter(before.value_counts.values(), np.float64, len(before.value_counts))
    total = float(counts.sum())
    if total:
        lengths = np.fromiter(map(len, before.value_counts), np.float64, len(before.value_counts))
        mean = float(lengths @ counts) / total
        variance = float((lengths - mean) ** 2 @ counts) / total
        yield catalogue.MEAN_LENGTH, SamplingError(math.sqrt(variance / n))
        # An unseen trigram costs 8 bits, plus the logarithm of the total count.
        yield catalogue.SURPRISE, SamplingError(step=(8 + math.log2(1 + total)) / n)
