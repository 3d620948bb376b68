"""Sources of the statistics of batches: all rows in memory, or states and sketches of Spark.

The protocols of `benchmarks.history` and `benchmarks.novelty` get one of two sources. They do not
know which one.

- `RowStatistics` computes exact statistics from all rows.
- `SketchStatistics` measures the batches as a gate does in a backfill. All tables with the same
  columns are keyed batches of one DataFrame, measured in the same few passes. Distinct counts and
  quantiles then come from sketches. Columns of many values have no sample of their values, because
  there is no batch before.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from assay import Gate, MemoryStore, local_session
from assay.engine.session import active_session
from assay.gate.measure_many import Rows, measure_together
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import ColumnKind, ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import (
    Column,
    column_kind,
    column_stats,
    fingerprint,
    is_null,
    simulate_column,
)
from assay.learn.limits.fault_injection import SAMPLE_ROWS
from assay.store.batch import Batch
from benchmarks.support.corruption import Columns
from benchmarks.support.measured_batches import read_measured_batches, write_measured_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "ON_ROWS",
    "RowStatistics",
    "SketchStatistics",
    "StatisticsSource",
    "Table",
    "sketch_statistics",
    "statistics_of",
]

_KEY_COLUMN = "__batch"
_VALUE_COLUMN = "value"
#: most columns of all tables that are measured together: their states fit into memory
_MAX_COLUMNS = 12_000
_TIME = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Table:
    """The rows of a batch, and the columns whose statistics are needed; all by default."""

    columns: Columns
    needed: Collection[str] | None = None

    @property
    def names(self) -> Collection[str]:
        """The columns whose statistics are needed."""
        return self.columns.keys() if self.needed is None else self.needed


class StatisticsSource(Protocol):
    """Computes the statistics of columns and of tables."""

    @property
    def name(self) -> str:
        """The name of the source, for headings."""

    def columns(self, columns: Sequence[Column]) -> list[ColumnStats]:
        """Return the statistics of each column."""

    def tables(self, tables: Sequence[Table]) -> list[Fingerprint]:
        """Return the rows, the combinations of nulls and the needed columns of each table."""

    def rows_for_learner(self, column: Column, stats: ColumnStats) -> Column:
        """Return the rows into which the learner injects faults."""


class RowStatistics:
    """Computes exact statistics from all rows."""

    name = "on rows"

    def columns(self, columns: Sequence[Column]) -> list[ColumnStats]:
        """Return the statistics of each column."""
        return [column_stats(column) for column in columns]

    def tables(self, tables: Sequence[Table]) -> list[Fingerprint]:
        """Return the rows, the combinations of nulls and the needed columns of each table."""
        return [
            Fingerprint(
                _count_rows(table.columns),
                {name: column_stats(table.columns[name]) for name in table.names},
                _count_nulls(table.columns),
            )
            for table in tables
        ]

    def rows_for_learner(self, column: Column, stats: ColumnStats) -> Column:
        """Return the column itself."""
        return column


ON_ROWS = RowStatistics()


def _count_nulls(columns: Columns) -> Mapping[str, int]:
    """Count the combinations of null columns. The values do not matter."""
    marks = {name: np.where(is_null(column), np.nan, 0.0) for name, column in columns.items()}
    return fingerprint(marks).nulls


class SketchStatistics:
    """Measures statistics with Spark, as states and sketches.

    Parameters
    ----------
    start : callable
        Returns a session. It is called when there is something to measure.
    cache
        Folder in which measured batches are kept. It knows nothing of changes of the analyzers:
        delete it after such a change.
    """

    name = "through sketches"

    def __init__(self, start: Callable[[], SparkSession], cache: Path | None = None) -> None:
        self._start = start
        self._cache = cache

    def columns(self, columns: Sequence[Column]) -> list[ColumnStats]:
        """Return the statistics of each column. Each one is a table of one column."""
        tables = [Table({_VALUE_COLUMN: column}) for column in columns]
        return [result.columns[_VALUE_COLUMN] for result in self.tables(tables)]

    def tables(self, tables: Sequence[Table]) -> list[Fingerprint]:
        """Return the rows, the combinations of nulls and the needed columns of each table.

        Tables with the same columns are measured together.
        """
        results: dict[int, Fingerprint] = {}
        for places in _groups(tables):
            measured = self._measure([tables[place].columns for place in places])
            for place, batch in zip(places, measured, strict=True):
                batch_stats = batch.fingerprint
                needed = {name: batch_stats.columns[name] for name in tables[place].names}
                results[place] = replace(batch_stats, columns=needed)
        return [results[place] for place in range(len(tables))]

    def _measure(self, tables: Sequence[Columns]) -> list[MeasuredBatch]:
        """Measure tables with the same columns, or read them from the cache."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "batches.parquet"
            _write_parquet(path, tables)
            cached = self._cache_path(path)
            if cached is not None and cached.exists():
                return list(read_measured_batches(cached))
            measured = _measure_file(self._start(), path, [*map(_key, range(len(tables)))])
        if cached is not None:
            write_measured_batches(cached, measured)
        return measured

    def _cache_path(self, path: Path) -> Path | None:
        if self._cache is None:
            return None
        digest = blake2b(path.read_bytes(), digest_size=12).hexdigest()
        return self._cache / f"sketches_{digest}.jsonl.gz"

    def rows_for_learner(self, column: Column, stats: ColumnStats) -> Column:
        """Simulate the column from its statistics, because a gate stores no rows."""
        return simulate_column(stats, SAMPLE_ROWS)


