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
from assay.io.detect import detect_file
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.formats import format_by_name, format_of_file_name

__all__ = ["FileGroup", "LocalTable", "is_remote", "locate_table", "siblings"]

_LOCAL = re.compile(r"file:/*(?=/)")
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_CATALOG_NAME = re.compile(r"(?:\w+|`[^`]+`)(?:\.(?:\w+|`[^`]+`)){0,3}")
_KEY_VALUE = re.compile(r"[^=]+=.*")
#: files of a directory whose bytes are examined; the others are taken to be like the first
_MAX_EXAMINED = 500
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
        The path as the user gave it.
    root
        Directory below which directories named key=value are columns; "" if there are none.
    is_whole
        Spark finds exactly these files by itself in `root`.
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
        """Estimate the bytes of all files, decompressed; a Delta table counts as very large."""
        if self.format == "delta":
            return sys.maxsize
        paths = (path for group in self.groups for path in group.paths)
        return sum(
            Path(path).stat().st_size
            * (_COMPRESSION_FACTOR if format_of_file_name(path)[1] is not None else 1)
            for path in paths
        )


def locate_table(given: str, options: ReadOptions | None = None) -> LocalTable | None:
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
    if is_remote(given):
        return None
    path = Path(_LOCAL.sub("", given)).expanduser()
    if ":" in str(path) and path.exists():
        raise SourceError.unreadable(given, "Spark reads no path with a colon in it: rename it")
    try:
        if path.is_dir():
            return _directory(given, path.absolute(), options)
        if path.exists():
            return _file(given, path.absolute(), options)
        if glob.has_magic(given):
            found = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - may be absolute
            files = [Path(each).absolute() for each in found if Path(each).is_file()]
            if files:
                return _files(given, files, None, options)
    except OSError as error:
        raise SourceError.unreadable(given, error.strerror or error) from error
    if _CATALOG_NAME.fullmatch(given) and format_of_file_name(given) == (None, None):
        return None
    raise SourceError.missing(given, siblings(given))


def is_remote(given: str) -> bool:
    """Return whether only Spark can read a path, such as s3a://…"""
    return _REMOTE.match(given) is not None and _LOCAL.match(given) is None


def siblings(given: str) -> list[str]:
    """Return the names in the directory of a path that does not exist."""
    try:
        return [path.name for path in Path(given).expanduser().parent.iterdir()]
    except OSError:
        return []


def _file(given: str, path: Path, options: ReadOptions) -> LocalTable:
    description = detect_file(path, options)
    if isinstance(description, NotATable):
        raise SourceError.not_a_table(given, description.reason)
    return LocalTable(given, (FileGroup((str(path),), description),))


def _directory(given: str, root: Path, options: ReadOptions) -> LocalTable:
    if (root / "_delta_log").is_dir() and options.format in {None, "delta"}:
        return LocalTable(given, (FileGroup((str(root),), FileDescription("delta")),))
    files = [path for path in _visible_paths(root) if path.is_file()]
    if not files:
        raise SourceError.not_a_table(given, "it is a directory without files")
    return _files(given, files, root, options)


def _visible_paths(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if not any(part.startswith((".", "_")) for part in path.relative_to(root).parts):
            yield path


def _files(
    given: str, files: Sequence[Path], root: Path | None, options: ReadOptions
) -> LocalTable:
    """Group the files of one table by their description."""
    found = _described(files, options)
    tables = {path: each for path, each in found.items() if isinstance(each, FileDescription)}
    if not tables:
        path, problem = next(iter(found.items()))
        reason = f"none of its {len(files)} files is: {path}: {problem}"
        raise SourceError.not_a_table(given, reason)
    formats = Counter(each.format for each in tables.values())
    if len(formats) > 1:
        raise SourceError.mixed(given, formats)
    usual = _shared(next(iter(tables.values())))
    paths: dict[FileDescription, list[str]] = {}
    for path in files:
        description = found.get(path)
        if not isinstance(description, NotATable):
            key = usual if description is None else _shared(description)
            paths.setdefault(key, []).append(str(path))
    multiline = any(each.multiline for each in tables.values())
    groups = tuple(
        FileGroup(tuple(own), replace(description, multiline=multiline))
        for description, own in paths.items()
    )
    skipped = {path: each for path, each in found.items() if isinstance(each, NotATable)}
    notes = tuple(_notes(groups, skipped))
    if root is None:
        return LocalTable(given, groups, notes=notes)
    folders = {part for path in files for part in path.relative_to(root).parts[:-1]}
    keys = {folder for folder in folders if _KEY_VALUE.fullmatch(folder)}
    is_whole = keys == folders and len(groups) == 1 and not skipped
    return LocalTable(given, groups, str(root) if keys or is_whole else "", is_whole, notes)


def _described(
    files: Sequence[Path], options: ReadOptions
) -> dict[Path, FileDescription | NotATable]:
    """Describe the files, or evenly spaced ones if there are many.

    If some names have the extension of a format, files of other names are not data.
    """
    found: dict[Path, FileDescription | NotATable] = {}
    is_data = {path: format_of_file_name(path.name)[0] is not None for path in files}
    if any(is_data.values()) and options.format is None:
        other = NotATable("name", "its name does not end like that of a table")
        found = {path: other for path in files if not is_data[path]}
    rest = [path for path in files if path not in found]
    examined = rest[:: len(rest) // _MAX_EXAMINED + 1]
    return found | {path: detect_file(path, options) for path in examined}


def _shared(description: FileDescription) -> FileDescription:
    """Return what files must have in common to be read together."""
    file_format = format_by_name(description.format)
    if file_format is None or not file_format.is_text:
        return FileDescription(description.format)
    columns = () if file_format.has_types else description.columns
    return replace(
        description, columns=columns, bom=False, compression="", n_ragged=0, multiline=False
    )


def _notes(groups: Sequence[FileGroup], skipped: dict[Path, NotATable]) -> Iterator[str]:
    if skipped:
        path, problem = next(iter(skipped.items()))
        others = f", and {len(skipped) - 1} more" if len(skipped) > 1 else ""
        yield f"left out: {path.name}, for {problem}{others}"
    if len(groups) > 1:
        yield f"its files have {len(groups)} different layouts; their columns are matched by name"
