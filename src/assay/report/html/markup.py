"""The former home of `element` and other functions: use `assay.html`."""

from __future__ import annotations

from typing import Any

from assay.deprecation import warn_renamed
from assay.html import markup

__all__ = ["Html", "bidi_text", "element", "join", "shorten", "text"]  # noqa: F822 - see below


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_renamed(f"assay.report.html.markup.{name}", f"assay.html.markup.{name}")
    return getattr(markup, name)
