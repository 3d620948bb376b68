"""Keep old names of the public API for one version, with a warning that names the new one."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["renamed_arguments", "renamed_fields", "warn_renamed"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def warn_renamed(old: str, new: str, *, stacklevel: int = 3) -> None:
    """Warn that a documented name is deprecated.

    Parameters
    ----------
    old, new
        The names as a user writes them, such as ``"Verdict.spent"``.
    stacklevel
        How many calls lie between this function and the user's line, plus one.
    """
    message = f"{old} is deprecated and will be removed in version 0.3: use {new}."
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel)


def renamed_arguments(**new_names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Accept the old names of keyword arguments, with a warning.

    Parameters
    ----------
    **new_names
        The new name of each old one.

    Examples
    --------
    >>> @renamed_arguments(others="reference_tables")
    ... def verify(df, *, reference_tables=None):
    ...     return reference_tables
    >>> verify([], reference_tables={"customers": []})
    {'customers': []}
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        called = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def with_new_names(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in new_names.items():
                if old in kwargs:
                    if new in kwargs:
                        message = f"{called}() got both {old!r} and {new!r}: use {new!r}"
                        raise TypeError(message)
                    warn_renamed(f"{called}({old}=…)", f"{new}=")
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return with_new_names

    return decorate


def renamed_fields(**new_names: str) -> Callable[[type[T]], type[T]]:
    """Accept the old names of a dataclass's fields when it is created, with a warning.

    Parameters
    ----------
    **new_names
        The new name of each old one.
    """

    def decorate(cls: type[T]) -> type[T]:
        type.__setattr__(cls, "__init__", renamed_arguments(**new_names)(vars(cls)["__init__"]))
        return cls

    return decorate
