"""Suggest international codes: countries (ISO 3166-1) and currencies (ISO 4217)."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.code_lists import CODE_LISTS, CodeStandard
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import round_down, wilson
from assay.learn.suggest.rules.rule import suggest_for
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["codes", "standard_of_codes"]

#: two different values may be codes by chance
_MIN_CODES = 3
#: A column with other values as well must have this number of codes, in this share of its rows.
#: Airports in Kosovo, for example, have the country XK, which is not in the standard.
_MIN_CODES_AMONG_OTHERS, _MIN_SHARE_OF_CODES = 20, 0.95
_WORDS: dict[CodeStandard, str] = {
    "ISO 3166-1 alpha-2": "country codes of two letters",
    "ISO 3166-1 alpha-3": "country codes of three letters",
    "ISO 4217": "currency codes",
}


def codes(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest all codes of a standard if all values are such codes, not only those that occur."""
    standard = standard_of_codes(column)
    if standard is None:
        yield from _codes_among_others(column)
        return
    assert column.values is not None
    yield suggest_for(
        column,
        "codes",
        ConstraintCall.of("is_code", column.name, standard),
        f"all {len(column.values):,} different values are {_WORDS[standard]} ({standard})",
        rows=column.present,
    )


def _codes_among_others(column: ColumnProfile) -> Iterator[Suggestion]:
    """Suggest the codes of a standard for most values, if they are many and few others occur."""
    values = column.values
    if column.texts is None or values is None or not column.exact:
        return
    for standard, listed in CODE_LISTS.items():
        counts = [count for value, count in values.counts.items() if value in listed]
        n_rows = round(sum(counts))
        if len(counts) < _MIN_CODES_AMONG_OTHERS or n_rows < _MIN_SHARE_OF_CODES * column.present:
            continue
        low = round_down(wilson(n_rows, column.present)[0])
        yield suggest_for(
            column,
            "codes",
            ConstraintCall.of("is_code", column.name, standard, at_least=low),
            f"{n_rows:,} of {column.present:,} values are {_WORDS[standard]} ({standard})",
            level=Level.WARNING,
            rows=column.present,
        )
        return


def standard_of_codes(column: ColumnProfile) -> CodeStandard | None:
    """Return the standard whose list contains all values of a column, or None."""
    values = column.values
    if column.texts is None or values is None or not column.exact or len(values) < _MIN_CODES:
        return None
    return next((name for name, listed in CODE_LISTS.items() if set(values.counts) <= listed), None)
