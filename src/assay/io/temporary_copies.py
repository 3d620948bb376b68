"""Copies of files in a form that Spark reads, in a temporary folder of this process.

A copy is written in one stream: memory does not grow with the file, and the disk holds the copy
until the process ends. Executors on other machines do not see it.
"""

from __future__ import annotations

import atexit
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

__all__ = ["STDIN", "copied_root", "original_path_sql", "stdin_copy", "temporary_copy"]

#: the source that stands for standard input
STDIN = "-"
_SUFFIX = ".assay-copy"


def temporary_copy(
    path: Path, extension: str, write: Callable[[Path, Path], None], *, part: int = 0
) -> Path:
    """Return the copy of a file, written on first use and again after the file has changed.

    Parameters
    ----------
    extension
        The extension of the copy, such as ``parquet``.
    write
        Write a file, given the path of the original and the path of the copy.
    part
        Number of the part of the original, such as a sheet, that the copy contains.

    Notes
    -----
    The folders above a copy have the names of the original's, so that key=value stays a column.
    """
    path = path.absolute()
    changed = path.stat().st_mtime_ns
    name = f"{path.name}{_SUFFIX}-{changed}-{part}.{extension}"
    copy = _folder() / path.parent.relative_to(path.anchor) / name
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        unfinished = copy.with_name(f".{name}")
        write(path, unfinished)
        unfinished.rename(copy)
    return copy


def original_path_sql(uri_sql: str) -> str:
    """Return SQL for the URI of the original, from the URI of its copy."""
    folder = re.escape(_folder().as_posix())
    pattern = f"^file:(?://)?{folder}(/.*){re.escape(_SUFFIX)}-[0-9]+-[0-9]+[.][a-z]+$"
    return f"regexp_replace({uri_sql}, r'{pattern}', 'file://$1')"


def copied_root(root: str) -> str:
    """Return the folder of the copies of the files in a folder."""
    return str(_folder() / Path(root).relative_to(Path(root).anchor))


@cache
def stdin_copy() -> Path:
    """Return a file with the bytes of standard input, which is read once."""
    path = _folder() / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="assay-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
