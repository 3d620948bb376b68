"""Find files in a folder of batches that belong to other tables, such as a README."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from assay.io.batch_files import BatchFile
from assay.io.batch_names import key_of_path, without_time
from assay.io.file_format import FileDescription, NotATable
from assay.io.formats import format_by_name

__all__ = ["foreign_files"]

#: a file with fewer of the usual columns, and with another name, belongs to another table
_MIN_COMMON_COLUMNS = 0.5
#: fewer files of the same columns do not show what is usual
_MIN_USUAL_FILES = 2


def foreign_files(
    batches: Iterable[BatchFile],
    descriptions: Mapping[Path, FileDescription | NotATable],
    *,
    keep_batches: bool,
) -> dict[Path, str]:
    """Return the files of other tables, with the reason.

    They have another name than most files, and other content. A file with the usual name and other
    content is a bad delivery of this table, and stays.

    Parameters
    ----------
    keep_batches
        A batch that would have no other file keeps its files.
    """
    batches = tuple(batches)
    files = [path for batch in batches for path in batch.files]
    columns = {path: _columns(path, descriptions[path]) for path in files}
    most_common = Counter(filter(None, columns.values())).most_common(1)
    if not most_common or most_common[0][1] < _MIN_USUAL_FILES:
        return {}
    ((usual, _),) = most_common
    usual_names = {_shape(path) for path in files if columns[path] == usual}
    foreign: dict[Path, str] = {}
    for path in files:
        description = descriptions[path]
        if _shape(path) in usual_names:
            continue
        if isinstance(description, NotATable):
            foreign[path] = str(description)
        elif columns[path] and len(columns[path] & usual) < _MIN_COMMON_COLUMNS * len(usual):
            foreign[path] = "it has other columns and another name than the other files"
    kept = {
        path
        for batch in batches
        if keep_batches and all(path in foreign for path in batch.files)
        for path in batch.files
    }
    return {path: reason for path, reason in foreign.items() if path not in kept}


def _columns(path: Path, description: FileDescription | NotATable) -> frozenset[str]:
    if isinstance(description, NotATable):
        return frozenset()
    file_format = format_by_name(description.format)
    names = description.columns if description.header else ()
    if not names and file_format is not None:
        names = tuple(file_format.field_kinds(path, description))
    return frozenset(name.strip().lower() for name in names)


def _shape(path: Path) -> str:
    """Return the words in the name of a file, without its time, numbers and extensions."""
    name = without_time(key_of_path(Path(path.name), is_folder=False))
    return re.sub(r"[\W\d_]+", " ", name).strip().lower()
