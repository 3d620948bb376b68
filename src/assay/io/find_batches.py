"""Find the batches in files: one file, folder or Hive partition for each.

Files that do not belong to the table are left out, with the reason.
"""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from assay.errors import SourceError
from assay.io.batch_files import BatchFile
from assay.io.batch_layout import BatchLayout
from assay.io.batch_names import (
    choose_key_columns,
    has_data_name,
    key_of_partitions,
    key_of_path,
    partition_type,
    partitions_of,
    time_in_key,
    time_in_name,
    time_of_partitions,
)
from assay.io.detect import detect_file
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.foreign_files import foreign_files
from assay.io.locations import TABLE_LOGS, is_catalog_name, is_remote, siblings
from assay.io.temporary_copies import STDIN

__all__ = ["FoundBatches", "find_batches"]

#: names of files that Spark and Hive write: parts of one table
_PART = re.compile(r"part-\d+|\d{6}_\d+\b")

Descriptions = Mapping[Path, FileDescription | NotATable]


@dataclass(frozen=True, slots=True)
class FoundBatches:
    """The batches in files, oldest first.

    Attributes
    ----------
    layout
        How the path of a file names its batch.
    descriptions
        The format of each file.
    left_out
        Files that do not belong to the table, with the reason.
    """

    batches: tuple[BatchFile, ...]
    layout: BatchLayout = field(default_factory=BatchLayout)
    descriptions: Descriptions = field(default_factory=dict)
    left_out: Mapping[Path, str] = field(default_factory=dict)

    def as_one(self, key: str) -> FoundBatches:
        """Return all files as one batch. All partition columns are then columns of its rows."""
        files = tuple(path for batch in self.batches for path in batch.files)
        columns = _partition_types([partitions_of(path.parent) for path in files])
        layout = self.layout
        if len(self.batches) > 1:
            layout = replace(layout, key_columns=(), columns=columns)
        time = max(batch.time for batch in self.batches)
        batch = BatchFile(key, time, files[0], files if len(files) > 1 else ())
        return replace(self, batches=(batch,), layout=layout)


def find_batches(
    sources: Sequence[str],
    options: ReadOptions | None = None,
    *,
    by: Sequence[str] = (),
    where: str | None = None,
) -> FoundBatches | None:
    """Find the batches in files and folders of this machine.

    Parameters
    ----------
    sources
        Files, folders, or patterns such as ``data/2026-*``.
    by
        Partition columns that name the batches. By default those of the time, else the first.
    where
        SQL condition on the rows.

    Returns
    -------
    FoundBatches or None
        None if the batches are not in separate files. Examples are a table of the catalog, a remote
        path, a Delta or Hudi table, or columns that are not partitions.

    Raises
    ------
    SourceError
        If a path does not exist or has no files, or two files have the same key.
    """
    options = options or ReadOptions()
    expanded = [_expand(source) for source in sources]
    roots = [root for paths in expanded for root in paths or ()]
    if None in expanded or any((root / log).is_dir() for root in roots for log in TABLE_LOGS):
        return None
    files = sorted({path for root in roots for path in _files(root)})
    if not files:
        raise SourceError.no_batches(", ".join(sources))
    #: folders whose files are batches, since the user named them or their files
    named = {Path(source).expanduser().absolute() for source in sources}
    named |= {root.parent for root in roots if root.is_file()}
    partitions = _partitions(files, named)
    columns = Counter(map(tuple, partitions.values())).most_common(1)[0][0] if partitions else ()
    if by and not set(by) <= set(columns):
        return None
    if columns:
        left_out = _outside_partitions(files, partitions, columns)
    else:
        left_out = _below_files(files, named)
    left_out |= _without_data_name([path for path in files if path not in left_out])
    remaining = [path for path in files if path not in left_out]
    if columns:
        located = _in_partitions({path: partitions[path] for path in remaining}, tuple(by))
    else:
        located = _in_files_or_folders(remaining, named)
    descriptions = {path: detect_file(path, options) for path in remaining}
    left_out |= foreign_files(
        located.batches, descriptions, keep_batches=located.layout != BatchLayout()
    )
    batches = sorted(_without(located.batches, left_out), key=lambda batch: (batch.time, batch.key))
    layout = replace(located.layout, where=where)
    return FoundBatches(tuple(batches), layout, descriptions, left_out)


def _expand(source: str) -> list[Path] | None:
    """Return the paths of a source; None if only Spark can know them."""
    if is_remote(source) or source == STDIN:
        return None
    path = Path(source).expanduser().absolute()
    if path.exists():
        return [path]
    if glob.has_magic(source):
        matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - may be absolute
        if matches:
            return [Path(match) for match in matches]
    if is_catalog_name(source) and not has_data_name(source):
        return None
    raise SourceError.missing(source, siblings(source))


def _files(root: Path) -> Iterator[Path]:
    """Yield a file, or the files below a folder that are not hidden."""
    if root.is_file():
        yield root
        return
    for path in root.rglob("*"):
        is_hidden = any(part[0] in "._" for part in path.relative_to(root).parts)
        if path.is_file() and not is_hidden:
            yield path


