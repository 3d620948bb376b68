"""The index of a whole lake: read group by group, whatever is in it, and told as it grows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeVar

from assay.analyzers.metric import Problem
from assay.checks.pattern import Pattern
from assay.engine.failure import problem_of
from assay.engine.session import session_copy
from assay.errors import CheckError, LakeError
from assay.learn.patterns.arguments import require_kind, require_part
from assay.learn.patterns.column_samples import large_table, sampled, small_tables
from assay.learn.patterns.domains import TaggedColumn, find_columns
from assay.learn.patterns.evidence import Enumeration
from assay.learn.patterns.index import IndexAccumulator, PatternIndex, require_index
from assay.learn.patterns.index_job import COLUMNS, Gathered, gathered
from assay.learn.patterns.lake_files import Table, files_of, tables_of
from assay.learn.patterns.sampling import Sampling, evenly, is_of_interest

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

T = TypeVar("T")

#: tables of so many bytes are parsed by executors, many in one job; a job each for larger ones
SMALL = 32 << 20
#: what text is expected to shrink to when it is compressed
_SHRUNK = 8
#: bytes and files that one job reads of small tables
GROUP_BYTES = 256 << 20
GROUP_FILES = 2000
#: samples are taken by the places of rows, so that files are split as for 64 cores everywhere
_SPLITS = {"spark.sql.files.minPartitionNum": "64"}

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class UnreadableFile:
    """A file or table that could not be read, and why."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True)
class LakeProgress:
    """How far the lake is read: tables done of all there are, columns indexed so far."""

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
    """What was read: tables, the files of them, columns that were indexed; and what was not."""

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


@dataclass(frozen=True)
class BuiltIndex:
    """An index, and what it was built from."""

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
    """The index of all tables under a path, or under several, that Spark can read from.

    CSV, TSV, JSON, Parquet and ORC, by extension. A file that cannot be read is told in the report
    and stops nothing. With `add_to`, what is found is added to an index of other tables.
    """
    _require(enumeration, sampling, add_to)
    sampling = sampling or Sampling()
    found, skipped = _tables(spark, lake)
    empty = tuple(UnreadableFile(each.name, "it is empty") for each in found if not each.length)
    tables = [_thinned(each, sampling.files) for each in found if each.length]
    with session_copy(spark, _SPLITS) as copy:
        built = _built(_of_files(copy, tables, sampling), enumeration, sampling, progress, add_to)
    report = replace(built.report, unreadable=(*built.report.unreadable, *empty), skipped=skipped)
    return replace(built, report=report)


def lake_columns(
    spark: SparkSession, lake: Path | Iterable[Path], *, sampling: Sampling | None = None
) -> DataFrame:
    """The sampled columns of all tables under a path: (table, column, values), for `tagged`.

    Nothing but schemas and headers is read until it is asked for. A table of which these cannot be
    read is not there; one that fails later fails the query.
    """
    require_kind("sampling", sampling, Sampling)
    every = [
        columns
        for work in _of_lake(spark, lake, sampling or Sampling())
        for _, columns in _tried(work, _analysed)
        if not isinstance(columns, Problem)
    ]
    return _values(reduce(_union, every, spark.createDataFrame([], COLUMNS)))


def find_columns_in_lake(
    spark: SparkSession,
    lake: Path | Iterable[Path],
    pattern: Pattern | str,
    *,
    at_least: float = 0.9,
    sampling: Sampling | None = None,
) -> list[TaggedColumn]:
    """The columns of all tables under a path that are of a domain; what cannot be read is not."""
    sought = _sought(pattern, at_least, sampling)
    with session_copy(spark, _SPLITS) as copy:
        return _tagged(_of_lake(copy, lake, sampling or Sampling()), sought, at_least)


def find_columns_in_tables(
    spark: SparkSession,
    names: str | Iterable[str],
    pattern: Pattern | str,
    *,
    at_least: float = 0.9,
    sampling: Sampling | None = None,
) -> list[TaggedColumn]:
    """The columns of the catalog's tables that are of a domain; `sales.*` are all of a database."""
    sought = _sought(pattern, at_least, sampling)
    with session_copy(spark, _SPLITS) as copy:
        work = _of_catalog(copy, _all_named(copy, names), sampling or Sampling())
        return _tagged(work, sought, at_least)


