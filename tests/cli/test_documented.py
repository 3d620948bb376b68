"""docs/cli.md says what the commands say: their outputs, and all their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.documented import DOCUMENT, prepare, reference, rewritten

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_every_command_and_option_is_in_the_document() -> None:
    assert reference() in DOCUMENT.read_text(encoding="utf-8")


def test_the_examples_print_what_the_document_shows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, spark)
    monkeypatch.chdir(tmp_path)
    text = DOCUMENT.read_text(encoding="utf-8")
    assert rewritten(text).splitlines() == text.splitlines()
