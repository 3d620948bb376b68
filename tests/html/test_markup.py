"""Text is always escaped, and parts of a page keep within their budget."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from assay.html.markup import bidi_text, element, shorten
from assay.html.size_budget import fit
from tests.report.html.reading import Page

anything = st.text(st.characters(exclude_categories=()), max_size=60)
markup = st.lists(st.sampled_from(list("<>&\"'/=!-][ ab\n\x00\u202e\ud800")), max_size=40)


@given(anything | markup.map("".join))
def test_a_browser_shows_the_escaped_text_unchanged(value: str) -> None:
    page = Page(element("p", value, bidi_text(value), title=value))
    assert page.wrong == []
    assert page.text == shorten(value) + shorten(value, 80)
    assert page.outline[0] == f'<p title="{shorten(value, 2000)}">'


@given(anything, st.integers(1, 20))
def test_shortened_text_is_short_and_has_no_control_characters(value: str, limit: int) -> None:
    shortened = shorten(value, limit)
    assert len(shortened) <= limit
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not any(unicodedata.category(character) in hidden for character in shortened)


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert shorten("x" * 10**8, 10) == "x" * 9 + "…"


@given(st.lists(anything), st.integers(0, 300))
def test_the_first_parts_that_fit_are_shown(texts: list[str], max_bytes: int) -> None:
    shown, n_omitted = fit(lambda text: element("p", text), texts, max_bytes)
    parts = [element("p", text) for text in texts]
    assert shown == parts[: len(shown)]
    assert len(shown) + n_omitted == len(parts)
    sizes = [len(part.encode()) for part in parts]
    assert sum(sizes[: len(shown)]) <= max_bytes
    assert not n_omitted or sum(sizes[: len(shown) + 1]) > max_bytes
