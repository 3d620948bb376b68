"""Suggest that a table stays up to date."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.rule import suggest_for
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["fresh"]

#: a table whose newest value is older is not updated regularly
_MAX_AGE = timedelta(days=7)
#: values may be ahead of this clock by a time zone
_MAX_LEAD = timedelta(days=1)


def fresh(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest a limit for the age of the newest value: twice the present age, in whole days."""
    if column.texts is not None or not isinstance(column.last, date):
        return
    newest = column.last
    if not isinstance(newest, datetime):
        newest = datetime(newest.year, newest.month, newest.day)
    newest = newest if newest.tzinfo else newest.replace(tzinfo=UTC)
    age = datetime.now(UTC) - newest
    if -_MAX_LEAD <= age <= _MAX_AGE:
        limit = timedelta(days=max(1, 2 * math.ceil(age / timedelta(days=1))))
        yield suggest_for(
            column,
            "fresh",
            ConstraintCall.of("is_fresh", column.name, limit),
            f"the newest of {column.present:,} values is {column.last}",
            level=Level.WARNING,
            rows=column.present,
        )
