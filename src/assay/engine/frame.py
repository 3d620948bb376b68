"""Check and prepare what a user measures: the DataFrame, its columns, the analyzers."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import Field, Schema
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = [
    "MAX_BUFFERS",
    "Segment",
    "buffer_limit",
    "fields_of",
    "is_columnar",
    "names_of",
    "require_analyzers",
    "require_frame",
    "schema_of",
    "segment_of",
    "unambiguous",
]

#: the values of the `by` columns; empty for the whole table
Segment = tuple[Any, ...]

#: Spark turns code generation off above this number of aggregation buffers
#: (``spark.sql.codegen.maxFields``), which costs 2 to 4 times as much. If the limit is raised,
#: larger aggregations gain nothing, and far above it they collapse (``benchmarks.scan``).
MAX_BUFFERS = 100
_NAN = float("nan")


def require_frame(df: object, what: str = "invalid table", remedy: str = "") -> None:
    """Raise `CheckError` unless a value is a DataFrame of classic Spark or Spark Connect."""
    if not hasattr(df, "sparkSession"):
        raise CheckError.unexpected(what, "a pyspark DataFrame", df, remedy)


def require_analyzers(analyzers: object) -> tuple[Analyzer, ...]:
    """Return analyzers, each once; raise `CheckError` unless they are a list of analyzers."""
    expected = "a list of analyzers, such as [Mean('amount')]"
    if isinstance(analyzers, str | Analyzer) or not isinstance(analyzers, Iterable):
        raise CheckError.unexpected("invalid analyzers", expected, analyzers)
    listed = tuple(analyzers)
    for analyzer in listed:
        if isinstance(analyzer, type):
            remedy = f"Create one: {analyzer.__name__}(…)."
            raise CheckError.unexpected("invalid analyzers", expected, analyzer, remedy)
        if not isinstance(analyzer, Analyzer):
            remedy = "parse_key(…) reads a key." if isinstance(analyzer, str) else ""
            raise CheckError.unexpected("invalid analyzers", expected, analyzer, remedy)
    return tuple(dict.fromkeys(listed))


def names_of(names: object) -> tuple[str, ...]:
    """Return the name of a column, or a list of names, as a tuple.

    >>> names_of("day"), names_of(["day", "shop"])
    (('day',), ('day', 'shop'))
    """
    if isinstance(names, str):
        return (names,)
    values = tuple(names) if isinstance(names, Iterable) else (names,)
    for value in values:
        if not isinstance(value, str):
            raise CheckError.unexpected("invalid name of a column", "text, such as 'day'", value)
    return tuple(values)


def schema_of(df: DataFrame) -> Schema:
    """Return the schema of a DataFrame, without a job.

    Parameters
    ----------
    df
        The DataFrame.

    Examples
    --------
    >>> schema_of(spark.range(3)).column("id").type
    'bigint'
    """
    case_sensitive = df.sparkSession.conf.get("spark.sql.caseSensitive", "false")
    return Schema(fields_of(df.schema), case_sensitive=str(case_sensitive).lower() == "true")


def fields_of(struct: StructType) -> tuple[Field, ...]:
    """Convert the columns of a Spark schema."""
    from pyspark.sql.types import StructType

    return tuple(
        Field(
            field.name,
            field.dataType.simpleString(),
            fields_of(field.dataType) if isinstance(field.dataType, StructType) else (),
            field.nullable,
        )
        for field in struct.fields
    )


def unambiguous(df: DataFrame, schema: Schema) -> DataFrame:
    """Rename columns that SQL cannot tell apart; return the same DataFrame if there are none."""
    return df if schema.aliases == schema.names else df.toDF(*schema.aliases)


def buffer_limit(df: DataFrame) -> int:
    """Return the number of aggregation buffers up to which the session generates code."""
    setting = df.sparkSession.conf.get("spark.sql.codegen.maxFields", str(MAX_BUFFERS))
    try:
        return int(setting or MAX_BUFFERS)
    except ValueError:
        return MAX_BUFFERS


def is_columnar(df: DataFrame) -> bool:
    """Return whether all files are Parquet or ORC, so that reading some columns again is cheap."""
    files: list[Any] = df.inputFiles()
    return bool(files) and all(str(name).endswith((".parquet", ".orc")) for name in files)


def segment_of(values: Iterable[Any]) -> Segment:
    """Return the key of a segment. All NaN become one object, so that keys are equal."""
    return tuple(_NAN if isinstance(value, float) and isnan(value) else value for value in values)
