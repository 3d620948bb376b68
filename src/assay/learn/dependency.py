"""Import packages that only some learners need, with an error that names the extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from assay.errors import MissingDependencyError

__all__ = ["import_optional", "require_extra"]


@contextmanager
def require_extra(package: str) -> Iterator[None]:
    """Name the extra to install if an import of this package fails.

    Raises
    ------
    MissingDependencyError
        If the package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingDependencyError.absent(package, extra="learn") from error


def import_optional(module: str) -> Any:
    """Import a module of an optional package.

    Raises
    ------
    MissingDependencyError
        If the package is not installed.
    """
    with require_extra(module.partition(".")[0]):
        return import_module(module)
