"""Validate arguments: each function raises a `CheckError` that names the argument."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from assay.errors import CheckError

__all__ = [
    "require_bool",
    "require_fraction",
    "require_integer",
    "require_non_negative",
    "require_settings",
    "require_share",
]


def require_bool(name: str, value: Any) -> None:
    """Require True or False."""
    if not isinstance(value, bool):
        raise CheckError(f"{name}: expected True or False, got {value!r}.")


def require_integer(name: str, value: Any, minimum: int) -> None:
    """Require an integer that is not below a minimum."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < minimum:
        raise CheckError(f"{name}: expected an integer of at least {minimum}, got {value!r}.")


def require_non_negative(name: str, value: Any) -> None:
    """Require a finite number that is not negative."""
    if not 0 <= _as_float(value) < math.inf:
        raise CheckError(f"{name}: expected a number of at least 0, got {value!r}.")


def require_fraction(name: str, value: Any) -> None:
    """Require a number from 0 to 1, 1 excluded."""
    if not 0 <= _as_float(value) < 1:
        raise CheckError(f"{name}: expected a number from 0 to below 1, got {value!r}.")


def require_share(name: str, value: Any) -> None:
    """Require a number from 0 to 1, 1 included."""
    if not 0 <= _as_float(value) <= 1:
        raise CheckError(f"{name}: expected a number from 0 to 1, got {value!r}.")


def require_settings(name: str, value: object, kind: type) -> None:
    """Require an instance of a class of settings, or None."""
    if value is not None and not isinstance(value, kind):
        raise CheckError(f"{name}: expected {kind.__name__}(…), got {value!r}.")


def _as_float(value: Any) -> float:
    """Return the number; NaN, which no bound allows, for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    return float(value)
