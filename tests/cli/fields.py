"""The fields of what is answered in JSON, as the document has them."""

from __future__ import annotations

import re
from typing import Any

from tools.documented import DOCS

_ROW = re.compile(r"^\| ((?:`[^`]+`(?:, )?)+) \| (.*) \|$", re.M)


def fields(command: str) -> tuple[list[str], list[str]]:
    """The documented fields of a command's answer, and those of the lists within."""
    text = (DOCS / "cli.md").read_text(encoding="utf-8").partition("## JSON")[2]
    rows = {
        name: row[2]
        for row in _ROW.finditer(text.partition("## Every option")[0])
        for name in re.findall(r"`([^`]+)`", row[1])
    }
    outer, _, inner = rows[command].partition(": ")
    return re.findall(r"`(\w+)`", outer), re.findall(r"`(\w+)`", inner)


def has(answered: Any, command: str, within: str = "") -> None:
    outer, inner = fields(command)
    one = answered[0] if isinstance(answered, list) else answered
    assert list(one) == outer
    if within:
        assert list(one[within][0]) == inner
