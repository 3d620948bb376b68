"""What a lake is made of: the domains that many of its columns share (auto-validate, section 5.3).

And the dual of inference, tagging (section 2.3): from examples of a domain, the most restrictive
pattern that misses no more than so many of its values; then the columns that are of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from assay.analyzers.counting import full_match
from assay.checks.pattern import Pattern
from assay.errors import CheckError
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.infer import Search, infer
from assay.learn.patterns.learned import Learned, NoPattern
from assay.learn.patterns.limits import require_share, require_whole
from assay.learn.patterns.shape import MARK, shaped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Domain", "Tagged", "domains", "tag", "tagged"]


@dataclass(frozen=True)
class Domain:
    """A pattern that describes whole columns: in how many of them it occurs, how pure they are."""

    pattern: Pattern
    coverage: int
    rate: float

    def __str__(self) -> str:
        return f"{self.pattern}  in {self.coverage:,} columns, impurity {self.rate:.3f}"


class Tagged(NamedTuple):
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
    found: list[Domain] = []
    for text in index.texts.values():
        # an older index may have texts that are refused by now
        with suppress(CheckError):
            pattern = Pattern.parse(text)
            found.append(Domain(pattern, *index.knows(pattern)))
    heads = [each for each in found if each.coverage >= coverage and each.rate <= rate]
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
) -> Learned | NoPattern:
    """By example: the pattern of the least coverage whose false-negative rate is at most `misses`.

    What a pattern misses of its domain is its impurity on the lake's columns. Where the lake knows
    no such pattern as a whole, it is put together from parts.
    """
    require_share("misses", misses)
    require_whole("coverage", coverage, 0)
    restrictive = infer(examples, index, Search("cmdv", rate=misses, coverage=coverage))
    if isinstance(restrictive, Learned):
        return restrictive
    return infer(examples, index, Search("unified", rate=misses, coverage=coverage, doubt=0))


def tagged(columns: DataFrame, pattern: Pattern, *, at_least: float = 0.9) -> DataFrame:
    """The columns of a lake that are of a domain: (table, column, share of values that match).

    `columns` has (table, column, values), as `lake_columns` gives them; empty values do not count.
    """
    from pyspark.sql import functions as F

    present = F.filter("values", lambda value: value != F.lit(""))
    regex = full_match(pattern.regex)
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
    return "".join(shaped(each)[0] if isinstance(each, str) else MARK for each in pieces)
