"""Oracles of sketches and quantiles: the exact value and the documented error."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    ApproxQuantile,
    ApproxQuantiles,
    ColumnDistribution,
    InterquartileRange,
    Median,
    MostFrequentRatio,
    NullSignature,
    PairProfile,
    QuantileBuckets,
    RowProfile,
    ShapeProfile,
    TopK,
    ValueProfile,
)
from assay.analyzers.literal import render_name
from assay.analyzers.quantiles import ExactQuantile
from tests.oracle.duck import Ask, Duck, ref
from tests.oracle.expected import UNDEFINED, Bins, Close, Each, Head, Multiplicities, Within

DISTINCT_ERROR = 0.05  # HLL, lgK 12: three standard errors
RANK_ERROR = 0.0165  # KLL, k 200: three standard errors
EXACT_RANKS = 200  # a KLL sketch keeps this many values
EXACT_ITEMS = 750  # a frequent-items sketch counts this many distinct items exactly
CUT = 200  # characters of a value that a profile keeps
ITEM_ERROR = 3.5 / 2048  # share of all values, beyond that: it has a map of 1000 items


def _distinct(analyzer: ApproxCountDistinct, duck: Duck) -> object:
    n = duck.one(f"count(DISTINCT {ref(analyzer.column)})", analyzer.where)
    return Within(math.floor(n * (1 - DISTINCT_ERROR)), math.ceil(n * (1 + DISTINCT_ERROR)))


def _values(analyzer: Any, duck: Duck) -> list[float]:
    numbers = duck.numbers(analyzer.column, analyzer.where)
    return [float(v) for v in numbers if not math.isnan(v)]


def _at(values: Sequence[float], q: float) -> Within:
    """Return the values whose rank is within the error of the quantile."""
    n = len(values)
    error = 0.0 if n <= EXACT_RANKS else RANK_ERROR
    low, high = (max(0.0, q - error), min(1.0, q + error))
    return Within(*(values[max(0, math.ceil(round(r * n, 9)) - 1)] for r in (low, high)))


def _quantile(analyzer: ApproxQuantile, duck: Duck) -> object:
    values = _values(analyzer, duck)
    return _at(values, analyzer.quantile) if values else UNDEFINED


def _quantiles(analyzer: ApproxQuantiles, duck: Duck) -> object:
    values = _values(analyzer, duck)
    return Each({str(q): _at(values, q) for q in analyzer.quantiles}) if values else UNDEFINED


def _middle_half(analyzer: InterquartileRange, duck: Duck) -> object:
    values = _values(analyzer, duck)
    if not values:
        return UNDEFINED
    low, high = _at(values, 0.25), _at(values, 0.75)
    return Within(high.low - low.high, high.high - low.low)


def _buckets(analyzer: QuantileBuckets, duck: Duck) -> object:
    values = _values(analyzer, duck)
    if not values:
        return UNDEFINED
    low, high, number = values[0], values[-1], analyzer.buckets
    if low == high or not math.isfinite(low) or not math.isfinite(high):
        return Bins((len(values),), (low, high))
    span = Fraction(high) - Fraction(low)  # the doubles nearest to the true edges
    edges = (*(float(Fraction(low) + span * i / number) for i in range(number)), high)
    below = [sum(v < edge for v in values) for edge in edges[:-1]] + [len(values)]
    slack = 1 + (0 if len(values) <= EXACT_RANKS else 2 * RANK_ERROR * len(values))
    counts = tuple(b - a for a, b in itertools.pairwise(below))
    return Bins(counts, edges, slack=slack)


def _exact_quantile(analyzer: ExactQuantile, duck: Duck) -> object:
    numbers = duck.numbers(analyzer.column, analyzer.where)
    if not numbers:
        return UNDEFINED
    position = analyzer.quantile * (len(numbers) - 1)
    low, high = float(numbers[math.floor(position)]), float(numbers[math.ceil(position)])
    if low == high or math.floor(position) == math.ceil(position):
        return low
    return Close(low + (high - low) * (position - math.floor(position)))


def _top(analyzer: TopK, duck: Duck) -> object:
    counts = _single(duck.counts([analyzer.column], analyzer.where))
    slack = _slack(counts)
    return Head(counts, duck.spelling(analyzer.column), analyzer.k, groups=False, slack=slack)


def _profile(analyzer: ValueProfile, duck: Duck) -> object:
    counts, cut = _single(duck.counts([analyzer.column], analyzer.where)), Counter[Any]()
    for value, n in counts.items():
        cut[value[:CUT] if isinstance(value, str) else value] += n
    spelling = duck.spelling(analyzer.column)
    return Head(cut, spelling, k=10, groups=False, slack=_slack(cut))


def _number_of_values(analyzer: ColumnDistribution, duck: Duck) -> object:
    if duck.family(analyzer.column) in {"integral", "fractional", "decimal"}:
        return len(_values(analyzer, duck))
    return duck.one(f"count({ref(analyzer.column)})", analyzer.where)


def _signatures(analyzer: NullSignature, duck: Duck) -> object:
    names = [render_name(name) for name in duck.schema.names]
    absent = duck.counts_of([f"{ref(name)} IS NULL" for name in duck.schema.names], analyzer.where)
    counts: Counter[Any] = Counter()
    for signature, n in absent.items():
        counts[",".join(itertools.compress(names, signature))] += n
    return Head(counts, k=10, groups=False, slack=_slack(counts))


def _rows(analyzer: RowProfile, duck: Duck) -> object:
    """Return the counts of the most frequent rows, whose hashes DuckDB cannot compute."""
    counts = duck.counts_of([ref(name) for name in duck.schema.names], analyzer.where)
    return Multiplicities(sorted(counts.values(), reverse=True), k=10, slack=_slack(counts))


def _pairs(analyzer: PairProfile, duck: Duck) -> object:
    """Return the counts of the most frequent pairs of values, without nulls."""
    counts = duck.counts([analyzer.first, analyzer.second], analyzer.where)
    present = Counter({pair: n for pair, n in counts.items() if None not in pair})
    return Multiplicities(sorted(present.values(), reverse=True), k=10, slack=_slack(present))


def _slack(counts: Counter[Any]) -> float:
    return 0.0 if len(counts) <= EXACT_ITEMS else ITEM_ERROR * counts.total()


def _single(counts: Counter[tuple[Any, ...]]) -> Counter[Any]:
    return Counter({key[0]: n for key, n in counts.items() if key[0] is not None})


def _most_frequent(analyzer: MostFrequentRatio, duck: Duck) -> object:
    counts = _single(duck.counts([analyzer.column], analyzer.where))
    if not counts:
        return UNDEFINED
    most, slack, n = max(counts.values()), _slack(counts), counts.total()
    return Within((most - slack) / n, (most + slack) / n)


def _shapes(analyzer: ShapeProfile, duck: Duck) -> object:
    counts: Counter[Any] = Counter()
    for text, n in _single(duck.counts([analyzer.column], analyzer.where)).items():
        counts[_shape(text)] += n
    return Head(counts, k=analyzer.k, groups=False, slack=_slack(counts))


def _shape(text: str) -> str:
    signs = [(_sign(character), character) for character in text]
    runs = itertools.groupby(signs, key=lambda pair: pair[0])
    return "".join(sign or "".join(c for _, c in run) for sign, run in runs)


def _sign(character: str) -> str:
    match unicodedata.category(character):
        case "Nd":
            return "9"
        case "Lu" | "Lt":
            return "A"
        case "Ll" | "Lm" | "Lo":
            return "a"
        case _:
            return ""


ORACLES: Mapping[type[Analyzer], Ask] = {
    ApproxCountDistinct: _distinct,
    ApproxQuantile: _quantile,
    ApproxQuantiles: _quantiles,
    Median: lambda a, duck: _at(v, 0.5) if (v := _values(a, duck)) else UNDEFINED,
    InterquartileRange: _middle_half,
    QuantileBuckets: _buckets,
    ExactQuantile: _exact_quantile,
    TopK: _top,
    ValueProfile: _profile,
    ColumnDistribution: _number_of_values,
    NullSignature: _signatures,
    RowProfile: _rows,
    PairProfile: _pairs,
    MostFrequentRatio: _most_frequent,
    ShapeProfile: _shapes,
}