def _partitions(files: Sequence[Path], named: Set[Path]) -> dict[Path, dict[str, str]]:
    """Return the partitions of the files that are in any.

    A partition without a time can also be a folder with a file for each batch: the names of its
    files then have a time.
    """
    partitions = {path: values for path in files if (values := partitions_of(path.parent))}
    is_one_folder = len({path.parent for path in partitions}) == 1
    is_named = all(path.parent in named for path in partitions)
    have_times = all(
        time_in_name(path.name) and not time_of_partitions(values)
        for path, values in partitions.items()
    )
    return {} if is_one_folder and is_named and have_times else partitions


def _outside_partitions(
    files: Sequence[Path], partitions: Mapping[Path, Mapping[str, str]], columns: Sequence[str]
) -> dict[Path, str]:
    reason = f"it is not in a folder of {'/'.join(f'{name}=…' for name in columns)}"
    return {path: reason for path in files if tuple(partitions.get(path, ())) != tuple(columns)}


def _below_files(files: Sequence[Path], named: Set[Path]) -> dict[Path, str]:
    """Return the files in folders that lie beside the files of batches."""
    with_files = {path.parent for path in files if has_data_name(path.name)} & named
    reason = "it is in a folder beside the files of batches"
    return {
        path: reason
        for path in files
        if path.parent not in with_files and not with_files.isdisjoint(path.parents)
    }


def _without_data_name(files: Sequence[Path]) -> dict[Path, str]:
    """Return the files without an extension of a known format, if others have one."""
    others = [path for path in files if not has_data_name(path.name)]
    if len(others) == len(files):
        return {}
    return dict.fromkeys(others, "its name has no extension of a known format")


def _in_partitions(
    partitions: Mapping[Path, Mapping[str, str]], by: tuple[str, ...]
) -> FoundBatches:
    key_columns = by or choose_key_columns(list(partitions.values()))
    files: dict[str, list[Path]] = {}
    values_of: dict[str, dict[str, str]] = {}
    for path, values in partitions.items():
        in_key = {name: values[name] for name in key_columns}
        key = key_of_partitions(in_key)
        files.setdefault(key, []).append(path)
        values_of[key] = in_key
    types = _partition_types(list(partitions.values()))
    others = {name: kind for name, kind in types.items() if name not in key_columns}
    batches = tuple(
        BatchFile(
            key, time_of_partitions(values_of[key]) or _modified(paths), paths[0].parent,
            tuple(paths),
        )
        for key, paths in files.items()
    )  # fmt: skip
    return FoundBatches(batches, BatchLayout(key_columns, others))


def _partition_types(partitions: Sequence[Mapping[str, str]]) -> dict[str, str]:
    names = dict.fromkeys(name for values in partitions for name in values)
    return {
        name: partition_type([values[name] for values in partitions if name in values])
        for name in names
    }


def _in_files_or_folders(files: Sequence[Path], named: Set[Path]) -> FoundBatches:
    """Make a batch of each file in the folders that the user named, else of each folder.

    Files that Spark or Hive wrote as parts of one table are the batch of their folder. Files with
    a time each, in a folder without one, are batches in any folder.
    """
    folders: dict[Path, list[Path]] = {}
    for path in files:
        folders.setdefault(path.parent, []).append(path)
    keys = Counter(key_of_path(path, is_folder=False) for path in files)
    has_same_keys = len(folders) > 1 and max(keys.values()) > 1
    if all(_PART.match(path.name) for path in files):
        by_folder = True
    elif all(_has_file_per_time(folder, paths) for folder, paths in folders.items()):
        by_folder = False
    else:
        by_folder = has_same_keys or not folders.keys() <= named
    units = list(folders.items()) if by_folder else [(path, [path]) for path in files]
    batches: dict[str, BatchFile] = {}
    for unit, paths in units:
        key = key_of_path(unit, is_folder=by_folder)
        if key in batches:
            raise SourceError.same_batch(key, str(batches[key].path), str(unit))
        time = time_in_key(key) or time_in_name(unit.name) or _modified(paths)
        batches[key] = BatchFile(key, time, unit, tuple(paths) if by_folder else ())
    return FoundBatches(tuple(batches.values()), BatchLayout(by_folder=by_folder))


def _has_file_per_time(folder: Path, files: Sequence[Path]) -> bool:
    """Return whether each file of a folder is of another time, and the folder itself of none."""
    times = [time_in_name(path.name) for path in files]
    of_folder = time_in_key(key_of_path(folder, is_folder=True))
    return of_folder is None and all(times) and len(set(times)) == len(times) > 1


def _modified(paths: Sequence[Path]) -> datetime:
    return datetime.fromtimestamp(max(path.stat().st_mtime for path in paths), UTC)


def _without(batches: Iterable[BatchFile], left_out: Collection[Path]) -> Iterator[BatchFile]:
    for batch in batches:
        files = tuple(path for path in batch.files if path not in left_out)
        if files:
            yield replace(batch, parts=files if batch.parts else ())
