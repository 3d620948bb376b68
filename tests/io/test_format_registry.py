"""Other packages can add file formats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.io import formats
from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.formats import all_formats, format_by_name, format_of_file_name, register_format
from assay.io.locations import locate_table
from assay.io.reading import open_table
from tests.io.test_locations import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Journal(FileFormat):
    """Lines after a first line that names the format."""

    name, label, extensions = "journal", "journal", ("jnl",)
    source = "text"

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        if not head.content.startswith(b"#journal"):
            return None
        if b"\n" not in head.content:
            return NotATable("cut_journal", "it is a journal without entries")
        return FileDescription(self.name)

    def reader_options(
        self, description: FileDescription, options: ReadOptions
    ) -> Mapping[str, Any]:
        return {"lineSep": "\n"}


JOURNAL = Journal()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_registered", [])


@pytest.mark.usefixtures("registry")
def test_a_registered_format_is_recognised_and_read(spark: SparkSession, tmp_path: Path) -> None:
    register_format(JOURNAL)
    path = write(tmp_path / "a.jnl", "#journal\none\n")

    table = open_table(spark, str(path))

    assert table.description == "journal"
    assert [row.value for row in table.df.collect()] == ["#journal", "one"]
    assert format_of_file_name("a.jnl.gz") == ("journal", "gzip")


@pytest.mark.usefixtures("registry")
def test_an_entry_point_registers_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "load_plugins", lambda group: ((group, JOURNAL),))

    assert format_by_name("journal") is JOURNAL
    assert all_formats()[0] is JOURNAL


def test_every_format_has_its_own_name(tmp_path: Path) -> None:
    names = [file_format.name for file_format in all_formats()]
    assert len(set(names)) == len(names)
    assert names[-1] == "csv"
    table = locate_table(str(write(tmp_path / "a.json", '{"a": 1}\n')))
    assert table is not None
    assert table.format == "json"
