"""Progress is shown on terminals only, after a while, with stage, rows and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest
from rich.console import Console

from assay.cli import progress as progress_module
from assay.cli.options import PrintOptions
from assay.cli.progress import progress
from tests.cli.running import ORDERS, assay


@pytest.fixture
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(progress_module, "_DELAY_SECONDS", 0.05)


@pytest.mark.usefixtures("_terminal")
def test_a_long_stage_is_shown_with_its_rows_and_its_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress(PrintOptions(), "Reading 2 batches …") as report:
        time.sleep(0.1)
        report("1,200 rows")
    assert "Reading 2 batches: 1,200 rows, 0 s" in capsys.readouterr().err


@pytest.mark.usefixtures("_terminal")
def test_a_short_stage_and_a_quiet_command_show_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress(PrintOptions(), "Reading") as report:
        report("1 row")
    with progress(PrintOptions(quiet=True), "Reading"):
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_nothing_is_shown_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_module, "_DELAY_SECONDS", 0.0)
    with progress(PrintOptions(), "Reading"):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("command", "rows"),
    [
        ("compare a.csv a.csv", "8 rows"),
        ("suggest a.csv --column id", "learned from 2 rows"),
        ("patterns infer a.csv", "4 values"),
        ("check a.csv", "4 rows"),
    ],
)
def test_commands_report_their_rows(
    command: str, rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(ORDERS)
    reported: list[str] = []

    @contextmanager
    def recorded(*_: object) -> Iterator[Callable[[str], None]]:
        yield reported.append

    name = command.split()[0]
    module = import_module(f"assay.cli.{name}_command{'s' if name == 'patterns' else ''}")
    monkeypatch.setattr(module, "progress", recorded)
    assay(*command.split())
    assert rows in reported, reported
