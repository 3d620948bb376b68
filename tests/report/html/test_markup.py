"""Text stays text, whatever is in it, and parts take the room that they are given."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from assay.report.html.markup import cut, data, element
from assay.report.html.size_budget import within
from tests.report.html.reading import Page

anything = st.text(st.characters(exclude_categories=()), max_size=60)
markup = st.lists(st.sampled_from(list("<>&\"'/=!-][ ab\n\x00\u202e\ud800")), max_size=40)


@given(anything | markup.map("".join))
def test_text_is_read_back_as_it_is_seen(value: str) -> None:
    page = Page(element("p", value, data(value), title=value))
    assert page.wrong == []
    assert page.text == cut(value) + cut(value, 80)
    assert page.outline[0] == f'<p title="{cut(value, 2000)}">'


@given(anything, st.integers(1, 20))
def test_what_is_cut_is_short_and_acts_on_nothing(value: str, most: int) -> None:
    found = cut(value, most)
    assert len(found) <= most
    assert not any(unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for each in found)


def test_a_million_characters_are_not_looked_at() -> None:
    assert cut("x" * 10**8, 10) == "x" * 9 + "…"


@given(st.lists(anything), st.integers(0, 300))
def test_the_first_parts_that_fit_are_kept(texts: list[str], room: int) -> None:
    kept, left = within(lambda each: element("p", each), texts, room)
    parts = [element("p", each) for each in texts]
    assert kept == parts[: len(kept)]
    assert len(kept) + left == len(parts)
    sizes = [len(each.encode()) for each in parts]
    assert sum(sizes[: len(kept)]) <= room
    assert not left or sum(sizes[: len(kept) + 1]) > room
