"""`Thresholds`: the limits of rules that users change."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import CheckError

__all__ = ["Thresholds"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Thresholds:
    """The limits of the rules that suggest constraints.

    Parameters
    ----------
    max_categories
        The most distinct strings for which a list of values is suggested.
    max_number_categories
        The most distinct integers for which a list of values is suggested.
    min_category_rows
        The rows that each value of a list must have. Values that were never seen are then rare.
    min_completeness
        A lower completeness is not worth a constraint.
    min_key_probability
        The probability of a name to be a key from which on uniqueness is an error.
    min_confidence
        Suggestions with a lower confidence are left out.

    Examples
    --------
    >>> Thresholds(max_categories=20).max_categories
    20
    """

    max_categories: int = 60
    max_number_categories: int = 12
    min_category_rows: int = 5
    min_completeness: float = 0.02
    min_key_probability: float = 0.2
    min_confidence: float = 0.0

    def __post_init__(self) -> None:
        for name in ("max_categories", "max_number_categories", "min_category_rows"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise CheckError(f"{name}: expected a whole number from 1 on, got {value!r}.")
        for name in ("min_completeness", "min_key_probability", "min_confidence"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value <= 1:
                raise CheckError(f"{name}: expected a share from 0 to 1, got {value!r}.")
