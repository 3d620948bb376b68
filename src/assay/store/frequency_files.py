"""`Tables`: the frequency tables of a store, in Parquet files under one path."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Set
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from assay.analyzers.frequencies import GroupKey
from assay.engine.frequency_table import FrequencyTable, TableFile, write_table

__all__ = ["Tables"]

#: a table in more files is written again as one file, which is read faster
_MAX_FILES = 16


@dataclass(frozen=True)
class Tables:
    """The path of a store's frequency tables.

    Every Spark session that uses the store must be able to read and write it.
    """

    root: str

    def write(
        self, tables: Iterable[FrequencyTable], *, max_files: int = _MAX_FILES
    ) -> dict[int, str]:
        """Write tables, and return the reference of each by the `id` of the table.

        A table that is already in at most `max_files` files under the path is not written again.
        """
        references: dict[int, str] = {}
        for table in tables:
            if id(table) not in references:
                is_scattered = len(table.files) > max_files
                rewrite = is_scattered or not self._is_stored(table)
                kept = write_table(table, self.root) if rewrite else table
                references[id(table)] = json.dumps(
                    {
                        "keys": [asdict(key) for key in kept.keys],
                        "files": [
                            [
                                file.path.removeprefix(self.root + "/"),
                                file.schema,
                                file.sign,
                                file.groups,
                            ]
                            for file in kept.files
                        ],
                    }
                )
        return references

    def read(self, reference: str) -> FrequencyTable:
        """Return the table of a reference. Its files are read when they are needed."""
        parsed = json.loads(reference)
        keys = tuple(GroupKey(**key) for key in parsed["keys"])
        files = (
            TableFile(f"{self.root}/{path}", *attributes) for path, *attributes in parsed["files"]
        )
        return FrequencyTable(keys, (), tuple(files))

    def names(self, reference: str) -> set[str]:
        """Return the names of the folders and files that a reference needs."""
        return {path.partition("/")[0] for path, *_ in json.loads(reference)["files"]}

    def delete_unreferenced(self, referenced: Set[str], older_than: timedelta) -> int:
        """Delete the tables that no reference needs, and return their number.

        A younger table may belong to a batch that another process is writing or reading. Tables
        that are not on this machine's file system stay.
        """
        root = Path(self.root)
        limit = time.time() - older_than.total_seconds()
        unreferenced = [
            folder
            for folder in (root.iterdir() if "://" not in self.root and root.is_dir() else ())
            if folder.name not in referenced and folder.stat().st_mtime < limit
        ]
        for folder in unreferenced:
            shutil.rmtree(folder, ignore_errors=True)
        return len(unreferenced)

    def _is_stored(self, table: FrequencyTable) -> bool:
        here = all(file.path.startswith(self.root + "/") for file in table.files)
        return here and not table.frames
