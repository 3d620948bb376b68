"""Which suggestions say nothing that others have not said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.checks.constraint import Level
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["pruned"]

_LENGTHS = frozenset({"fixed_length", "not_empty", "max_length"})
#: what a rule's suggestion makes needless on the same column, if it is no weaker itself
_IMPLIED: dict[str, frozenset[str]] = {
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


def pruned(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Those that are left when repeated, implied and transitive ones are gone.

    Of two that demand the same the firmer stays; an order that follows from two others goes, and so
    does one between columns that are equal.
    """
    kept = _once(suggestions)
    implied = {
        (other, each.columns)
        for each in kept
        for other in _IMPLIED.get(each.rule, ())
        if each.level is Level.ERROR
    }
    keyed = {
        name
        for each in kept
        if each.constraint.method == "is_primary_key" and each.level is Level.ERROR
        for name in each.columns
    }
    signs = {
        each.columns
        for each in kept
        if each.rule == "natural_range" and dict(each.constraint.arguments).get("low", -1) >= 0
    }
    kept = [
        each
        for each in kept
        if (each.rule, each.columns) not in implied
        and not (each.rule == "complete" and set(each.columns) <= keyed)
        and not (each.rule == "non_negative" and each.columns in signs)
    ]
    return _reduced(kept)


def _once(suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    found: dict[object, Suggestion] = {}
    for each in suggestions:
        same = repr(each.constraint)
        if same not in found or (each.level, found[same].level) == (Level.ERROR, Level.WARNING):
            found[same] = each
    return list(found.values())


def _reduced(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Orders without those that follow from others."""
    equal = {frozenset(each.columns) for each in suggestions if each.rule == "equal"}
    orders = {each.columns for each in suggestions if each.rule == "ordered"}
    above: dict[str, set[str]] = {}
    for low, high in orders:
        above.setdefault(low, set()).add(high)
    needless = {
        (low, high)
        for low, high in orders
        if any(high in above.get(middle, ()) for middle in above[low] - {high})
    }
    return [
        each
        for each in suggestions
        if each.rule != "ordered"
        or (each.columns not in needless and frozenset(each.columns) not in equal)
    ]
