"""A result for CI servers."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from assay.checks import Result
from assay.errors import CheckError

__all__ = ["junit", "require_junit"]


def require_junit() -> None:
    """Refuse to write it before anything is read, where nothing can."""
    if find_spec("assay.report") is None or find_spec("assay.report.junit") is None:
        raise CheckError("--junit: this version of Assay writes no JUnit; use --json.")


def junit(result: Result, path: Path) -> None:
    """Write it as JUnit does."""
    import_module("assay.report.junit").write_junit(result, path)