def _sought(pattern: Pattern | str, at_least: float, sampling: Sampling | None) -> Pattern:
    """The pattern, if what was given can be meant: a lake that is read finds no mistakes."""
    require_part("at_least", at_least)
    require_kind("sampling", sampling, Sampling)
    return Pattern.taken(pattern)


def _tagged(work: Sequence[_Work], pattern: Pattern, at_least: float) -> list[TaggedColumn]:
    def found(columns: DataFrame) -> list[TaggedColumn]:
        rows = find_columns(_values(columns), pattern, at_least=at_least).collect()
        return [TaggedColumn(*row) for row in rows]

    every = [
        each
        for one in work
        for _, some in _tried(one, found)
        if not isinstance(some, Problem)
        for each in some
    ]
    return sorted(every, key=lambda each: (-each.share, each.table, each.column))


def build_index_of_tables(
    spark: SparkSession,
    names: str | Iterable[str],
    *,
    enumeration: Enumeration | None = None,
    sampling: Sampling | None = None,
    progress: Callable[[LakeProgress], None] | None = None,
    add_to: PatternIndex | None = None,
) -> BuiltIndex:
    """The index of tables of the session's catalog; `sales.*` are all tables of a database."""
    _require(enumeration, sampling, add_to)
    sampling = sampling or Sampling()
    with session_copy(spark, _SPLITS) as copy:
        work = _of_catalog(copy, _all_named(copy, names), sampling)
        return _built(work, enumeration, sampling, progress, add_to)


def _require(
    enumeration: Enumeration | None, sampling: Sampling | None, add_to: PatternIndex | None
) -> None:
    require_kind("enumeration", enumeration, Enumeration)
    require_kind("sampling", sampling, Sampling)
    if add_to is not None:
        require_index("add_to", add_to)


def _tables(
    spark: SparkSession, lake: Path | Iterable[Path]
) -> tuple[Sequence[Table], tuple[str, ...]]:
    """The tables of a lake, and its files that are none."""
    roots = [lake] if isinstance(lake, str | os.PathLike) or lake is None else [*lake]
    for root in roots:
        if not isinstance(root, str | os.PathLike):
            raise CheckError(f"a lake is a path, or a list of paths, not {root!r}.")
    return tables_of(files_of(spark, [os.fspath(root) for root in roots]))


def _union(one: DataFrame, other: DataFrame) -> DataFrame:
    return one.unionByName(other)


def _values(columns: DataFrame) -> DataFrame:
    """Columns that were read, without the notes on their tables."""
    read = columns.where("problem IS NULL AND column IS NOT NULL")
    return read.select("table", "column", "values")


def _analysed(df: DataFrame) -> DataFrame:
    """Itself; Connect has found nothing out about it before it is asked."""
    _ = df.schema
    return df


@dataclass(frozen=True)
class _Work:
    """What one job reads: small tables, as many as there are, or one of any size."""

    tables: tuple[Table, ...]
    columns: Callable[[Sequence[Table]], DataFrame]


def _of_files(spark: SparkSession, tables: Sequence[Table], sampling: Sampling) -> list[_Work]:
    def small(group: Sequence[Table]) -> DataFrame:
        return small_tables(spark, group, sampling)

    def large(group: Sequence[Table]) -> DataFrame:
        return large_table(spark, group[0], sampling)

    light = [each for each in tables if _weight(each) <= SMALL]
    heavy = [each for each in tables if _weight(each) > SMALL]
    return [
        *(_Work(tuple(group), small) for group in _groups(light)),
        *(_Work((each,), large) for each in heavy),
    ]


def _of_lake(spark: SparkSession, lake: Path | Iterable[Path], sampling: Sampling) -> list[_Work]:
    found, _ = _tables(spark, lake)
    return _of_files(
        spark, [_thinned(each, sampling.files) for each in found if each.length], sampling
    )


def _of_catalog(spark: SparkSession, names: Iterable[str], sampling: Sampling) -> list[_Work]:
    def one(group: Sequence[Table]) -> DataFrame:
        return sampled(spark.table(group[0].name), group[0].name, sampling)

    return [_Work((Table(name, "catalog", ()),), one) for name in names]


