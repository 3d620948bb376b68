"""The table that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.options import Output, Table
from assay.cli.output import note, working
from assay.engine.reading import Opened, opened
from assay.engine.typed import typed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["table", "with_types"]


def table(spark: SparkSession, options: Table, output: Output) -> Opened:
    """The table, as it is."""
    found = opened(spark, options.source, options.reading)
    for each in found.notes:
        note(output, f"{options.source}: {each}")
    return found


def with_types(spark: SparkSession, options: Table, output: Output, *, rows: int | None) -> Opened:
    """The table, with types where text has none."""
    found = table(spark, options, output)
    with working(output, "Looking at types …"):
        df, nearly = typed(found.df, rows=rows)
    for each in nearly:
        note(output, str(each))
    return Opened(df, found.described, found.notes)
