"""What a gate is made with; what it cannot be made with is refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from assay.checks.check import Check
from assay.errors import CheckError

__all__ = ["checks_of", "path_of", "stands_before"]


def stands_before(dataset: object, store: object) -> None:
    """Refuse what is no name of a dataset, and what is no store."""
    if not isinstance(dataset, str) or not dataset:
        raise CheckError(f"a dataset has a text for its name, such as 'orders', not {dataset!r}.")
    if isinstance(store, str | PathLike):
        raise CheckError(f"a store is opened first: EmbeddedStore({str(store)!r}).")
    if not hasattr(store, "verdicts"):
        raise CheckError(f"a gate remembers in a store, such as MemoryStore(), not in {store!r}.")


def checks_of(suite: object) -> tuple[Check, ...]:
    """The checks that are meant, or none."""
    given = () if suite is None else suite if isinstance(suite, Iterable) else (suite,)
    found = tuple(given)
    checks = tuple(each for each in found if isinstance(each, Check))
    if len(checks) < len(found):
        raise CheckError(f"a gate takes a Suite or Checks, not {suite!r}: Suite.read(…) gives one.")
    return checks


def path_of(patterns: str | PathLike[str] | None) -> str | None:
    """The path as a text."""
    return str(patterns) if isinstance(patterns, PathLike) else patterns
