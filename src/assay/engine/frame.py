"""A user's DataFrame, ready to be measured: its schema as ours, its columns told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.analyzers.schema import Field, Schema
from assay.engine.plan import BUFFERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["buffer_limit", "fields_of", "is_columnar", "schema_of", "unambiguous"]


def schema_of(df: DataFrame) -> Schema:
    """The schema, without a job."""
    sensitive = df.sparkSession.conf.get("spark.sql.caseSensitive", "false")
    return Schema(fields_of(df.schema), case_sensitive=str(sensitive).lower() == "true")


def fields_of(struct: StructType) -> tuple[Field, ...]:
    """Spark's description of columns, as ours."""
    from pyspark.sql.types import StructType

    return tuple(
        Field(
            each.name,
            each.dataType.simpleString(),
            fields_of(each.dataType) if isinstance(each.dataType, StructType) else (),
            each.nullable,
        )
        for each in struct.fields
    )


def unambiguous(df: DataFrame, schema: Schema) -> DataFrame:
    """The same columns under names that SQL can tell apart; the frame itself where they are."""
    return df if schema.aliases == schema.names else df.toDF(*schema.aliases)


def buffer_limit(df: DataFrame) -> int:
    """How many aggregation buffers this session generates code for."""
    try:
        return int(df.sparkSession.conf.get("spark.sql.codegen.maxFields", str(BUFFERS)) or BUFFERS)
    except ValueError:
        return BUFFERS


def is_columnar(df: DataFrame) -> bool:
    """Whether reading some columns again is cheap: all its files are Parquet or ORC."""
    files: list[Any] = df.inputFiles()
    return bool(files) and all(str(name).endswith((".parquet", ".orc")) for name in files)
