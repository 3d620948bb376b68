"""Remove suggestions that repeat others or follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.checks.constraint import Level
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["remove_redundant"]

_LENGTHS = frozenset({"fixed_length", "not_empty", "max_length"})
#: the rules whose suggestions follow from those of a rule on the same column
_IMPLIED_RULES: dict[str, frozenset[str]] = {
    "unique": frozenset({"complete"}),
    "codes": _LENGTHS | {"categorical_range", "fractional_categorical_range", "patterns"},
    "categorical_range": _LENGTHS
    | {"retain_type", "non_negative", "natural_range", "numeric_range", "mean"}
    | {"standard_deviation", "fractional_categorical_range", "patterns"},
    "formats": _LENGTHS | {"patterns"},
    "retain_type": _LENGTHS,
    "fixed_length": frozenset({"not_empty", "max_length"}),
    "natural_range": frozenset({"numeric_range"}),
}
_RANGES = frozenset({"natural_range", "numeric_range"})


def remove_redundant(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Remove suggestions that say nothing new.

    - Of equal constraints, the one with the higher level stays.
    - A constraint that follows from one of another rule, of the same or a higher level, is removed.
    - `is_non_negative` is removed next to a range from 0 on, of the same or a higher level.
    - An order of columns is removed if it follows from two others, or if the columns are equal.
    """
    kept = _remove_repeated(suggestions)
    implied = {
        (rule, suggestion.columns, level)
        for suggestion in kept
        for rule in _IMPLIED_RULES.get(suggestion.rule, ())
        for level in {Level.WARNING, suggestion.level}
    }
    key_columns = {
        name
        for suggestion in kept
        if suggestion.constraint.method == "is_primary_key" and suggestion.level is Level.ERROR
        for name in suggestion.columns
    }
    ranges_from_zero = [
        suggestion
        for suggestion in kept
        if suggestion.rule in _RANGES and dict(suggestion.constraint.arguments).get("low", -1) >= 0
    ]

    def is_redundant(suggestion: Suggestion) -> bool:
        if suggestion.rule == "complete" and set(suggestion.columns) <= key_columns:
            return True
        if suggestion.rule == "non_negative" and any(
            bounds.columns == suggestion.columns and bounds.level in (Level.ERROR, suggestion.level)
            for bounds in ranges_from_zero
        ):
            return True
        return (suggestion.rule, suggestion.columns, suggestion.level) in implied

    needed = [suggestion for suggestion in kept if not is_redundant(suggestion)]
    return _remove_implied_orders(needed)


def _remove_repeated(suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    by_constraint: dict[str, Suggestion] = {}
    for suggestion in suggestions:
        key = repr(suggestion.constraint)
        previous = by_constraint.get(key)
        if previous is None or (previous.level, suggestion.level) == (Level.WARNING, Level.ERROR):
            by_constraint[key] = suggestion
    return list(by_constraint.values())


def _remove_implied_orders(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Remove ``a <= c`` if there are ``a <= b`` and ``b <= c``, and orders of equal columns."""
    equal = {
        frozenset(suggestion.columns) for suggestion in suggestions if suggestion.rule == "equal"
    }
    orders = {suggestion.columns for suggestion in suggestions if suggestion.rule == "ordered"}
    higher_columns: dict[str, set[str]] = {}
    for low, high in orders:
        higher_columns.setdefault(low, set()).add(high)
    implied = {
        (low, high)
        for low, high in orders
        if any(high in higher_columns.get(middle, ()) for middle in higher_columns[low] - {high})
    }
    return [
        suggestion
        for suggestion in suggestions
        if suggestion.rule != "ordered"
        or (suggestion.columns not in implied and frozenset(suggestion.columns) not in equal)
    ]
