"""Where a table is: which local files it is made of, and how they are to be read. No Spark here.

A file is what its first bytes say. A directory is all files beneath it, whatever their depth;
directories named key=value are columns, hidden names (with a dot or an underscore) are no data.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from assay.engine.delimited import quoted_ends
from assay.engine.sniff import HEAD, NotATable, Reading, Sniffed, sniff
from assay.errors import SourceError

__all__ = ["FORMATS", "Part", "Source", "beside", "elsewhere", "extension_of", "located"]

#: names of formats that are read, and extensions that stand for them
FORMATS = {
    "csv": "csv",
    "tsv": "csv",
    "txt": "csv",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "parquet": "parquet",
    "orc": "orc",
}
_PACKED = {"gz": "gzip", "bz2": "bzip2", "zst": "zstd", "lz4": "lz4", "snappy": "snappy"}
_LOCAL = re.compile(r"file:/*(?=/)")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
#: what may be a table of the catalog
_NAME = re.compile(r"(?:\w+|`[^`]+`)(?:\.(?:\w+|`[^`]+`)){0,3}")
_KEY = re.compile(r"[^=]+=.*")
#: so many files of a directory are looked into
_LOOKED_INTO = 500
_BLOCK = 1 << 20
#: what text is expected to shrink to when it is compressed
_SHRUNK = 8
#: so many bytes of a file are searched for ends of lines within quotes
_SEARCHED = 256 << 20


@dataclass(frozen=True)
class Part:
    """Files that are read alike."""

    paths: tuple[str, ...]
    how: Sniffed


@dataclass(frozen=True)
class Source:
    """A table in local files; `root` is the directory beneath which directories are columns.

    `whole` says that the files are all that Spark finds there by itself.
    """

    name: str
    parts: tuple[Part, ...]
    root: str = ""
    whole: bool = False
    notes: tuple[str, ...] = ()

    @property
    def format(self) -> str:
        """What all its files are."""
        return self.parts[0].how.format

    @property
    def files(self) -> int:
        """How many files."""
        return sum(len(each.paths) for each in self.parts)

    @property
    def length(self) -> int:
        """About how many bytes; packed ones count as what they come to, unknown ones as many."""
        if self.format == "delta":
            return sys.maxsize
        paths = (path for part in self.parts for path in part.paths)
        return sum(Path(each).stat().st_size * (_SHRUNK if _packed(each) else 1) for each in paths)


def extension_of(path: str) -> tuple[str | None, str | None]:
    """By its name, the format of a file and its compression.

    >>> extension_of("a/b.CSV.gz"), extension_of("part-0.snappy.parquet"), extension_of("README")
    (('csv', 'gzip'), ('parquet', None), (None, None))
    """
    _, *ends = path.rpartition("/")[2].lower().split(".")
    packed = _PACKED.get(ends[-1]) if ends else None
    inner = ends[:-1] if packed else ends
    return (FORMATS.get(inner[-1]) if inner else None), packed


def _packed(path: str) -> bool:
    return extension_of(path)[1] is not None


def located(given: str, reading: Reading | None = None) -> Source | None:
    """The table at a path of this machine; None if only Spark can know: a path of another
    machine, or a name that the catalog may have.
    """
    how = reading or Reading()
    if elsewhere(given):
        return None
    path = Path(_LOCAL.sub("", given)).expanduser()
    if ":" in str(path) and path.exists():
        raise SourceError.unreadable(given, "Spark reads no path with a colon in it: rename it")
    try:
        if path.is_dir():
            return _directory(given, path.absolute(), how)
        if path.exists():
            return _file(given, path.absolute(), how)
        if glob.has_magic(given):
            found = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - may be absolute
            files = [Path(each).absolute() for each in found if Path(each).is_file()]
            if files:
                return _files(given, files, None, how)
    except OSError as error:
        raise SourceError.unreadable(given, error.strerror or error) from error
    if _NAME.fullmatch(given) and extension_of(given) == (None, None):
        return None
    raise SourceError.missing(given, beside(given))


def elsewhere(given: str) -> bool:
    """Whether a path is one of Spark's, such as s3a://…, and none of this machine."""
    return _ELSEWHERE.match(given) is not None and _LOCAL.match(given) is None


def beside(given: str) -> list[str]:
    """What lies where it should be."""
    try:
        return [each.name for each in Path(given).expanduser().parent.iterdir()]
    except OSError:
        return []


def _file(given: str, path: Path, reading: Reading) -> Source:
    found = _sniffed(path, reading)
    if isinstance(found, NotATable):
        raise SourceError.not_a_table(given, found.reason)
    return Source(given, (Part((str(path),), found),))


