"""Sample the string columns of tables: many small tables in one job, a large table in its own.

Small files are read whole by executors and parsed there. In large tables, Spark picks
rows (or lines of text files) by the hash of their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from assay.engine.frame import is_columnar
from assay.io.reading import escape_glob
from assay.learn.patterns.file_columns import (
    UnreadableError,
    csv_lines,
    distinct_names,
    json_lines,
    read_columns,
)
from assay.learn.patterns.index_job import COLUMNS_SCHEMA, spread_columns
from assay.learn.patterns.lake_files import LakeTable, binary_files
from assay.learn.patterns.lake_sampling import Sampling
from assay.learn.patterns.value_shape import LONGEST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["sample_dataframe", "sample_large_table", "sample_small_tables"]

#: columns to sample in one scan where another scan is cheap (columnar files), and in a batch
_COLUMNS_AT_ONCE = 200
#: values of all columns that one scan samples at most: they are collected in one partition
_MAX_VALUES = 1_000_000
#: byte-order marks and their encodings
_UTF_16 = {b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}
#: characters to read of a line of a large file
_MAX_LINE_LENGTH = 1 << 18

ExecutorFunction = Callable[[Iterator[Any]], Iterator[Any]]


def sample_small_tables(
    spark: SparkSession, tables: Sequence[LakeTable], sampling: Sampling
) -> DataFrame:
    """Sample tables whose files fit in memory: executors read each file once and parse it.

    The files of a table share its sample in proportion to their lengths. For a file that cannot be
    read, there is a row with its path and the problem.
    """
    from pyspark.sql import functions as F

    table_and_rows = {
        file.path: (table.name, max(1, sampling.rows * file.length // max(table.length, 1)))
        for table in tables
        for file in table.files
    }
    paths = [escape_glob(path) for path in table_and_rows]
    files = binary_files(spark, paths).select("path", "content")
    columns = files.mapInArrow(_parse_files(table_and_rows), COLUMNS_SCHEMA)
    return (
        spread_columns(columns)
        .groupBy("table", "column")
        .agg(
            F.flatten(F.collect_list("values")).alias("values"),
            F.max("problem").alias("problem"),
        )
    )


def sample_large_table(spark: SparkSession, table: LakeTable, sampling: Sampling) -> DataFrame:
    """Sample one table of any size."""
    from pyspark.sql import functions as F

    paths = [escape_glob(file.path) for file in table.files]
    # Without this option, directories named key=value become columns.
    reader = spark.read.option("recursiveFileLookup", "true")
    if table.format in {"parquet", "orc"}:
        return sample_dataframe(reader.format(table.format).load(paths), table.name, sampling)
    # Lines of text instead of Spark's CSV reader: no schema is inferred, and a line with 5,000
    # fields is one value.
    read_lines = _line_reader(reader, paths[:1])
    lines = read_lines(paths)
    header: list[str] = []
    if table.format != "json":
        first = read_lines(paths[:1]).where("length(trim(line)) > 0").limit(1)
        header = [str(line) for line in first.toArrow()["line"].to_pylist()]
        lines = lines.where(~F.col("line").isin(header))  # each file of the table repeats it
    chosen = _pick_rows(lines, sampling.rows)
    parsed = chosen.mapInArrow(_parse_lines(table, header, sampling), COLUMNS_SCHEMA)
    return spread_columns(parsed.union(_note_that_read(spark, table.name)))


def _line_reader(
    reader: DataFrameReader, first_path: Sequence[str]
) -> Callable[[Sequence[str]], DataFrame]:
    """Return a reader of lines in the encoding of the files.

    A byte-order mark in the first file decides; without one, each line is UTF-8 or Latin-1.
    """
    raw = "binary(value)"
    start = reader.text(list(first_path)).selectExpr(f"substring({raw}, 1, 2) AS mark").limit(1)
    encoding = next((_UTF_16.get(mark) for mark in start.toArrow()["mark"].to_pylist()), None)
    if encoding is None:
        text = f"if(is_valid_utf8(value), value, decode({raw}, 'ISO-8859-1'))"
    else:
        reader = reader.option("encoding", encoding).option("lineSep", "\n")
        text = f"trim(BOTH '\ufeff\r' FROM decode({raw}, '{encoding}'))"
    line = f"left({text}, {_MAX_LINE_LENGTH}) AS line"
    return lambda paths: reader.text(list(paths)).selectExpr(line)


def sample_dataframe(df: DataFrame, table: str, sampling: Sampling) -> DataFrame:
    """Sample the string columns of a DataFrame, without a shuffle.

    Rows are chosen by the hash of their place, since a hash of their values would choose all or
    none of many equal rows. The same files and settings give the same rows.

    Columnar files are scanned once for each 200 columns. Other sources are scanned once: if they
    have more than 1,000 columns, fewer rows are sampled.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType

    # Columns are renamed by their place: names may repeat or contain dots.
    places = [f"c{number}" for number in range(len(df.columns))]
    texts = [
        (place, field.name)
        for place, field in zip(places, df.schema.fields, strict=True)
        if isinstance(field.dataType, StringType)
    ]
    renamed = df.toDF(*places)
    parts = [_note_that_read(df.sparkSession, table)]
    at_once, rows = _COLUMNS_AT_ONCE, sampling.rows
    if len(texts) > _COLUMNS_AT_ONCE and not is_columnar(df):
        at_once, rows = len(texts), min(rows, max(_MAX_VALUES // len(texts), 1))
    for first in range(0, len(texts), at_once):
        chunk = texts[first : first + at_once]
        # Arrow cannot carry a byte that is not UTF-8.
        cut = [
            F.make_valid_utf8(F.substring(place, 1, LONGEST + 1)).alias(place) for place, _ in chunk
        ]
        chosen = _pick_rows(renamed.select(*cut), rows)
        names = [name for _, name in chunk]
        parts.append(chosen.mapInArrow(_rows_to_columns(table, names), COLUMNS_SCHEMA))
    return spread_columns(reduce(lambda first, second: first.union(second), parts))


def _pick_rows(df: DataFrame, rows: int) -> DataFrame:
    """Return the rows whose place has the smallest hashes, in one partition."""
    from pyspark.sql import functions as F

    placed = df.select(F.xxhash64(F.monotonically_increasing_id()).alias("place"), "*")
    return placed.orderBy("place").limit(rows).drop("place")


def _note_that_read(spark: SparkSession, table: str) -> DataFrame:
    """Return one row that says that a table was read, even if it is empty."""
    # Not `createDataFrame`: it would make this session the active session.
    types = {"column": "string", "values": "array<string>", "problem": "string"}
    nulls = ", ".join(f"cast(NULL AS {kind}) AS `{name}`" for name, kind in types.items())
    return spark.sql(f"SELECT :table AS `table`, {nulls}", {"table": table})


def _parse_files(table_and_rows: Mapping[str, tuple[str, int]]) -> ExecutorFunction:
    """Return a function from files to their columns, with a note on each file."""

    def parse(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
                table, rows = table_and_rows[path.as_py()]
                try:
                    columns = read_columns(content.as_py(), path.as_py(), rows=rows)
                except UnreadableError as error:
                    yield from _batches(path.as_py(), {None: None}, str(error))
                else:
                    yield from _batches(table, {None: None, **columns}, None)

    return parse


def _parse_lines(table: LakeTable, header: Sequence[str], sampling: Sampling) -> ExecutorFunction:
    """Return a function that parses sampled lines, all in one partition, as a file."""

    def parse(batches: Iterator[Any]) -> Iterator[Any]:
        sampled = [line for batch in batches for line in batch.column("line").to_pylist()]
        if sampled:
            try:
                is_json = table.format == "json"
                lines = json_lines(sampled) if is_json else csv_lines(header, sampled)
                content = "\n".join([*header, *lines]).encode()
                columns = read_columns(content, f"lines.{table.format}", rows=sampling.rows)
            except UnreadableError as error:
                yield from _batches(table.name, {None: None}, str(error))
            else:
                yield from _batches(table.name, columns, None)

    return parse


def _rows_to_columns(table: str, names: Sequence[str]) -> ExecutorFunction:
    """Return a function that turns sampled rows, all in one partition, into columns."""

    def to_columns(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        sampled = list(batches)
        if sampled:
            rows = pa.Table.from_batches(sampled)
            named = zip(distinct_names(names), rows.columns, strict=True)
            columns = {name: values.to_pylist() for name, values in named}
            yield from _batches(table, columns, None)

    return to_columns


def _batches(
    table: str, columns: Mapping[Any, Sequence[str | None] | None], problem: str | None
) -> Iterator[Any]:
    import pyarrow as pa

    names = list(columns)
    for first in range(0, len(names), _COLUMNS_AT_ONCE):
        chunk = names[first : first + _COLUMNS_AT_ONCE]
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([table] * len(chunk), pa.string()),
                pa.array(chunk, pa.string()),
                pa.array([columns[name] for name in chunk], pa.list_(pa.string())),
                pa.array([problem] * len(chunk), pa.string()),
            ],
            ["table", "column", "values", "problem"],
        )