@contextmanager
def sketch_statistics(cache: Path | None = None) -> Iterator[SketchStatistics]:
    """Measure with the active session, or start one if the cache lacks something."""
    is_owner = active_session() is None
    try:
        yield SketchStatistics(partial(local_session, "assay-benchmark"), cache)
    finally:
        session = active_session()
        if is_owner and session is not None:
            session.stop()


@contextmanager
def statistics_of(options: argparse.Namespace) -> Iterator[StatisticsSource]:
    """Return the source that the options ``--sketches`` and ``--cache`` choose."""
    if not options.sketches:
        yield ON_ROWS
        return
    with sketch_statistics(options.cache) as statistics:
        yield statistics


def _groups(tables: Sequence[Table]) -> Iterator[list[int]]:
    """Group the places of tables with the same columns, not too many in a group."""
    by_schema: dict[tuple[tuple[str, ColumnKind], ...], list[int]] = defaultdict(list)
    for place, table in enumerate(tables):
        schema = tuple((name, column_kind(column)) for name, column in table.columns.items())
        by_schema[schema].append(place)
    for schema, places in by_schema.items():
        size = max(1, _MAX_COLUMNS // len(schema))
        yield from (places[start : start + size] for start in range(0, len(places), size))


def _measure_file(spark: SparkSession, path: Path, keys: Sequence[str]) -> list[MeasuredBatch]:
    spec = Gate("benchmark", MemoryStore()).spec
    df = spark.read.parquet(str(path))

    def read(names: Sequence[str]) -> DataFrame:
        return df if len(names) == len(keys) else df.where(df[_KEY_COLUMN].isin(*names))

    batches = {key: Batch(spec.dataset, key, _TIME) for key in keys}
    measured = {
        result.batch.key: result
        for result in measure_together(spec, batches, Rows(read=read, by=_KEY_COLUMN))
    }
    return [measured[key] for key in keys]


def _write_parquet(path: Path, tables: Sequence[Columns]) -> None:
    """Write the rows of all tables, with the key of each table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sizes = [_count_rows(table) for table in tables]
    arrays: dict[str, Any] = {
        name: _to_arrow(np.concatenate([table[name] for table in tables])) for name in tables[0]
    }
    keys = np.repeat(np.array([*map(_key, range(len(tables)))], dtype=object), sizes)
    pq.write_table(pa.table({_KEY_COLUMN: pa.array(keys, pa.string()), **arrays}), path)


def _to_arrow(column: Column) -> Any:
    import pyarrow as pa

    if column_kind(column) == "categorical":
        return pa.array(column, pa.string())
    return pa.array(column, pa.float64(), mask=is_null(column))


def _key(place: int) -> str:
    return f"batch {place:06}"


def _count_rows(columns: Mapping[str, Column]) -> int:
    return len(next(iter(columns.values()), ()))
