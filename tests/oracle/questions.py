"""Every analyzer with typical arguments, and the types of columns that it supports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    ApproxQuantile,
    ApproxQuantiles,
    CharacterProfile,
    Checksum,
    ColumnCount,
    ColumnDistribution,
    ColumnExists,
    Completeness,
    Compliance,
    Correlation,
    CountDistinct,
    CustomAggregate,
    CustomSql,
    DataType,
    Distinctness,
    DuplicateRowCount,
    EmptyStringCount,
    Entropy,
    Freshness,
    Histogram,
    HistogramBinned,
    HistogramEqualWidth,
    IntegerCount,
    InterquartileRange,
    Kurtosis,
    Maximum,
    MaxLength,
    Mean,
    MeanLength,
    Median,
    Minimum,
    MinLength,
    MostFrequentRatio,
    MutualInformation,
    NaNCount,
    NegativeCount,
    NullSignature,
    PairProfile,
    PatternMatch,
    Peculiarity,
    Predictability,
    PredictabilityWith,
    QuantileBuckets,
    Range,
    RatioOfSums,
    RepeatedValueCount,
    RowProfile,
    Sample,
    SchemaMatch,
    ShapeProfile,
    Size,
    Skewness,
    StandardDeviation,
    Sum,
    TopK,
    TypeConsistency,
    Uniqueness,
    UniqueValueRatio,
    ValueProfile,
    Variance,
    ZerosCount,
)
from assay.analyzers.frequencies import GroupingAnalyzer
from assay.analyzers.quantiles import ExactQuantile
from assay.analyzers.schema import Schema
from tests.oracle.predicted import Never

AS_OF = datetime(2030, 1, 1, tzinfo=UTC)

NUMBERS = frozenset({"integral", "fractional", "decimal"})
TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})
SCALARS = NUMBERS | TIMES | {"string", "boolean", "binary"}
ANY = SCALARS | {"struct", "array"}
TEXT = frozenset({"string"})
TYPES = frozenset({"bigint", "int", "double", "string"})


class Question(NamedTuple):
    """The analyzers of one kind for a column, and the families of types that they support."""

    families: frozenset[str]
    about: Callable[[str], Iterable[Analyzer]]


def _plainly(kind: type[Any]) -> Callable[[str], Iterable[Analyzer]]:
    return lambda column: [kind(column)]


#: one column
COLUMN: Mapping[type[Analyzer], Question] = {
    Completeness: Question(ANY, _plainly(Completeness)),
    Compliance: Question(
        NUMBERS - {"decimal"},
        lambda c: [Compliance(f"{c} > 10"), Compliance(f"{c} > 10", nulls="ignore")],
    ),
    PatternMatch: Question(
        TEXT,
        lambda c: [
            *(PatternMatch(c, "[a-z0-9]*", nulls=n) for n in ("fail", "ignore", "empty", "skip")),
            PatternMatch(c, "^[0-9]+$"),
            PatternMatch(c, "[0-9]$", search=True),
        ],
    ),
    IntegerCount: Question(NUMBERS, _plainly(IntegerCount)),
    ZerosCount: Question(NUMBERS, _plainly(ZerosCount)),
    NegativeCount: Question(NUMBERS, _plainly(NegativeCount)),
    NaNCount: Question(frozenset({"fractional"}), _plainly(NaNCount)),
    EmptyStringCount: Question(TEXT, _plainly(EmptyStringCount)),
    Minimum: Question(SCALARS, _plainly(Minimum)),
    Maximum: Question(SCALARS, _plainly(Maximum)),
    Range: Question(NUMBERS | TIMES, _plainly(Range)),
    Freshness: Question(TIMES, lambda c: [Freshness(c, as_of=AS_OF)]),
    MinLength: Question(TEXT | {"binary"}, lambda c: [MinLength(c), MinLength(c, nulls="empty")]),
    MaxLength: Question(TEXT | {"binary"}, lambda c: [MaxLength(c), MaxLength(c, nulls="empty")]),
    MeanLength: Question(TEXT | {"binary"}, _plainly(MeanLength)),
    Sum: Question(NUMBERS, _plainly(Sum)),
    Mean: Question(NUMBERS, _plainly(Mean)),
    Variance: Question(NUMBERS, _plainly(Variance)),
    StandardDeviation: Question(NUMBERS, _plainly(StandardDeviation)),
    Skewness: Question(NUMBERS, _plainly(Skewness)),
    Kurtosis: Question(NUMBERS, _plainly(Kurtosis)),
    ApproxCountDistinct: Question(SCALARS, _plainly(ApproxCountDistinct)),
    Checksum: Question(TEXT, _plainly(Checksum)),
    RepeatedValueCount: Question(SCALARS, _plainly(RepeatedValueCount)),
    ApproxQuantile: Question(
        NUMBERS, lambda c: [ApproxQuantile(c, quantile=q) for q in (0.0, 0.1, 0.5, 1.0)]
    ),
    ApproxQuantiles: Question(NUMBERS, _plainly(ApproxQuantiles)),
    ExactQuantile: Question(NUMBERS, lambda c: [ExactQuantile(c, q) for q in (0.0, 0.3, 1.0)]),
    Median: Question(NUMBERS, _plainly(Median)),
    InterquartileRange: Question(NUMBERS, _plainly(InterquartileRange)),
    QuantileBuckets: Question(NUMBERS, lambda c: [QuantileBuckets(c, buckets=5)]),
    TopK: Question(SCALARS, lambda c: [TopK(c), TopK(c, k=3)]),
    ValueProfile: Question(SCALARS, _plainly(ValueProfile)),
    ColumnDistribution: Question(SCALARS, _plainly(ColumnDistribution)),
    MostFrequentRatio: Question(SCALARS, _plainly(MostFrequentRatio)),
    ShapeProfile: Question(TEXT, lambda c: [ShapeProfile(c, k=1000), ShapeProfile(c, k=2)]),
    Peculiarity: Question(TEXT, lambda c: [Peculiarity(c), Peculiarity(c, k=15)]),
    Sample: Question(TEXT, lambda c: [Sample(c), Sample(c, k=15)]),
    DataType: Question(SCALARS, _plainly(DataType)),
    TypeConsistency: Question(
        SCALARS, lambda c: [TypeConsistency(c), TypeConsistency(c, type="integral")]
    ),
    CharacterProfile: Question(TEXT, _plainly(CharacterProfile)),
    CountDistinct: Question(ANY, _plainly(CountDistinct)),
    Distinctness: Question(ANY, _plainly(Distinctness)),
    Uniqueness: Question(ANY, _plainly(Uniqueness)),
    UniqueValueRatio: Question(ANY, _plainly(UniqueValueRatio)),
    DuplicateRowCount: Question(ANY, _plainly(DuplicateRowCount)),
    Entropy: Question(ANY, _plainly(Entropy)),
    Histogram: Question(SCALARS, lambda c: [Histogram(c), Histogram(c, top=3)]),
    HistogramEqualWidth: Question(NUMBERS, lambda c: [HistogramEqualWidth(c, bins=7)]),
    HistogramBinned: Question(NUMBERS, lambda c: [HistogramBinned(c, (-1.5, 0.0, 10.0, 100000.0))]),
    ColumnExists: Question(ANY, lambda c: [ColumnExists(c), ColumnExists(f"{c} not")]),
}

#: two columns
PAIR: Mapping[type[Analyzer], tuple[frozenset[str], Callable[[str, str], Analyzer]]] = {
    Correlation: (NUMBERS, Correlation),
    RatioOfSums: (NUMBERS, RatioOfSums),
    MutualInformation: (SCALARS, lambda a, b: MutualInformation((a, b))),
    CountDistinct: (SCALARS, lambda a, b: CountDistinct((a, b))),
    Uniqueness: (SCALARS, lambda a, b: Uniqueness((a, b))),
    PairProfile: (TEXT, PairProfile),
    RepeatedValueCount: (TEXT, lambda a, b: RepeatedValueCount((a, b), one_in=2)),
    Predictability: (TEXT, lambda a, b: Predictability(a, [b], sample=64)),
}

#: the table as a whole
WHOLE: Mapping[type[Analyzer], Callable[[Schema], Analyzer]] = {
    Size: lambda _: Size(),
    NullSignature: lambda _: NullSignature(),
    RowProfile: lambda _: RowProfile(),
    ColumnCount: lambda _: ColumnCount(),
    SchemaMatch: lambda schema: SchemaMatch(
        (*((f.name, f.type) for f in schema.fields if f.type in TYPES), ("absent", "int"))
    ),
    CustomSql: lambda schema: CustomSql(f"max({schema.names[0]})"),
    CustomAggregate: lambda schema: CustomAggregate(
        "ends", (("least", f"min({schema.names[0]})", "min"), ("rows", "count(*)", "sum"))
    ),
    PredictabilityWith: lambda schema: PredictabilityWith(
        schema.names[0], schema.names[1:2], classifier=Never()
    ),
}
_NO_SELECTION = (
    ColumnCount,
    ColumnExists,
    CustomAggregate,
    CustomSql,
    PredictabilityWith,
    SchemaMatch,
)


def questions(
    schema: Schema,
    columns: Sequence[str] | None = None,
    where: str | None = None,
    grouped: Sequence[str] | None = None,
) -> list[Analyzer]:
    """Return every analyzer of these columns that supports their types.

    Analyzers that need a frequency table take a query each. `grouped` limits their columns.
    """
    names = schema.names if columns is None else columns
    keys = names if grouped is None else grouped
    family = {name: schema.column(name).family for name in names}
    analyzers = [create(schema) for create in WHOLE.values()]
    for kind, (families, about) in COLUMN.items():
        meant = keys if issubclass(kind, GroupingAnalyzer) else names
        analyzers += (
            analyzer for name in meant if family[name] in families for analyzer in about(name)
        )
    for kind, (families, pair) in PAIR.items():
        meant = keys if issubclass(kind, GroupingAnalyzer) else names
        fit = [name for name in meant if family[name] in families]
        analyzers += (pair(a, b) for a, b in zip(fit[::2], fit[1::2], strict=False))
    if where is None:
        return analyzers
    return [
        replace(analyzer, where=where)
        for analyzer in analyzers
        if not isinstance(analyzer, _NO_SELECTION)
    ]
