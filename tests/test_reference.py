"""The reference is current, tells of every public name, and leads where it says. No Spark here."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import assay
from tools.reference import FOLDER, PAGES, Reference, UndocumentedError, _prose

SOURCE = Path(assay.__file__).parent
#: packages whose names are no part of what people import
APART = {"assay", "assay.cli", "assay.learn.suggest.rules"}


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference()


def test_it_is_what_the_docstrings_say(reference: Reference) -> None:
    """Should it not be: python -m tools.reference."""
    written = {each.name: each.read_text(encoding="utf-8") for each in FOLDER.glob("*.md")}
    assert written == reference.pages


def test_every_public_name_is_on_a_page(reference: Reference) -> None:
    packages = {
        ".".join(["assay", *path.parent.relative_to(SOURCE).parts])
        for path in SOURCE.rglob("__init__.py")
        if "__all__" in path.read_text(encoding="utf-8")
    }
    assert packages - APART <= {module for _, modules in PAGES.values() for module in modules}
    told = {(each.module, each.name) for names in reference.names.values() for each in names}
    for module in packages - APART:
        assert {(module, name) for name in import_module(module).__all__} <= told
    index = reference.pages["README.md"]
    assert all(f"[`{name}`](" in index for name in assay.__all__)


def test_links_lead_somewhere(reference: Reference) -> None:
    anchors = {
        f"{page}#{each}"
        for page, text in reference.pages.items()
        for each in re.findall(r'<a id="([^"]+)">', text)
    }
    for page, anchor in re.findall(r"\]\((\w+\.md)(#[\w-]+)?\)", reference.pages["README.md"]):
        assert page in reference.pages
        assert not anchor or f"{page}{anchor}" in anchors


def test_a_name_without_a_docstring_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assay.verify, "__doc__", None)
    with pytest.raises(UndocumentedError, match=r"assay\.checks\.verify"):
        _ = Reference().pages


def test_docstrings_are_text_and_examples_are_code() -> None:
    doc = """A *star*, <tag>, a_b and [link](x); `a_b` and ``*`` are code.

    >>> 1 < 2
    True

    After it | all."""
    assert _prose(doc) == [
        r"A \*star\*, \<tag\>, a\_b and \[link\](x); `a_b` and `*` are code.",
        "",
        "```python",
        ">>> 1 < 2",
        "True",
        "```",
        "",
        r"After it \| all.",
    ]
