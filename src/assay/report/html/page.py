"""The page: landmarks, headings in their order, and the pieces that all sections are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from assay import __version__
from assay.report.html.markup import Html, element, joined, text
from assay.report.html.size_budget import omitted, within
from assay.report.html.styles import styles

__all__ = ["Section", "Tone", "facts", "label", "listed", "page", "strip", "table", "when"]

Tone = Literal["good", "warn", "bad", "none"]
_SYMBOLS: dict[Tone, str] = {"good": "✓", "warn": "!", "bad": "✕", "none": "○"}


@dataclass(frozen=True)
class Section:
    """A part of the page; one that is `folded` opens when asked to."""

    id: str
    title: str
    content: Html
    count: int | None = None
    folded: bool = False


def page(title: str, top: Html, sections: Sequence[Section]) -> str:
    """The document, of one file."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="robots", content="noindex"),
        element("meta", name="generator", content=f"Assay {__version__}"),
        element("title", title),
        element("style", styles()),
    )
    body = element(
        "body",
        element("a", "Skip to what was found", href="#found", class_="skip"),
        element("header", top),
        _contents(sections),
        element("main", *map(_section, sections), id="found"),
        element("footer", element("p", f"Made by Assay {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def strip(tone: Tone, word: str, title: str, headline: str, known: Html) -> Html:
    """What was decided, in a word and a sentence."""
    symbol = element("span", _SYMBOLS[tone], class_="symbol", aria_hidden="true")
    return element(
        "div",
        element("p", title, class_="quiet"),
        element("h1", symbol, " ", word),
        element("p", headline, class_="headline"),
        known,
        class_=f"strip {tone}",
    )


def facts(known: Iterable[tuple[str, str | None]]) -> Html:
    """Names and what they come to; what is None is left out."""
    rows = (
        element("div", element("dt", name), element("dd", value))
        for name, value in known
        if value is not None
    )
    return element("dl", *rows, class_="facts")


def label(tone: Tone, word: str) -> Html:
    """A word in a frame."""
    return element("span", word, class_=f"badge {tone}")


def listed(sentences: Sequence[str], room: int) -> Html:
    """A list; how much of it is left out is said."""
    kept, left = within(lambda each: element("li", each), sentences, room)
    return joined((element("ul", *kept, class_="plain"), omitted(left, "sentence")))


def table(label: str, heads: Iterable[str], rows: Iterable[Html]) -> Html:
    """A table that scrolls by itself where it is too wide; `label` says what it is."""
    head = element("tr", *(element("th", each, scope="col") for each in heads))
    inner = element("table", element("thead", head), element("tbody", *rows))
    return element("div", inner, class_="wide", tabindex="0", role="region", aria_label=label)


def when(moment: datetime) -> Html:
    """A moment, as people and machines read it."""
    return element("time", f"{moment:%Y-%m-%d %H:%M} UTC", datetime=moment.isoformat())


def _contents(sections: Sequence[Section]) -> Html:
    links = (element("li", element("a", _title(each), href=f"#{each.id}")) for each in sections)
    return element("nav", element("ul", *links), aria_label="Sections")


def _section(section: Section) -> Html:
    heading = element("h2", _title(section), id=f"{section.id}-title")
    inner = (heading, section.content)
    if section.folded:
        inner = (element("details", element("summary", heading), section.content),)  # type: ignore[assignment]
    return element("section", *inner, id=section.id, aria_labelledby=f"{section.id}-title")


def _title(section: Section) -> Html:
    if section.count is None:
        return text(section.title)
    number = element("span", f"{section.count:,}", class_="count")
    return joined((text(section.title), Html(" "), number))
