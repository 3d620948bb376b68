"""Build an index with Spark: executors enumerate patterns and add them up (section 2.4).

The shuffle moves indexes in their binary form, one for each range of keys: a few hundred rows for
millions of patterns. Impurities are integers, so that the index is the same bit for bit however the
columns are distributed. Assay must be installed on the executors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import CheckError
from assay.learn.patterns.arguments import require_settings
from assay.learn.patterns.evidence import ColumnEvidence, Enumeration, collect_evidence
from assay.learn.patterns.file_columns import cut_texts
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy, register_hierarchy
from assay.learn.patterns.index import IndexAccumulator, PatternIndex

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "COLUMNS_SCHEMA",
    "IndexedTables",
    "build_index_of_columns",
    "index_columns",
    "spread_columns",
]

#: the schema of sampled columns. A row without a column says that a table was read, or why it was
#: not (`problem`)
COLUMNS_SCHEMA = "table string, column string, values array<string>, problem string"
#: the result of an executor: the index of one range of keys, or (without `part`) a note on a table
_PARTS_SCHEMA = "part int, index binary, table string, columns bigint, problem string"
#: patterns of columns to collect before they are added up; bounds the memory of an executor
_BATCH_PATTERNS = 200_000
#: values of a column to look at; more do not change the patterns, and cost time
_MAX_VALUES = 10_000

ColumnFilter = Callable[[Mapping[str, int]], bool]


def build_index_of_columns(
    columns: DataFrame, enumeration: Enumeration | None = None
) -> PatternIndex:
    """Build the index of columns that are given as rows of a DataFrame.

    Parameters
    ----------
    columns
        One row for each column: ``table string, column string, values array<string>``. Nulls are
        ignored. If a column has more than 10,000 values, 10,000 evenly spaced ones are used.
    enumeration
        Settings of the enumeration.

    Returns
    -------
    PatternIndex
        Every row counts as a column, with or without patterns.

    Raises
    ------
    CheckError
        If the values are not an array of strings.
    """
    kind = dict(columns.dtypes).get("values", "missing")
    if kind.partition(" collate ")[0].removesuffix(">") != "array<string":
        raise CheckError(f"values: expected the type array<string>, got {kind}. Cast them first.")
    require_settings("enumeration", enumeration, Enumeration)
    named = columns.selectExpr(
        "string(table) AS table",
        # a row without a column's name would be a note that a table was read
        "coalesce(string(column), '') AS column",
        # evenly spaced values, or all of a small column
        f"CASE WHEN size(values) > {_MAX_VALUES} THEN transform(sequence(0, {_MAX_VALUES - 1}),"
        f" i -> values[int(i * bigint(size(values)) div {_MAX_VALUES})]) ELSE values END AS values",
        "string(NULL) AS problem",
    )
    return index_columns(spread_columns(named), enumeration or Enumeration()).index


@dataclass(frozen=True)
class IndexedTables:
    """An index, the tables that were read for it, and the problems of tables that were not."""

    index: PatternIndex
    tables: Collection[str]
    problems: Mapping[str, str]


def spread_columns(columns: DataFrame) -> DataFrame:
    """Distribute columns over the executors: some columns have a thousand times the patterns."""
    return columns.repartition(_partition_count(columns.sparkSession), "table", "column")


def index_columns(
    columns: DataFrame, enumeration: Enumeration, *, wanted: ColumnFilter | None = None
) -> IndexedTables:
    """Build an index in one job.

    Parameters
    ----------
    columns
        Sampled columns, with the schema `COLUMNS_SCHEMA`.
    enumeration
        Settings of the enumeration.
    wanted
        True to index a column, by the number of rows of each value.
    """
    parts = _partition_count(columns.sparkSession)
    results = (
        columns.mapInArrow(_enumerate_on_executors(enumeration, wanted, parts), _PARTS_SCHEMA)
        .repartition(parts, "part")
        .mapInArrow(_add_on_executors(enumeration), _PARTS_SCHEMA)
        .toArrow()
    )
    indexes = IndexAccumulator(PatternIndex.empty(enumeration))
    column_counts: Counter[str] = Counter()
    problems: dict[str, str] = {}
    for _, index, table, column_count, problem in zip(
        *(column.to_pylist() for column in results.columns), strict=True
    ):
        if index is not None:
            indexes.add(PatternIndex.from_bytes(index))
            continue
        column_counts[table] += column_count
        if problem is not None:
            problems[table] = problem
    total = replace(
        indexes.total(),
        tables=sum(1 for column_count in column_counts.values() if column_count),
        columns=column_counts.total(),
    )
    return IndexedTables(total, column_counts.keys() - problems.keys(), problems)


def _partition_count(spark: SparkSession) -> int:
    """Return the number of shuffle partitions. Connect cannot tell the number of cores."""
    return max(int(spark.conf.get("spark.sql.shuffle.partitions") or 1), 1)


def _enumerate_on_executors(
    enumeration: Enumeration, wanted: ColumnFilter | None, parts: int
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function from columns to the index of them all, split by ranges of keys."""
    hierarchy = _portable_hierarchy(enumeration)

    def enumerate_columns(batches: Iterator[Any]) -> Iterator[Any]:
        register_hierarchy(hierarchy)
        indexes = IndexAccumulator(PatternIndex.empty(enumeration))
        pending: list[ColumnEvidence] = []
        pending_patterns = 0
        keys_with_text: set[int] = set()
        column_counts: Counter[tuple[str | None, str | None]] = Counter()
        for batch in batches:
            rows = zip(*(batch.column(name) for name in batch.schema.names), strict=True)
            for table, column, values, problem in rows:
                note = table.as_py(), problem.as_py()
                column_counts[note] += 0
                row_counts = _count_values(values) if column.is_valid else {}
                if not column.is_valid or (wanted is not None and not wanted(row_counts)):
                    continue
                column_counts[note] += 1
                evidence = collect_evidence(row_counts, enumeration, skip_texts_of=keys_with_text)
                pending.append(evidence)
                keys_with_text.update(evidence.texts)
                pending_patterns += len(evidence.keys)
                if pending_patterns >= _BATCH_PATTERNS:
                    indexes.add(PatternIndex.of(pending, enumeration))
                    pending, pending_patterns = [], 0
        indexes.add(PatternIndex.of(pending, enumeration))
        yield from _index_rows(indexes, parts)
        tables, problems = zip(*column_counts, strict=True) if column_counts else ((), ())
        nothing = [None] * len(column_counts)
        yield _batch(nothing, nothing, tables, column_counts.values(), problems)

    return enumerate_columns


