"""A learner for `matches_learned_pattern`: what the lake knows of the values seen so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.checks.assertions.learned_pattern import LearnedPattern
from assay.learn.patterns.index import PatternIndex, require_index
from assay.learn.patterns.infer import Search, infer, require_search
from assay.learn.patterns.inferred import NoPattern

__all__ = ["Patterns"]


@dataclass(frozen=True)
class Patterns:
    """Learns patterns with an index of a lake, or from the characters of the values alone.

    >>> found = Patterns().learn({"AB-1": 3, "CD-22": 1, "EF-333": 2})
    >>> print(found.pattern, found.trained)
    <upper>+-<digit>+ (0, 3)
    >>> Patterns().learn({"": 7})
    'no pattern: there are no values'
    """

    index: PatternIndex | None = None
    search: Search | None = None

    def __post_init__(self) -> None:
        if self.index is not None:
            require_index("index", self.index)
        if self.search is not None:
            require_search(self.search)

    def learn(self, values: Mapping[str, int]) -> LearnedPattern | str:
        """The pattern of these values, or why they have none.

        Nothing is learned from empty strings, but they count among those that do not match: the
        test counts them too.
        """
        found = infer(values, self.index, self.search)
        if isinstance(found, NoPattern):
            return str(found)
        empty = values.get("", 0)
        if empty and not found.pattern.matches(""):
            found = replace(
                found,
                rows=found.rows + empty,
                missed=found.missed + empty,
                distinct=found.distinct + 1,
                distinct_missed=found.distinct_missed + 1,
            )
        return LearnedPattern(found.pattern, found.trained, found.coverage)

    def __str__(self) -> str:
        of = "without an index" if self.index is None else f"of {self.index.columns:,} columns"
        how = "" if self.search is None else f", {self.search.variant}"
        return f"Patterns({of}{how})"
