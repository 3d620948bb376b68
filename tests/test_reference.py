"""The generated reference is current and complete, and its links have targets. No Spark here."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import assay
from tools.docstrings import summary, to_markdown
from tools.reference import FOLDER, PAGES, Reference, UndocumentedError

SOURCE = Path(assay.__file__).parent
#: packages whose names users do not import from there
WITHOUT_PAGE = {
    "assay",
    "assay.cli",
    "assay.report",
    "assay.gate.backtest",
    "assay.gate.budget",
    "assay.gate.decide",
    "assay.gate.diagnose",
    "assay.gate.history",
    "assay.gate.judges",
    "assay.learn.suggest.rules",
}


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference()


def test_the_reference_is_current(reference: Reference) -> None:
    """If this fails: python -m tools.reference."""
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert written == reference.pages


def test_every_public_name_is_on_a_page(reference: Reference) -> None:
    packages = {
        ".".join(["assay", *path.parent.relative_to(SOURCE).parts])
        for path in SOURCE.rglob("__init__.py")
        if "__all__" in path.read_text(encoding="utf-8")
    }
    packages -= WITHOUT_PAGE
    assert packages <= {module for _, modules in PAGES.values() for module in modules}
    described = {
        (public.module, public.name) for names in reference.names.values() for public in names
    }
    for package in packages:
        assert {(package, name) for name in import_module(package).__all__} <= described
    index = reference.pages["README.md"]
    assert all(f"[`{name}`](" in index for name in assay.__all__)


def test_every_link_of_the_index_has_a_target(reference: Reference) -> None:
    anchors = {
        f"{page}#{anchor}"
        for page, text in reference.pages.items()
        for anchor in re.findall(r'<a id="([^"]+)">', text)
    }
    for page, anchor in re.findall(r"\]\((\w+\.md)(#[\w-]+)?\)", reference.pages["README.md"]):
        assert page in reference.pages
        assert not anchor or f"{page}{anchor}" in anchors


def test_no_two_names_share_an_anchor(reference: Reference) -> None:
    anchors = Counter(
        public.anchor.lower() for names in reference.names.values() for public in names
    )
    assert [anchor for anchor, count in anchors.items() if count > 1] == []


def test_a_name_without_a_docstring_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assay.verify, "__doc__", None)
    with pytest.raises(UndocumentedError, match=r"assay\.checks\.verify"):
        _ = Reference().pages


def test_text_of_docstrings_is_escaped_and_examples_become_code() -> None:
    docstring = """A *star*, <tag>, a_b and [link](x); `a_b` and ``*`` are code.

    >>> 1 < 2
    True

    After it | all."""
    assert to_markdown(docstring) == [
        r"A \*star\*, \<tag\>, a\_b and \[link\](x); `a_b` and `*` are code.",
        "",
        "```python",
        ">>> 1 < 2",
        "True",
        "```",
        "",
        r"After it \| all.",
    ]


def test_numpydoc_sections_become_lists() -> None:
    docstring = """Measure a column.

    Parameters
    ----------
    column : str
        Name of a column,
        nested fields as `a.b`.
    where
        SQL condition.

    Returns
    -------
    Measurement

    Notes
    -----
    Nulls are ignored.
    """
    assert summary(docstring) == "Measure a column."
    assert to_markdown(docstring) == [
        "Measure a column.",
        "",
        "**Parameters**",
        "",
        "- `column` (str): Name of a column,",
        "  nested fields as `a.b`.",
        "- `where`: SQL condition.",
        "",
        "**Returns**",
        "",
        "- `Measurement`",
        "",
        "**Notes**",
        "",
        "Nulls are ignored.",
    ]
