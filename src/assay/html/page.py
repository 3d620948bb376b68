"""`HtmlPage`: a page as a value, and the elements that all pages use.

The style sheet applies only inside elements of the class `assay`, so that a page can also be shown
inside a notebook. The only script adds a search field above long tables; without it, nothing is
missing.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import blake2b, sha256
from importlib.resources import files
from pathlib import Path
from typing import Literal

from assay.html.markup import Html, element, join, text
from assay.html.size_budget import fit, omission
from assay.version import __version__

__all__ = [
    "HtmlPage",
    "Section",
    "Tone",
    "badge",
    "code_block",
    "description_list",
    "headline_strip",
    "searchable",
    "sentence_list",
    "table",
    "timestamp",
]

Tone = Literal["good", "warn", "bad", "none"]
_SYMBOLS: dict[Tone, str] = {"good": "✓", "warn": "!", "bad": "✕", "none": "○"}
#: tables with more rows than these get a search field
_MAX_WITHOUT_SEARCH = 12
#: characters of a line of code
_MAX_LINE = 20_000
#: attributes that name an element of the page, or refer to one
_REFERENCE = re.compile(r' (id|aria-labelledby)="| href="#')


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Parameters
    ----------
    id
        Anchor of the section.
    title
        Heading.
    content
        Everything below the heading.
    count
        A number that is shown beside the title.
    folded
        True if the section opens only when the reader clicks on it.
    """

    id: str
    title: str
    content: Html
    count: int | None = None
    folded: bool = False


@dataclass(frozen=True)
class HtmlPage:
    """A page: what is most important on top, then sections.

    Parameters
    ----------
    title
        Title of the document.
    top
        The headline, such as `headline_strip` creates it.
    sections
        The sections in their order.

    Examples
    --------
    >>> page = HtmlPage("orders", headline_strip("good", "Passed", "Assay", "All is well."))
    >>> page.html[:15], page.fragment[:25]
    ('<!DOCTYPE html>', '<div class="assay"><style')
    """

    title: str
    top: Html
    sections: Sequence[Section] = ()

    @property
    def html(self) -> str:
        """The document: one file that loads nothing else."""
        policy = (
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
            f" script-src '{_script_hash()}'"
        )
        head = element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("meta", name="robots", content="noindex"),
            element("meta", name="generator", content=f"Assay {__version__}"),
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            element("title", self.title),
            element("style", _read("page.css")),
        )
        body = element(
            "body",
            element("a", "Skip to the content", href="#found", class_="skip"),
            element("header", self.top),
            _contents(self.sections),
            element("main", *map(_section, self.sections), id="found"),
            element("footer", element("p", f"Created by Assay {__version__}.")),
            element("script", _read("search.js")),
            class_="assay page",
        )
        return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"

    @property
    def fragment(self) -> str:
        """The same content for a notebook, which may show several pages at once."""
        content = element("div", self.top, *map(_section, self.sections))
        prefix = f"a{blake2b(content.encode(), digest_size=4).hexdigest()}-"
        # all text is escaped, so that a quotation mark is always that of an attribute
        content = Html(_REFERENCE.sub(lambda match: f"{match[0]}{prefix}", content))
        return element("div", element("style", _read("page.css")), content, class_="assay")

    def write(self, path: str | Path) -> None:
        """Write the document to a file."""
        Path(path).write_text(self.html, "utf-8")


def headline_strip(
    tone: Tone, word: str, title: str, headline: str, details: Html | None = None
) -> Html:
    """Show the outcome in one word, in one sentence, and in details."""
    symbol = element("span", _SYMBOLS[tone], class_="symbol", aria_hidden="true")
    return element(
        "div",
        element("p", title, class_="quiet"),
        element("h1", symbol, " ", word),
        element("p", headline, class_="headline"),
        details,
        class_=f"strip {tone}",
    )


def description_list(entries: Iterable[tuple[str, str | None]]) -> Html:
    """Show names with their values. Entries without a value are left out."""
    rows = (
        element("div", element("dt", name), element("dd", value))
        for name, value in entries
        if value is not None
    )
    return element("dl", *rows, class_="facts")


def badge(tone: Tone, word: str) -> Html:
    """Show a word in a coloured frame."""
    return element("span", word, class_=f"badge {tone}")


def sentence_list(sentences: Sequence[str], max_bytes: int) -> Html:
    """List sentences until the budget is used up."""
    shown, n_omitted = fit(lambda sentence: element("li", sentence), sentences, max_bytes)
    return join((element("ul", *shown, class_="plain"), omission(n_omitted, "sentence")))


def table(label: str, titles: Iterable[str], rows: Iterable[Html], class_: str = "") -> Html:
    """Show a table that scrolls if it is too wide. Screen readers announce the `label`.

    On a narrow screen, the cells of a table of three columns or more are below each other. A cell
    with the attribute ``data_title`` then begins with this title.
    """
    headings = [element("th", title, scope="col") for title in titles]
    stacked = "stack" if len(headings) > 2 and not class_ else class_ or None
    head = element("thead", element("tr", *headings))
    inner = element("table", head, element("tbody", *rows), class_=stacked)
    return element("div", inner, class_="wide", tabindex="0", role="region", aria_label=label)


def timestamp(time: datetime) -> Html:
    """Show a time for people, with its ISO form for machines."""
    return element("time", f"{time:%Y-%m-%d %H:%M} UTC", datetime=time.isoformat())


@cache
def _read(name: str) -> Html:
    return Html(files(__package__).joinpath(name).read_text("utf-8"))


@cache
def _script_hash() -> str:
    """Return the hash by which a browser runs this script, and no other."""
    return f"sha256-{b64encode(sha256(_read('search.js').encode()).digest()).decode()}"


def searchable(content: Html, n_rows: int) -> Html:
    """Put a search field above tables that have many rows together.

    Parameters
    ----------
    content
        One or more tables.
    n_rows
        The number of their rows.
    """
    is_long = n_rows > _MAX_WITHOUT_SEARCH
    return element("div", content, class_="searchable" if is_long else None)


def code_block(lines: Iterable[str], max_bytes: int) -> Html:
    """Show lines of code as they are, until the budget is used up."""
    shown, n_omitted = fit(
        lambda line: element("span", text(line or " ", _MAX_LINE), class_="line"),
        list(lines),
        max_bytes,
    )
    return join((element("code", *shown, class_="block"), omission(n_omitted, "line")))


def _contents(sections: Sequence[Section]) -> Html | None:
    if len(sections) < 2:
        return None
    links = (
        element("li", element("a", _title(section), href=f"#{section.id}")) for section in sections
    )
    return element("nav", element("ul", *links), aria_label="Sections")


def _section(section: Section) -> Html:
    heading = element("h2", _title(section), id=f"{section.id}-title")
    content = (
        element("details", element("summary", heading), section.content)
        if section.folded
        else join((heading, section.content))
    )
    return element("section", content, id=section.id, aria_labelledby=f"{section.id}-title")


def _title(section: Section) -> Html:
    if section.count is None:
        return text(section.title)
    number = element("span", f"{section.count:,}", class_="count")
    return join((text(section.title), Html(" "), number))
