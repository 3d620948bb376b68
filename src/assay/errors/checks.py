"""Errors about checks and suites, and failed verifications."""

from __future__ import annotations

from assay.errors.base import AssayError

__all__ = [
    "ArgumentError",
    "CheckError",
    "InvalidValueError",
    "SuiteError",
    "UnknownMethodError",
    "VerificationError",
    "require_instance",
    "require_name",
]


class CheckError(AssayError):
    """A check or an argument is invalid."""

    code = "bad_check"


class ArgumentError(CheckError, TypeError):
    """A method of `Check` was called with arguments that it does not have."""

    code = "bad_argument"


class InvalidValueError(CheckError, ValueError):
    """An argument of an analyzer, a detector or a pattern has a value that is not allowed."""

    code = "bad_argument"


class UnknownMethodError(CheckError, AttributeError):
    """`Check` has no method of this name."""

    code = "unknown_method"


class SuiteError(AssayError):
    """A suite cannot be read or written.

    Attributes
    ----------
    problems : tuple of str
        One sentence per problem, with line and column where known.
    """

    code = "bad_suite"

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    @classmethod
    def other_scope(cls, file: str, check: str, method: str, scope: str) -> SuiteError:
        """Return the error of a constraint without a scope that is added to a check with one."""
        error = cls(
            f"{file}: {method} cannot be added to the check {check!r}: expected a scope, got none."
            f" The check says on: {scope}, which would apply to it. Set `on=`, or name the added"
            " check differently."
        )
        error.code = "other_scope"
        return error


class VerificationError(AssayError):
    """A check failed; raised by `raise_for_failure` with the failed constraints."""

    code = "verification_failed"


def require_instance(
    value: object, kind: type | tuple[type, ...], what: str, expected: str, remedy: str = ""
) -> None:
    """Raise `CheckError` unless an argument is of a class.

    Examples
    --------
    >>> require_instance("x", int, "invalid season", "a number of batches")
    Traceback (most recent call last):
    ...
    assay.errors.CheckError: invalid season: expected a number of batches, got 'x'.
    """
    if not isinstance(value, kind):
        raise CheckError.unexpected(what, expected, value, remedy)


def require_name(name: object, of: str) -> None:
    """Raise `CheckError` unless a name is text that is not blank."""
    if not isinstance(name, str) or not name.strip():
        raise CheckError.unexpected(f"invalid name of a {of}", "text, such as 'orders'", name)
