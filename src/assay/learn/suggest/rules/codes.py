"""Suggest international codes: countries (ISO 3166-1) and currencies (ISO 4217)."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.code_lists import CODE_LISTS, CodeStandard
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.rule import suggest_for
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["codes", "standard_of_codes"]

#: two different values may be codes by chance
_MIN_CODES = 3
_WORDS: dict[CodeStandard, str] = {
    "ISO 3166-1 alpha-2": "country codes of two letters",
    "ISO 3166-1 alpha-3": "country codes of three letters",
    "ISO 4217": "currency codes",
}


def codes(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest all codes of a standard if all values are such codes, not only those that occur."""
    standard = standard_of_codes(column)
    if standard is None:
        return
    assert column.values is not None
    yield suggest_for(
        column,
        "codes",
        ConstraintCall.of("is_code", column.name, standard),
        f"all {len(column.values):,} different values are {_WORDS[standard]} ({standard})",
        rows=column.present,
    )


def standard_of_codes(column: ColumnProfile) -> CodeStandard | None:
    """Return the standard whose list contains all values of a column, or None."""
    values = column.values
    if column.texts is None or values is None or not column.exact or len(values) < _MIN_CODES:
        return None
    return next((name for name, listed in CODE_LISTS.items() if set(values.counts) <= listed), None)
