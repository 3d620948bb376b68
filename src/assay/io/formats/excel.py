"""Excel workbooks: one sheet, by default the first with values, read as a CSV copy.

A copy goes through the detection of CSV layouts. Title rows are skipped and header rows are joined.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.temporary_copies import temporary_copy
from assay.text import count_noun

__all__ = ["Excel"]

#: other sheets that a note names
_MAX_NAMED = 5
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

    def convert(self, path: Path, options: ReadOptions) -> Path | NotATable | None:
        """Return a CSV copy of the sheet that is stated, or of the first that has values."""
        try:
            sheets = _sheets_of(path)
            sheet = options.sheet or next(iter(sheets), None)
            if sheet is None:
                return NotATable("empty", "it is an Excel workbook without values")
            if sheet not in sheets:
                reason = f"it is an Excel workbook without a sheet {sheet!r} with values"
                return NotATable("sheet_not_found", f"{reason}; its sheets: {_named(sheets)}")
            number = list(sheets).index(sheet)
            return temporary_copy(path, "csv", partial(_write_csv, sheet), part=number)
        except Exception as error:  # openpyxl raises anything on damaged files; it is reported
            reason = " ".join(str(error).split()) or type(error).__name__
            return NotATable("damaged", f"it is an Excel workbook that cannot be read: {reason}")

    def copy_notes(self, path: Path, options: ReadOptions) -> tuple[str, ...]:
        """Name the sheets that are not read, unless the user chose one."""
        first, *others = _sheets_of(path)
        if options.sheet or not others:
            return ()
        number = count_noun(len(others), "other sheet", "other sheets")
        choose = "--sheet chooses one"
        return (f"the sheet {first!r} is read, and {number} not: {_named(others)}; {choose}",)


def _named(sheets: Collection[str]) -> str:
    """List the first names of sheets."""
    names = [repr(name) for name in list(sheets)[:_MAX_NAMED]]
    return ", ".join([*names, "…"] if len(sheets) > _MAX_NAMED else names)


def _sheets_of(path: Path) -> tuple[str, ...]:
    """Return the names of the sheets that have values."""
    return _sheets_at(path.absolute(), path.stat().st_mtime_ns)


@lru_cache(maxsize=100)
def _sheets_at(path: Path, _changed: int) -> tuple[str, ...]:
    with _workbook(path) as workbook:
        return tuple(
            sheet.title for sheet in workbook.worksheets if next(_rows(sheet), None) is not None
        )


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    # openpyxl refuses a path with an extension that it does not know
    with path.open("rb") as file:
        workbook = import_module("openpyxl").load_workbook(file, read_only=True, data_only=True)
        try:
            yield workbook
        finally:
            workbook.close()


def _write_csv(sheet: str, path: Path, copy: Path) -> None:
    with _workbook(path) as workbook, copy.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(_rows(workbook[sheet]))


def _rows(sheet: Any) -> Iterator[list[str]]:
    """Yield the rows of a sheet as text, from the first that is not blank.

    A blank row becomes an empty line, which CSV readers skip. Sheets often end with many.
    """
    has_begun = False
    for row in sheet.iter_rows(values_only=True):
        texts = _texts(row)
        has_begun = has_begun or any(texts)
        if has_begun:
            yield texts if any(texts) else []


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
