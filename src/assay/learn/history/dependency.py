"""Packages that are imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from assay.errors import MissingDependencyError

__all__ = ["needed"]


def needed(module: str) -> Any:
    """A module, or the extra that brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingDependencyError.absent(package, extra="learn") from error
