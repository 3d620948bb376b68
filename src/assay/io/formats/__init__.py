"""The table of file formats: one line per format, in the order in which they are tried.

Other packages add a format by an entry point in the group ``assay.formats`` or by
`register_format`. The entry point names an instance of `assay.io.file_format.FileFormat`.
"""

from __future__ import annotations

from pathlib import Path

from assay.io.compression import COMPRESSIONS
from assay.io.file_format import FileDescription, FileFormat, ReadOptions
from assay.io.formats.arrow import Arrow
from assay.io.formats.columnar import Delta, Orc, Parquet
from assay.io.formats.csv_text import Csv
from assay.io.formats.excel import Excel
from assay.io.formats.json_records import Json
from assay.plugins import load_plugins

__all__ = [
    "all_formats",
    "format_by_name",
    "format_of_file_name",
    "readable_path",
    "register_format",
]

#: CSV is last: it accepts any text that is laid out as a table
_BUILT_IN: tuple[FileFormat, ...] = (
    Parquet(),
    Orc(),
    Delta(),
    Arrow(),
    Excel(),
    Json(),
    Csv(),
)
#: formats that `register_format` added, the latest first
_registered: list[FileFormat] = []


def register_format(file_format: FileFormat) -> None:
    """Add a format, or replace the one of the same name. It is tried before all others."""
    _registered.insert(0, file_format)


def all_formats() -> tuple[FileFormat, ...]:
    """Return the formats in the order in which they are tried: added ones, then built-in ones."""
    plugins = (file_format for _, file_format in load_plugins("assay.formats"))
    formats: dict[str, FileFormat] = {}
    for file_format in (*_registered, *plugins, *_BUILT_IN):
        formats.setdefault(file_format.name, file_format)
    return tuple(formats.values())


def format_by_name(name: str) -> FileFormat | None:
    """Return the format of this name or extension; None if there is none.

    Examples
    --------
    >>> format_by_name("tsv").name, format_by_name("avro")
    ('csv', None)
    """
    formats = all_formats()
    by_extension = {
        extension: file_format for file_format in formats for extension in file_format.extensions
    }
    by_name = {file_format.name: file_format for file_format in formats}
    return {**by_extension, **by_name}.get(name)


def format_of_file_name(path: str) -> tuple[str | None, str | None]:
    """Return the format and the compression that the name of a file promises.

    Examples
    --------
    >>> format_of_file_name("a/b.CSV.gz"), format_of_file_name("part-0.snappy.parquet")
    (('csv', 'gzip'), ('parquet', None))
    """
    _, *extensions = path.rpartition("/")[2].lower().split(".")
    compression = COMPRESSIONS.get(extensions[-1]) if extensions else None
    inner = extensions[:-1] if compression else extensions
    file_format = format_by_name(inner[-1]) if inner else None
    if file_format is None or inner[-1] not in file_format.extensions:
        return None, compression
    return file_format.name, compression


def readable_path(path: Path, description: FileDescription) -> Path:
    """Return the file that Spark reads: the file itself, or its copy in another format."""
    file_format = format_by_name(description.converted_from)
    copy = (
        None
        if file_format is None
        else file_format.convert(path, ReadOptions(sheet=description.sheet or None))
    )
    return copy if isinstance(copy, Path) else path
