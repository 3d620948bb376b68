"""Rules for dates and timestamps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.rule import said
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["fresh"]


#: data whose newest moment is older is not of these days
_SOON = timedelta(days=7)


def fresh(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """The newest moment is of these days, and stays so."""
    if column.texts is not None or not isinstance(column.last, date):
        return
    last = column.last
    moment = last if isinstance(last, datetime) else datetime(last.year, last.month, last.day)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    age = datetime.now(UTC) - moment
    if timedelta(days=-1) <= age <= _SOON:
        within = timedelta(days=max(1, 2 * math.ceil(age / timedelta(days=1))))
        yield said(
            "fresh",
            column,
            ConstraintCall.of("is_fresh", column.name, within),
            f"the newest of {column.present:,} values is {last}",
            level=Level.WARNING,
            rows=column.present,
        )
