"""Rules for columns of few different values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.codes import CODES
from assay.learn.suggest.confidence import rounded_down, wilson
from assay.learn.suggest.rules.rule import FEW_ROWS, said
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["categorical_range", "codes", "fractional_categorical_range"]


#: a column of more different values is no list of categories
_MOST_CATEGORIES = 60


def codes(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Countries and currencies: the whole list, not only those that were seen."""
    known = _codes(column)
    if known is None:
        return
    assert column.values is not None
    yield said(
        "codes",
        column,
        ConstraintCall.of("is_contained_in", column.name, sorted(CODES[known])),
        f"all {len(column.values):,} different values are {known}",
        rows=column.present,
    )


def _codes(column: ColumnProfile) -> str | None:
    values = column.values
    if column.texts is None or values is None or not column.exact or len(values) < 3:
        return None
    return next((name for name, all_ in CODES.items() if set(values.counts) <= all_), None)


def categorical_range(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """One of the values that were seen (3.3), where each was seen often enough to be the last.

    By Good and Turing, the share of values never seen is about that of those seen once: none here,
    nor twice.
    """
    listed = _categories(column)
    if listed is None or _codes(column) is not None:
        return
    assert column.values is not None
    rare = min(column.values.counts.values())
    if rare >= 5:
        evidence = f"are one of {len(listed)}, each seen {rare:,.0f} times or more"
        yield said(
            "categorical_range",
            column,
            ConstraintCall.of("is_contained_in", column.name, listed),
            f"{column.present:,} values {'are all the same' if column.constant else evidence}",
            # a table that never varies yet, in this column, may be but a part of it
            level=Level.WARNING if column.constant else Level.ERROR,
            rows=column.present,
        )


def fractional_categorical_range(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Most values are one of a few, the others are rare (Deequ's rule of this name)."""
    values = column.values
    if values is None or column.texts is None or _codes(column) is not None:
        return
    if column.present < FEW_ROWS or _is_number(column):
        return
    if _categories(column) is not None and min(values.counts.values()) >= 5:
        return
    head: list[str] = []
    seen = 0.0
    for label, count in values.counts.items():
        if seen >= 0.95 * column.present or len(head) > _MOST_CATEGORIES // 2 or count < 5:
            break
        head.append(label)
        seen += count
    low = rounded_down(wilson(int(seen), column.present)[0])
    if low >= 0.8:
        yield said(
            "fractional_categorical_range",
            column,
            ConstraintCall.of("is_contained_in", column.name, sorted(head), at_least=low),
            f"{len(head)} values make up {seen / column.present:.4g} of {column.present:,}",
            level=Level.WARNING,
            rows=column.present,
        )


def _categories(column: ColumnProfile) -> list[Any] | None:
    """The values as the column has them, if they are few and all known."""
    values = column.values
    if values is None or not column.exact or column.kind == "boolean":
        return None
    most = _MOST_CATEGORIES if column.texts is not None else 12
    if not 1 <= len(values) <= most or column.present < 20 * len(values):
        return None
    if column.texts is not None:
        return None if _is_number(column) and len(values) > 12 else sorted(values.counts)
    if column.kind == "integral" and column.type != "boolean":
        return sorted(int(label) for label in values.counts)
    return None


def _is_number(column: ColumnProfile) -> bool:
    return column.kind in {"integral", "fractional", "date", "timestamp"}
