"""Find the batch of each row from the path of its file.

A batch is a file, a folder of files, or the files of some Hive partitions. In the last case, the
partitions that are not in the key of the batch are columns of its rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.analyzers.aggregate_expr import sql_string
from assay.engine.failure import problem_of
from assay.errors import SourceError
from assay.io.batch_files import FILE_COLUMN, BatchFile, path_of_uri
from assay.io.batch_names import NULL_PARTITION, key_of_partitions, partitions_of
from assay.io.column_types import is_widening

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BatchLayout", "filter_rows"]


@dataclass(frozen=True, slots=True)
class BatchLayout:
    """How each row gets the name of its batch.

    Parameters
    ----------
    key_columns
        Hive partition columns whose values name the batch. Without them a batch is a file.
    columns
        The other partition columns, with their SQL types. They become columns of the rows.
    by_folder
        A batch is a folder of files.
    where
        SQL condition: other rows are left out. It may use all partition columns.
    """

    key_columns: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    by_folder: bool = False
    where: str | None = None

    def with_types(self, expected: Mapping[str, str]) -> BatchLayout:
        """Give partition columns the types that the dataset has, if these are as wide or wider."""
        columns = {
            name: expected[name] if _fits(kind, expected.get(name)) else kind
            for name, kind in self.columns.items()
        }
        return replace(self, columns=columns)

    def name_of(self, batch: BatchFile) -> str:
        """Return the name of a batch as its rows have it."""
        return batch.key if self.key_columns else str(batch.path.absolute())

    def read_name(self, value: str) -> str:
        """Return the name of a batch from a value of `FILE_COLUMN` in prepared rows."""
        path = path_of_uri(value)
        if not self.key_columns:
            return path
        return key_of_partitions(partitions_of(Path(path)))

    def prepare(self, df: DataFrame) -> DataFrame:
        """Add the partition columns, leave out rows, and name the batch in `FILE_COLUMN`."""
        from pyspark.sql import functions as F

        present = {name.lower() for name in df.columns}
        added = {
            name: kind
            for name, kind in {**dict.fromkeys(self.key_columns, "string"), **self.columns}.items()
            if name.lower() not in present
        }
        for name, kind in added.items():
            df = df.withColumn(name, F.expr(f"cast({_value_sql(name)} AS {kind})"))
        if self.where is not None:
            df = filter_rows(df, self.where)
        df = df.drop(*(name for name in self.key_columns if name in added))
        if self.key_columns:
            segments = ", ".join(_segment_sql(name) for name in self.key_columns)
            return df.withColumn(FILE_COLUMN, F.expr(f"concat_ws('/', {segments})"))
        if self.by_folder:
            folder = f"regexp_extract({FILE_COLUMN}, '^(.*)/', 1)"
            return df.withColumn(FILE_COLUMN, F.expr(folder))
        return df


def filter_rows(df: DataFrame, where: str) -> DataFrame:
    """Keep the rows that fulfil a SQL condition.

    Raises
    ------
    SourceError
        If the condition is not valid for the columns.
    """
    try:
        kept = df.where(where)
        kept.schema  # noqa: B018 - Spark Connect resolves the condition only here
    except Exception as error:  # the parser and the analyzer of Spark raise several kinds
        raise SourceError.bad_condition(where, problem_of(error).reason) from None
    return kept


def _fits(kind: str, expected: str | None) -> bool:
    """Return whether values of a partition type are also values of the expected type."""
    is_same_family = expected == "bigint" and kind == "int"
    is_wider = expected is not None and is_widening(kind, expected)
    return is_same_family or is_wider or expected == "string"


def _value_sql(name: str) -> str:
    """Return the value of a partition column, from the URI of the file of a row."""
    value = _decoded(_decoded(_extract(f"{_pattern(name)}=([^/]*)")))  # the URI, then Hive
    return f"nullif({value}, {sql_string(NULL_PARTITION)})"


def _segment_sql(name: str) -> str:
    """Return the folder of a partition column, as the URI has it."""
    return _extract(f"({_pattern(name)}=[^/]*)")


def _extract(pattern: str) -> str:
    return f"regexp_extract({FILE_COLUMN}, {sql_string(f'^.*/{pattern}/')}, 1)"


def _pattern(name: str) -> str:
    """Return a regular expression for a name in a URI; Hive and the URI may have escaped it."""

    def escaped(char: str) -> str:
        if char.isascii() and (char.isalnum() or char == "_"):
            return char
        once = "".join(f"%{byte:02X}" for byte in char.encode())
        return f"(?:{re.escape(char)}|{once}|{once.replace('%', '%25')})"

    return "".join(map(escaped, name))


def _decoded(sql: str) -> str:
    """Replace the percent codes of a text; another percent sign stays."""
    bare = sql_string("%(?![0-9A-Fa-f]{2})")
    return f"url_decode(regexp_replace(replace({sql}, '+', '%2B'), {bare}, '%25'))"
