"""Locate a table on this machine: its files and how each is read. No Spark here.

The first bytes of a file decide its format. A directory is all files below it, at any depth.
Directories named key=value are columns; names that begin with a dot or an underscore are ignored.
"""

from __future__ import annotations

import glob
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import SourceError
from assay.io.compression import read_chunks
from assay.io.csv_records import has_quoted_line_end
from assay.io.detect import detect_file
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.formats import format_by_name, format_of_file_name
from assay.io.temporary_copies import STDIN, stdin_copy

__all__ = [
    "TABLE_LOGS",
    "FileGroup",
    "LocalTable",
    "is_catalog_name",
    "is_remote",
    "locate_table",
    "siblings",
]

#: folders of a table's log, with its format. Some of the table's files hold rows of old versions.
TABLE_LOGS = {"_delta_log": "delta", ".hoodie": "hudi"}
_LOCAL = re.compile(r"file:/*(?=/)")
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_CATALOG_NAME = re.compile(r"(?:\w+|`[^`]+`)(?:\.(?:\w+|`[^`]+`)){0,3}")
_KEY_VALUE = re.compile(r"[^=]+=.*")
#: files of a directory whose bytes are examined; the others are taken to be like the first
_MAX_EXAMINED = 500
#: bytes of the other files that are searched for line ends within quotes
_SEARCHED_BYTES = 256 << 20
#: how many times larger text is expected to be than its compressed file
_COMPRESSION_FACTOR = 8


@dataclass(frozen=True)
class FileGroup:
    """Files that are read with the same options."""

    paths: tuple[str, ...]
    description: FileDescription


@dataclass(frozen=True)
class LocalTable:
    """A table in local files.

    Attributes
    ----------
    name
        The path as the user wrote it.
    root
        Directory below which directories named key=value are columns; "" if there are none.
    is_whole
        True if Spark reads exactly these files when it is given `root`.
    notes
        Sentences about files that were left out or differ.
    """

    name: str
    groups: tuple[FileGroup, ...]
    root: str = ""
    is_whole: bool = False
    notes: tuple[str, ...] = ()

    @property
    def format(self) -> str:
        """Return the format of all files."""
        return self.groups[0].description.format

    @property
    def n_files(self) -> int:
        """Return the number of files."""
        return sum(len(group.paths) for group in self.groups)

    @property
    def length(self) -> int:
        """Estimate the bytes of all files, decompressed; a Delta or Iceberg table is very large."""
        if self.format in {"delta", "iceberg"}:
            return sys.maxsize
        paths = (path for group in self.groups for path in group.paths)
        return sum(
            Path(path).stat().st_size
            * (_COMPRESSION_FACTOR if format_of_file_name(path)[1] is not None else 1)
            for path in paths
        )


def locate_table(source: str, options: ReadOptions | None = None) -> LocalTable | None:
    """Find the files of a table on this machine.

    Returns
    -------
    LocalTable or None
        None if only Spark can know: a remote path, or a name that may be in the catalog.

    Raises
    ------
    SourceError
        If the path does not exist or is not a table.
    """
    options = options or ReadOptions()
    if is_remote(source):
        return None
    if source == STDIN:
        return _file(source, stdin_copy(), options)
    path = Path(_LOCAL.sub("", source)).expanduser()
    if ":" in str(path) and path.exists():
        raise SourceError.unreadable(
            source, "Spark cannot read paths that contain a colon. Rename it"
        )
    try:
        if path.is_dir():
            return _directory(source, path.absolute(), options)
        if path.exists():
            return _file(source, path.absolute(), options)
        if glob.has_magic(source):
            matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - may be absolute
            files = [Path(match).absolute() for match in matches if Path(match).is_file()]
            if files:
                return _files(source, files, None, options)
    except OSError as error:
        raise SourceError.unreadable(source, error.strerror or error) from error
    if is_catalog_name(source) and format_of_file_name(source) == (None, None):
        return None
    raise SourceError.missing(source, siblings(source))


def is_catalog_name(source: str) -> bool:
    """Return whether a source has the form of a table's name in the catalog."""
    return _CATALOG_NAME.fullmatch(source) is not None


def is_remote(source: str) -> bool:
    """Return whether only Spark can read a path, such as s3a://…"""
    return _REMOTE.match(source) is not None and _LOCAL.match(source) is None


def siblings(source: str) -> list[str]:
    """Return the names in the folder of a path that does not exist."""
    try:
        return [path.name for path in Path(source).expanduser().parent.iterdir()]
    except OSError:
        return []


def _file(source: str, path: Path, options: ReadOptions) -> LocalTable:
    description = detect_file(path, options)
    if isinstance(description, NotATable):
        raise SourceError.not_a_table(source, description.reason)
    return LocalTable(source, (FileGroup((str(path),), description),))


