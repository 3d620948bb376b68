"""Learn what the values of string columns look like (Auto-Validate, SIGMOD 2021).

A column has many patterns. An index over the columns of a data lake tells which of them describes
the column's domain. Such a pattern matches nearly all rows of many columns.
"""

from typing import Any

from assay.checks.pattern import Pattern, Token
from assay.deprecation import warn_renamed
from assay.learn.patterns.domains import Domain, TaggedColumn, domains, find_columns, tag
from assay.learn.patterns.evidence import Enumeration
from assay.learn.patterns.index import IndexStatistics, PatternIndex
from assay.learn.patterns.index_job import build_index_of_columns
from assay.learn.patterns.infer import infer
from assay.learn.patterns.inferred import InferredPattern, NoPattern
from assay.learn.patterns.lake import (
    BuiltIndex,
    LakeProgress,
    LakeReport,
    UnreadableFile,
    build_index,
    build_index_of_tables,
    find_columns_in_lake,
    find_columns_in_tables,
    lake_columns,
)
from assay.learn.patterns.lake_sampling import Sampling
from assay.learn.patterns.learner import Patterns
from assay.learn.patterns.search import Search

__all__ = [
    "BuiltIndex",
    "Domain",
    "Enumeration",
    "IndexStatistics",
    "InferredPattern",
    "LakeProgress",
    "LakeReport",
    "NoPattern",
    "Pattern",
    "PatternIndex",
    "Patterns",
    "Sampling",
    "Search",
    "TaggedColumn",
    "Token",
    "UnreadableFile",
    "build_index",
    "build_index_of_columns",
    "build_index_of_tables",
    "domains",
    "find_columns",
    "find_columns_in_lake",
    "find_columns_in_tables",
    "infer",
    "lake_columns",
    "tag",
]

# Names of version 0.1, which work until version 0.3.
_RENAMED = {
    "Built": "BuiltIndex",
    "Learned": "InferredPattern",
    "Progress": "LakeProgress",
    "Report": "LakeReport",
    "Statistics": "IndexStatistics",
    "Tagged": "TaggedColumn",
    "Unreadable": "UnreadableFile",
    "index_of": "build_index_of_columns",
    "tagged": "find_columns",
    "tagged_in": "find_columns_in_lake",
    "tagged_in_tables": "find_columns_in_tables",
}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_renamed(f"{__name__}.{name}", _RENAMED[name])
    return globals()[_RENAMED[name]]
