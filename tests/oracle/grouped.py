"""Oracles of value frequencies: DuckDB groups, Python reads the definitions off the counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from assay.analyzers import (
    Analyzer,
    CountDistinct,
    Distinctness,
    DuplicateRowCount,
    Entropy,
    Histogram,
    HistogramEqualWidth,
    MutualInformation,
    Uniqueness,
    UniqueValueRatio,
)
from tests.oracle.duck import Ask, Duck
from tests.oracle.expected import UNDEFINED, Bins, Close, Head

Counts = Counter[tuple[Any, ...]]


def _live(analyzer: Any, duck: Duck) -> Counts:
    """The frequencies without the rows in which every column is null."""
    counts = duck.counts(analyzer.columns or duck.schema.names, analyzer.where)
    return Counter({key: n for key, n in counts.items() if any(v is not None for v in key)})


def _once(counts: Counts) -> int:
    return sum(n == 1 for n in counts.values())


def _of_counts(formula: Callable[[Counts], object], *, undefined: bool = True) -> Ask:
    def ask(analyzer: Any, duck: Duck) -> object:
        counts = _live(analyzer, duck)
        return formula(counts) if counts or not undefined else UNDEFINED

    return ask


def _entropy(counts: Counter[Any]) -> float:
    n = counts.total()
    return math.fsum(-c / n * math.log(c / n) for c in counts.values())


def _mutual_information(joint: Counts) -> object:
    first: Counter[Any] = Counter()
    second: Counter[Any] = Counter()
    for (a, b), n in joint.items():
        first[a] += n
        second[b] += n
    return Close(_entropy(first) + _entropy(second) - _entropy(joint), scale=1e3)


def _histogram(analyzer: Histogram, duck: Duck) -> object:
    if analyzer.binning is None:
        counts = duck.counts([analyzer.column], analyzer.where)
        spelling = duck.spelling(analyzer.column)
    else:
        counts = duck.counts_of([f"CAST({analyzer.binning} AS VARCHAR)"], analyzer.where)
        spelling = "string"
    nulls = counts.pop((None,), 0)
    single = Counter({key[0]: n for key, n in counts.items()})
    return Head(single, spelling, analyzer.top, nulls)


def _equal_width(analyzer: HistogramEqualWidth, duck: Duck) -> object:
    numbers = duck.numbers(analyzer.column, analyzer.where)
    nulls = duck.one("count(*)", analyzer.where) - len(numbers)
    values = [float(v) for v in numbers if math.isfinite(v)]
    if not values:
        return UNDEFINED
    low, high, number = values[0], values[-1], analyzer.bins
    if low == high:
        return Bins((len(values),), (low, high), nulls)
    width = (Fraction(high) - Fraction(low)) / number
    edges = (*(float(Fraction(low) + width * i) for i in range(number)), high)
    below = [sum(v < edge for v in values) for edge in edges[:-1]] + [len(values)]
    return Bins(tuple(b - a for a, b in pairwise(below)), edges, nulls)


ORACLES: Mapping[type[Analyzer], Ask] = {
    CountDistinct: _of_counts(len, undefined=False),
    Distinctness: _of_counts(lambda counts: len(counts) / counts.total()),
    Uniqueness: _of_counts(lambda counts: _once(counts) / counts.total()),
    UniqueValueRatio: _of_counts(lambda counts: _once(counts) / len(counts)),
    DuplicateRowCount: _of_counts(lambda counts: counts.total() - len(counts), undefined=False),
    Entropy: _of_counts(lambda counts: Close(_entropy(counts), scale=1e3)),
    MutualInformation: _of_counts(_mutual_information),
    Histogram: _histogram,
    HistogramEqualWidth: _equal_width,
}
