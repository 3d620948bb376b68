"""Errors about the installation: Java, packages, Spark sessions."""

from __future__ import annotations

from collections.abc import Iterable

from assay.errors.base import AssayError

__all__ = ["JavaNotFoundError", "MissingDependencyError", "SessionConflictError"]


class MissingDependencyError(AssayError):
    """A required package is missing or too old."""

    code = "missing_dependency"

    @classmethod
    def absent(cls, package: str, *, extra: str) -> MissingDependencyError:
        """Report a package that is not installed, with the extra that installs it."""
        return cls(f"{package} is not installed: pip install 'spark-assay[{extra}]'.")

    @classmethod
    def too_old(
        cls, package: str, installed: str, *, needed: str, extra: str
    ) -> MissingDependencyError:
        """Report a package whose installed version is not supported."""
        return cls(
            f"{package} {installed} is too old, {needed} or newer is needed: "
            f"pip install --upgrade 'spark-assay[{extra}]'."
        )


class JavaNotFoundError(AssayError):
    """No Java installation was found that Spark can use."""

    code = "java_not_found"

    @classmethod
    def among(
        cls, candidates: Iterable[str], *, oldest: int, newest: int | None = None
    ) -> JavaNotFoundError:
        """Report the installations that were tried, each with the reason why it does not work."""
        versions = f"Java {oldest} or newer" if newest is None else f"Java {oldest} to {newest}"
        return cls(
            f"Spark needs {versions}, and none was found ({'; '.join(candidates)}): "
            "install one, set JAVA_HOME to it, or run pip install 'spark-assay[spark]', "
            "which brings one."
        )


class SessionConflictError(AssayError):
    """A Spark session of another kind is already active in this process."""

    code = "session_conflict"

    @classmethod
    def classic_is_running(cls, url: str) -> SessionConflictError:
        """Report a request for Spark Connect while a classic session is active."""
        return cls(
            f"cannot connect to {url}: a classic Spark session is running in this process, and "
            "PySpark cannot mix the two. Stop it first, or connect from another process."
        )
