"""Rules for what is there: values, types, keys."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import rounded_down, wilson
from assay.learn.suggest.names import uniqueness_of_name
from assay.learn.suggest.rules.rule import FEW_ROWS, PLURAL, said
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["complete", "retain_completeness", "retain_type", "unique"]


#: HyperLogLog's estimate of all-different values is off by more than this once in 400 times
_HLL_ERROR = 0.05


def complete(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """No value is missing (deequ-vldb18, 3.3)."""
    if column.nulls == 0:
        yield said(
            "complete",
            column,
            ConstraintCall.of("is_complete", column.name),
            f"none of {column.rows:,} rows lacks a value",
        )


def retain_completeness(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """As complete as it was, less what chance explains (3.3; Wilson's interval)."""
    low = rounded_down(wilson(column.present, column.rows)[0])
    if column.nulls > 0 and low > 0.02:
        yield said(
            "retain_completeness",
            column,
            ConstraintCall.of("has_completeness", column.name, at_least=low),
            f"{column.present:,} of {column.rows:,} rows have a value"
            f" ({column.completeness:.4g}), and no chance makes of that less than {low:g}",
        )


def retain_type(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Strings that are numbers, dates or booleans stay so (3.3)."""
    if column.texts is None or column.kind in {None, "string"}:
        return
    if column.texts.leading_zeros:  # codes such as 00501, that happen to be digits
        return
    narrow = {"fractional": ("integral", "fractional"), "timestamp": ("date", "timestamp")}
    kinds = narrow.get(str(column.kind), (str(column.kind),))
    like = sum(column.looks.get(kind, 0) for kind in kinds)
    if column.kind == "timestamp" and column.looks.get("date"):
        return  # a mixture, which no type describes
    if like == column.present:
        yield said(
            "retain_type",
            column,
            ConstraintCall.of("has_data_type", column.name, column.kind),
            f"all {like:,} values are {PLURAL[str(column.kind)]}",
            rows=column.present,
        )
        return
    low = rounded_down(wilson(like, column.present)[0])
    yield said(
        "retain_type",
        column,
        ConstraintCall.of("has_data_type", column.name, column.kind, at_least=low),
        f"{like:,} of {column.present:,} values are {PLURAL[str(column.kind)]}",
        level=Level.WARNING,
        rows=column.present,
    )


def unique(column: ColumnProfile, profile: Profile) -> Iterator[Suggestion]:
    """No two rows have the same value, and the column's name does not speak against it.

    The estimate of distinct values cannot tell (3.3); whether it is true is tried. The name's word
    is a learned probability (4.2): it is asked for less where the values themselves look like keys.
    """
    if column.present < 2 or column.distinct < (1 - _HLL_ERROR) * column.present:
        return
    by_name = uniqueness_of_name(column.name, type_name=column.type, columns=tuple(profile))
    if by_name < _name_needed(column):
        return
    method = "is_primary_key" if column.nulls == 0 else "is_unique"
    yield Suggestion(
        "unique",
        (column.name,),
        ConstraintCall.of(method, column.name),
        f"about {column.distinct:,} different values in {column.present:,} rows,"
        f" and names like this are unique with a probability of {by_name:.2g}",
        by_name if by_name >= 0.5 else 0.5 + by_name / 2,
        Level.ERROR if by_name >= 0.2 and column.present >= FEW_ROWS else Level.WARNING,
    )


def _name_needed(column: ColumnProfile) -> float:
    """How likely the name must make it, by what the values are."""
    numbers = column.numbers
    if column.kind == "integral" and numbers is not None:
        low, high = float(numbers.minimum), float(numbers.maximum)
        dense = high - low + 1 <= 2 * column.present
        return 0.05 if dense else 0.2
    if column.kind == "string" and column.texts is not None:
        fixed = column.texts.min_length == column.texts.max_length
        return 0.02 if fixed else 0.1 if column.texts.mean_length <= 40 else 0.5
    return 0.5  # measurements and moments are often all different, and never keys
