"""Packages that only some detectors need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.errors import MissingDependencyError

__all__ = ["needs"]


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Where an import of the package fails, say which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingDependencyError.absent(package, extra="learn") from error
