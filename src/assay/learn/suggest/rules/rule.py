"""What a rule is, and how it words what it suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import seen_always
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["FEW_ROWS", "PLURAL", "ColumnRule", "Rule", "per_column", "said"]


#: from the profile of a table to what could be demanded of it
Rule = Callable[[Profile], Iterable[Suggestion]]
#: the same for one column; the whole profile is at hand
ColumnRule = Callable[[ColumnProfile, Profile], Iterable[Suggestion]]

#: of fewer rows, nothing is demanded with certainty
FEW_ROWS = 100

PLURAL = {
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
    """A rule for a table from one for a column."""

    def run(profile: Profile) -> Iterator[Suggestion]:
        for column in profile.values():
            if column.present:
                yield from rule(column, profile)

    return run


def said(
    rule: str,
    column: ColumnProfile,
    constraint: ConstraintCall,
    evidence: str,
    *,
    level: Level = Level.ERROR,
    rows: int | None = None,
) -> Suggestion:
    """A suggestion about a column, as sure as so many rows make it; of few rows only a warning."""
    seen = column.rows if rows is None else rows
    firm = level if seen >= FEW_ROWS else Level.WARNING
    return Suggestion(rule, (column.name,), constraint, evidence, seen_always(seen), firm)
