"""The contract of a file format: how its files are recognised and how Spark reads them.

A format is a subclass of `FileFormat` in a module of its own and one line in `assay.io.formats`.
Other packages add formats through the entry point group ``assay.formats``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.analyzers.schema import quote
from assay.io.csv_records import CsvDialect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.io.load_request import LoadRequest

__all__ = ["FileDescription", "FileFormat", "FileHead", "NotATable", "ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """Properties of files that the user states. None means that Assay detects them.

    Attributes
    ----------
    format
        Name of a format, such as ``csv``.
    delimiter
        One character between the fields of CSV.
    header
        True if the first CSV line holds the names of the columns.
    null
        CSV text that means null.
    quote
        The quote character of CSV; "" if quotes have no meaning.
    escape
        The character before a quote within quotes: the quote itself, or a backslash.
    skip_lines
        Lines before the header of a CSV file, blank ones included.
    header_rows
        Rows of the CSV header; 0 without one. Names of several rows are joined.
    sheet
        Name of the sheet of a workbook. None for the first sheet with values.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    null: str | None = None
    quote: str | None = None
    escape: str | None = None
    skip_lines: int | None = None
    header_rows: int | None = None
    sheet: str | None = None

    @property
    def states_csv(self) -> bool:
        """True if the user states a format, or a part of the layout of CSV files."""
        stated = (self.delimiter, self.quote, self.escape, self.skip_lines, self.header_rows)
        return self.format is not None or any(option is not None for option in stated)


@dataclass(frozen=True)
class NotATable:
    """Why a file is not a table. The sentence continues the name of the file."""

    code: str
    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, repr=False)
class FileDescription:
    """The format of a file and what its reader must know.

    Attributes
    ----------
    format
        Name of a registered format.
    columns
        Names in the header of a CSV file, or in the first JSON record; () if unknown.
    n_columns
        Fields of most CSV records; 0 if unknown.
    quote, escape
        The quote character of CSV, and the character before a quote within quotes.
    padded
        Spaces around a CSV delimiter are not part of a value.
    header_rows
        Rows of the CSV header.
    skipped_lines, skipped_records, skipped_white_space
        Lines before the CSV header, records before it, and lines of white space among these.
    ends_with_delimiter
        Some CSV rows end with a delimiter that separates nothing.
    json_lines
        Each line is one JSON record.
    multiline
        A quoted value contains a line end.
    n_ragged
        Examined records that have more or fewer fields than columns.
    ragged_lines
        Line and number of fields of the first ragged records.
    converted_from
        Name of the format whose files Spark reads as a copy in `format`; "" for no copy.
    sheet
        Name of the sheet that the user states, for a copy of a workbook.
    notes
        Sentences about what a copy lacks, such as other sheets.
    ascii
        All examined characters are ASCII, so that the encoding cannot be known.
    """

    format: str
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    header_rows: int = 1
    json_lines: bool = True
    multiline: bool = False
    quote: str = '"'
    escape: str = '"'
    padded: bool = False
    n_columns: int = 0
    skipped_lines: int = 0
    skipped_records: int = 0
    skipped_white_space: int = 0
    ends_with_delimiter: bool = False
    encoding: str = "utf-8"
    bom: bool = False
    compression: str = ""
    converted_from: str = ""
    sheet: str = ""
    n_ragged: int = field(default=0, compare=False)
    ragged_lines: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    ascii: bool = field(default=False, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def header(self) -> bool:
        """True if a CSV file has a header."""
        return self.header_rows > 0

    @property
    def is_read_whole(self) -> bool:
        """True if Spark must read a CSV file as a whole instead of by line.

        In UTF-16, Spark splits lines wrongly.
        """
        return self.multiline or self.encoding.startswith("utf-16")

    @property
    def csv_dialect(self) -> CsvDialect:
        """How the fields of a CSV file are separated, quoted and escaped."""
        return CsvDialect(self.delimiter, self.quote, self.escape, self.padded)

    def __repr__(self) -> str:
        shown = {
            attribute.name: getattr(self, attribute.name)
            for attribute in fields(self)
            if attribute.compare and getattr(self, attribute.name) != attribute.default
        }
        return f"FileDescription({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


@dataclass(frozen=True)
class FileHead:
    """The first bytes of a file, decompressed, and their text if they are text.

    `is_whole` is false if the file has more bytes.
    """

    content: bytes
    text: str = ""
    is_whole: bool = True


class FileFormat:
    """A file format that Spark reads.

    Attributes
    ----------
    name
        Name of the format, and of Spark's data source unless `source` is set.
    label
        Name for people.
    extensions
        Extensions of file names, lower case, without a dot.
    is_text
        `recognise` gets decoded text. Binary formats are tried first.
    has_types
        Files carry the types of their columns. Otherwise `assay.io.column_types` chooses them.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]] = ()
    source: ClassVar[str | None] = None
    is_text: ClassVar[bool] = False
    has_types: ClassVar[bool] = True

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        """Describe a file of this format by its first bytes.

        Returns
        -------
        FileDescription, NotATable or None
            None if the file has another format; `NotATable` if it has this one and is not a table.
        """
        raise NotImplementedError

    def check_file(self, path: Path) -> NotATable | None:
        """Look at more than the first bytes of a recognised file; None if it can be read."""
        return None

    def convert(self, path: Path, options: ReadOptions) -> Path | NotATable | None:
        """Return a copy of a file in a format that Spark reads; None if Spark reads the file."""
        return None

    def copy_notes(self, path: Path, options: ReadOptions) -> tuple[str, ...]:
        """Return sentences about what the copy of a file lacks."""
        return ()

    def reader_options(
        self, description: FileDescription, options: ReadOptions
    ) -> Mapping[str, Any]:
        """Return the options of Spark's reader."""
        return {}

    def load(self, request: LoadRequest) -> DataFrame:
        """Read files. Columns of files without types are strings."""
        reader = request.spark.read.format(self.source or self.name)
        reader = reader.options(**self.reader_options(request.description, request.options))
        if request.names and not self.has_types:
            reader = reader.schema(", ".join(f"{quote(name)} string" for name in request.names))
        return request.with_file_column(request.load(reader))

    def field_kinds(self, path: Path, description: FileDescription) -> Mapping[str, str | None]:
        """Return the names of a file's fields with their kinds, where the file states them.

        Batch files with equal fields are read together. The kind is None if it is unknown.
        """
        return {}

    def describe(self, description: FileDescription) -> str:
        """Describe a file in a few words."""
        return self.label
