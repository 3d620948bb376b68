"""The catalogue of batch metrics: one entry per number that Assay computes for every batch.

Limits, novelty detection, diagnosis, reports and exports read names, labels, ranges and SQL from
here. Other modules refer to a metric by its constant, never by its name. Version 0.1 had several
names for some metrics; `canonical_name` reads them.

>>> label(ROW_COUNT)
'the number of rows'
>>> print(sql(COMPLETENESS, "e-mail"))
SELECT count(`e-mail`) / nullif(count(*), 0) FROM batch
>>> print(rows(COMPLETENESS, "e-mail", actual=0.5, low=0.98, high=1.0))
`e-mail` IS NULL
>>> canonical_name("completeness") == COMPLETENESS
True
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from assay.analyzers.trigrams import peculiarity
from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.batch_metric import BatchMetric, MetricKind
from assay.learn.fingerprint.column_stats import ColumnKind, ColumnStats, Counts, Pair, Stat
from assay.learn.fingerprint.metric_registry import (
    MetricValues,
    all_metrics,
    canonical_name,
    compute,
    find,
    for_novelty,
    get,
    label,
    register,
    rows,
    sql,
    unregister,
    with_limits,
)
from assay.learn.fingerprint.time_of_day import mean_hour

__all__ = [
    "BatchMetric",
    "MetricKind",
    "MetricValues",
    "all_metrics",
    "canonical_name",
    "compute",
    "find",
    "for_novelty",
    "get",
    "label",
    "register",
    "rows",
    "sql",
    "unregister",
    "with_limits",
]

_ANY: frozenset[ColumnKind] = frozenset(("numeric", "categorical"))
_NUMERIC: frozenset[ColumnKind] = frozenset(("numeric",))
_TEXT: frozenset[ColumnKind] = frozenset(("categorical",))


def _completeness(stats: ColumnStats) -> float:
    return stats.n_values / stats.n_rows if stats.n_rows else math.nan


def _distinct_ratio(stats: ColumnStats) -> float:
    # An estimated distinct count may exceed the number of values. min() in this order keeps NaN.
    return min(stats.per_value(Stat.DISTINCT), 1.0)


def _per_value(name: str) -> Callable[[ColumnStats], float]:
    return lambda stats: stats.per_value(name)


def _number(name: str) -> Callable[[ColumnStats], float]:
    return lambda stats: stats[name]


def _add(metric: BatchMetric) -> str:
    return register(metric).name


def _distance(
    name: str,
    label: str,
    formula: str,
    columns: frozenset[ColumnKind],
    of_pair: Callable[[Pair], float],
    *,
    high: float = 1.0,
) -> str:
    """Register a distance to the batch before."""
    return _add(
        BatchMetric(
            name=name, label=f"{label} the batch before", formula=formula, columns=columns,
            kind="distance", low=0.0, high=high, of_pair=of_pair, in_paper=True,
        )
    )  # fmt: skip


def _of_values(distance: Callable[[Counts], float]) -> Callable[[Pair], float]:
    return lambda pair: distance(pair.value_counts)


def _of_patterns(distance: Callable[[Counts], float]) -> Callable[[Pair], float]:
    return lambda pair: distance(pair.shape_counts)


# Distances to the batch before; p and q are the shares of each value in both batches.
EARTH_MOVER = _distance(
    "EMD", "the earth mover's distance to", "∫ |F(x) - G(x)| dx", _NUMERIC,
    lambda pair: pair_distances.earth_mover(pair.cumulative_shares), high=math.inf,
)  # fmt: skip
KOLMOGOROV_SMIRNOV = _distance(
    "KS_dist", "the Kolmogorov-Smirnov distance to", "max |F(x) - G(x)|", _NUMERIC,
    lambda pair: pair_distances.kolmogorov_smirnov(pair.cumulative_shares),
)  # fmt: skip
COHEN_D = _distance(
    "Cohen_d", "Cohen's d against", "|mean - mean before| / pooled sd", _NUMERIC,
    lambda pair: pair_distances.cohen_d(pair.this, pair.before), high=math.inf,
)  # fmt: skip
L1 = _distance("L_1", "the L1 distance to", "Σ |p - q|", _TEXT,
               _of_values(pair_distances.l1), high=2.0)  # fmt: skip
L_INF = _distance("L_inf", "the largest change of a value's share since", "max |p - q|", _TEXT,
                  _of_values(pair_distances.l_inf))  # fmt: skip
COSINE = _distance("Cosine", "the cosine distance to", "1 - p·q / |p||q|", _TEXT,
                   _of_values(pair_distances.cosine))  # fmt: skip
CHI_SQUARED = _distance("Chi_squared", "the chi-squared distance to", "sqrt(χ² / n)", _TEXT,
                        _of_values(pair_distances.chi_squared))  # fmt: skip
JENSEN_SHANNON = _distance(
    "JS_div", "the Jensen-Shannon divergence from", "KL(p, m)/2 + KL(q, m)/2, m = (p + q)/2", _ANY,
    _of_values(pair_distances.jensen_shannon),
)  # fmt: skip
KULLBACK_LEIBLER = _distance(
    "KL_div", "the Kullback-Leibler divergence from", "Σ p ln(p/q)", _ANY,
    _of_values(pair_distances.kullback_leibler), high=math.inf,
)  # fmt: skip
PATTERN_L1 = _distance("Pat_L_1", "the L1 distance of patterns to", "Σ |p - q|", _TEXT,
                       _of_patterns(pair_distances.l1), high=2.0)  # fmt: skip
PATTERN_L_INF = _distance(
    "Pat_L_inf", "the largest change of a pattern's share since", "max |p - q|", _TEXT,
    _of_patterns(pair_distances.l_inf),
)  # fmt: skip
PATTERN_COSINE = _distance(
    "Pat_Cosine", "the cosine distance of patterns to", "1 - p·q / |p||q|", _TEXT,
    _of_patterns(pair_distances.cosine),
)  # fmt: skip
PATTERN_CHI_SQUARED = _distance(
    "Pat_Chi_squared", "the chi-squared distance of patterns to", "sqrt(χ² / n)", _TEXT,
    _of_patterns(pair_distances.chi_squared),
)  # fmt: skip
PATTERN_JENSEN_SHANNON = _distance(
    "Pat_JS_div", "the Jensen-Shannon divergence of patterns from",
    "KL(p, m)/2 + KL(q, m)/2, m = (p + q)/2", _TEXT, _of_patterns(pair_distances.jensen_shannon),
)  # fmt: skip
PATTERN_KULLBACK_LEIBLER = _distance(
    "Pat_KL_div", "the Kullback-Leibler divergence of patterns from", "Σ p ln(p/q)", _TEXT,
    _of_patterns(pair_distances.kullback_leibler), high=math.inf,
)  # fmt: skip

# Numbers
MIN = _add(BatchMetric(
    name="min", label="the minimum", formula="min(x)", columns=_NUMERIC, of_batch=_number(Stat.MIN),
    in_paper=True, scale="asinh", is_value=True, sql="min({c})", rows_if_low="{c} < {low!r}",
    check_method="has_min",
))  # fmt: skip
MAX = _add(BatchMetric(
    name="max", label="the maximum", formula="max(x)", columns=_NUMERIC, of_batch=_number(Stat.MAX),
    in_paper=True, scale="asinh", is_value=True, sql="max({c})", rows_if_high="{c} > {high!r}",
    check_method="has_max",
))  # fmt: skip
MEAN = _add(BatchMetric(
    name="mean", label="the mean", formula="Σx / n", columns=_NUMERIC, kind="mean",
    of_batch=_per_value(Stat.SUM), in_paper=True, scale="asinh", sql="avg({c})",
    check_method="has_mean",
))  # fmt: skip
MEDIAN = _add(BatchMetric(
    name="median", label="the median", formula="(x(n/2) + x(n/2 + 1)) / 2", columns=_NUMERIC,
    of_batch=_number(Stat.MEDIAN), in_paper=True, scale="asinh", is_value=True,
    sql="percentile({c}, 0.5)", check_method="has_median",
    in_novelty=False,
))  # fmt: skip
SUM = _add(BatchMetric(
    name="sum", label="the sum", formula="Σx", columns=_NUMERIC, of_batch=_number(Stat.SUM),
    in_paper=True, grows_with_rows=True, sql="sum({c})", check_method="has_sum",
    in_novelty=False,
))  # fmt: skip
RANGE = _add(BatchMetric(
    name="range", label="the range", formula="max(x) - min(x)", columns=_NUMERIC, low=0.0,
    of_batch=lambda stats: stats.maximum - stats.minimum, in_paper=True, is_value=True,
    sql="max({c}) - min({c})", check_method="has_range",
    in_novelty=False,
))  # fmt: skip

# Strings: characters of each class per value
MEAN_LENGTH = _add(BatchMetric(
    name="str_len", label="the mean length", formula="Σ length(x) / n", columns=_TEXT, kind="mean",
    low=0.0, of_batch=_per_value(Stat.CHARACTERS), in_paper=True, sql="avg(length({c}))",
    check_method="has_mean_length", aliases=("length",),
))  # fmt: skip
LETTERS_PER_VALUE = _add(BatchMetric(
    name="char_len", label="the number of letters per value", formula="Σ letters(x) / n",
    columns=_TEXT, kind="mean", low=0.0, of_batch=_per_value(Stat.LETTERS), in_paper=True,
    sql="avg(regexp_count({c}, '[A-Za-z]'))",
    in_novelty=False,
))  # fmt: skip
DIGITS_PER_VALUE = _add(BatchMetric(
    name="digit_len", label="the number of digits per value", formula="Σ digits(x) / n",
    columns=_TEXT, kind="mean", low=0.0, of_batch=_per_value(Stat.DIGITS), in_paper=True,
    sql="avg(regexp_count({c}, '[0-9]'))",
    in_novelty=False,
))  # fmt: skip
SYMBOLS_PER_VALUE = _add(BatchMetric(
    name="punc_len", label="the number of punctuation marks per value",
    formula="Σ symbols(x) / n", columns=_TEXT, kind="mean", low=0.0,
    of_batch=_per_value(Stat.SYMBOLS), in_paper=True,
    in_novelty=False,
))  # fmt: skip

# Any column
ROW_COUNT = _add(BatchMetric(
    name="row_count", label="the number of rows", formula="count of rows", columns=_ANY,
    kind="mean", low=0.0, of_batch=_number(Stat.ROWS), in_paper=True, per_batch=True,
    grows_with_rows=True, scale="log", sql="count(*)", check_method="has_size", aliases=("rows",),
))  # fmt: skip
DISTINCT_RATIO = _add(BatchMetric(
    name="unique_ratio", label="the share of distinct values",
    formula="distinct values / values", columns=_ANY, low=0.0, high=1.0,
    of_batch=_distinct_ratio, in_paper=True, share_of="values",
    sql="count(DISTINCT {c}) / nullif(count({c}), 0)", aliases=("distinct ratio",),
))  # fmt: skip
COMPLETENESS = _add(BatchMetric(
    name="complete_ratio", label="the share of rows that are not null", formula="values / rows",
    columns=_ANY, kind="mean", low=0.0, high=1.0, of_batch=_completeness, in_paper=True,
    share_of="rows", sql="count({c}) / nullif(count(*), 0)", rows_if_low="{c} IS NULL",
    check_method="has_completeness", aliases=("completeness",),
))  # fmt: skip
DISTINCT_COUNT = _add(BatchMetric(
    name="dist_val_count", label="the number of distinct values", formula="count of distinct x",
    columns=_ANY, low=0.0, of_batch=_number(Stat.DISTINCT), limits_on=_TEXT, in_paper=True,
    grows_with_rows=True, scale="log", sql="count(DISTINCT {c})",
    check_method="has_approx_count_distinct", aliases=("distinct",),
))  # fmt: skip
STANDARD_DEVIATION = _add(BatchMetric(
    name="sd", label="the standard deviation", formula="sqrt(Σ(x - mean)² / n)", columns=_NUMERIC,
    low=0.0, of_batch=_number(Stat.SD), scale="asinh", sql="stddev_pop({c})",
    check_method="has_standard_deviation",
))  # fmt: skip


_share_of_values = partial(
    BatchMetric, kind="mean", low=0.0, high=1.0, share_of="values", formula="count / values"
)
_share_of_rows = partial(
    BatchMetric, kind="mean", low=0.0, high=1.0, share_of="rows", formula="count / rows"
)

ZERO_RATIO = _add(_share_of_values(
    name="zero_ratio", label="the share of zeros", columns=_NUMERIC,
    of_batch=_per_value(Stat.ZEROS), sql="count_if({c} = 0) / nullif(count({c}), 0)",
    rows_if_high="{c} = 0", aliases=("zeros",),
))  # fmt: skip
NEGATIVE_RATIO = _add(_share_of_values(
    name="negative_ratio", label="the share of negative numbers", columns=_NUMERIC,
    of_batch=_per_value(Stat.NEGATIVES), sql="count_if({c} < 0) / nullif(count({c}), 0)",
    rows_if_high="{c} < 0", aliases=("negatives",),
))  # fmt: skip
SPACES_PER_VALUE = _add(BatchMetric(
    name="space_len", label="the number of spaces per value", formula="Σ spaces(x) / n",
    columns=_TEXT, kind="mean", low=0.0, of_batch=_per_value(Stat.SPACES),
    in_novelty=False,
))  # fmt: skip
EMPTY_RATIO = _add(_share_of_values(
    name="empty_ratio", label="the share of empty strings", columns=_TEXT,
    of_batch=_per_value(Stat.EMPTY), sql="count_if({c} = '') / nullif(count({c}), 0)",
    rows_if_high="{c} = ''", in_novelty=False,
))  # fmt: skip

# Only novelty detection uses the metrics from here on.
UNSEEN_NULLS = _add(_share_of_rows(
    name="unseen_nulls", label="the share of rows with a new combination of nulls",
    aliases=("unseen nulls",),
))  # fmt: skip
RARE_NULLS = _add(_share_of_rows(
    name="rare_nulls", label="the share of rows with a rare combination of nulls",
    aliases=("rare nulls",),
))  # fmt: skip
UNCHANGED = _add(BatchMetric(
    name="unchanged", label="the share of columns that equal those of the batch before",
    formula="equal columns / columns", low=0.0, high=1.0,
))  # fmt: skip
HAS_VALUES = _add(BatchMetric(
    name="filled", label="the presence of any value (1 or 0)", formula="1 if values > 0 else 0",
    columns=_ANY, low=0.0, high=1.0,
))  # fmt: skip
IS_NUMERIC = _add(_share_of_values(
    name="numeric", label="the share of values that are numbers", columns=_ANY,
))  # fmt: skip
INTEGER_RATIO = _add(_share_of_values(
    name="integer_ratio", label="the share of whole numbers", columns=_NUMERIC,
    sql="count_if({c} = rint({c})) / nullif(count({c}), 0)", rows_if_low="{c} <> rint({c})",
    aliases=("integers",),
))  # fmt: skip
TOP_SHARE = _add(_share_of_values(
    name="top_share", label="the share of the most frequent value", columns=_ANY, aliases=("top",),
))  # fmt: skip
ENTROPY = _add(BatchMetric(
    name="entropy", label="the entropy", formula="-Σ p ln p", columns=_ANY, low=0.0,
))  # fmt: skip
MEAN_HOUR = _add(BatchMetric(
    name="mean_hour", label="the mean hour of the day", formula="Σ hour / n", columns=_TEXT,
    low=0.0, high=24.0, of_batch=mean_hour, limits_on=frozenset(),
    sql="avg(hour({c}) + minute({c}) / 60)",
))  # fmt: skip
LOWER_QUARTILE = _add(BatchMetric(
    name="q25", label="the lower quartile", formula="x(n/4)", columns=_NUMERIC, scale="asinh",
    is_value=True, sql="percentile({c}, 0.25)",
))  # fmt: skip
# Unlike MEDIAN, this is the lower of the two values in the middle.
MIDDLE_QUARTILE = _add(BatchMetric(
    name="q50", label="the middle quartile", formula="x(n/2)", columns=_NUMERIC, scale="asinh",
    is_value=True, sql="percentile({c}, 0.5)",
))  # fmt: skip
UPPER_QUARTILE = _add(BatchMetric(
    name="q75", label="the upper quartile", formula="x(3n/4)", columns=_NUMERIC, scale="asinh",
    is_value=True, sql="percentile({c}, 0.75)",
))  # fmt: skip
LETTER_RATIO = _add(_share_of_values(
    name="letter_ratio", label="the share of letters among characters", columns=_TEXT,
    sql="sum(regexp_count({c}, '[A-Za-z]')) / nullif(sum(length({c})), 0)", aliases=("letters",),
))  # fmt: skip
DIGIT_RATIO = _add(_share_of_values(
    name="digit_ratio", label="the share of digits among characters", columns=_TEXT,
    sql="sum(regexp_count({c}, '[0-9]')) / nullif(sum(length({c})), 0)", aliases=("digits",),
))  # fmt: skip
SPACE_RATIO = _add(_share_of_values(
    name="space_ratio", label="the share of spaces among characters", columns=_TEXT,
    aliases=("spaces",),
))  # fmt: skip
SYMBOL_RATIO = _add(_share_of_values(
    name="symbol_ratio", label="the share of symbols among characters", columns=_TEXT,
    aliases=("symbols",),
))  # fmt: skip
UNSEEN_VALUES = _add(_share_of_values(
    name="unseen_values", label="the share of values that no earlier batch had", columns=_TEXT,
    aliases=("unseen",),
))  # fmt: skip
UNSEEN_SHAPES = _add(_share_of_values(
    name="unseen_shapes", label="the share of values with a shape that no earlier batch had",
    columns=_TEXT, aliases=("unseen shapes",),
))  # fmt: skip
SURPRISE = _add(BatchMetric(
    name="surprise", label="the surprise per character (in bits, given earlier batches)",
    formula="-Σ log2 P(z | xy) / characters", columns=_TEXT, low=0.0,
))  # fmt: skip
L1_TO_HISTORY = _add(BatchMetric(
    name="l1_to_history", label="the L1 distance to all earlier batches", formula="Σ |p - q|",
    columns=_TEXT, low=0.0, high=2.0, aliases=("l1",),
))  # fmt: skip
L_INF_TO_HISTORY = _add(BatchMetric(
    name="l_inf_to_history", label="the largest change of a value's share since earlier batches",
    formula="max |p - q|", columns=_TEXT, low=0.0, high=1.0, aliases=("l_inf",),
))  # fmt: skip

# The judge of keys compares these. They come from all values, or from a sample by hash.
SAMPLED_VALUES = _add(BatchMetric(
    name="sampled_values", label="the number of values that are counted exactly", columns=_ANY,
    low=0.0, formula="count of sampled x", of_batch=_number(Stat.SAMPLED), limits_on=frozenset(),
    is_remembered=True, in_novelty=False, grows_with_rows=True,
))  # fmt: skip
REPEATED_VALUES = _add(BatchMetric(
    name="repeated_values", label="the number of values that repeat another", columns=_ANY, low=0.0,
    formula="count of sampled x - count of distinct sampled x",
    of_batch=lambda stats: stats.n_sampled - stats.n_sampled_distinct, limits_on=frozenset(),
    is_remembered=True, in_novelty=False, grows_with_rows=True,
))  # fmt: skip

# The features of novelty-edbt21 (section 4) that it compares on a linear scale.
PLAIN_DISTINCT_COUNT = _add(BatchMetric(
    name="plain_distinct_count", label="the number of distinct values", columns=_ANY, low=0.0,
    formula="count of distinct x", sql="count(DISTINCT {c})", aliases=("count distinct",),
))  # fmt: skip
PLAIN_MEAN = _add(BatchMetric(
    name="plain_mean", label="the mean", formula="Σx / n", columns=_NUMERIC, sql="avg({c})",
    aliases=("plain mean",),
))  # fmt: skip
PLAIN_SD = _add(BatchMetric(
    name="plain_sd", label="the standard deviation", formula="sqrt(Σ(x - mean)² / n)",
    columns=_NUMERIC, low=0.0, sql="stddev_pop({c})", aliases=("plain sd",),
))  # fmt: skip
PLAIN_MIN = _add(BatchMetric(
    name="plain_min", label="the minimum", formula="min(x)", columns=_NUMERIC, is_value=True,
    sql="min({c})", rows_if_low="{c} < {low!r}", aliases=("plain min",),
))  # fmt: skip
PLAIN_MAX = _add(BatchMetric(
    name="plain_max", label="the maximum", formula="max(x)", columns=_NUMERIC, is_value=True,
    sql="max({c})", rows_if_high="{c} > {high!r}", aliases=("plain max",),
))  # fmt: skip
PECULIARITY = _add(BatchMetric(
    name="peculiarity", label="the index of peculiarity", columns=_TEXT,
    formula="sqrt(mean of ((log n(xy) + log n(yz)) / 2 - log n(xyz))²)",
    of_batch=lambda stats: peculiarity(stats.value_counts), limits_on=frozenset(),
    is_remembered=True, in_novelty=False,
))  # fmt: skip

#: The metrics that count nulls.
OF_NULLS = frozenset((COMPLETENESS, HAS_VALUES))
#: The metrics of combinations of nulls within one row.
NULL_COMBINATIONS = frozenset((UNSEEN_NULLS, RARE_NULLS))
