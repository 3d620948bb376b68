"""Report what an index was built from: tables, files, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.learn.patterns.index_job import IndexedTables
from assay.learn.patterns.lake_files import LakeTable

__all__ = ["LakeProgress", "LakeReport", "UnreadableFile"]


@dataclass(frozen=True)
class UnreadableFile:
    """A file or table that could not be read, and the reason."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True)
class LakeProgress:
    """The progress of building an index.

    `done` of all `tables` are read. `columns` are indexed so far, and `unreadable` files were
    skipped.
    """

    done: int
    tables: int
    columns: int
    unreadable: int

    def __str__(self) -> str:
        return (
            f"{self.done:,} of {self.tables:,} tables, {self.columns:,} columns,"
            f" {self.unreadable:,} unreadable"
        )


@dataclass(frozen=True)
class LakeReport:
    """The report on building an index.

    `tables`, `columns` and `files` were indexed. `unreadable` lists files with errors, `skipped`
    the paths of files with other extensions.
    """

    tables: int = 0
    columns: int = 0
    files: int = 0
    unreadable: tuple[UnreadableFile, ...] = ()
    skipped: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.tables and not self.unreadable:
            return f"the lake has no tables; {len(self.skipped):,} files of other kinds"
        return (
            f"{self.columns:,} columns of {self.tables:,} tables in {self.files:,} files;"
            f" {len(self.unreadable):,} unreadable, {len(self.skipped):,} of other kinds"
        )

    def with_tables(self, tables: Sequence[LakeTable], indexed: IndexedTables) -> LakeReport:
        """Return the report with the result of one job.

        Parameters
        ----------
        tables
            The tables that the job was to read.
        indexed
            Report of the files and columns that were read.
        """
        read = [table for table in tables if table.name in indexed.tables]
        files = {file.path for table in read for file in table.files} - indexed.problems.keys()
        problems = sorted(indexed.problems.items())
        return replace(
            self,
            tables=self.tables + len(indexed.tables),
            columns=self.columns + indexed.index.columns,
            files=self.files + len(files),
            unreadable=(*self.unreadable, *(UnreadableFile(path, why) for path, why in problems)),
        )
