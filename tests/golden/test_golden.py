"""The output of every command is the one in the golden files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.documented import DOCS, GOLDEN, commands, update_document


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", GOLDEN)
def test_commands_print_what_the_golden_file_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    GOLDEN[name](tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (DOCS / name).read_text(encoding="utf-8")
    assert update_document(text).splitlines() == text.splitlines(), "see `make golden`"


def test_the_help_of_every_command_is_in_a_golden_file() -> None:
    text = (DOCS / "../tests/golden/help.md").read_text(encoding="utf-8")
    shown = {line for line in text.splitlines() if line.startswith("$ ")}
    assert {f"$ assay {name} --help" for name, _ in commands()} <= shown
