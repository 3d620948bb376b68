"""Suggest lists of allowed values for columns with few distinct values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import round_down, wilson
from assay.learn.suggest.rules.codes import standard_of_codes
from assay.learn.suggest.rules.numeric import has_named_range
from assay.learn.suggest.rules.rule import MIN_ROWS, suggest_for
from assay.learn.suggest.suggestion import Suggestion
from assay.learn.suggest.thresholds import Thresholds

__all__ = ["categorical_range", "fractional_categorical_range"]

DEFAULTS = Thresholds()
#: the mean number of rows of each category, at least
_MIN_MEAN_ROWS = 20
#: the share of the rows that the frequent values of `fractional_categorical_range` have
_FREQUENT_SHARE = 0.95
_MIN_FREQUENT_SHARE = 0.8


def categorical_range(
    column: ColumnProfile, _: Profile, thresholds: Thresholds = DEFAULTS
) -> Iterator[Suggestion]:
    """Suggest that values are among the observed ones (section 3.3).

    Every value must occur five times, or as often as `thresholds` requires. By Good and Turing, the
    share of unseen values is about the share of the values that occur once, and none does.
    """
    categories = _categories(column, thresholds)
    if categories is None or standard_of_codes(column) is not None:
        return
    assert column.values is not None
    rarest = min(column.values.counts.values())
    if rarest >= thresholds.min_category_rows:
        evidence = f"are one of {len(categories)}, each seen {rarest:,.0f} times or more"
        yield suggest_for(
            column,
            "categorical_range",
            ConstraintCall.of("is_contained_in", column.name, categories),
            f"{column.present:,} values {'are all the same' if column.constant else evidence}",
            # A constant column may be a part of a larger table in which it varies.
            level=Level.WARNING if column.constant else Level.ERROR,
            rows=column.present,
        )


def fractional_categorical_range(
    column: ColumnProfile, _: Profile, thresholds: Thresholds = DEFAULTS
) -> Iterator[Suggestion]:
    """Suggest that most values are among a few frequent ones (Deequ's rule of this name)."""
    values = column.values
    if values is None or column.texts is None or standard_of_codes(column) is not None:
        return
    if column.present < MIN_ROWS or _looks_like_numbers(column):
        return
    listed = _categories(column, thresholds)
    if listed is not None and min(values.counts.values()) >= thresholds.min_category_rows:
        return  # `categorical_range` lists all values
    frequent: list[str] = []
    covered = 0.0
    for label, count in values.counts.items():
        if (
            covered >= _FREQUENT_SHARE * column.present
            or len(frequent) > thresholds.max_categories // 2
            or count < thresholds.min_category_rows
        ):
            break
        frequent.append(label)
        covered += count
    low = round_down(wilson(int(covered), column.present)[0])
    if low >= _MIN_FREQUENT_SHARE:
        yield suggest_for(
            column,
            "fractional_categorical_range",
            ConstraintCall.of("is_contained_in", column.name, sorted(frequent), at_least=low),
            f"{_makes_up(len(frequent))} {100 * covered / column.present:.4g} %"
            f" of {column.present:,}",
            level=Level.WARNING,
            rows=column.present,
        )


def _makes_up(number: int) -> str:
    return "1 value makes up" if number == 1 else f"{number:,} values make up"


def _categories(column: ColumnProfile, thresholds: Thresholds) -> list[Any] | None:
    """Return all values if they are few and known, as the type of the column."""
    values = column.values
    if values is None or not column.exact or column.kind == "boolean" or has_named_range(column):
        return None
    max_numbers = thresholds.max_number_categories
    limit = thresholds.max_categories if column.texts is not None else max_numbers
    if not 1 <= len(values) <= limit or column.present < _MIN_MEAN_ROWS * len(values):
        return None
    if column.texts is not None:
        too_many_numbers = _looks_like_numbers(column) and len(values) > max_numbers
        return None if too_many_numbers else sorted(values.counts)
    if column.kind == "integral" and column.type != "boolean":
        return sorted(int(label) for label in values.counts)
    return None


def _looks_like_numbers(column: ColumnProfile) -> bool:
    return column.kind in {"integral", "fractional", "date", "timestamp"}
