"""The contract of a file format: how its files are recognised and how Spark reads them.

A format is a subclass of `FileFormat` in a module of its own and one line in `assay.io.formats`.
Other packages add formats through the entry point group ``assay.formats``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

__all__ = ["FileDescription", "FileFormat", "FileHead", "NotATable", "ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """Properties of files that the user states. None means that Assay detects them."""

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    null: str | None = None


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
        Names in the first line of a CSV file, or in the first JSON record; () if unknown.
    json_lines
        Each line is one JSON record.
    multiline
        A quoted value contains a line end.
    n_ragged
        Records that have another number of fields than most.
    n_records
        Records that were examined.
    ascii
        All examined characters are ASCII, so that the encoding cannot be known.
    """

    format: str
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    header: bool = True
    json_lines: bool = True
    multiline: bool = False
    escape: str = '"'
    encoding: str = "utf-8"
    bom: bool = False
    compression: str = ""
    n_ragged: int = 0
    n_records: int = field(default=0, compare=False)
    ascii: bool = field(default=False, compare=False)

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

    def reader_options(
        self, description: FileDescription, options: ReadOptions
    ) -> Mapping[str, Any]:
        """Return the options of Spark's reader."""
        return {}

    def field_kinds(self, path: Path, description: FileDescription) -> Mapping[str, str | None]:
        """Return the names of a file's fields with their kinds, where the file states them.

        Batch files with equal fields are read together. The kind is None if it is unknown.
        """
        return {}

    def describe(self, description: FileDescription) -> str:
        """Describe a file in a few words."""
        return self.label
