"""`LoadRequest`: the files of one format and layout that Spark reads together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.analyzers.schema import quote
from assay.io.file_format import FileDescription, ReadOptions
from assay.io.temporary_copies import original_path_sql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["LoadRequest", "escape_glob"]

_GLOB = re.compile(r"([\\{}\[\]*?])")


def escape_glob(path: str) -> str:
    """Escape a path so that Spark does not take it for a pattern of paths."""
    return _GLOB.sub(r"\\\1", path)


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadRequest:
    """Files to read, and how.

    Attributes
    ----------
    uris
        Files or directories, as Spark takes them.
    names
        Columns of files that do not carry types; all are read as strings.
    base_path
        Directory below which directories named key=value are columns; "" if there are none.
    file_column
        Name of a column with the URI of each row's file; "" for no such column.
    malformed_column
        Name of a column with the text of records that have too many or too few fields.
    """

    spark: SparkSession
    description: FileDescription
    options: ReadOptions
    uris: Sequence[str]
    names: Sequence[str] = ()
    base_path: str = ""
    file_column: str = ""
    malformed_column: str = ""

    def load(self, reader: DataFrameReader) -> DataFrame:
        """Load the files with a reader of Spark."""
        if self.base_path:
            reader = reader.option("basePath", self.base_path)
        return reader.load(self.uris[0] if len(self.uris) == 1 else list(self.uris))

    def with_file_column(self, df: DataFrame) -> DataFrame:
        """Add the URI of the file to rows that come directly from files."""
        if not self.file_column:
            return df
        return df.selectExpr("*", f"{self.file_path_sql} AS {quote(self.file_column)}")

    @property
    def file_path_sql(self) -> str:
        """SQL for the URI of each row's file, and not of its copy."""
        uri = "_metadata.file_path"
        return original_path_sql(uri) if self.description.converted_from else uri
