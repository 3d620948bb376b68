"""JSON output has the documented fields, and nothing else is printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.cli.output import print_json
from assay.gate import Finding, Gate
from assay.store import Decision, EmbeddedStore
from tests.cli.fields import fields, has
from tests.cli.running import ORDERS, assay
from tests.report.html.batches import corrupted, flights, remember
from tests.report.html.reading import sound
from tools.documented import commands


def test_every_command_with_json_output_is_documented() -> None:
    for name, command in commands():
        if any("--json" in parameter.opts for parameter in command.params):
            assert fields(name)


def test_commands_that_read_a_store_print_the_documented_fields(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    gate = Gate("flights", store)
    remember(gate, flights(0), 0)
    nulls = Finding("limits", Decision.HOLD, "nulls rose.", "carrier", actual=float("inf"))
    remember(gate, corrupted(1), 1, Decision.HOLD, (nulls,))
    gate.mark("date=2026-10-01", "bad", author="ada", reason="a test")
    at = ("--store", tmp_path, "--json")
    has(assay("history", *at).json, "history")
    has(assay("history", "flights", *at).json, "history DATASET")
    has(assay("quarantine", "list", *at).json, "quarantine list")
    has(
        assay("quarantine", "show", "flights/date=2026-10-02", *at).json,
        "quarantine show",
        "columns",
    )
    has(assay("explain", "flights/date=2026-10-02", *at).json, "explain")
    has(assay("explain", "flights/date=2026-10-01", *at).json, "explain", "marks")


@pytest.mark.usefixtures("spark")
def test_commands_that_read_a_table_print_the_documented_fields(tmp_path: Path) -> None:
    table = tmp_path / "orders.csv"
    table.write_text(ORDERS)
    page = ("--html", tmp_path / "suggestions.html")
    ran = assay("suggest", table, "-c", "status", "--json", "--table", "sales", *page)
    has(ran.json, "suggest", "suggestions")
    assert "Suggested checks for sales" in sound(page[1].read_text("utf-8")).text
    has(assay("patterns", "infer", table, "-c", "day", "--json").json, "patterns infer")


def test_numbers_that_json_lacks_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [float("nan"), np.inf], "b": {1: -float("inf")}, "c": 0.5})
    assert capsys.readouterr().out.split() == (
        [
            "{",
            '"a":',
            "[",
            '"nan",',
            '"inf"',
            "],",
            '"b":',
            "{",
            '"1":',
            '"-inf"',
            "},",
            '"c":',
            "0.5",
            "}",
        ]
    )
