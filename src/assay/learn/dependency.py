"""Packages that only some learners need, imported where they are used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from assay.errors import MissingDependencyError

__all__ = ["needed", "needs"]


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Where an import of the package fails, say which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingDependencyError.absent(package, extra="learn") from error


def needed(module: str) -> Any:
    """A module, or the extra that brings it."""
    with needs(module.partition(".")[0]):
        return import_module(module)