def _directory(given: str, root: Path, reading: Reading) -> Source:
    if (root / "_delta_log").is_dir() and reading.format in {None, "delta"}:
        return Source(given, (Part((str(root),), Sniffed("delta")),))
    files = [each for each in _beneath(root) if each.is_file()]
    if not files:
        raise SourceError.not_a_table(given, "it is a directory without files")
    return _files(given, files, root, reading)


def _beneath(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if not any(part.startswith((".", "_")) for part in path.relative_to(root).parts):
            yield path


def _files(given: str, files: Sequence[Path], root: Path | None, reading: Reading) -> Source:
    """Files that make up one table, by how they are read."""
    found: dict[Path, Sniffed | NotATable] = {}
    named = [each for each in files if extension_of(each.name)[0] is not None]
    if named and reading.format is None:
        # beside tables, a file of another name is none
        no_table = NotATable("name", "its name is no table's")
        found = dict.fromkeys((each for each in files if each not in set(named)), no_table)
    every = [each for each in files if each not in found]
    found |= {path: _sniffed(path, reading) for path in every[:: len(every) // _LOOKED_INTO + 1]}
    tables = {path: how for path, how in found.items() if isinstance(how, Sniffed)}
    if not tables:
        path, reason = next(iter(found.items()))
        raise SourceError.not_a_table(given, f"none of its {len(files)} files is: {path}: {reason}")
    formats = Counter(each.format for each in tables.values())
    if len(formats) > 1:
        raise SourceError.mixed(given, formats)
    usual = _key(next(iter(tables.values())))
    groups: dict[Sniffed, list[str]] = {}
    for path in files:
        how = found.get(path)
        if not isinstance(how, NotATable):
            groups.setdefault(usual if how is None else _key(how), []).append(str(path))
    multiline = any(each.multiline for each in tables.values())
    parts = tuple(
        Part(tuple(paths), replace(how, multiline=multiline)) for how, paths in groups.items()
    )
    skipped = {path: each for path, each in found.items() if isinstance(each, NotATable)}
    notes = tuple(_notes(parts, skipped))
    if root is None:
        return Source(given, parts, notes=notes)
    folders = {part for path in files for part in path.relative_to(root).parts[:-1]}
    keys = {each for each in folders if _KEY.fullmatch(each)}
    whole = keys == folders and len(parts) == 1 and not skipped
    return Source(given, parts, str(root) if keys or whole else "", whole, notes)


def _key(how: Sniffed) -> Sniffed:
    """What files must have in common to be read at once."""
    own = how.columns if how.format == "csv" else ()
    same = replace(how, columns=own, bom=False, packed="", ragged=0, multiline=False, seen=0)
    return same if how.format in {"csv", "json"} else Sniffed(how.format)


def _notes(parts: Sequence[Part], skipped: dict[Path, NotATable]) -> Iterator[str]:
    if skipped:
        path, why = next(iter(skipped.items()))
        others = f", and {len(skipped) - 1} more" if len(skipped) > 1 else ""
        yield f"left out: {path.name}, for {why}{others}"
    if len(parts) > 1:
        yield f"its files have {len(parts)} different layouts; their columns are matched by name"


def _sniffed(path: Path, reading: Reading) -> Sniffed | NotATable:
    if reading.format not in {None, "csv", "json"}:
        return Sniffed(reading.format or "")
    with path.open("rb") as file:
        head = file.read(HEAD)
        if head.startswith(b"BZh"):
            head += file.read(_BLOCK)  # nothing comes out before a block is whole
    _, packed = extension_of(path.name)
    found = sniff(head, whole=len(head) < HEAD, reading=reading)
    if isinstance(found, NotATable):
        return found
    if found.format == "parquet" and not _ends(path, (b"PAR1", b"PARE")):
        return NotATable("damaged", "it is a Parquet file that is cut off: its end is missing")
    if found.packed and not packed:
        return NotATable("packed", f"it is compressed ({found.packed}), and its name does not say")
    if packed in {"gzip", "bzip2"} and not found.packed:
        return NotATable("packed", f"its name says that it is compressed ({packed}), and it is not")
    if found.format == "csv" and not found.multiline and found.escape == '"':
        found = replace(found, multiline=quoted_ends(_chunks(path)))
    return found


def _ends(path: Path, magic: tuple[bytes, ...]) -> bool:
    with path.open("rb") as file:
        file.seek(-min(4, path.stat().st_size), os.SEEK_END)
        return path.stat().st_size > 8 and file.read(4) in magic


def _chunks(path: Path) -> Iterator[bytes]:
    opened = {"gzip": gzip.open, "bzip2": bz2.open}.get(extension_of(path.name)[1] or "", open)
    file: BinaryIO
    with cast(BinaryIO, opened(path, "rb")) as file:  # type: ignore[operator]
        read = 0
        while read < _SEARCHED and (chunk := file.read(1 << 20)):
            read += len(chunk)
            yield chunk
