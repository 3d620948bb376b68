"""Read CSV files with Spark, beyond what its reader does alone.

Spark skips a header of one line. Here the lines before a table and headers of several rows are
left out, and runs of spaces separate fields. All of it stays in SQL and is lazy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import quote
from assay.io.file_format import FileDescription
from assay.io.load_request import LoadRequest, escape_glob

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["load_csv", "n_dropped_records"]

_ROW_NUMBER, _BLOCK_START = "__assay_row_number", "__assay_block_start"
#: `monotonically_increasing_id` counts the rows of a partition in its lowest 33 bits
_ROW_NUMBER_MASK = (1 << 33) - 1


def n_dropped_records(description: FileDescription) -> int:
    """Return the records to drop that Spark's reader does not skip by itself."""
    n_skipped = description.skipped_records
    if not description.is_read_whole:
        n_skipped -= description.skipped_white_space
    if n_skipped or description.header_rows > 1 or _separates_by_runs(description):
        return n_skipped + description.header_rows
    return 0


def load_csv(request: LoadRequest, reader_options: Mapping[str, Any]) -> DataFrame:
    """Read the files of a request as strings.

    Notes
    -----
    Spark reads the first block of a file at the start of a partition. The first rows of the
    partition are therefore the first records of the file. A partition may hold several files, so
    files with records to drop are read one by one.
    """
    n_dropped = n_dropped_records(request.description)
    if not n_dropped:
        return _load(request, reader_options)
    files = _load(replace(request, file_column=""), reader_options).inputFiles()
    uris = [escape_glob(unquote(file)) for file in files]
    is_folder = len(request.uris) == 1 and len(uris) > 1 and "*" not in request.uris[0]
    base_path = request.base_path or (request.uris[0] if is_folder else "")
    one_by_one = replace(request, base_path=base_path)
    frames = [
        _drop_first(replace(one_by_one, uris=[uri]), reader_options, n_dropped) for uri in uris
    ]
    return reduce(lambda one, other: one.unionAll(other), frames)


def _drop_first(
    request: LoadRequest, reader_options: Mapping[str, Any], n_dropped: int
) -> DataFrame:
    df = _load(request, reader_options, with_block_start=True)
    columns = [quote(name) for name in df.columns if name != _BLOCK_START]
    numbered = df.selectExpr(
        "*", f"monotonically_increasing_id() & {_ROW_NUMBER_MASK} AS {_ROW_NUMBER}"
    )
    is_dropped = f"{_BLOCK_START} = 0 AND {_ROW_NUMBER} < {n_dropped}"
    return numbered.where(f"NOT ({is_dropped})").selectExpr(*columns)


def _load(
    request: LoadRequest, reader_options: Mapping[str, Any], *, with_block_start: bool = False
) -> DataFrame:
    read = _read_words if _separates_by_runs(request.description) else _read_fields
    return read(request, reader_options, with_block_start)


def _read_fields(
    request: LoadRequest, reader_options: Mapping[str, Any], with_block_start: bool
) -> DataFrame:
    reader = request.spark.read.format("csv").options(**reader_options)
    columns = [*request.names, *filter(None, [request.malformed_column])]
    if columns:
        reader = reader.schema(", ".join(f"{quote(name)} string" for name in columns))
    if request.malformed_column:
        reader = reader.option("columnNameOfCorruptRecord", request.malformed_column)
    return _with_metadata(request.load(reader), request, with_block_start)


def _read_words(
    request: LoadRequest, _options: Mapping[str, Any], with_block_start: bool
) -> DataFrame:
    """Read lines and split them at runs of spaces, outside of quotes."""
    reader = request.spark.read.format("text").option("encoding", request.description.encoding)
    lines = _with_metadata(request.load(reader), request, with_block_start)
    mark = request.description.quote
    pattern = f"({mark}[^{mark}]*{mark}|[^ ]+)" if mark else "([^ ]+)"
    words = f"regexp_extract_all(value, {sql_string(pattern)}, 1)"
    others = [quote(name) for name in lines.columns if name != "value"]
    split = lines.where("btrim(value) <> ''").selectExpr("value", f"{words} AS words", *others)
    null = request.options.null
    fields = []
    for position, name in enumerate(request.names, 1):
        word = f"try_element_at(words, {position})"
        if mark:
            word = f"regexp_replace({word}, {sql_string(f'^{mark}(.*){mark}$')}, '$1')"
        if null is not None:
            word = f"nullif({word}, {sql_string(null)})"
        fields.append(f"{word} AS {quote(name)}")
    if request.malformed_column:
        n_columns = len(request.names)
        malformed = f"if(size(words) <> {n_columns}, value, NULL)"
        fields.append(f"{malformed} AS {quote(request.malformed_column)}")
    return split.selectExpr(*fields, *others)


def _with_metadata(df: DataFrame, request: LoadRequest, with_block_start: bool) -> DataFrame:
    columns = []
    if request.file_column:
        columns.append(f"{request.file_path_sql} AS {quote(request.file_column)}")
    if with_block_start:
        columns.append(f"_metadata.file_block_start AS {_BLOCK_START}")
    return df.selectExpr("*", *columns) if columns else df


def _separates_by_runs(description: FileDescription) -> bool:
    return description.padded and description.delimiter == " "