def _add_on_executors(enumeration: Enumeration) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that adds up the indexes of each range of keys."""
    hierarchy = _portable_hierarchy(enumeration)

    def add_indexes(batches: Iterator[Any]) -> Iterator[Any]:
        register_hierarchy(hierarchy)
        index_of_part: dict[int, IndexAccumulator] = {}
        for batch in batches:
            notes = batch.filter(batch.column("part").is_null())
            if notes.num_rows:
                yield notes
            for part, index in zip(batch.column("part"), batch.column("index"), strict=True):
                if part.is_valid:
                    empty = IndexAccumulator(PatternIndex.empty(enumeration))
                    total = index_of_part.setdefault(part.as_py(), empty)
                    total.add(PatternIndex.from_bytes(index.as_buffer()))
        for part, total in index_of_part.items():
            yield _batch([part], [total.total().to_bytes()], [None], [None], [None])

    return add_indexes


def _portable_hierarchy(enumeration: Enumeration) -> Hierarchy:
    """Return the hierarchy without its cache: executors may not know it by its name."""
    return replace(HIERARCHIES[enumeration.hierarchy], _cache={})


def _count_values(values: Any) -> dict[str, int]:
    """Count the rows of each value.

    Long values are cut, but not so short that they would have a shape.
    """
    import pyarrow.compute as pc

    if not values.is_valid or not len(values.values):
        return {}
    counted = pc.value_counts(cut_texts(values.values))
    return dict(
        zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
    )


def _index_rows(indexes: IndexAccumulator, parts: int) -> Iterator[Any]:
    for part, index in enumerate(indexes.total().split(parts)):
        if len(index.sums.keys):
            yield _batch([part], [index.to_bytes()], [None], [None], [None])


def _batch(*columns: Iterable[Any]) -> Any:
    import pyarrow as pa

    types = (pa.int32(), pa.binary(), pa.string(), pa.int64(), pa.string())
    names = [column.split()[0] for column in _PARTS_SCHEMA.split(", ")]
    arrays = [pa.array(list(values), kind) for values, kind in zip(columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names)
