"""How far a feature may be from another batch's by chance: by which rows happen to be in it.

Of n values, drawn as those of the last batch were,

- the mean has the standard error ``sd/√n``, the standard deviation ``sd·√((kurtosis - 1)/4n)``,
- a quantile p lies between those of ``p ± √(p(1-p)/n)``, an extreme as far away as the next value,
- the number of different values varies as the root of how many occurred once,
- entropy and distances as the root of ``Var(ln p)/n``, ``Σp(1-p)/n`` and ``max p(1-p)/n``.

The errors of shares are known to `bands`. And one row is nothing to hold a batch for, whatever is
in it: what it can do to shares, entropy and distances is a `step`, and always allowed.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> last = fingerprint({"n": numbers([1.0, 2.0, 3.0, 4.0] * 25)})
>>> few = fingerprint({"n": numbers([1.0, 3.0, 3.0, 4.0])})
>>> [round(chances(each, last)[Feature("n", "mean")].error, 3) for each in (last, few)]
[0.042, 0.208]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Floats
from assay.learn.novelty.metrics import METRICS, Feature

__all__ = ["SamplingError", "sampling_errors"]

_QUARTILES = {"q25": 0.25, "q50": 0.5, "q75": 0.75}


class SamplingError(NamedTuple):
    """The standard error of a feature, as it is judged, and the work of one row."""

    error: float = 0.0
    step: float = 0.0


def sampling_errors(
    batch: Fingerprint, last: Fingerprint | None
) -> Mapping[Feature, SamplingError]:
    """Of the features of a batch, by what the last one had and how many values there are now."""
    found: dict[Feature, SamplingError] = {}
    for name, stats in batch.columns.items():
        n = stats["values"]
        if not n:
            continue
        found |= {
            Feature(name, metric.name): SamplingError(
                step=1 / (n if metric.of == "values" else batch.rows)
            )
            for metric in METRICS.values()
            if metric.of is not None
        }
        before = None if last is None else last.columns.get(name)
        if before is None or before.kind != stats.kind or not before["values"]:
            continue
        own = {**dict(_of_counts(before, n)), **dict(_of_kind(before, n))}
        found |= {Feature(name, metric): each for metric, each in own.items()}
    return found


def _of_kind(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    return _of_numbers(before, n) if before.kind == "numeric" else _of_strings(before, n)


def _of_counts(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    distinct = before["distinct"]
    counts = np.fromiter(before.value_counts.values(), np.float64, len(before.value_counts))
    if not len(counts) and before.sample is not None:
        counts = before.sample.weights
    once = float((counts == 1).sum())
    if distinct == distinct:
        step = 1 / (1 + distinct)
        yield "distinct", SamplingError(math.sqrt(once) * step, step)
    total = float(counts.sum())
    if not total:
        return
    p = counts[counts > 0] / total
    logs = np.log(p)
    spread = max(0.0, float(p @ logs**2) - float(p @ logs) ** 2)
    yield "entropy", SamplingError(math.sqrt(spread / n), (1 + math.log(n)) / n)
    variances = p * (1 - p)
    yield "l1", SamplingError(math.sqrt(float(variances.sum()) / n), 2 / n)
    yield "l_inf", SamplingError(math.sqrt(float(variances.max()) / n), 1 / n)


def _of_numbers(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    ranked, mean, sd = before.sample, before.mean, before["sd"]
    if ranked is None or not ranked.total or not math.isfinite(mean) or not math.isfinite(sd):
        return
    # a step of a number is one of its asinh by so much less
    yield "mean", SamplingError(sd / math.sqrt(n) / math.hypot(1, mean))
    if sd:
        with np.errstate(over="ignore"):
            apart = ((ranked.values - mean) / sd) ** 4
        kurtosis = float(apart @ ranked.weights) / ranked.total
        if math.isfinite(kurtosis):
            error = sd * math.sqrt(max(1.0, kurtosis - 1) / (4 * n))
            yield "sd", SamplingError(error / math.hypot(1, sd))
    values: Floats = np.arcsinh(ranked.values)
    if len(values) > 1:
        # one that stands for several in a sketch need not be the next
        below, above = ranked.weights[1] == 1, ranked.weights[-2] == 1
        yield "min", SamplingError(float(values[1] - values[0]) if below else 0.0)
        yield "max", SamplingError(float(values[-1] - values[-2]) if above else 0.0)
    for name, p in _QUARTILES.items():
        wide = math.sqrt(p * (1 - p) / n)
        ends = np.clip(np.array([p - wide, p + wide]), 0.0, 1.0)
        low, high = np.arcsinh(ranked.quantiles(ends)).tolist()
        yield name, SamplingError((high - low) / 2)


def _of_strings(before: ColumnStats, n: float) -> Iterator[tuple[str, SamplingError]]:
    counts = np.fromiter(before.value_counts.values(), np.float64, len(before.value_counts))
    total = float(counts.sum())
    if total:
        lengths = np.fromiter(map(len, before.value_counts), np.float64, len(before.value_counts))
        mean = float(lengths @ counts) / total
        variance = float((lengths - mean) ** 2 @ counts) / total
        yield "length", SamplingError(math.sqrt(variance / n))
        # what never followed costs 8 bits and as many as what it follows was frequent
        yield "surprise", SamplingError(step=(8 + math.log2(1 + total)) / n)
