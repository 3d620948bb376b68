"""Random states of every kind, and when two of them are equal.

The laws are tested for all of these. A new kind of state without a strategy fails a test.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import datasketches
from hypothesis import strategies as st

from assay.analyzers.counting import Count, Ratio
from assay.analyzers.custom import Opaque, Parts
from assay.analyzers.exact import Exact
from assay.analyzers.extremes import Greatest, Least, Span
from assay.analyzers.frequencies import Frequencies
from assay.analyzers.frequent import Frequent
from assay.analyzers.moments import CoMoments, Moments
from assay.analyzers.naive_bayes import Example, NaiveBayes
from assay.analyzers.sample import Hashed, Sampled
from assay.analyzers.sketches import Distinct, Quantiles, Sketch
from assay.analyzers.state import State
from assay.analyzers.tally import Tally
from assay.analyzers.totals import Total, TwoTotals

counts = st.integers(0, 10**12)
doubles = st.floats(allow_nan=True, allow_infinity=True)
finite = st.floats(-1e150, 1e150)
texts = st.text(max_size=8)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=4)
scalars: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(),
    "float": doubles,
    "decimal": decimals,
    "text": texts,
    "bytes": st.binary(max_size=8),
    "date": st.dates(),
    "timestamp": st.datetimes(timezones=st.just(UTC)),
    "timestamp_ntz": st.datetimes(),
    "interval": st.timedeltas(timedelta(-(10**6)), timedelta(10**6)),
    "bool": st.booleans(),
}


def _total(numbers: list[Any], *, integral: bool) -> Total:
    state = Total.identity()
    for number in numbers:
        state = state + Total(Exact.of(number), 1, integral)
    return state


def _hll(items: list[str]) -> Distinct:
    sketch = datasketches.hll_sketch(12, datasketches.tgt_hll_type.HLL_8)
    for item in items:
        sketch.update(item)
    return Distinct(bytes(sketch.serialize_updatable()))


def _kll(items: list[float]) -> Quantiles:
    sketch = datasketches.kll_doubles_sketch(200)
    for item in items:
        sketch.update(item)
    return Quantiles(bytes(sketch.serialize()))


def _frequent(items: list[str]) -> Frequent:
    sketch = datasketches.frequent_strings_sketch(10)
    for item in items:
        sketch.update(item)
    return Frequent(bytes(sketch.serialize()))


def _tallied(numbers: list[int]) -> Tally:
    return Tally(tuple(zip("abc", numbers, strict=True)))


def trained(rows: Sequence[tuple[int, tuple[int, ...]]], size: int) -> NaiveBayes:
    """Return the model of rows, each a class and its features, with at most `size` examples."""
    classes: Counter[int] = Counter(label for label, _ in rows)
    counts: dict[int, Counter[int]] = {label: Counter() for label in classes}
    sample: Counter[Example] = Counter()
    for label, features in rows:
        counts[label].update(features)
        ordered = tuple(sorted(features))
        sample[Example(zlib.crc32(repr((label, ordered)).encode()), label, ordered)] += 1
    kept = {example: sample[example] for example in sorted(sample)[:size]}
    return NaiveBayes(classes, counts, kept, size) if rows else NaiveBayes.identity()


def drawn(values: Sequence[str], size: int) -> Sampled:
    """Return the sample of these values, with at most `size` distinct ones."""
    counts = Counter(Hashed(zlib.crc32(value.encode()) % 7, value) for value in values)
    return Sampled(counts, size).cut() if values else Sampled.identity()


def _moments(order: int) -> st.SearchStrategy[Moments]:
    central = st.floats(0, 1e50)
    return st.builds(Moments.of, st.integers(0, 10**6), finite, *[central] * (order - 1))


_keys = st.tuples(st.none() | texts, st.none() | texts)
_examples = st.tuples(
    st.integers(-2, 2), st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple)
)
_parts = st.builds(
    lambda low, high, total: Parts((("a", "min", low), ("b", "max", high), ("c", "sum", total))),
    st.none() | st.integers(),
    st.none() | st.integers(),
    st.integers(),
)

#: strategies by kind; states of one strategy can be added to each other
STATES: dict[str, list[st.SearchStrategy[State]]] = {
    "count": [st.builds(Count, counts)],
    "ratio": [st.builds(Ratio, counts, counts)],
    "least": [st.builds(Least, st.none() | strategy) for strategy in scalars.values()],
    "greatest": [st.builds(Greatest, st.none() | strategy) for strategy in scalars.values()],
    "span": [
        st.builds(
            lambda a, b: Span(a, b) if a is not None else Span.identity(),
            st.none() | strategy,
            strategy,
        )
        for strategy in (st.integers(), finite, decimals, st.dates(), scalars["timestamp"])
    ],
    "total": [
        st.lists(st.integers(), max_size=5).map(lambda n: _total(n, integral=True)),
        st.lists(doubles, max_size=5).map(lambda n: _total(n, integral=False)),
        st.lists(decimals, max_size=5).map(lambda n: _total(n, integral=False)),
    ],
    "totals": [
        st.builds(lambda a, b, n: TwoTotals(Exact.of(a), Exact.of(b), n), doubles, finite, counts)
    ],
    "moments": [_moments(2), _moments(3), _moments(4)],
    "comoments": [
        st.builds(CoMoments.of, st.integers(0, 10**6), *[finite] * 2, *[st.floats(0, 1e50)] * 3)
    ],
    "tally": [st.lists(counts, min_size=3, max_size=3).map(_tallied)],
    "parts": [_parts],
    "frequencies": [st.lists(_keys, max_size=12).map(Frequencies.of)],
    "naive_bayes": [
        st.builds(trained, st.lists(_examples, max_size=12), st.just(4)),
        st.builds(trained, st.lists(_examples, max_size=12), st.integers(1, 20)),
    ],
    "sample": [
        st.builds(drawn, st.lists(texts, max_size=12), st.just(4)),
        st.builds(drawn, st.lists(texts, max_size=12), st.integers(1, 20)),
    ],
    "hll": [st.lists(texts, max_size=40).map(_hll)],
    "kll": [st.lists(finite, max_size=40).map(_kll)],
    "frequent": [st.lists(texts, max_size=40).map(_frequent)],
    "opaque": [],  # says of itself that it does not merge
}
STRATEGIES = [
    (f"{kind}-{i}", strategy)
    for kind, strategies in STATES.items()
    for i, strategy in enumerate(strategies)
]


def same(a: State, b: State) -> bool:
    """Equal bytes; sketches, whose bytes depend on the order, say the same."""
    if isinstance(a, Sketch):
        return type(a) is type(b) and _SAME[type(a)](a, b)
    return a.to_bytes() == b.to_bytes()


def _same_distinct(a: Any, b: Any) -> bool:
    return math.isclose(a.metric(), b.metric(), rel_tol=0.05, abs_tol=1)


def _same_quantiles(a: Any, b: Any) -> bool:
    if a.n != b.n or not a.n:
        return bool(a.n == b.n)
    # far below the sketch's capacity nothing is estimated
    return all(a.quantile(q) == b.quantile(q) for q in (0.0, 0.25, 0.5, 0.75, 1.0))


def _same_frequent(a: Any, b: Any) -> bool:
    return dict(a.top(1000).counts) == dict(b.top(1000).counts)


_SAME: dict[type, Callable[[Any, Any], bool]] = {
    Distinct: _same_distinct,
    Quantiles: _same_quantiles,
    Frequent: _same_frequent,
}

EXAMPLES: list[State] = [
    Least(date(2013, 2, 8)),
    Greatest(datetime(2013, 2, 8, 5, tzinfo=UTC)),
    Total(Exact.of(Decimal("1.50")), 1, is_integral=False),
    Opaque(1.5),
]
