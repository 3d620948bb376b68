"""Open the table that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.options import OutputOptions
from assay.cli.output import note, progress
from assay.cli.reading_options import TableOptions
from assay.io.reading import OpenTable, open_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["PLAN_ROWS", "command_table"]

#: rows whose values choose the column types when a command only prints its plan
PLAN_ROWS = 1000


def command_table(
    spark: SparkSession,
    options: TableOptions,
    output: OutputOptions,
    *,
    as_text: bool = False,
    sample_rows: int | None = None,
) -> OpenTable:
    """Open the table of a command's options and print notes about it.

    Parameters
    ----------
    as_text
        Leave the columns of CSV files as strings.
    sample_rows
        Choose column types by the first rows only, for a plan.
    """
    with progress(output, "Choosing column types …"):
        table = open_table(
            spark, options.source, options.reading, as_text=as_text, sample_rows=sample_rows
        )
    for sentence in table.notes:
        note(output, f"{options.source}: {sentence}")
    return table
