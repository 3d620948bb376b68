"""Learn patterns for `matches_learned_pattern` from the values of earlier batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.checks.assertions.learned_pattern import LearnedPattern
from assay.learn.patterns.index import PatternIndex, require_index
from assay.learn.patterns.infer import infer
from assay.learn.patterns.inferred import NoPattern
from assay.learn.patterns.search import Search, require_search

__all__ = ["Patterns"]


@dataclass(frozen=True)
class Patterns:
    """Learn patterns with the index of a lake, or from the characters of the values alone.

    Parameters
    ----------
    index
        The pattern index of the lake.
    search
        The kinds of patterns to look for.

    Examples
    --------
    >>> learned = Patterns().learn({"AB-1": 3, "CD-22": 1, "EF-333": 2})
    >>> print(learned.pattern, learned.trained)
    <upper>+-<digit>+ (0, 3)
    >>> Patterns().learn({"": 7})
    'no pattern: it has no values'
    """

    index: PatternIndex | None = None
    search: Search | None = None

    def __post_init__(self) -> None:
        if self.index is not None:
            require_index("index", self.index)
        if self.search is not None:
            require_search(self.search)

    def learn(self, values: Mapping[str, int]) -> LearnedPattern | str:
        """Learn the pattern of some values.

        Parameters
        ----------
        values
            The number of rows of each value. Nothing is learned from empty strings, but they count
            as mismatches, since the test of a batch counts them, too.

        Returns
        -------
        LearnedPattern or str
            The pattern, or the reason why there is none.
        """
        inferred = infer(values, self.index, self.search)
        if isinstance(inferred, NoPattern):
            return str(inferred)
        empty = values.get("", 0)
        if empty and not inferred.pattern.matches(""):
            inferred = replace(
                inferred,
                rows=inferred.rows + empty,
                missed=inferred.missed + empty,
                distinct=inferred.distinct + 1,
                distinct_missed=inferred.distinct_missed + 1,
            )
        return LearnedPattern(inferred.pattern, inferred.trained, inferred.coverage)

    def __str__(self) -> str:
        source = "without an index" if self.index is None else f"of {self.index.columns:,} columns"
        variant = "" if self.search is None else f", {self.search.variant}"
        return f"Patterns({source}{variant})"
