"""The HTML page: its head, its sections, and the elements that all sections use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Literal

from assay.report.html.markup import Html, element, join, text
from assay.report.html.size_budget import fit, omission
from assay.version import __version__

__all__ = [
    "Section",
    "Tone",
    "badge",
    "description_list",
    "headline_strip",
    "page",
    "sentence_list",
    "table",
    "timestamp",
]

Tone = Literal["good", "warn", "bad", "none"]
_SYMBOLS: dict[Tone, str] = {"good": "✓", "warn": "!", "bad": "✕", "none": "○"}


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


def page(title: str, top: Html, sections: Sequence[Section]) -> str:
    """Return the document: one file without scripts that loads nothing else."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="robots", content="noindex"),
        element("meta", name="generator", content=f"Assay {__version__}"),
        element("title", title),
        element("style", _styles()),
    )
    body = element(
        "body",
        element("a", "Skip to the findings", href="#found", class_="skip"),
        element("header", top),
        _contents(sections),
        element("main", *map(_section, sections), id="found"),
        element("footer", element("p", f"Created by Assay {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def headline_strip(tone: Tone, word: str, title: str, headline: str, details: Html) -> Html:
    """Show the decision in one word, in one sentence, and in details."""
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


def table(label: str, titles: Iterable[str], rows: Iterable[Html]) -> Html:
    """Show a table that scrolls if it is too wide. Screen readers announce the `label`."""
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    inner = element("table", element("thead", head), element("tbody", *rows))
    return element("div", inner, class_="wide", tabindex="0", role="region", aria_label=label)


def timestamp(time: datetime) -> Html:
    """Show a time for people, with its ISO form for machines."""
    return element("time", f"{time:%Y-%m-%d %H:%M} UTC", datetime=time.isoformat())


@cache
def _styles() -> Html:
    return Html(files(__package__).joinpath("page.css").read_text("utf-8"))


def _contents(sections: Sequence[Section]) -> Html:
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
