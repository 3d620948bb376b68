"""Compare JSON output with the fields that docs/cli.md lists."""

from __future__ import annotations

import re
from typing import Any

from tools.documented import DOCS

_ROW = re.compile(r"^\| ((?:`[^`]+`(?:, )?)+) \| (.*) \|$", re.M)


def fields(command: str) -> tuple[list[str], list[str]]:
    """Return the documented fields of a command, and those of its inner lists."""
    text = (DOCS / "cli.md").read_text(encoding="utf-8").partition("## JSON")[2]
    rows = {
        name: row[2]
        for row in _ROW.finditer(text.partition("## Every option")[0])
        for name in re.findall(r"`([^`]+)`", row[1])
    }
    outer, _, inner = rows[command].partition(": ")
    return re.findall(r"`(\w+)`", outer), re.findall(r"`(\w+)`", inner)


def has(document: Any, command: str, within: str = "") -> None:
    outer, inner = fields(command)
    first = document[0] if isinstance(document, list) else document
    assert list(first) == outer
    if within:
        assert list(first[within][0]) == inner
