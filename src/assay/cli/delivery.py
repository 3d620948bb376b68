"""Open the batch of `assay gate`: its rows, its key, its time and how its file is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.batches import is_batch_format, key_columns_of_table, note_left_out
from assay.cli.gate_options import GateArguments
from assay.cli.options import OutputOptions
from assay.cli.output import note
from assay.cli.reading_options import TableOptions
from assay.cli.table import command_table
from assay.dataset.batch_keys import key_of
from assay.engine.frame import schema_of
from assay.errors import AssayError, SourceError
from assay.io.batch_files import FILE_COLUMN, BatchFile, read_batch
from assay.io.batch_layout import filter_rows
from assay.io.batch_names import partitions_of, time_in_key, time_in_name, time_of_partitions
from assay.io.file_dialect import FileDialect
from assay.io.file_format import NotATable
from assay.io.find_batches import FoundBatches, find_batches
from assay.io.reading import reading_problem
from assay.store.batch import Batch
from assay.text import one_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay.io.reading import OpenTable

__all__ = ["Delivery", "batch_time", "find_delivery", "open_delivery"]


#: keys of batches that are read from a table to see that there are several
_MAX_KEYS = 20


@dataclass(frozen=True, slots=True)
class Delivery:
    """The batch that a gate judges.

    Attributes
    ----------
    df
        Its rows, or why it is not a table.
    """

    key: str
    df: DataFrame | NotATable
    dialect: FileDialect | None = None


def find_delivery(arguments: GateArguments, table: TableOptions) -> FoundBatches | None:
    """Find the files of the batch, before Spark starts; None if it is in a table."""
    if not is_batch_format(table.reading.format):
        return None
    source, where, by = table.source, arguments.where, tuple(arguments.by or ())
    located = find_batches([source], table.reading, by=by, where=where)
    if located is None or by or arguments.batch is not None:
        return located
    path = Path(source).absolute()
    # the path may name more partitions than those of the time
    inside = tuple(partitions_of(path if path.is_dir() else path.parent))
    if located.layout.key_columns and set(inside) > set(located.layout.key_columns):
        located = find_batches([source], table.reading, by=inside, where=where) or located
    if len(located.batches) > 1 and where is None:
        raise SourceError.several_batches(source, [batch.key for batch in located.batches])
    return located


def open_delivery(
    spark: SparkSession,
    arguments: GateArguments,
    table: TableOptions,
    output: OutputOptions,
    *,
    located: FoundBatches | None,
    types: Mapping[str, str],
) -> Delivery:
    """Open the batch. Its columns keep the `types` that its dataset has.

    Notes
    -----
    With ``--by``, or with ``--where`` over several batches, the columns that name the batch are
    read once more to find its key.
    """
    if located is None:
        return _open_table(spark, arguments, table, output)
    note_left_out(located.left_out, output)
    one = located.as_one(arguments.batch or located.batches[0].key)
    opened = _read(spark, one.batches[0], types, table)
    if isinstance(opened, NotATable):
        return Delivery(one.batches[0].key, opened)
    for sentence in opened.notes:
        note(output, f"{table.source}: {sentence}")
    if arguments.batch is None and len(located.batches) > 1:
        named = located.layout.with_types(types).prepare(opened.df)
        keys = [located.layout.read_name(str(row[0])) for row in _distinct(named, [FILE_COLUMN])]
        keys_of = {located.layout.name_of(batch): batch.key for batch in located.batches}
        key = _only([keys_of[name] for name in keys], table.source)
        return Delivery(key, named.drop(FILE_COLUMN))
    df = one.layout.with_types(types).prepare(opened.df).drop(FILE_COLUMN)
    return Delivery(one.batches[0].key, df, _dialect(one, opened))


def _read(
    spark: SparkSession, batch: BatchFile, types: Mapping[str, str], table: TableOptions
) -> OpenTable | NotATable:
    """Read the files of a batch. Spark reads the footers of Parquet files at once."""
    try:
        return read_batch(spark, batch, types, table.reading)
    except AssayError:
        raise
    except Exception as error:  # Spark raises many classes of errors for damaged files
        problem = reading_problem(error)
        if problem.code == "session_closed":
            raise SourceError.unreadable(table.source, problem.reason) from error
        return NotATable(problem.code, f"it cannot be read: {one_line(problem.reason).rstrip('.')}")


def batch_time(stated: datetime | None, key: str, source: str) -> datetime | None:
    """Return the time that the user states, else the one in the key or in the file's name."""
    if stated is not None:
        return stated.replace(tzinfo=stated.tzinfo or UTC)
    in_key = time_of_partitions(Batch("batch", key).parts) or time_in_key(key)
    return in_key or time_in_name(Path(source).name)


def _open_table(
    spark: SparkSession, arguments: GateArguments, table: TableOptions, output: OutputOptions
) -> Delivery:
    df = command_table(spark, table, output).df
    if arguments.where is not None:
        df = filter_rows(df, arguments.where)
    by = tuple(arguments.by or ())
    if arguments.batch is not None:
        return Delivery(arguments.batch, df.drop(*by))
    by = by or key_columns_of_table(spark, table.source, df)
    keys = [key_of(by, row) for row in _distinct(df, by)]
    return Delivery(_only(keys, table.source), df.drop(*by))


def _distinct(df: DataFrame, columns: Sequence[str]) -> list[Sequence[object]]:
    """Return some distinct values of columns."""
    from pyspark.sql import functions as F

    schema = schema_of(df)
    named = [F.expr(schema.column(name).plain) for name in columns]
    return [tuple(row) for row in df.select(*named).distinct().limit(_MAX_KEYS).collect()]


def _only(keys: Sequence[str], source: str) -> str:
    if not keys:
        raise SourceError.unreadable(source, "no row fulfils the condition: expected one batch")
    if len(keys) > 1:
        raise SourceError.several_batches(source, keys, more=len(keys) == _MAX_KEYS)
    return keys[0]


def _dialect(located: FoundBatches, opened: OpenTable) -> FileDialect | None:
    """Return how the file of a batch in one file is written."""
    (batch,) = located.batches
    description = located.descriptions[batch.files[0]]
    if len(batch.files) > 1 or isinstance(description, NotATable):
        return None
    dialect = FileDialect.of(description)
    return None if dialect is None else replace(dialect, unfit=opened.unfit)
