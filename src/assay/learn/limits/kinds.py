"""The metrics: Tables 3 and 4 of the paper, some of our own, and any that is registered.

A kind says what bounds the rate of false alarms of a limit on the metric (Propositions 1 to 3):

- ``any``: Chebyshev, whatever the distribution;
- ``distance``: only large values are suspicious, so that Cantelli's one-sided inequality holds;
- ``mean``: a mean or a sum over rows, nearly normal by the central limit theorem.

>>> [kind.name for kind in kinds("categorical", paper=True) if not kind.pair][:4]
['str_len', 'char_len', 'digit_len', 'punc_len']
>>> kind_of("complete_ratio").high
1.0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.errors import CheckError, nearest
from assay.learn.fingerprint import distances
from assay.learn.fingerprint.column_stats import ColumnKind, ColumnStats, Pair

__all__ = ["Kind", "Law", "Measured", "kind_of", "kinds", "measured", "register"]

Law = Literal["any", "distance", "mean"]
#: the metrics of one batch by name; NaN where undefined
Measured = Mapping[str, float]

_BOTH: frozenset[ColumnKind] = frozenset(("numeric", "categorical"))
_NUMERIC: frozenset[ColumnKind] = frozenset(("numeric",))
_CATEGORICAL: frozenset[ColumnKind] = frozenset(("categorical",))


@dataclass(frozen=True)
class Kind:
    """A metric: of one batch (Definition 1), or of a batch and the one before (Definition 2).

    `low` and `high` are the ends of its range, and `says` what it is to people. `extensive` metrics
    grow with the number of rows. One `of_rows` is the same for all columns: it is judged once per
    table. Those that are not the `paper`'s are ours.
    """

    name: str
    tables: frozenset[ColumnKind]
    says: str
    law: Law = "any"
    low: float = -math.inf
    high: float = math.inf
    one: Callable[[ColumnStats], float] | None = None
    two: Callable[[Pair], float] | None = None
    extensive: bool = False
    of_rows: bool = False
    paper: bool = True

    def __post_init__(self) -> None:
        if (self.one is None) == (self.two is None):
            raise CheckError(f"{self.name} is computed either of one batch or of two.")
        if not self.low < self.high:
            raise CheckError(f"{self.name} has no range from {self.low!r} to {self.high!r}.")
        if self.law == "distance" and self.low != 0:
            raise CheckError(f"{self.name} is a distance: its range begins at 0.")

    @property
    def pair(self) -> bool:
        """Whether it compares two batches."""
        return self.two is not None


_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Add a metric; it then takes part in whatever is learned. A name is given once."""
    if kind.name in _KINDS:
        raise CheckError(f"there is a metric {kind.name!r} already.")
    _KINDS[kind.name] = kind
    return kind


def kind_of(name: str) -> Kind:
    """The metric of this name."""
    if name not in _KINDS:
        likely = nearest(name, _KINDS)
        hint = f"did you mean {likely!r}?" if likely else f"there are {', '.join(_KINDS)}."
        raise CheckError(f"there is no metric {name!r}; {hint}")
    return _KINDS[name]


def kinds(table: ColumnKind, *, paper: bool = False) -> tuple[Kind, ...]:
    """The metrics of such a column, or only those of the paper's table."""
    return tuple(
        kind for kind in _KINDS.values() if table in kind.tables and (kind.paper or not paper)
    )


def measured(stats: ColumnStats, before: ColumnStats | None = None) -> dict[str, float]:
    """All metrics of a batch; those of two batches are NaN where there is none before."""
    pair = None if before is None else Pair(stats, before)
    # numbers that overflow are infinite, and judged as such
    with np.errstate(over="ignore", invalid="ignore"):
        return {kind.name: _of(kind, stats, pair) for kind in kinds(stats.kind)}


def _of(kind: Kind, stats: ColumnStats, pair: Pair | None) -> float:
    if kind.one is not None:
        return float(kind.one(stats))
    return math.nan if kind.two is None or pair is None else float(kind.two(pair))


def _unique_ratio(stats: ColumnStats) -> float:
    # an estimated number of distinct values may exceed that of values; in this order, NaN stays NaN
    return min(stats.per_value("distinct"), 1.0)


def _complete_ratio(stats: ColumnStats) -> float:
    return stats["values"] / stats["rows"] if stats["rows"] else math.nan


def _mean_of(name: str) -> Callable[[ColumnStats], float]:
    return lambda stats: stats.per_value(name)


def _named(name: str) -> Callable[[ColumnStats], float]:
    return lambda stats: stats[name]


def _distance(
    name: str, tables: frozenset[ColumnKind], says: str, two: Callable[[Pair], float]
) -> Kind:
    bounded = {"L_1": 2.0, "KL_div": math.inf, "EMD": math.inf, "Cohen_d": math.inf}
    high = bounded.get(name.removeprefix("Pat_"), 1.0)
    return Kind(name, tables, says, "distance", 0.0, high, two=two)


