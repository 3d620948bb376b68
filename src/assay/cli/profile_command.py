"""`assay profile`: describe each column of a table."""

from __future__ import annotations

from assay.cli.options import ColumnOptions, OutputOptions, PageOptions, SparkOptions
from assay.cli.output import print_json, stdout
from assay.cli.page import write_page
from assay.cli.progress import count_rows, progress
from assay.cli.reading_options import TableOptions
from assay.cli.spark import spark_session
from assay.cli.stores import table_name
from assay.cli.table import PLAN_ROWS, command_table
from assay.io.locations import locate_table
from assay.learn.profile import profile, profile_plan
from assay.learn.profile.terminal import print_observations, print_profile

__all__ = ["run"]


def run(
    table: TableOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: ColumnOptions,
    page: PageOptions,
) -> None:
    """Print the profile of a table."""
    source = locate_table(table.source, table.reading)
    with spark_session(spark_options, output, source) as spark:
        opened = command_table(
            spark, table, output, sample_rows=PLAN_ROWS if options.plan else None
        )
        if options.plan:
            out = stdout(output)
            out.print(str(profile_plan(opened.df, options.columns)), markup=False, soft_wrap=True)
            out.print("Then a second pass over columns that need a closer look.")
            return
        with progress(output, "Reading …") as report:
            table_profile = profile(opened.df, options.columns, table=table_name(table.source))
            report(count_rows(table_profile.rows))
    write_page(table_profile, page, output)
    if output.json:
        print_json(
            {"source": table.source, "format": opened.description, **table_profile.to_dict()}
        )
    else:
        print_profile(table_profile, stdout(output))
        print_observations(table_profile.observations, stdout(output))
