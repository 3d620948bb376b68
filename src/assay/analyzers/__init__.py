"""Analyzers describe what to measure; their states are mergeable results."""

from assay.analyzers.analyzer import Analyzer, parse_key, registry
from assay.analyzers.batch_profiles import (
    NullSignature,
    PairProfile,
    RowProfile,
    ValueProfile,
)
from assay.analyzers.checksum import Checksum
from assay.analyzers.counting import (
    Completeness,
    Compliance,
    EmptyStringCount,
    IntegerCount,
    NaNCount,
    NegativeCount,
    PatternMatch,
    Size,
    ZerosCount,
)
from assay.analyzers.custom import CustomAggregate, CustomSql
from assay.analyzers.distinctness import (
    CountDistinct,
    Distinctness,
    DuplicateRowCount,
    Entropy,
    MutualInformation,
    Uniqueness,
    UniqueValueRatio,
)
from assay.analyzers.distribution import ColumnDistribution, DistributionDistance
from assay.analyzers.extremes import Freshness, Maximum, MaxLength, Minimum, MinLength, Range
from assay.analyzers.frequent import MostFrequentRatio, ShapeProfile, TopK
from assay.analyzers.histograms import Histogram, HistogramBinned, HistogramEqualWidth
from assay.analyzers.matches import (
    AggregateMatch,
    DatasetMatch,
    ReferentialIntegrity,
    RowCountMatch,
)
from assay.analyzers.metric import Distribution, Problem, Undefined, Value
from assay.analyzers.moments import Correlation, Kurtosis, Skewness, StandardDeviation, Variance
from assay.analyzers.peculiarity import Peculiarity
from assay.analyzers.predictability import Predictability, PredictabilityWith
from assay.analyzers.quantiles import ExactQuantile
from assay.analyzers.repeated_values import RepeatedValueCount
from assay.analyzers.sample import Sample
from assay.analyzers.schema import Field, Schema
from assay.analyzers.sketches import (
    ApproxCountDistinct,
    ApproxQuantile,
    ApproxQuantiles,
    InterquartileRange,
    Median,
    QuantileBuckets,
)
from assay.analyzers.state import Invertible, State
from assay.analyzers.structure import ColumnCount, ColumnExists, SchemaMatch, TableSchemaMatch
from assay.analyzers.text_types import CharacterProfile, DataType, TypeConsistency
from assay.analyzers.totals import Mean, MeanLength, RatioOfSums, Sum

__all__ = [
    "AggregateMatch",
    "Analyzer",
    "ApproxCountDistinct",
    "ApproxQuantile",
    "ApproxQuantiles",
    "CharacterProfile",
    "Checksum",
    "ColumnCount",
    "ColumnDistribution",
    "ColumnExists",
    "Completeness",
    "Compliance",
    "Correlation",
    "CountDistinct",
    "CustomAggregate",
    "CustomSql",
    "DataType",
    "DatasetMatch",
    "Distinctness",
    "Distribution",
    "DistributionDistance",
    "DuplicateRowCount",
    "EmptyStringCount",
    "Entropy",
    "ExactQuantile",
    "Field",
    "Freshness",
    "Histogram",
    "HistogramBinned",
    "HistogramEqualWidth",
    "IntegerCount",
    "InterquartileRange",
    "Invertible",
    "Kurtosis",
    "MaxLength",
    "Maximum",
    "Mean",
    "MeanLength",
    "Median",
    "MinLength",
    "Minimum",
    "MostFrequentRatio",
    "MutualInformation",
    "NaNCount",
    "NegativeCount",
    "NullSignature",
    "PairProfile",
    "PatternMatch",
    "Peculiarity",
    "Predictability",
    "PredictabilityWith",
    "Problem",
    "QuantileBuckets",
    "Range",
    "RatioOfSums",
    "ReferentialIntegrity",
    "RepeatedValueCount",
    "RowCountMatch",
    "RowProfile",
    "Sample",
    "Schema",
    "SchemaMatch",
    "ShapeProfile",
    "Size",
    "Skewness",
    "StandardDeviation",
    "State",
    "Sum",
    "TableSchemaMatch",
    "TopK",
    "TypeConsistency",
    "Undefined",
    "UniqueValueRatio",
    "Uniqueness",
    "Value",
    "ValueProfile",
    "Variance",
    "ZerosCount",
    "parse_key",
    "registry",
]
