"""`HasPage`: what a value with an HTML page offers to scripts and to notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from assay.html.page import HtmlPage

__all__ = ["HasPage"]


class HasPage(ABC):
    """A value that has an HTML page. A notebook shows the content of the same page.

    Examples
    --------
    >>> from assay.html import HtmlPage, headline_strip
    >>> class Greeting(HasPage):
    ...     @property
    ...     def page(self):
    ...         return HtmlPage("greeting", headline_strip("good", "Hello", "Assay", "a < b"))
    >>> "a &lt; b" in Greeting().to_html()
    True
    """

    __slots__ = ()

    @property
    @abstractmethod
    def page(self) -> HtmlPage:
        """The page as a value."""

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the page: one HTML file that loads nothing else, smaller than a megabyte.

        Parameters
        ----------
        path
            A file to write the page to.
        """
        html = self.page.html
        if path is not None:
            Path(path).write_text(html, "utf-8")
        return html

    def _repr_html_(self) -> str:
        return self.page.fragment
