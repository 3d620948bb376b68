"""The table of file formats: one line per format, in the order in which files are tried.

Other packages add a format by an entry point in the group ``assay.formats`` that names an instance
of `assay.io.file_format.FileFormat`, or by `register_format`.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from assay.io.compression import COMPRESSIONS
from assay.io.file_format import FileFormat
from assay.io.formats.columnar import Delta, Orc, Parquet
from assay.io.formats.csv_text import Csv
from assay.io.formats.json_records import Json

__all__ = ["all_formats", "format_by_name", "format_of_file_name", "register_format"]

#: CSV is last: it accepts any text that is laid out as a table
_FORMATS: dict[str, FileFormat] = {
    each.name: each for each in (Parquet(), Orc(), Delta(), Json(), Csv())
}
_GROUP = "assay.formats"


def register_format(file_format: FileFormat) -> None:
    """Add a format, or replace the one of the same name. It is tried before the built-in ones."""
    others = {name: each for name, each in _FORMATS.items() if name != file_format.name}
    _FORMATS.clear()
    _FORMATS.update({file_format.name: file_format, **others})


def all_formats() -> tuple[FileFormat, ...]:
    """Return the registered formats in the order in which they are tried."""
    _load_entry_points()
    return tuple(_FORMATS.values())


def format_by_name(name: str) -> FileFormat | None:
    """Return the format of this name or extension; None if it is not registered.

    Examples
    --------
    >>> format_by_name("tsv").name, format_by_name("avro")
    ('csv', None)
    """
    formats = all_formats()
    by_extension = {extension: each for each in formats for extension in each.extensions}
    return {**by_extension, **{each.name: each for each in formats}}.get(name)


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
    found = format_by_name(inner[-1]) if inner else None
    return (None if found is None or inner[-1] not in found.extensions else found.name), compression


@cache
def _load_entry_points() -> None:
    for entry_point in entry_points(group=_GROUP):
        register_format(entry_point.load())
