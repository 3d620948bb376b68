"""Excel workbooks: the first sheet with values, read as a CSV copy.

A copy goes through the detection of CSV layouts. Title rows are skipped and header rows are joined.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.temporary_copies import temporary_copy

__all__ = ["Excel"]

_ZIP, _WORKBOOK_PARTS = b"PK\x03\x04", (b"xl/", b"[Content_Types].xml")


class Excel(FileFormat):
    """Workbooks of Excel 2007 and later. Formulas count as the values that Excel saved."""

    name, label, extensions = "excel", "Excel", ("xlsx", "xlsm")
    has_types = False

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        """Recognise a ZIP archive with the parts of a workbook."""
        if not head.content.startswith(_ZIP):
            return None
        if not any(part in head.content for part in _WORKBOOK_PARTS):
            return None
        if b"word/" in head.content or b"ppt/" in head.content:
            return NotATable("binary", "it is an Office document, but not a workbook")
        if find_spec("openpyxl") is None:
            return NotATable(
                "missing_package",
                "it is an Excel workbook, and the package openpyxl is missing:"
                " pip install 'spark-assay[excel]', or export the sheet as CSV",
            )
        return FileDescription(self.name)

    def convert(self, path: Path) -> Path | NotATable | None:
        """Return a CSV copy of the first sheet that has values."""
        try:
            return temporary_copy(path, "csv", _write_csv)
        except Exception as error:  # openpyxl raises anything on damaged files; it is reported
            reason = " ".join(str(error).split()) or type(error).__name__
            return NotATable("damaged", f"it is an Excel workbook that cannot be read: {reason}")


def _write_csv(path: Path, copy: Path) -> None:
    openpyxl = import_module("openpyxl")
    workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        with copy.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            for sheet in workbook.worksheets:
                rows = _rows(sheet)
                first = next(rows, None)
                if first is not None:
                    writer.writerow(first)
                    writer.writerows(rows)
                    return
    finally:
        workbook.close()


def _rows(sheet: Any) -> Iterator[list[str]]:
    """Yield the rows of a sheet as text, from the first that is not blank."""
    has_begun = False
    for row in sheet.iter_rows(values_only=True):
        texts = _texts(row)
        has_begun = has_begun or any(texts)
        if has_begun:
            yield texts


def _texts(row: Iterable[object]) -> list[str]:
    return [_text(value) for value in row]


def _text(value: object) -> str:
    """Write a cell as the types of CSV columns are recognised.

    >>> _texts([None, True, 2.0, 1.5, datetime(2024, 2, 29), datetime(2024, 2, 29, 10, 0)])
    ['', 'true', '2', '1.5', '2024-02-29', '2024-02-29 10:00:00']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)
