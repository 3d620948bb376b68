"""Index the tables of a data lake, and find the columns of a domain in it.

Tables are files (CSV, TSV, JSON, Parquet, ORC) below a path, or tables of Spark's catalog. Files
that cannot be read are reported and do not stop the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem
from assay.checks.pattern import Pattern
from assay.engine.session import session_copy
from assay.errors import CheckError
from assay.learn.patterns.arguments import require_settings, require_share
from assay.learn.patterns.domains import TaggedColumn, find_columns
from assay.learn.patterns.evidence import Enumeration
from assay.learn.patterns.index import IndexAccumulator, PatternIndex, require_index
from assay.learn.patterns.index_job import COLUMNS_SCHEMA, IndexedTables, index_columns
from assay.learn.patterns.lake_files import LakeTable, group_tables, list_files
from assay.learn.patterns.lake_jobs import (
    LakeJob,
    jobs_of_catalog,
    jobs_of_files,
    run_isolated,
    table_names,
)
from assay.learn.patterns.lake_report import LakeProgress, LakeReport, UnreadableFile
from assay.learn.patterns.lake_sampling import Sampling, has_patterns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "BuiltIndex",
    "LakeProgress",
    "LakeReport",
    "UnreadableFile",
    "build_index",
    "build_index_of_tables",
    "find_columns_in_lake",
    "find_columns_in_tables",
    "lake_columns",
]

#: Samples depend on the places of rows, and so on how files are split. With this setting, files are
#: split as on 64 cores everywhere. It is set on a copy of the session.
_SPLIT_SETTINGS = {"spark.sql.files.minPartitionNum": "64"}

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class BuiltIndex:
    """An index, and a report on the tables it was built from."""

    index: PatternIndex
    report: LakeReport


def build_index(
    spark: SparkSession,
    lake: Path | Iterable[Path],
    *,
    enumeration: Enumeration | None = None,
    sampling: Sampling | None = None,
    progress: Callable[[LakeProgress], None] | None = None,
    add_to: PatternIndex | None = None,
) -> BuiltIndex:
    """Index all tables below a path.

    The session keeps its settings: the tables are read with a copy of it.

    Parameters
    ----------
    spark
        The session that reads the tables.
    lake
        A path that Spark can read, or several.
    enumeration
        Settings of the enumeration. By default as in `add_to`, or ``Enumeration()``.
    sampling
        Limit of what is read of each table.
    progress
        A function to call after each job.
    add_to
        An index of other tables, to which the new one is added.

    Returns
    -------
    BuiltIndex
        The index, and a report on what was read and what could not be read.

    Raises
    ------
    LakeError
        If the path cannot be listed.
    PatternIndexError
        If `add_to` was built with another enumeration.
    """
    _require_settings(enumeration, sampling, add_to)
    sampling = sampling or Sampling()
    tables, skipped = _list_tables(spark, lake)
    empty = tuple(UnreadableFile(table.name, "it is empty") for table in tables if not table.length)
    with session_copy(spark, _SPLIT_SETTINGS) as copy:
        jobs = jobs_of_files(copy, tables, sampling)
        built = _run_jobs(jobs, enumeration, sampling, progress, add_to)
    report = replace(built.report, unreadable=(*built.report.unreadable, *empty), skipped=skipped)
    return replace(built, report=report)


def build_index_of_tables(
    spark: SparkSession,
    names: str | Iterable[str],
    *,
    enumeration: Enumeration | None = None,
    sampling: Sampling | None = None,
    progress: Callable[[LakeProgress], None] | None = None,
    add_to: PatternIndex | None = None,
) -> BuiltIndex:
    """Index tables of the session's catalog.

    Parameters
    ----------
    spark
        The session that reads the tables. It keeps its settings.
    names
        Names of tables; ``sales.*`` means all tables of the database ``sales``.
    enumeration, sampling, progress, add_to
        As in `build_index`.

    Raises
    ------
    LakeError
        If a database does not exist.
    """
    _require_settings(enumeration, sampling, add_to)
    sampling = sampling or Sampling()
    with session_copy(spark, _SPLIT_SETTINGS) as copy:
        jobs = jobs_of_catalog(copy, table_names(copy, names), sampling)
        return _run_jobs(jobs, enumeration, sampling, progress, add_to)


def lake_columns(
    spark: SparkSession, lake: Path | Iterable[Path], *, sampling: Sampling | None = None
) -> DataFrame:
    """Return the sampled columns of all tables below a path, for `find_columns`.

    This function reads schemas and headers only; values are read when the result is used.

    Parameters
    ----------
    spark
        The session that reads the tables.
    lake
        A path that Spark can read, or several.
    sampling
        Limit of what is read of each table.

    Returns
    -------
    DataFrame
        One row for each column: ``table``, ``column``, ``values``. Tables whose schema cannot be
        read are left out. A table that fails later fails the query: `find_columns_in_lake` skips
        such tables.
    """
    require_settings("sampling", sampling, Sampling)
    samples = [
        columns
        for job in _jobs_of_lake(spark, lake, sampling or Sampling())
        for _, columns in run_isolated(job, _analyze_schema)
        if not isinstance(columns, Problem)
    ]
    return _without_notes(reduce(_union, samples, spark.createDataFrame([], COLUMNS_SCHEMA)))


def find_columns_in_lake(
    spark: SparkSession,
    lake: Path | Iterable[Path],
    pattern: Pattern | str,
    *,
    at_least: float = 0.9,
    sampling: Sampling | None = None,
) -> list[TaggedColumn]:
    """Find the columns of all tables below a path whose values match a pattern.

    Tables that cannot be read are skipped.

    Parameters
    ----------
    spark
        The session that reads the tables. It keeps its settings.
    lake
        A path that Spark can read, or several.
    pattern
        The pattern of the domain, such as ``SKU-<digit>{5}``.
    at_least
        The smallest share of the values of a column that must match.
    sampling
        Limit of what is read of each table.
    """
    parsed = _parse_query(pattern, at_least, sampling)
    with session_copy(spark, _SPLIT_SETTINGS) as copy:
        return _find(_jobs_of_lake(copy, lake, sampling or Sampling()), parsed, at_least)


def find_columns_in_tables(
    spark: SparkSession,
    names: str | Iterable[str],
    pattern: Pattern | str,
    *,
    at_least: float = 0.9,
    sampling: Sampling | None = None,
) -> list[TaggedColumn]:
    """Find the columns of tables of the catalog whose values match a pattern.

    Parameters
    ----------
    spark
        The session that reads the tables. It keeps its settings.
    names
        Names of tables; ``sales.*`` means all tables of the database ``sales``.
    pattern, at_least, sampling
        As in `find_columns_in_lake`.
    """
    parsed = _parse_query(pattern, at_least, sampling)
    with session_copy(spark, _SPLIT_SETTINGS) as copy:
        jobs = jobs_of_catalog(copy, table_names(copy, names), sampling or Sampling())
        return _find(jobs, parsed, at_least)


def _parse_query(pattern: Pattern | str, at_least: float, sampling: Sampling | None) -> Pattern:
    """Validate the arguments before anything is read."""
    require_share("at_least", at_least)
    require_settings("sampling", sampling, Sampling)
    return Pattern.coerce(pattern)


def _require_settings(
    enumeration: Enumeration | None, sampling: Sampling | None, add_to: PatternIndex | None
) -> None:
    require_settings("enumeration", enumeration, Enumeration)
    require_settings("sampling", sampling, Sampling)
    if add_to is not None:
        require_index("add_to", add_to)


def _find(jobs: Sequence[LakeJob], pattern: Pattern, at_least: float) -> list[TaggedColumn]:
    def find(columns: DataFrame) -> list[TaggedColumn]:
        rows = find_columns(_without_notes(columns), pattern, at_least=at_least).collect()
        return [TaggedColumn(*row) for row in rows]

    columns = [
        column
        for job in jobs
        for _, columns_of_tables in run_isolated(job, find)
        if not isinstance(columns_of_tables, Problem)
        for column in columns_of_tables
    ]
    return sorted(columns, key=lambda column: (-column.share, column.table, column.column))


def _jobs_of_lake(
    spark: SparkSession, lake: Path | Iterable[Path], sampling: Sampling
) -> list[LakeJob]:
    tables, _ = _list_tables(spark, lake)
    return jobs_of_files(spark, tables, sampling)


def _list_tables(
    spark: SparkSession, lake: Path | Iterable[Path]
) -> tuple[Sequence[LakeTable], tuple[str, ...]]:
    """Return the tables of a lake, and the paths of its other files."""
    roots = [lake] if isinstance(lake, str | os.PathLike) or lake is None else [*lake]
    for root in roots:
        if not isinstance(root, str | os.PathLike):
            raise CheckError(f"lake: expected a path or a list of paths, got {root!r}.")
    return group_tables(list_files(spark, [os.fspath(root) for root in roots]))


def _union(first: DataFrame, second: DataFrame) -> DataFrame:
    return first.unionByName(second)


def _without_notes(columns: DataFrame) -> DataFrame:
    """Return the columns without the rows that say which tables were read."""
    present = columns.where("problem IS NULL AND column IS NOT NULL")
    return present.select("table", "column", "values")


def _analyze_schema(df: DataFrame) -> DataFrame:
    """Raise now if the schema cannot be resolved: Connect is lazy."""
    _ = df.schema
    return df


def _run_jobs(
    jobs: Sequence[LakeJob],
    enumeration: Enumeration | None,
    sampling: Sampling,
    progress: Callable[[LakeProgress], None] | None,
    add_to: PatternIndex | None,
) -> BuiltIndex:
    settings = enumeration or (add_to.enumeration if add_to is not None else Enumeration())
    table_count = sum(len(job.tables) for job in jobs)
    # Adding the empty index refuses other settings before anything is read.
    empty = PatternIndex.empty(settings)
    total = IndexAccumulator(empty if add_to is None else add_to + empty)
    report, done = LakeReport(), 0
    for job in jobs:
        for indexed in _index_job(job, settings, sampling):
            total.add(indexed.index)
            report = report.with_tables(job.tables, indexed)
        done += len(job.tables)
        if progress is not None:
            progress(LakeProgress(done, table_count, report.columns, len(report.unreadable)))
    return BuiltIndex(total.total(), report)


def _index_job(
    job: LakeJob, enumeration: Enumeration, sampling: Sampling
) -> Iterator[IndexedTables]:
    wanted = partial(has_patterns, least_values=sampling.least_values)
    run = partial(index_columns, enumeration=enumeration, wanted=wanted)
    for tables, indexed in run_isolated(job, run):
        if isinstance(indexed, Problem):
            empty = PatternIndex.empty(enumeration)
            yield IndexedTables(empty, (), {tables[0].name: indexed.reason})
        else:
            yield indexed
