"""Settings that make no sense are refused, each in a sentence that names it."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from assay.errors import CheckError

__all__ = [
    "require_choice",
    "require_kind",
    "require_number",
    "require_part",
    "require_share",
    "require_whole",
]


def require_choice(name: str, value: Any) -> None:
    """It is yes or no."""
    if not isinstance(value, bool):
        raise CheckError(f"{name} is True or False, not {value!r}.")


def require_whole(name: str, value: Any, least: int) -> None:
    """It is a whole number, and so many at least."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise CheckError(f"{name} is a whole number and at least {least}, not {value!r}.")


def require_number(name: str, value: Any) -> None:
    """It is a number and not negative."""
    if not 0 <= _number(value) < math.inf:
        raise CheckError(f"{name} is a number and at least 0, not {value!r}.")


def require_share(name: str, value: Any) -> None:
    """It is a share of a whole, but not the whole."""
    if not 0 <= _number(value) < 1:
        raise CheckError(f"{name} is at least 0 and less than 1, not {value!r}.")


def require_part(name: str, value: Any) -> None:
    """It is a share of a whole, or the whole."""
    if not 0 <= _number(value) <= 1:
        raise CheckError(f"{name} is at least 0 and at most 1, not {value!r}.")


def require_kind(name: str, value: object, kind: type) -> None:
    """It is settings of this kind, or nothing."""
    if value is not None and not isinstance(value, kind):
        raise CheckError(f"{name} is settings, {kind.__name__}(…), not {value!r}.")


def _number(value: Any) -> float:
    """The number, or none that anything allows."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    return float(value)
