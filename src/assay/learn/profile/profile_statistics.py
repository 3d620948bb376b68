"""The statistics of a profile: which analyzer measures each one, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from assay.analyzers import (
    ApproxCountDistinct,
    ApproxQuantiles,
    Completeness,
    DataType,
    EmptyStringCount,
    Maximum,
    MaxLength,
    Mean,
    MeanLength,
    Minimum,
    MinLength,
    NaNCount,
    NegativeCount,
    PatternMatch,
    QuantileBuckets,
    ShapeProfile,
    StandardDeviation,
    TopK,
    ZerosCount,
)
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.hashing import key_of
from assay.analyzers.metric import Distribution
from assay.analyzers.schema import FLOATING, GROUPABLE, NUMERIC, TEMPORAL, TEXT, Column, Schema
from assay.engine.measurement import Measurement
from assay.learn.profile.column_profile import Numbers, Texts

__all__ = [
    "BUCKETS",
    "ROW",
    "TOP",
    "first_pass_of",
    "frequent_values",
    "number_analyzers",
    "period_analyzers",
    "read_frequent",
    "read_kinds",
    "read_numbers",
    "read_period",
    "read_rows",
    "read_texts",
    "read_value",
    "row_hash",
    "sampled_rows",
    "sampled_values",
    "shape_analyzers",
    "temporal_analyzers",
    "value_counts",
]

#: frequent values to keep: the sketch counts up to 700 distinct values exactly
TOP = 700
#: values to keep of a column of mostly different values, and how often they occur at least
_N_FREQUENT, _MIN_FREQUENT_COUNT = 20, 10
#: a column with a hash of each row, in which repeated rows are counted
ROW = "__assay_row"
#: probabilities of the quantiles to estimate
_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
#: intervals of a distribution of numbers or moments
BUCKETS = 10
#: examples of a column with many distinct values; few enough for exact counts
_MAX_EXAMPLES = 350
#: integers with leading zeros, which are codes
_LEADING_ZERO = "0[0-9]+"

_AnalyzerOf = Callable[[str], Analyzer]
_BUCKETS_OF: _AnalyzerOf = partial(QuantileBuckets, buckets=BUCKETS)
#: the analyzer of each field of `Numbers`
_NUMBERS: Mapping[str, _AnalyzerOf] = {
    "minimum": Minimum,
    "maximum": Maximum,
    "mean": Mean,
    "standard_deviation": StandardDeviation,
    "quantiles": partial(ApproxQuantiles, quantiles=_QUANTILES),
    "buckets": _BUCKETS_OF,
    "zeros": ZerosCount,
    "negatives": NegativeCount,
    "nans": NaNCount,
}
#: the analyzer of each field of `Texts` that the first pass measures
_TEXTS: Mapping[str, _AnalyzerOf] = {
    "min_length": MinLength,
    "max_length": MaxLength,
    "mean_length": MeanLength,
    "empty": EmptyStringCount,
}


def first_pass_of(column: Column) -> Iterator[Analyzer]:
    """Yield the analyzers that every column of this type gets."""
    name, family = column.name, column.family
    yield Completeness(name)
    yield DataType(name)
    if family in GROUPABLE:
        yield ApproxCountDistinct(name)
    if family in NUMERIC:
        yield from number_analyzers(name, floating=family in FLOATING)
    if family in TEMPORAL:
        yield from temporal_analyzers(name)
    if family in TEXT:
        yield from (analyzer(name) for analyzer in _TEXTS.values())


def number_analyzers(name: str, *, floating: bool = True) -> Iterator[Analyzer]:
    """Yield the analyzers of numbers; only floating ones can be NaN."""
    for field, analyzer in _NUMBERS.items():
        if floating or field != "nans":
            yield analyzer(name)


def temporal_analyzers(name: str) -> Iterator[Analyzer]:
    """Yield the analyzers of the earliest and the latest moment."""
    yield from (Minimum(name), Maximum(name))


def period_analyzers(name: str) -> Iterator[Analyzer]:
    """Yield the analyzer of the distribution of moments, which are measured as seconds."""
    yield _BUCKETS_OF(name)


def value_counts(name: str) -> TopK:
    """Return the analyzer of the frequent values."""
    return TopK(name, TOP)


def frequent_values(name: str) -> TopK:
    """Return the analyzer of the few values that repeat among mostly different ones."""
    return TopK(name, _N_FREQUENT)


def shape_analyzers(column: Column, *, integers: bool = False) -> Iterator[Analyzer]:
    """Yield the analyzers of shapes, and of leading zeros if strings look like integers."""
    if column.family in TEXT:
        yield ShapeProfile(column.name)
        if integers:
            yield PatternMatch(column.name, _LEADING_ZERO)


def sampled_values(column: Column, distinct: int) -> TopK:
    """Return an analyzer of a random sample of the distinct values, with their counts.

    The sample consists of the values whose hash is divisible by a number that depends on how many
    distinct values there are.
    """
    divisor = max(1, distinct // _MAX_EXAMPLES)
    return TopK(column.name, TOP, where=f"pmod(xxhash64({column.sql}), {divisor}) = 0")


def sampled_rows(rows: int) -> TopK:
    """Return an analyzer of a random sample of the distinct rows, with their counts.

    All copies of a row have the same hash, so that they are in the sample or not. The share of
    copies in the sample is therefore an unbiased estimate. It is exact for small tables.
    """
    divisor = max(1, rows // _MAX_EXAMPLES)
    return TopK(ROW, TOP, where=f"pmod({ROW}, {divisor}) = 0")


def row_hash(schema: Schema) -> str:
    """Return SQL for a hash of all columns.

    The position is hashed after each column, since ``xxhash64`` skips nulls.
    """
    parts = (f"{key_of(column)}, {number}" for number, column in enumerate(schema.columns))
    return f"xxhash64({', '.join(parts)})"


def read_value(measured: Measurement, analyzer: Analyzer) -> Any:
    """Return a metric; None if it was not measured or is undefined."""
    metric = measured.metrics.get(analyzer)
    return None if metric is None else metric.value


def read_kinds(measured: Measurement, name: str) -> dict[str, int]:
    """Return the number of values of each kind."""
    state: Any = measured.states.get(DataType(name))
    counts = () if state is None else state.counts
    return {kind: count for kind, count in counts if count and kind != "null"}


def read_numbers(measured: Measurement, name: str) -> Numbers | None:
    """Return the statistics of numbers, or of strings that hold numbers."""
    fields = _read_fields(measured, name, _NUMBERS)
    if not {"minimum", "maximum", "mean"} <= set(fields):
        return None
    return Numbers(**{"standard_deviation": 0.0, **fields, "mean": float(fields["mean"])})


def read_frequent(measured: Measurement, name: str) -> Distribution | None:
    """Return the values that repeat often among mostly different ones; None if there are none."""
    value = read_value(measured, frequent_values(name))
    if not isinstance(value, Distribution):
        return None
    counts = {label: count for label, count in value.counts.items() if count >= _MIN_FREQUENT_COUNT}
    return Distribution(counts, other=value.total - sum(counts.values())) if counts else None


def read_texts(measured: Measurement, name: str) -> Texts | None:
    """Return the statistics of strings."""
    fields = _read_fields(measured, name, _TEXTS)
    if "min_length" not in fields:
        return None
    leading_zeros: Any = measured.states.get(PatternMatch(name, _LEADING_ZERO))
    return Texts(
        **{"empty": 0, **fields},
        shapes=read_value(measured, ShapeProfile(name)),
        examples=_read_examples(measured, name),
        leading_zeros=None if leading_zeros is None else leading_zeros.matches,
    )


def read_period(measured: Measurement, name: str) -> Distribution | None:
    """Return the distribution of moments."""
    value = read_value(measured, _BUCKETS_OF(name))
    return value if isinstance(value, Distribution) else None


def read_rows(measured: Measurement, rows: int) -> Distribution | None:
    """Return the counts of the distinct rows, or of a sample of them."""
    value = read_value(measured, sampled_rows(rows))
    # the sketch counts exactly as long as it has not dropped a row
    return value if isinstance(value, Distribution) and not value.other else None


def _read_examples(measured: Measurement, name: str) -> Distribution | None:
    """Return the frequent values, or the sampled ones."""
    frequent = read_value(measured, value_counts(name))
    if frequent is not None:
        return frequent if isinstance(frequent, Distribution) else None
    for analyzer, metric in measured.metrics.items():
        if isinstance(analyzer, TopK) and analyzer.column == name and analyzer.k == TOP:
            return metric.value if isinstance(metric.value, Distribution) else None
    return None


def _read_fields(
    measured: Measurement, name: str, fields: Mapping[str, _AnalyzerOf]
) -> dict[str, Any]:
    values = {field: read_value(measured, analyzer(name)) for field, analyzer in fields.items()}
    return {field: value for field, value in values.items() if value is not None}
