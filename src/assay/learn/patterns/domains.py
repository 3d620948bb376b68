"""What a lake is made of: the domains that many of its columns share (auto-validate, section 5.3).

And the dual of inference, tagging (section 2.3): from examples of a domain, the most restrictive
pattern that misses no more than so many of its values; then the columns that are of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.analyzers.counting import full_match
from assay.checks.pattern import Pattern
from assay.errors import CheckError
from assay.learn.patterns.arguments import require_part, require_share, require_whole
from assay.learn.patterns.candidates import shape_of
from assay.learn.patterns.index import PatternIndex, require_index
from assay.learn.patterns.infer import Search, infer
from assay.learn.patterns.inferred import InferredPattern, NoPattern

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Domain", "TaggedColumn", "domains", "find_columns", "tag"]


@dataclass(frozen=True)
class Domain:
    """A pattern that describes whole columns: in how many of them it occurs, how pure they are."""

    pattern: Pattern
    coverage: int
    rate: float

    def __str__(self) -> str:
        return f"{self.pattern}  in {self.coverage:,} columns, impurity {self.rate:.3f}"


class TaggedColumn(NamedTuple):
    """A column that is of a domain, and the share of its values that match."""

    table: str
    column: str
    share: float


def domains(
    index: PatternIndex, *, coverage: int = 5, rate: float = 0.05, most: int = 100
) -> list[Domain]:
    """The lake's common domains, those of the most columns first.

    Of patterns that occur in much the same columns, only the most specific: one that is wider is
    left out unless it occurs in a tenth more of them.
    """
    require_index("index", index)
    require_whole("coverage", coverage, 0)
    require_share("rate", rate)
    require_whole("most", most, 0)
    looked = index.look_up(np.fromiter(index.texts, np.uint64, len(index.texts)))
    heads: list[Domain] = []
    known = zip(index.texts.values(), *(each.tolist() for each in looked), strict=True)
    for text, columns, impurity in known:
        if columns >= coverage and impurity <= rate:
            # an older index may have texts that are refused by now
            with suppress(CheckError):
                heads.append(Domain(Pattern.parse(text), columns, impurity))
    heads.sort(key=lambda each: (each.pattern.generality, -each.coverage, str(each.pattern)))
    kept: dict[str, list[Domain]] = {}
    for each in heads:
        alike = kept.setdefault(_symbols(each.pattern), [])
        if all(each.coverage > 1.1 * other.coverage for other in alike):
            alike.append(each)
    every = [each for alike in kept.values() for each in alike]
    return sorted(every, key=lambda each: (-each.coverage, str(each.pattern)))[:most]


def tag(
    examples: Iterable[str] | Mapping[str, int],
    index: PatternIndex,
    *,
    misses: float = 0.05,
    coverage: int = 5,
) -> InferredPattern | NoPattern:
    """By example: the pattern of the least coverage whose false-negative rate is at most `misses`.

    What a pattern misses of its domain is its impurity on the lake's columns. Where the lake knows
    no such pattern as a whole, it is put together from parts, which miss what each of them does.
    Of the examples themselves no more may go without a match.
    """
    require_share("misses", misses)
    require_whole("coverage", coverage, 0)
    given = list(examples) if isinstance(examples, Iterator) else examples
    restrictive = infer(given, index, Search("cmdv", rate=misses, coverage=coverage))
    if isinstance(restrictive, InferredPattern):
        return restrictive
    rules: dict[str, Any] = {"rate": misses, "coverage": coverage, "tolerance": misses}
    for search in (Search("unified", doubt=0, generic=False, **rules), Search("fmdv-v", **rules)):
        found = infer(given, index, search)
        if isinstance(found, NoPattern) or (found.rate is not None and found.rate <= misses):
            return found
    return NoPattern(f"none is known to miss at most {misses:.3g} of its domain")


def find_columns(columns: DataFrame, pattern: Pattern | str, *, at_least: float = 0.9) -> DataFrame:
    """The columns of a lake that are of a domain: (table, column, share of values that match).

    `columns` has (table, column, values), as `lake_columns` gives them; empty values do not count.
    """
    from pyspark.sql import functions as F

    require_part("at_least", at_least)
    present = F.filter("values", lambda value: value != F.lit(""))
    regex = full_match(Pattern.taken(pattern).regex)
    matching = F.filter(present, lambda value: value.rlike(regex))
    share = F.when(F.size(present) > 0, F.size(matching) / F.size(present))
    return (
        columns.select("table", "column", share.alias("share"))
        .where(F.col("share") >= at_least)
        .orderBy(F.desc("share"), "table", "column")
    )


def _symbols(pattern: Pattern) -> str:
    """What two patterns must have in common to be compared: the symbols between their runs."""
    (pieces,) = pattern.alternatives
    return shape_of(pieces)[0]
