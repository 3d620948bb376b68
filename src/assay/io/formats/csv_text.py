"""CSV: lines of fields, whatever separates and quotes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.io.csv_layout import detect_layout
from assay.io.csv_loading import load_csv, n_dropped_records
from assay.io.csv_sniffer import DELIMITER_NAMES
from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.load_request import LoadRequest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Csv", "skipped_lines_note"]

_MAX_SHOWN = 80


class Csv(FileFormat):
    """Delimited text. Any text that has the layout of a table is recognised."""

    name, label, extensions = "csv", "CSV", ("csv", "tsv", "txt", "psv", "dat")
    is_text = True
    has_types = False

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        """Detect the layout; text without one is not a table."""
        layout = detect_layout(
            head.text,
            is_whole=head.is_whole,
            options=options,
            may_be_prose=not options.states_csv,
        )
        if layout is None:
            text = " ".join(head.text.split())
            shown = text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
            return NotATable("text", f"it is text without columns: {shown!r}")
        return FileDescription("csv", **vars(layout))

    def reader_options(
        self, description: FileDescription, options: ReadOptions
    ) -> Mapping[str, Any]:
        """Return Spark's names for the layout."""
        reader_options = {
            "header": description.header and not n_dropped_records(description),
            "sep": description.delimiter,
            "quote": description.quote,
            "escape": description.escape,
            "encoding": description.encoding,
            "ignoreLeadingWhiteSpace": description.padded,
            "ignoreTrailingWhiteSpace": description.padded,
            "multiLine": description.is_read_whole,
        }
        if options.null is not None:
            reader_options["nullValue"] = options.null
        return reader_options

    def load(self, request: LoadRequest) -> DataFrame:
        """Read files; records before the table are left out, runs of spaces separate fields."""
        return load_csv(request, self.reader_options(request.description, request.options))

    def describe(self, description: FileDescription) -> str:
        """Name delimiter, missing header, unusual encoding and byte-order mark."""
        delimiter = description.delimiter
        name = DELIMITER_NAMES.get(delimiter)
        parts = [f"CSV with {name}s" if name else f"CSV with {delimiter!r} between"]
        if description.n_columns == 1:
            parts = ["CSV with one column"]
        parts += skipped_lines_note(description)
        if description.header_rows != 1:
            rows = description.header_rows
            parts.append(f"header of {rows} rows" if rows else "no header")
        if description.quote == "'":
            parts.append("single quotes")
        if description.encoding != "utf-8":
            parts.append(description.encoding)
        if description.bom:
            parts.append("byte-order mark")
        return ", ".join(parts)


def skipped_lines_note(description: FileDescription) -> list[str]:
    """Count the lines before the header that are left out; [] if there are none."""
    n_lines = description.skipped_lines
    if not n_lines:
        return []
    lines = "line" if n_lines == 1 else "lines"
    where = "header" if description.header else "first row"
    return [f"{n_lines:,} {lines} before the {where} skipped"]
