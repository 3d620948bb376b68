"""The types of rules, and helpers to write a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import laplace_confidence
from assay.learn.suggest.suggestion import Suggestion

__all__ = [
    "HLL_ERROR",
    "MIN_ROWS",
    "PLURALS",
    "ColumnRule",
    "Rule",
    "per_column",
    "suggest_for",
]

#: a function from the profile of a table to suggestions
Rule = Callable[[Profile], Iterable[Suggestion]]
#: a function from the profiles of a column and of its table to suggestions
ColumnRule = Callable[[ColumnProfile, Profile], Iterable[Suggestion]]

#: with fewer rows, every suggestion is a warning
MIN_ROWS = 100
#: HyperLogLog's estimate is off by more than this share once in 400 times (3 standard errors)
HLL_ERROR = 0.05

#: kinds and formats in the plural
PLURALS = {
    "integral": "whole numbers",
    "fractional": "numbers",
    "boolean": "true or false",
    "date": "dates",
    "timestamp": "timestamps",
    "is_email": "e-mail addresses",
    "is_url": "web addresses",
    "is_uuid": "UUIDs",
    "is_ip_address": "IP addresses",
}


def per_column(rule: ColumnRule) -> Rule:
    """Return a rule for tables that applies a rule to each column that has values.

    Parameters
    ----------
    rule
        A function from the profiles of a column and of its table to suggestions.
    """

    def apply_to_columns(profile: Profile) -> Iterator[Suggestion]:
        for column in profile.values():
            if column.present:
                yield from rule(column, profile)

    return apply_to_columns


def suggest_for(
    column: ColumnProfile,
    rule: str,
    constraint: ConstraintCall,
    evidence: str,
    *,
    level: Level = Level.ERROR,
    rows: int | None = None,
) -> Suggestion:
    """Create a suggestion about one column.

    Parameters
    ----------
    column
        The column.
    rule, constraint, evidence, level
        The fields of the suggestion. With fewer than 100 rows, the level is a warning.
    rows
        The number of rows that support it; by default all rows of the column. The confidence is
        ``(rows + 1) / (rows + 2)``.
    """
    supporting_rows = column.rows if rows is None else rows
    if supporting_rows < MIN_ROWS:
        level = Level.WARNING
    confidence = laplace_confidence(supporting_rows)
    return Suggestion(rule, (column.name,), constraint, evidence, confidence, level)
