"""List the domains of a lake, and tag columns by example (Auto-Validate, sections 2.3 and 5.3).

Tagging is the dual of inference. `tag` finds the most restrictive pattern that misses few of a
domain's examples; `find_columns` finds the columns that match it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.analyzers.regex import full_match
from assay.checks.pattern import Pattern
from assay.errors import CheckError
from assay.learn.patterns.arguments import require_fraction, require_integer, require_share
from assay.learn.patterns.candidates import split_pieces
from assay.learn.patterns.index import PatternIndex, require_index
from assay.learn.patterns.infer import infer
from assay.learn.patterns.inferred import InferredPattern, NoPattern
from assay.learn.patterns.search import Search

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Domain", "TaggedColumn", "domains", "find_columns", "tag"]

#: a wider pattern is listed only if it occurs in this many times the columns of a narrower one
_MIN_COVERAGE_GAIN = 1.1


@dataclass(frozen=True)
class Domain:
    """A pattern that describes whole columns, the number of these columns, and its impurity."""

    pattern: Pattern
    coverage: int
    rate: float

    def __str__(self) -> str:
        return f"{self.pattern}  in {self.coverage:,} columns, impurity {self.rate:.3f}"


class TaggedColumn(NamedTuple):
    """A column that belongs to a domain, and the share of its values that match."""

    table: str
    column: str
    share: float


def domains(
    index: PatternIndex, *, coverage: int = 5, rate: float = 0.05, most: int = 100
) -> list[Domain]:
    """List the common domains of a lake.

    If several patterns occur in nearly the same columns, the most specific is listed. A more
    general one is added only if it occurs in a tenth more columns.

    Parameters
    ----------
    index
        The index of the lake.
    coverage
        The smallest number of columns of a domain.
    rate
        The largest impurity of its pattern.
    most
        The number of domains to return.

    Returns
    -------
    list of Domain
        The domain with the most columns first.
    """
    require_index("index", index)
    require_integer("coverage", coverage, 0)
    require_fraction("rate", rate)
    require_integer("most", most, 0)
    statistics = index.look_up(np.fromiter(index.texts, np.uint64, len(index.texts)))
    candidates: list[Domain] = []
    rows = zip(index.texts.values(), *(array.tolist() for array in statistics), strict=True)
    for text, columns, impurity in rows:
        if columns >= coverage and impurity <= rate:
            # An older index may have texts that the pattern language refuses now.
            with suppress(CheckError):
                candidates.append(Domain(Pattern.parse(text), columns, impurity))
    candidates.sort(
        key=lambda domain: (domain.pattern.generality, -domain.coverage, str(domain.pattern))
    )
    kept: dict[str, list[Domain]] = {}
    for domain in candidates:
        narrower = kept.setdefault(_shape(domain.pattern), [])
        if all(domain.coverage > _MIN_COVERAGE_GAIN * other.coverage for other in narrower):
            narrower.append(domain)
    listed = [domain for of_shape in kept.values() for domain in of_shape]
    return sorted(listed, key=lambda domain: (-domain.coverage, str(domain.pattern)))[:most]


def tag(
    examples: Iterable[str] | Mapping[str, int],
    index: PatternIndex,
    *,
    misses: float = 0.05,
    coverage: int = 5,
) -> InferredPattern | NoPattern:
    """Find the most restrictive pattern of a domain from examples (CMDV).

    The rate of a pattern on the lake's columns estimates the share of the domain that it misses. If
    the index knows no pattern for whole values, segments are combined: the segments' rates add up.

    Parameters
    ----------
    examples
        Values of the domain, or the number of rows of each value.
    index
        The index of the lake.
    misses
        The largest share of the domain, and of the examples, that the pattern may miss.
    coverage
        The smallest number of columns in which the pattern occurs.

    Returns
    -------
    InferredPattern or NoPattern
        The pattern of the least coverage, or the reason why there is none.
    """
    require_fraction("misses", misses)
    require_integer("coverage", coverage, 0)
    values = list(examples) if isinstance(examples, Iterator) else examples
    restrictive = infer(values, index, Search("cmdv", rate=misses, coverage=coverage))
    if isinstance(restrictive, InferredPattern):
        return restrictive
    segmented = Search("fmdv-v", rate=misses, coverage=coverage, tolerance=misses)
    unified = Search(
        "unified", rate=misses, coverage=coverage, tolerance=misses, doubt=0, generic=False
    )
    for search in (unified, segmented):
        inferred = infer(values, index, search)
        if isinstance(inferred, NoPattern) or (
            inferred.rate is not None and inferred.rate <= misses
        ):
            return inferred
    return NoPattern(f"none is known to miss at most {misses:.3g} of its domain")


def find_columns(columns: DataFrame, pattern: Pattern | str, *, at_least: float = 0.9) -> DataFrame:
    """Find the columns of a lake whose values match a pattern.

    Parameters
    ----------
    columns
        One row for each column, as `lake_columns` returns them: ``table``, ``column``, ``values``.
        Empty values are ignored.
    pattern
        The pattern of the domain.
    at_least
        The smallest share of the values that must match.

    Returns
    -------
    DataFrame
        ``table``, ``column`` and ``share``, the largest share first.
    """
    from pyspark.sql import functions as F

    require_share("at_least", at_least)
    present = F.filter("values", lambda value: value != F.lit(""))
    regex = full_match(Pattern.coerce(pattern).regex)
    matching = F.filter(present, lambda value: value.rlike(regex))
    share = F.when(F.size(present) > 0, F.size(matching) / F.size(present))
    return (
        columns.select("table", "column", share.alias("share"))
        .where(F.col("share") >= at_least)
        .orderBy(F.desc("share"), "table", "column")
    )


def _shape(pattern: Pattern) -> str:
    """Return the symbols between the runs: only patterns of one shape are compared."""
    (pieces,) = pattern.alternatives
    return split_pieces(pieces)[0]
