"""Split the reading of a lake into Spark jobs, and isolate tables that fail.

One job reads many small tables, or one large table. When a job fails, its halves are run, down to
the table that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from assay.analyzers.metric import Problem
from assay.engine.failure import problem_of
from assay.errors import CheckError, LakeError
from assay.learn.patterns.column_samples import (
    sample_dataframe,
    sample_large_table,
    sample_small_tables,
)
from assay.learn.patterns.lake_files import LakeTable
from assay.learn.patterns.lake_sampling import Sampling, take_evenly

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["LakeJob", "jobs_of_catalog", "jobs_of_files", "run_isolated", "table_names"]

T = TypeVar("T")

#: bytes of a table up to which executors parse its files; a larger table has a job of its own
SMALL_TABLE_BYTES = 32 << 20
#: how many times larger text is expected to be than its compressed file
_COMPRESSION_RATIO = 8
#: bytes and files of small tables that one job reads
GROUP_BYTES = 256 << 20
GROUP_FILES = 2000


@dataclass(frozen=True)
class LakeJob:
    """Tables that one Spark job reads, and the function that samples their columns."""

    tables: tuple[LakeTable, ...]
    sample: Callable[[Sequence[LakeTable]], DataFrame]


def jobs_of_files(
    spark: SparkSession, tables: Iterable[LakeTable], sampling: Sampling
) -> list[LakeJob]:
    """Plan the jobs that sample tables of files. Empty tables are left out."""

    def sample_small(group: Sequence[LakeTable]) -> DataFrame:
        return sample_small_tables(spark, group, sampling)

    def sample_large(group: Sequence[LakeTable]) -> DataFrame:
        return sample_large_table(spark, group[0], sampling)

    sampled = [_sample_files(table, sampling.files) for table in tables if table.length]
    small = [table for table in sampled if _unpacked_bytes(table) <= SMALL_TABLE_BYTES]
    large = [table for table in sampled if _unpacked_bytes(table) > SMALL_TABLE_BYTES]
    return [
        *(LakeJob(tuple(group), sample_small) for group in _group_small_tables(small)),
        *(LakeJob((table,), sample_large) for table in large),
    ]


def jobs_of_catalog(spark: SparkSession, names: Iterable[str], sampling: Sampling) -> list[LakeJob]:
    """Plan the jobs that sample tables of the catalog, one for each table."""

    def sample(group: Sequence[LakeTable]) -> DataFrame:
        return sample_dataframe(spark.table(group[0].name), group[0].name, sampling)

    return [LakeJob((LakeTable(name, "catalog", ()),), sample) for name in names]


def table_names(spark: SparkSession, names: str | Iterable[str]) -> list[str]:
    """Return the names of tables, with ``database.*`` expanded.

    Raises
    ------
    CheckError
        If a name is empty or not a string.
    LakeError
        If a database does not exist.
    """
    patterns: list[Any] = [names] if isinstance(names, str) or names is None else [*names]
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern.removesuffix(".*").strip(". "):
            raise CheckError(f"tables: expected a name, or 'sales.*', got {pattern!r}.")
    return list(dict.fromkeys(name for pattern in patterns for name in _expand(spark, pattern)))


def _expand(spark: SparkSession, name: str) -> Iterator[str]:
    if not name.endswith(".*"):
        yield name
        return
    database = name.removesuffix(".*")
    if not spark.catalog.databaseExists(database):
        raise LakeError.no_database(database)
    for table in spark.catalog.listTables(database):
        if not table.isTemporary:
            parts = [table.catalog, *(table.namespace or ()), table.name]
            yield ".".join(f"`{part.replace('`', '``')}`" for part in parts if part)


def run_isolated(
    job: LakeJob, run: Callable[[DataFrame], T]
) -> Iterator[tuple[Sequence[LakeTable], T | Problem]]:
    """Run a job; if it fails, run its halves.

    Yields
    ------
    tuple
        The tables, and the result or (for a single table) the problem.

    Raises
    ------
    LakeError
        If the session is closed, or Assay is not installed on the executors.
    """
    try:
        result = run(job.sample(job.tables))
    except Exception as error:  # file systems and readers raise anything; each problem is reported
        problem = problem_of(error)
        if "No module named 'assay" in str(error):
            raise LakeError.not_on_executors() from None
        if problem.code == "session_closed":
            raise LakeError.stopped(problem.reason) from None
        if len(job.tables) == 1:
            yield job.tables, problem
            return
    else:
        yield job.tables, result
        return
    half = len(job.tables) // 2
    for tables in (job.tables[:half], job.tables[half:]):
        yield from run_isolated(replace(job, tables=tables), run)


def _sample_files(table: LakeTable, limit: int) -> LakeTable:
    """Return the table with at most `limit` of its files, without empty ones."""
    files = take_evenly((file for file in table.files if file.length), limit)
    return replace(table, files=tuple(files))


def _unpacked_bytes(table: LakeTable) -> int:
    return sum(
        file.length * (_COMPRESSION_RATIO if file.path.lower().endswith(".gz") else 1)
        for file in table.files
    )


def _group_small_tables(tables: Iterable[LakeTable]) -> Iterator[list[LakeTable]]:
    group: list[LakeTable] = []
    length = file_count = 0
    for table in tables:
        length, file_count = length + table.length, file_count + len(table.files)
        if group and (length > GROUP_BYTES or file_count > GROUP_FILES):
            yield group
            group, length, file_count = [], table.length, len(table.files)
        group.append(table)
    if group:
        yield group
