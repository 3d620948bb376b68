"""Suggest completeness, types and keys of single columns."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile, kinds_within
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import round_down, wilson
from assay.learn.suggest.names import uniqueness_of_name
from assay.learn.suggest.rules.rule import HLL_ERROR, MIN_ROWS, PLURALS, suggest_for
from assay.learn.suggest.suggestion import Suggestion
from assay.learn.suggest.thresholds import Thresholds

__all__ = ["complete", "retain_completeness", "retain_type", "unique"]

DEFAULTS = Thresholds()
#: longer strings are texts, which are often distinct and never keys
_MAX_KEY_LENGTH = 40


def complete(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest that no value is missing (section 3.3)."""
    if column.nulls == 0:
        yield suggest_for(
            column,
            "complete",
            ConstraintCall.of("is_complete", column.name),
            f"all {column.rows:,} rows have a value",
        )


def retain_completeness(
    column: ColumnProfile, _: Profile, thresholds: Thresholds = DEFAULTS
) -> Iterator[Suggestion]:
    """Suggest the lower end of Wilson's interval of the completeness (section 3.3)."""
    low = round_down(wilson(column.present, column.rows)[0])
    if column.nulls > 0 and low > thresholds.min_completeness:
        yield suggest_for(
            column,
            "retain_completeness",
            ConstraintCall.of("has_completeness", column.name, at_least=low),
            f"{column.present:,} of {column.rows:,} rows have a value"
            f" ({100 * column.completeness:.4g} %); chance alone does not lower this below"
            f" {100 * low:g} %",
        )


def retain_type(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest that strings that are numbers, dates or booleans stay so (section 3.3)."""
    if column.texts is None or column.kind in {None, "string"}:
        return
    if column.texts.leading_zeros:  # codes such as 00501
        return
    if column.kind == "timestamp" and column.looks.get("date"):
        return  # no type describes a mixture of dates and timestamps
    kind = str(column.kind)
    matching = sum(column.looks.get(narrower, 0) for narrower in kinds_within(kind))
    if matching == column.present:
        yield suggest_for(
            column,
            "retain_type",
            ConstraintCall.of("has_data_type", column.name, kind),
            f"all {matching:,} values are {PLURALS[kind]}",
            rows=column.present,
        )
        return
    low = round_down(wilson(matching, column.present)[0])
    yield suggest_for(
        column,
        "retain_type",
        ConstraintCall.of("has_data_type", column.name, kind, at_least=low),
        f"{matching:,} of {column.present:,} values are {PLURALS[kind]}",
        level=Level.WARNING,
        rows=column.present,
    )


def unique(
    column: ColumnProfile, profile: Profile, thresholds: Thresholds = DEFAULTS
) -> Iterator[Suggestion]:
    """Suggest that values are unique, if the name of the column makes that likely (section 4.2).

    The estimated number of distinct values is not exact enough (section 3.3): the test on the rows
    decides. The required probability of the name depends on the values.
    """
    if column.present < 2 or column.distinct < (1 - HLL_ERROR) * column.present:
        return
    probability = uniqueness_of_name(
        column.name, profile.table, column.type, columns=tuple(profile)
    )
    if probability < _required_probability(column):
        return
    method = "is_primary_key" if column.nulls == 0 else "is_unique"
    certain = probability >= thresholds.min_key_probability and column.present >= MIN_ROWS
    yield Suggestion(
        "unique",
        (column.name,),
        ConstraintCall.of(method, column.name),
        f"about {column.distinct:,} different values in {column.present:,} rows,"
        f" and names like this are unique with a probability of {probability:.2g}",
        probability if probability >= 0.5 else 0.5 + probability / 2,
        Level.ERROR if certain else Level.WARNING,
    )


def _required_probability(column: ColumnProfile) -> float:
    """Return how likely the name must be a key: less for values that look like keys."""
    numbers = column.numbers
    if column.kind == "integral" and numbers is not None:
        width = float(numbers.maximum) - float(numbers.minimum) + 1
        is_dense = width <= 2 * column.present
        return 0.05 if is_dense else 0.2
    if column.kind == "string" and column.texts is not None:
        if column.texts.min_length == column.texts.max_length:
            return 0.02
        return 0.1 if column.texts.mean_length <= _MAX_KEY_LENGTH else 0.5
    return 0.5  # measurements and timestamps are often distinct, and never keys