def _thinned(table: Table, most: int) -> Table:
    """With no more files than these, none of them empty."""
    return replace(table, files=tuple(evenly((each for each in table.files if each.length), most)))


def _weight(table: Table) -> int:
    return sum(
        each.length * (_SHRUNK if each.path.lower().endswith(".gz") else 1) for each in table.files
    )


def _groups(tables: Iterable[Table]) -> Iterator[list[Table]]:
    group: list[Table] = []
    length = files = 0
    for table in tables:
        length, files = length + table.length, files + len(table.files)
        if group and (length > GROUP_BYTES or files > GROUP_FILES):
            yield group
            group, length, files = [], table.length, len(table.files)
        group.append(table)
    if group:
        yield group


def _all_named(spark: SparkSession, names: str | Iterable[str]) -> list[str]:
    given: list[Any] = [names] if isinstance(names, str) or names is None else [*names]
    for each in given:
        if not isinstance(each, str) or not each.removesuffix(".*").strip(". "):
            raise CheckError(f"tables are given by name, or as 'sales.*', not by {each!r}.")
    return list(dict.fromkeys(name for each in given for name in _named(spark, each)))


def _named(spark: SparkSession, name: str) -> Iterator[str]:
    if not name.endswith(".*"):
        yield name
        return
    database = name.removesuffix(".*")
    if not spark.catalog.databaseExists(database):
        raise LakeError.no_database(database)
    for each in spark.catalog.listTables(database):
        if not each.isTemporary:
            parts = [each.catalog, *(each.namespace or ()), each.name]
            yield ".".join(f"`{part.replace('`', '``')}`" for part in parts if part)


def _built(
    work: Sequence[_Work],
    enumeration: Enumeration | None,
    sampling: Sampling,
    progress: Callable[[LakeProgress], None] | None,
    add_to: PatternIndex | None,
) -> BuiltIndex:
    rules = enumeration or (add_to.enumeration if add_to is not None else Enumeration())
    total = sum(len(each.tables) for each in work)
    # an index that was built differently is refused before anything is read
    empty = PatternIndex.empty(rules)
    indexes = IndexAccumulator(empty if add_to is None else add_to + empty)
    report, done = LakeReport(), 0
    for each in work:
        for found in _gathered(each, rules, sampling):
            indexes.add(found.index)
            report = _reported(report, each, found)
        done += len(each.tables)
        if progress is not None:
            progress(LakeProgress(done, total, report.columns, len(report.unreadable)))
    return BuiltIndex(indexes.total(), report)


def _gathered(work: _Work, rules: Enumeration, sampling: Sampling) -> Iterator[Gathered]:
    wanted = partial(is_of_interest, least_values=sampling.least_values)
    for tables, found in _tried(work, partial(gathered, enumeration=rules, wanted=wanted)):
        if isinstance(found, Problem):
            yield Gathered(PatternIndex.empty(rules), (), {tables[0].name: found.reason})
        else:
            yield found


def _tried(
    work: _Work, run: Callable[[DataFrame], T]
) -> Iterator[tuple[Sequence[Table], T | Problem]]:
    """What the job gives; where it fails, what its halves give, down to the table that fails it."""
    try:
        found = run(work.columns(work.tables))
    except Exception as error:  # whatever a file system, a reader or a file can do
        problem = problem_of(error)
        if "No module named 'assay" in str(error):
            raise LakeError.not_on_executors() from None
        if problem.code == "session_closed":
            raise LakeError.stopped(problem.reason) from None
        if len(work.tables) == 1:
            yield work.tables, problem
            return
    else:
        yield work.tables, found
        return
    half = len(work.tables) // 2
    for tables in (work.tables[:half], work.tables[half:]):
        yield from _tried(replace(work, tables=tables), run)


def _reported(report: LakeReport, work: _Work, found: Gathered) -> LakeReport:
    read = [each for each in work.tables if each.name in found.tables]
    files = {file.path for table in read for file in table.files} - found.problems.keys()
    bad = [UnreadableFile(path, reason) for path, reason in sorted(found.problems.items())]
    return replace(
        report,
        tables=report.tables + len(found.tables),
        columns=report.columns + found.index.columns,
        files=report.files + len(files),
        unreadable=(*report.unreadable, *bad),
    )
