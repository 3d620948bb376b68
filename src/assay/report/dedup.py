"""The former home of `notify_once` and `notice_of`: use `assay.report.notify`."""

from __future__ import annotations

from typing import Any

from assay.deprecation import warn_renamed
from assay.report.notify import dedup

__all__ = ["notice_of", "notify_once"]  # noqa: F822 - module __getattr__ finds them


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_renamed(f"assay.report.dedup.{name}", f"assay.report.notify.{name}")
    return getattr(dedup, name)
