"""The HTML page of suggestions: constraints, warnings, what did not hold, and the suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.checks.constraint import Level
from assay.html.markup import Html, bidi_text, element, join, text
from assay.html.page import (
    HtmlPage,
    Section,
    code_block,
    description_list,
    headline_strip,
    searchable,
    table,
)
from assay.html.size_budget import fit, omission
from assay.text import count_noun, one_line

if TYPE_CHECKING:
    from assay.learn.suggest.suggestion import Suggestion, Suggestions

__all__ = ["suggestions_page"]

#: bytes of each table, and of the suite
_TABLE_BYTES, _SUITE_BYTES = 200_000, 250_000
#: characters of a call; lists of values can be longer
_MAX_CALL = 600
_TITLES = ("columns", "constraint", "because", "held")


def suggestions_page(suggestions: Suggestions) -> HtmlPage:
    """Return the page of suggestions."""
    profile = suggestions.profile
    name = "the table" if profile is None or profile.table is None else profile.table
    n_errors = len(suggestions.errors)
    n_warnings = len(suggestions) - n_errors
    facts = [
        ("Constraints", f"{n_errors:,}"),
        ("Warnings", f"{n_warnings:,}"),
        ("Did not hold", f"{len(suggestions.rejected):,}"),
        ("Derived from", None if profile is None else count_noun(profile.rows, "row")),
    ]
    headline = (
        f"{count_noun(n_errors, 'constraint')} and {count_noun(n_warnings, 'warning')}"
        " held for rows from which they were not derived."
    )
    top = headline_strip(
        "good" if suggestions else "none",
        f"Suggested checks for {name}",
        "Assay: suggestions",
        headline,
        description_list(facts),
    )
    title = f"{name}: suggested checks"
    return HtmlPage(title, top, list(_sections(suggestions, name)))


def _sections(suggestions: Suggestions, name: str) -> Iterator[Section]:
    errors = suggestions.errors
    warnings = [suggestion for suggestion in suggestions if suggestion.level is Level.WARNING]
    rejected = suggestions.rejected
    for id_, title, part in (
        ("constraints", "Constraints", errors),
        ("warnings", "Warnings", warnings),
        ("rejected", "Did not hold", rejected),
    ):
        if part:
            yield Section(id_, title, _table(title, part), len(part), folded=part is rejected)
    if suggestions:
        lines = suggestions.to_yaml(name).splitlines()
        yield Section("suite", "The suite", code_block(lines, _SUITE_BYTES), folded=True)


def _table(title: str, suggestions: Sequence[Suggestion]) -> Html:
    rows, n_omitted = fit(_row, suggestions, _TABLE_BYTES)
    listed = join((table(title, _TITLES, rows), omission(n_omitted, "suggestion")))
    return searchable(listed, len(rows))


def _row(suggestion: Suggestion) -> Html:
    names = Html(", ").join(map(bidi_text, suggestion.columns))
    call = text(one_line(suggestion.constraint.python), _MAX_CALL)
    return element(
        "tr",
        element("th", Html(names), scope="row"),
        element("td", element("code", call)),
        element("td", suggestion.evidence),
        element("td", suggestion.held_text, data_title="held"),
    )
