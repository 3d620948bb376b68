"""Read a page as a browser does: its elements and its text."""

from __future__ import annotations

from html.parser import HTMLParser
from importlib.resources import files

#: the only script of a page; its hash is the only one that the page allows to run
SEARCH = files("assay.html").joinpath("search.js").read_text("utf-8")
VOID = frozenset({"meta"})
_TAGS = """
html head meta title style body a header nav main footer section article div p h1 h2 h3 ul ol li dl
dt dd table thead tbody tr th td details summary figure figcaption span b i bdi code time svg rect
circle polyline path script
"""
_ATTRIBUTES = """
lang charset name content class id href role tabindex scope datetime title viewbox width height x y
cx cy r d points aria-hidden aria-label aria-labelledby http-equiv
data-title preserveaspectratio
"""
TAGS, ATTRIBUTES = frozenset(_TAGS.split()), frozenset(_ATTRIBUTES.split())


class Page(HTMLParser):
    """A parsed page; `wrong` lists elements and attributes that reports must not have."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.labels: list[str] = []
        self.outline: list[str] = []
        self.texts: list[str] = []
        self.style = ""
        self.scripts: list[str] = []
        self.feed(html)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    @property
    def text(self) -> str:
        """All text, descriptions of pictures included."""
        return "".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.wrong.append(f"{name}={value!r} of <{tag}>")
            if name == "href":
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")
            if name == "aria-labelledby":
                self.labels.append(value or "")
        if tag in {"h1", "h2", "h3"}:
            self.headings.append(int(tag[1]))
        attributes = "".join(f' {name}="{value}"' for name, value in attrs)
        self.outline.append(f"{'  ' * len(self.open)}<{tag}{attributes}>")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
            return
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
            return
        self.texts.append(data)
        if data.strip():
            self.outline.append(f"{'  ' * len(self.open)}{data.strip()}")

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"<!--{data}-->")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"<![{data}]>")


def sound(html: str) -> Page:
    """Parse a page and check that it is well formed, self-contained and small."""
    page = Page(html)
    assert page.wrong == []
    assert len(html.encode()) < 1_000_000
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert len(page.ids) == len(set(page.ids))
    assert set(page.labels) <= set(page.ids)
    assert page.scripts == [SEARCH]
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    pairs = zip(page.headings, page.headings[1:], strict=False)
    assert all(after - before <= 1 for before, after in pairs)
    assert not any(word in page.style for word in ("url(", "@import", "expression"))
    return page
