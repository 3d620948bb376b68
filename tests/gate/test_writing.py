"""Files that are written otherwise than those before."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.sniff import Sniffed, sniff
from assay.gate.columns import Columns
from assay.gate.writing import Writing, judge_writing
from assay.store.verdict import Decision

WRITINGS = st.builds(
    Writing,
    st.sampled_from([*",;|\t", "¦"]),
    st.sampled_from([None, "utf-8", "utf-16", "iso-8859-1"]),
    st.booleans(),
    st.booleans(),
)


def said(now: Writing, before: Writing | None) -> list[str]:
    found = judge_writing(now, before)
    assert all((each.judge, each.level) == ("schema", Decision.WARN) for each in found)
    return [each.reason for each in found]


def of(data: bytes) -> Writing:
    found = sniff(data)
    assert isinstance(found, Sniffed)
    writing = Writing.of(found)
    assert writing is not None
    return writing


@given(WRITINGS)
def test_what_is_written_alike_and_what_was_not_known_is_not_told(writing: Writing) -> None:
    assert said(writing, writing) == said(writing, None) == []
    columns = Columns((("a", "double"),), writing)
    assert Columns.read(columns.written()) == columns
    # as it was remembered before
    assert Columns.read('[["a", "double"]]') == Columns((("a", "double"),))


@given(WRITINGS, WRITINGS)
def test_ascii_is_in_whatever_encoding_was(now: Writing, before: Writing) -> None:
    remembered = now.after(before)
    assert remembered.encoding == (now.encoding or before.encoding)
    assert not any("the text is" in each for each in said(remembered, now))


def test_files_that_are_written_otherwise() -> None:
    texts = ["place,n\nMünchen,1\n", "place|n\nMünchen|1\n"]
    comma, bar = (of(each.encode()) for each in texts)
    assert said(bar, comma) == ["fields are separated by vertical bar, and were by comma."]
    marked, latin, wide = (of(texts[0].encode(e)) for e in ("utf-8-sig", "latin-1", "utf-16"))
    assert said(marked, comma) == ["the file begins with a byte-order mark, and did not."]
    assert said(comma, marked) == ["the file does not begin with a byte-order mark, and did."]
    assert said(latin, comma) == ["the text is latin-1, and was utf-8."]
    assert said(wide, latin) == ["the text is utf-16, and was latin-1."]
    bare = of("München,1\nKöln,2\n".encode())
    assert said(bare, comma) == ["the first line names no columns, and did."]
    plain = of(b"place,n\nBonn,1\n")
    for one, other in product((comma, latin), repeat=2):
        assert said(one, plain.after(other)) == said(one, other)
    assert Writing.of(Sniffed("json")) is None
