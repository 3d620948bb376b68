"""Patterns from the lake: what the values of a string column look like (auto-validate).

An index over the columns of a lake tells which of a column's many patterns describes its domain.
"""

from assay.checks.pattern import Pattern, Token
from assay.learn.patterns.build import index_of
from assay.learn.patterns.domains import Domain, Tagged, domains, tag, tagged
from assay.learn.patterns.evidence import Enumeration
from assay.learn.patterns.index import PatternIndex, Statistics
from assay.learn.patterns.infer import Search, infer
from assay.learn.patterns.lake import (
    Built,
    Progress,
    Report,
    Unreadable,
    build_index,
    build_index_of_tables,
    lake_columns,
    tagged_in,
    tagged_in_tables,
)
from assay.learn.patterns.learned import Learned, NoPattern
from assay.learn.patterns.learner import Patterns
from assay.learn.patterns.sampling import Sampling

__all__ = [
    "Built",
    "Domain",
    "Enumeration",
    "Learned",
    "NoPattern",
    "Pattern",
    "PatternIndex",
    "Patterns",
    "Progress",
    "Report",
    "Sampling",
    "Search",
    "Statistics",
    "Tagged",
    "Token",
    "Unreadable",
    "build_index",
    "build_index_of_tables",
    "domains",
    "index_of",
    "infer",
    "lake_columns",
    "tag",
    "tagged",
    "tagged_in",
    "tagged_in_tables",
]