def _directory(source: str, root: Path, options: ReadOptions) -> LocalTable:
    for log, name in TABLE_LOGS.items():
        if (root / log).is_dir() and options.format in {None, name}:
            return LocalTable(source, (FileGroup((str(root),), FileDescription(name)),))
    is_iceberg = any((root / "metadata").glob("*.metadata.json"))
    if is_iceberg and options.format in {None, "iceberg"}:
        return LocalTable(source, (FileGroup((str(root),), FileDescription("iceberg")),))
    files = [path for path in _visible_paths(root) if path.is_file()]
    if not files:
        raise SourceError.not_a_table(source, "it is a directory without files")
    return _files(source, files, root, options)


def _visible_paths(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if not any(part.startswith((".", "_")) for part in path.relative_to(root).parts):
            yield path


def _files(
    source: str, files: Sequence[Path], root: Path | None, options: ReadOptions
) -> LocalTable:
    """Group the files of one table by their description."""
    descriptions = _describe_files(files, options)
    tables = {
        path: description
        for path, description in descriptions.items()
        if isinstance(description, FileDescription)
    }
    if not tables:
        path, problem = next(iter(descriptions.items()))
        reason = f"none of its {len(files):,} files is a table. {path}: {problem}"
        raise SourceError.not_a_table(source, reason)
    formats = Counter(description.format for description in tables.values())
    if len(formats) > 1:
        raise SourceError.mixed(source, formats)
    usual = _common_part(next(iter(tables.values())))
    paths: dict[FileDescription, list[str]] = {}
    for path in files:
        description = descriptions.get(path)
        if not isinstance(description, NotATable):
            key = usual if description is None else _common_part(description)
            paths.setdefault(key, []).append(str(path))
    multiline = any(description.multiline for description in tables.values())
    if usual.format == "csv" and not multiline:
        multiline = _have_quoted_line_ends(
            [path for path in files if path not in descriptions], usual
        )
    groups = tuple(
        FileGroup(tuple(group), replace(description, multiline=multiline))
        for description, group in paths.items()
    )
    skipped = {
        path: problem for path, problem in descriptions.items() if isinstance(problem, NotATable)
    }
    notes = tuple(_notes(groups, skipped))
    if root is None:
        return LocalTable(source, groups, notes=notes)
    folders = {part for path in files for part in path.relative_to(root).parts[:-1]}
    keys = {folder for folder in folders if _KEY_VALUE.fullmatch(folder)}
    has_copies = any(group.description.converted_from for group in groups)
    is_whole = keys == folders and len(groups) == 1 and not skipped and not has_copies
    return LocalTable(source, groups, str(root) if keys or is_whole else "", is_whole, notes)


def _describe_files(
    files: Sequence[Path], options: ReadOptions
) -> dict[Path, FileDescription | NotATable]:
    """Describe the files, or evenly spaced ones if there are many.

    If some names have the extension of a format, files of other names are not data.
    """
    ignored: dict[Path, FileDescription | NotATable] = {}
    is_data = {path: format_of_file_name(path.name)[0] is not None for path in files}
    if any(is_data.values()) and options.format is None:
        other = NotATable("name", "its name has no extension of a known format")
        ignored = {path: other for path in files if not is_data[path]}
    data = [path for path in files if path not in ignored]
    examined = data[:: len(data) // _MAX_EXAMINED + 1]
    return ignored | {path: detect_file(path, options) for path in examined}


def _have_quoted_line_ends(paths: Sequence[Path], description: FileDescription) -> bool:
    """Return whether files that were not examined may have line ends within quotes.

    If there are too many bytes to search, the answer is True: reading is then slower, but correct.
    """
    n_left = _SEARCHED_BYTES
    for path in paths:
        n_left -= path.stat().st_size
        if n_left < 0:
            return True
        chunks = read_chunks(path, format_of_file_name(path.name)[1], _SEARCHED_BYTES)
        if has_quoted_line_end(chunks, description.csv_dialect):
            return True
    return False


def _common_part(description: FileDescription) -> FileDescription:
    """Return what files must have in common to be read together."""
    file_format = format_by_name(description.format)
    if file_format is None or not file_format.is_text:
        return FileDescription(description.format, converted_from=description.converted_from)
    columns = () if file_format.has_types else description.columns
    return replace(
        description, columns=columns, bom=False, compression="", n_ragged=0, multiline=False
    )


def _notes(groups: Sequence[FileGroup], skipped: dict[Path, NotATable]) -> Iterator[str]:
    if skipped:
        path, problem = next(iter(skipped.items()))
        others = f", and {len(skipped) - 1} more" if len(skipped) > 1 else ""
        yield f"left out: {path.name} ({problem}){others}"
    if len(groups) > 1:
        yield f"its files have {len(groups)} different layouts; their columns are matched by name"
