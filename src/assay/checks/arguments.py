"""Check the arguments of functions that take checks, and refuse wrong ones in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.checks.check import Check
from assay.errors import CheckError

__all__ = ["require_checks", "require_count"]


def require_checks(checks: Iterable[Any]) -> tuple[Check, ...]:
    """Return all checks once, those in lists included; raise `CheckError` for anything else.

    >>> require_checks([Check("a"), [Check("b"), Check("a")]])
    (Check('a', 0 constraints), Check('b', 0 constraints))
    """
    flat: dict[Check, None] = {}
    for entry in checks:
        if isinstance(entry, Check):
            flat[entry] = None
        elif isinstance(entry, list | tuple):
            flat |= dict.fromkeys(require_checks(entry))
        else:
            raise CheckError.unexpected("invalid check", "a Check", entry, _remedy(entry))
    return tuple(flat)


def _remedy(entry: object) -> str:
    if isinstance(entry, str):
        is_file = entry.endswith((".yaml", ".yml"))
        return f"Read it with Suite.read({entry!r})." if is_file else f"Write Check({entry!r})."
    if hasattr(entry, "checks"):  # a suite
        return "Pass the checks of the suite: *suite.checks."
    return ""


def require_count(name: str, number: object) -> None:
    """Raise `CheckError` unless an argument is a whole number of at least 0."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise CheckError.unexpected(f"invalid {name}", "a whole number of at least 0", number)
