"""How it looks: the reader's own fonts, light or dark as they have it, and on paper."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from assay.report.html.markup import Html

__all__ = ["styles"]


@cache
def styles() -> Html:
    """The style sheet, which is a part of every page."""
    return Html(files(__package__).joinpath("page.css").read_text("utf-8"))
