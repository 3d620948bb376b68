"""The columns of a lake's tables as rows: many small tables in one job, a large one by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from assay.engine.frame import is_columnar
from assay.io.reading import escape_glob
from assay.learn.patterns.file_columns import (
    UnreadableError,
    columns,
    csv_lines,
    distinct,
    json_lines,
)
from assay.learn.patterns.index_job import COLUMNS, spread
from assay.learn.patterns.lake_files import Table, binary_files
from assay.learn.patterns.sampling import Sampling
from assay.learn.patterns.value_shape import LONGEST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["large_table", "sampled", "small_tables"]

#: columns of a table that are sampled at once where reading it again is cheap, and in a batch
_ABREAST = 200
#: values that a sample of one pass has at most, over all its columns
_VALUES = 1_000_000
#: byte-order marks, and what they say
_UTF_16 = {b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}
#: characters that are read of a line of a large file
_LINE = 1 << 18


def small_tables(spark: SparkSession, tables: Sequence[Table], sampling: Sampling) -> DataFrame:
    """The columns of tables whose files are read as they are, each once, and parsed by executors.

    The files of a table share its rows by their lengths. A file that cannot be read is a problem
    under its own path.
    """
    from pyspark.sql import functions as F

    shares = {
        file.path: (table.name, max(1, sampling.rows * file.length // max(table.length, 1)))
        for table in tables
        for file in table.files
    }
    files = binary_files(spark, [escape_glob(path) for path in shares]).select("path", "content")
    parsed = files.mapInArrow(_parsed(shares), COLUMNS)
    return (
        spread(parsed)
        .groupBy("table", "column")
        .agg(
            F.flatten(F.collect_list("values")).alias("values"),
            F.max("problem").alias("problem"),
        )
    )


def large_table(spark: SparkSession, table: Table, sampling: Sampling) -> DataFrame:
    """The columns of one table, of which Spark picks rows, or lines where it is text."""
    from pyspark.sql import functions as F

    paths = [escape_glob(each.path) for each in table.files]
    # directories named key=value are no columns here
    reader = spark.read.option("recursiveFileLookup", "true")
    if table.format in {"parquet", "orc"}:
        return sampled(reader.format(table.format).load(paths), table.name, sampling)
    # lines and not Spark's columns: no schema is inferred, and 5,000 fields are one text
    lines_of = _lines(reader, paths[:1])
    lines = lines_of(paths)
    header: list[str] = []
    if table.format != "json":
        first = lines_of(paths[:1]).where("length(trim(line)) > 0").limit(1)
        header = [str(each) for each in first.toArrow()["line"].to_pylist()]
        lines = lines.where(~F.col("line").isin(header))  # each part of a table repeats it
    chosen = _picked(lines, sampling.rows)
    parsed = chosen.mapInArrow(_parsed_lines(table, header, sampling), COLUMNS)
    return spread(parsed.union(_was_read(spark, table.name)))


def _lines(reader: DataFrameReader, first: Sequence[str]) -> Callable[[Sequence[str]], DataFrame]:
    """The lines of files as text, in the encoding that a mark in the first tells, or they do."""
    raw = "binary(value)"
    start = reader.text(list(first)).selectExpr(f"substring({raw}, 1, 2) AS mark").limit(1)
    encoding = next((_UTF_16.get(each) for each in start.toArrow()["mark"].to_pylist()), None)
    if encoding is None:
        text = f"if(is_valid_utf8(value), value, decode({raw}, 'ISO-8859-1'))"
    else:
        reader = reader.option("encoding", encoding).option("lineSep", "\n")
        text = f"trim(BOTH '\ufeff\r' FROM decode({raw}, '{encoding}'))"
    return lambda paths: reader.text(list(paths)).selectExpr(f"left({text}, {_LINE}) AS line")


def sampled(df: DataFrame, table: str, sampling: Sampling) -> DataFrame:
    """The string columns of a DataFrame, of rows chosen by their places: one pass, no shuffle.

    By their places and not by their values, or else of rows that are alike all would be chosen, or
    none. The same files and settings give the same rows. Of columnar files, some columns are read
    after the others; elsewhere all at once, and of more than a thousand fewer rows.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType

    places = [f"c{number}" for number in range(len(df.columns))]
    texts = [
        (place, field.name)
        for place, field in zip(places, df.schema.fields, strict=True)
        if isinstance(field.dataType, StringType)
    ]
    numbered = df.toDF(*places)
    parts = [_was_read(df.sparkSession, table)]
    abreast, rows = _ABREAST, sampling.rows
    if len(texts) > _ABREAST and not is_columnar(df):
        abreast, rows = len(texts), min(rows, max(_VALUES // len(texts), 1))
    for first in range(0, len(texts), abreast):
        some = texts[first : first + abreast]
        # one byte that is not UTF-8 would fail what reads it by Arrow
        cut = [
            F.make_valid_utf8(F.substring(place, 1, LONGEST + 1)).alias(place) for place, _ in some
        ]
        chosen = _picked(numbered.select(*cut), rows)
        parts.append(chosen.mapInArrow(_turned(table, [name for _, name in some]), COLUMNS))
    return spread(reduce(lambda left, right: left.union(right), parts))


def _picked(df: DataFrame, rows: int) -> DataFrame:
    """So many rows, with the least hashes of their places, in one partition."""
    from pyspark.sql import functions as F

    placed = df.select(F.xxhash64(F.monotonically_increasing_id()).alias("place"), "*")
    return placed.orderBy("place").limit(rows).drop("place")


def _was_read(spark: SparkSession, table: str) -> DataFrame:
    """One row that says that a table was read, even if the table is empty."""
    # not `createDataFrame`, which makes the session of the frame the active session
    nothing = {"column": "string", "values": "array<string>", "problem": "string"}
    nulls = ", ".join(f"cast(NULL AS {kind}) AS `{name}`" for name, kind in nothing.items())
    return spark.sql(f"SELECT :table AS `table`, {nulls}", {"table": table})


def _parsed(shares: Mapping[str, tuple[str, int]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What executors run: from files to their columns, and that each was read or why not."""

    def parsed(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
                table, rows = shares[path.as_py()]
                try:
                    found = columns(content.as_py(), path.as_py(), rows=rows)
                except UnreadableError as error:
                    yield from _rows(path.as_py(), {None: None}, str(error))
                else:
                    yield from _rows(table, {None: None, **found}, None)

    return parsed


def _parsed_lines(
    table: Table, header: Sequence[str], sampling: Sampling
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What executors run: the lines of a sample, all in one partition, as a file of their own."""

    def parsed(batches: Iterator[Any]) -> Iterator[Any]:
        lines = [line for batch in batches for line in batch.column("line").to_pylist()]
        if lines:
            try:
                whole = json_lines(lines) if table.format == "json" else csv_lines(header, lines)
                content = "\n".join([*header, *whole]).encode()
                found = columns(content, f"lines.{table.format}", rows=sampling.rows)
            except UnreadableError as error:
                yield from _rows(table.name, {None: None}, str(error))
            else:
                yield from _rows(table.name, found, None)

    return parsed


def _turned(table: str, names: Sequence[str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What executors run: the rows of a sample, all in one partition, as columns."""

    def turned(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        every = list(batches)
        if every:
            rows = pa.Table.from_batches(every)
            # columns of one name are several columns
            every_name = zip(distinct(names), rows.columns, strict=True)
            found = {name: values.to_pylist() for name, values in every_name}
            yield from _rows(table, found, None)

    return turned


def _rows(
    table: str, found: Mapping[Any, Sequence[str | None] | None], problem: str | None
) -> Iterator[Any]:
    import pyarrow as pa

    names = list(found)
    for first in range(0, len(names), _ABREAST):
        some = names[first : first + _ABREAST]
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([table] * len(some), pa.string()),
                pa.array(some, pa.string()),
                pa.array([found[name] for name in some], pa.list_(pa.string())),
                pa.array([problem] * len(some), pa.string()),
            ],
            ["table", "column", "values", "problem"],
        )
