"""Write a page as text, as it looks when it opens: what is folded is left out."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["page_text"]

_HEADINGS = {"h1": "# ", "h2": "## ", "h3": "### "}
#: elements that begin a line, elements whose text is left out, and cells of a row
_BLOCKS = frozenset({*_HEADINGS, "p", "li", "tr", "div", "dl", "summary", "figcaption", "nav"})
_HIDDEN = frozenset({"title", "style", "script", "nav"})
_CELLS = frozenset({"td", "th", "dd"})
#: elements within a line, whose text is apart
_INLINE = frozenset({"a", "b", "code", "span"})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._line = ""
        self._hidden = 0
        self._folded = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        if tag in _BLOCKS:
            self.end_line()
            self._line = _HEADINGS.get(tag, "")
        elif tag in _CELLS and self._line.strip():
            self._line += " | "
        elif tag == "svg" and not self._folded:
            self._line += " [picture] "
        elif tag in _INLINE:
            self._line += " "

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN
        if tag == "summary":
            self.end_line()
            self._folded = True
        elif tag == "details":
            self._folded = False
        if tag in _BLOCKS:
            self.end_line()
        elif tag in _INLINE:
            self._line += " "

    def handle_data(self, data: str) -> None:
        if not (self._hidden or self._folded):
            self._line += data

    def end_line(self) -> None:
        line = " ".join(self._line.split())
        if line.strip("#| "):
            self.lines.append(line)
        self._line = ""


def page_text(html: str) -> str:
    """Return the text of a page: a line for each heading, row, item and sentence.

    >>> page_text("<h1>Held</h1><table><tr><th>carrier</th><td>9e</td></tr></table><p>a &lt; b")
    '# Held\\ncarrier | 9e\\na < b'
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_line()
    return "\n".join(reader.lines)
