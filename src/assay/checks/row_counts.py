"""Count the rows that fail a constraint, from the states that were measured anyway.

>>> from assay import Check
>>> from assay.analyzers.counting import Ratio
>>> print(count_failing_rows(Check("orders").is_complete("id").constraints[0], Ratio(3, 4)))
1 of 4 rows fails
"""

from __future__ import annotations

from typing import NamedTuple

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import IntegerCount, Ratio
from assay.analyzers.custom import Opaque
from assay.analyzers.distinctness import DuplicateRowCount, Uniqueness
from assay.analyzers.frequencies import Frequencies, Needs, Summary
from assay.analyzers.other_table import KeyedAnalyzer
from assay.analyzers.state import State
from assay.analyzers.tally import Tally
from assay.analyzers.text_types import TypeConsistency
from assay.checks.assertions.bounds import Assertion
from assay.checks.constraint import Constraint
from assay.checks.formatting import count_noun
from assay.engine.frequency_table import FrequencyTable

__all__ = ["RowCounts", "count_failing_rows"]


class RowCounts(NamedTuple):
    """The number of rows that fail a constraint, and of rows that were judged.

    `total` is None for a minimum or a maximum, whose state does not count rows.
    """

    failing: int
    total: int | None

    @property
    def rows(self) -> str:
        """The rows in words, such as ``1 of 4 rows``."""
        if self.total is None:
            return count_noun(self.failing, "row")
        return f"{self.failing:,} of {count_noun(self.total, 'row')}"

    def __str__(self) -> str:
        return f"{self.rows} {'fails' if self.failing == 1 else 'fail'}"


def count_failing_rows(constraint: Constraint, state: State | None) -> RowCounts | None:
    """Return failing and judged rows, or None where the state does not contain them. Runs no job.

    The counts agree with the rows that `Result.failing` selects. If a share is only bounded from
    above, the rows that match are the failing ones. Counted rows fail if there are too many.
    """
    matching = _matching_rows(constraint.analyzer, state)
    if matching is None or not isinstance(constraint.assertion, Assertion):
        return None
    matches, total = matching
    sides = constraint.assertion.sides
    if not constraint.is_share:
        return None if sides == (True, False) else RowCounts(matches, total)
    return RowCounts(matches if sides == (False, True) else total - matches, total)


def _matching_rows(analyzer: Analyzer, state: State | None) -> tuple[int, int] | None:
    """Return the rows that match the analyzer's row predicate, and the rows that it judges."""
    match state:
        case Ratio(matches, rows) if not isinstance(analyzer, IntegerCount):
            return matches, rows
        case Tally() if isinstance(analyzer, TypeConsistency) and analyzer.type is not None:
            return analyzer.matching_values(state)
        case Opaque((int(matches), int(rows))):
            # equal rows of two tables are counted by key, and not by row
            refers = isinstance(analyzer, KeyedAnalyzer) and not analyzer.symmetric
            return (matches, rows) if refers else None
        case Frequencies() | FrequencyTable():
            summary = _known_summary(state)
            if summary is None:
                return None
            if isinstance(analyzer, Uniqueness):
                return summary.singles, summary.rows
            if isinstance(analyzer, DuplicateRowCount):
                return summary.rows - summary.singles, summary.rows
        case _:
            pass
    return None


def _known_summary(table: Frequencies | FrequencyTable) -> Summary | None:
    return table.known_summary if isinstance(table, FrequencyTable) else table.summary(Needs())