for _kind in (
    _distance("EMD", _NUMERIC, "the earth mover's distance to the batch before",
              lambda pair: distances.earth_mover(pair.cumulative_shares)),
    _distance("KS_dist", _NUMERIC, "Kolmogorov and Smirnov's distance to the batch before",
              lambda pair: distances.kolmogorov_smirnov(pair.cumulative_shares)),
    _distance("Cohen_d", _NUMERIC, "Cohen's d beside the batch before",
              lambda pair: distances.cohen_d(pair.this, pair.before)),
    _distance("L_1", _CATEGORICAL, "the L-1 distance to the batch before",
              lambda pair: distances.l1(pair.value_counts)),
    _distance("L_inf", _CATEGORICAL, "the L-infinity distance to the batch before",
              lambda pair: distances.l_inf(pair.value_counts)),
    _distance("Cosine", _CATEGORICAL, "the cosine distance to the batch before",
              lambda pair: distances.cosine(pair.value_counts)),
    _distance("Chi_squared", _CATEGORICAL, "the chi-squared distance to the batch before",
              lambda pair: distances.chi_squared(pair.value_counts)),
    _distance("JS_div", _BOTH, "the Jensen-Shannon divergence from the batch before",
              lambda pair: distances.jensen_shannon(pair.value_counts)),
    _distance("KL_div", _BOTH, "the Kullback-Leibler divergence from the batch before",
              lambda pair: distances.kullback_leibler(pair.value_counts)),
    _distance("Pat_L_1", _CATEGORICAL, "the L-1 distance of patterns to the batch before",
              lambda pair: distances.l1(pair.shape_counts)),
    _distance("Pat_L_inf", _CATEGORICAL, "the L-infinity distance of patterns to the batch before",
              lambda pair: distances.l_inf(pair.shape_counts)),
    _distance("Pat_Cosine", _CATEGORICAL, "the cosine distance of patterns to the batch before",
              lambda pair: distances.cosine(pair.shape_counts)),
    _distance("Pat_Chi_squared", _CATEGORICAL,
              "the chi-squared distance of patterns to the batch before",
              lambda pair: distances.chi_squared(pair.shape_counts)),
    _distance("Pat_JS_div", _CATEGORICAL,
              "the Jensen-Shannon divergence of patterns from the batch before",
              lambda pair: distances.jensen_shannon(pair.shape_counts)),
    _distance("Pat_KL_div", _CATEGORICAL,
              "the Kullback-Leibler divergence of patterns from the batch before",
              lambda pair: distances.kullback_leibler(pair.shape_counts)),
    Kind("min", _NUMERIC, "the minimum", one=_named("min")),
    Kind("max", _NUMERIC, "the maximum", one=_named("max")),
    Kind("mean", _NUMERIC, "the mean", "mean", one=_mean_of("sum")),
    Kind("median", _NUMERIC, "the median", one=_named("median")),
    Kind("sum", _NUMERIC, "the sum", one=_named("sum"), extensive=True),
    Kind("range", _NUMERIC, "the range", low=0.0, one=lambda stats: stats["max"] - stats["min"]),
    Kind("str_len", _CATEGORICAL, "the mean length", "mean", 0.0, one=_mean_of("characters")),
    Kind("char_len", _CATEGORICAL, "the number of letters per value", "mean", 0.0,
         one=_mean_of("letters")),
    Kind("digit_len", _CATEGORICAL, "the number of digits per value", "mean", 0.0,
         one=_mean_of("digits")),
    Kind("punc_len", _CATEGORICAL, "the number of punctuation marks per value", "mean", 0.0,
         one=_mean_of("symbols")),
    Kind("row_count", _BOTH, "the number of rows", "mean", 0.0, one=_named("rows"),
         extensive=True, of_rows=True),
    Kind("unique_ratio", _BOTH, "the ratio of distinct values", low=0.0, high=1.0,
         one=_unique_ratio),
    Kind("complete_ratio", _BOTH, "the completeness", "mean", 0.0, 1.0, one=_complete_ratio),
    Kind("dist_val_count", _CATEGORICAL, "the number of distinct values", low=0.0,
         one=_named("distinct"), extensive=True),
    Kind("sd", _NUMERIC, "the standard deviation", low=0.0, one=_named("sd"), paper=False),
    Kind("zero_ratio", _NUMERIC, "the share of zeros", "mean", 0.0, 1.0, one=_mean_of("zeros"),
         paper=False),
    Kind("negative_ratio", _NUMERIC, "the share of negative numbers", "mean", 0.0, 1.0,
         one=_mean_of("negatives"), paper=False),
    Kind("space_len", _CATEGORICAL, "the number of spaces per value", "mean", 0.0,
         one=_mean_of("spaces"), paper=False),
    Kind("empty_ratio", _CATEGORICAL, "the share of empty strings", "mean", 0.0, 1.0,
         one=_mean_of("empty"), paper=False),
):  # fmt: skip
    register(_kind)
