"""Documents show the output and all options of the commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.documented import DOCS, DOCUMENTS, commands, options, update_document

#: second names of commands that the documents show by their first
OTHER_NAMES = {"quarantine release", "quarantine reject"}


def test_every_command_and_option_is_in_the_document() -> None:
    assert options() in (DOCS / "cli.md").read_text(encoding="utf-8")


def test_every_command_is_shown_with_its_output() -> None:
    shown = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in DOCUMENTS)
    for name in {name for name, _ in commands()} - OTHER_NAMES:
        assert re.search(rf"^\$ assay {name}(?!\S)", shown, re.M), name


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(document, marks=pytest.mark.connect) if "connect" in document else document
        for document in DOCUMENTS
    ],
)
def test_the_examples_print_what_the_document_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DOCUMENTS[name](tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (DOCS / name).read_text(encoding="utf-8")
    assert update_document(text).splitlines() == text.splitlines()
