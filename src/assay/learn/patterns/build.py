"""The index as a Spark job: each column says what it has, Spark adds it up (section 2.4).

Impurities are whole numbers, so that the index is the same bit for bit however the columns are
spread. The executors run this package: it has to be installed there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.learn.patterns.evidence import Enumeration, Evidence, evidence
from assay.learn.patterns.hierarchy import HIERARCHIES
from assay.learn.patterns.index import PatternIndex, Sums
from assay.learn.patterns.shape import LONGEST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["COLUMNS", "Gathered", "gathered", "index_of", "spread"]

#: what readers give: values of a column, or that a table was read, or why not (`problem`)
COLUMNS = "table string, column string, values array<string>, problem string"
#: patterns have a key and no table; what is noted of a table has no key, and is counted in columns
_FOUND = "key bigint, table string, impurity bigint, whole bigint, text string"

Wanted = Callable[[Mapping[str, int]], bool]


def index_of(columns: DataFrame, enumeration: Enumeration | None = None) -> PatternIndex:
    """The index of columns, one a row: (table string, column string, values array<string>).

    Every row is a column of the lake, with patterns or without; nulls are no values.
    """
    named = columns.selectExpr(
        "string(table) AS table",
        # a row without a column's name would be the note that a table was read
        "coalesce(string(column), '') AS column",
        "values",
        "string(NULL) AS problem",
    )
    return gathered(spread(named), enumeration or Enumeration()).index


@dataclass(frozen=True)
class Gathered:
    """An index, the tables that were read for it, and what was wrong with others."""

    index: PatternIndex
    tables: Collection[str]
    problems: Mapping[str, str]


def spread(columns: DataFrame) -> DataFrame:
    """Columns evenly over the executors: some of them have a thousand times the patterns."""
    return columns.repartition(_partitions(columns.sparkSession), "table", "column")


def gathered(
    columns: DataFrame, enumeration: Enumeration, *, wanted: Wanted | None = None
) -> Gathered:
    """The index of the columns that are wanted, in one job; `columns` are as `COLUMNS` says."""
    from pyspark.sql import functions as F

    found = (
        columns.mapInArrow(_found(enumeration, wanted), _FOUND)
        .groupBy("key", "table")
        .agg(
            F.count(F.lit(1)).alias("coverage"),
            F.sum("impurity").alias("impurity"),
            F.sum("whole").alias("whole"),
            F.max("text").alias("text"),
        )
        .toArrow()
    )
    patterns, notes = (
        found.filter(each) for each in (found["key"].is_valid(), found["key"].is_null())
    )
    columns_of = dict(
        zip(*(notes[name].to_pylist() for name in ("table", "impurity")), strict=True)
    )
    reasons = dict(zip(*(notes[name].to_pylist() for name in ("table", "text")), strict=True))
    index = PatternIndex(
        _sums(patterns),
        _texts(patterns),
        enumeration,
        tables=sum(1 for count in columns_of.values() if count),
        columns=sum(columns_of.values()),
    )
    problems = {table: reason for table, reason in reasons.items() if reason is not None}
    return Gathered(index, columns_of.keys() - problems.keys(), problems)


def _partitions(spark: SparkSession) -> int:
    """As many as the session shuffles into: Connect has no context to ask for its cores."""
    return max(int(spark.conf.get("spark.sql.shuffle.partitions") or 1), 1)


def _sums(patterns: Any) -> Sums:
    names = ("key", "coverage", "impurity", "whole")
    columns = [patterns[name].combine_chunks().to_numpy(zero_copy_only=False) for name in names]
    return Sums.of(*(each.astype(np.int64).view(np.uint64) for each in columns))


def _texts(patterns: Any) -> dict[int, str]:
    known = patterns.filter(patterns["text"].is_valid())
    keys = known["key"].combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64)
    return dict(zip(keys.view(np.uint64).tolist(), known["text"].to_pylist(), strict=True))


def _found(
    enumeration: Enumeration, wanted: Wanted | None
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What executors run: from columns to their patterns, a batch for each column."""

    def found(batches: Iterator[Any]) -> Iterator[Any]:
        hierarchy = HIERARCHIES[enumeration.hierarchy]
        for batch in batches:
            notes: list[tuple[str | None, int, str | None]] = []
            every = zip(*(batch.column(name) for name in batch.schema.names), strict=True)
            for table, column, values, problem in every:
                if not column.is_valid:
                    notes.append((table.as_py(), 0, problem.as_py()))
                    continue
                counts = _counted(values)
                if wanted is None or wanted(counts):
                    notes.append((table.as_py(), 1, None))
                    yield _rows(evidence(counts, enumeration, hierarchy))
            yield _noted(notes)

    return found


def _counted(values: Any) -> dict[str, int]:
    """Rows by value. Values too long for a shape are cut, so long that they still have none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not values.is_valid or not len(values.values):
        return {}
    texts = pc.utf8_slice_codeunits(values.values.drop_null(), 0, LONGEST + 1)
    counted = pc.value_counts(texts.cast(pa.large_string()))
    return dict(
        zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
    )


def _noted(notes: Sequence[tuple[str | None, int, str | None]]) -> Any:
    import pyarrow as pa

    return _batch(
        pa.nulls(len(notes), pa.int64()),
        pa.array([table for table, _, _ in notes], pa.string()),
        pa.array([columns for _, columns, _ in notes], pa.int64()),
        pa.array([0] * len(notes), pa.int64()),
        pa.array([problem for _, _, problem in notes], pa.string()),
    )


def _rows(found: Evidence) -> Any:
    import pyarrow as pa

    size = len(found.keys)
    keys = np.fromiter(found.texts, np.uint64, len(found.texts))
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], found.keys)
    has = np.isin(found.keys, keys)
    texts = pa.array(list(found.texts.values()), pa.string())
    which = np.zeros(size, np.int64)
    which[has] = order[at[has]]
    return _batch(
        pa.array(found.keys.view(np.int64)),
        pa.nulls(size, pa.string()),
        pa.array(found.impurity),
        pa.array(found.whole_impurity),
        texts.take(pa.array(which, mask=~has)),
    )


def _batch(*columns: Any) -> Any:
    import pyarrow as pa

    names = [each.split()[0] for each in _FOUND.split(", ")]
    return pa.RecordBatch.from_arrays(list(columns), names)
