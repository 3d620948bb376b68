"""`assay patterns`: the arguments and the help of its commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.command import command
from assay.cli.options import (
    Columns,
    Index,
    LearnedPatternOptions,
    OutputOptions,
    ResultOptions,
    SparkOptions,
)
from assay.cli.reading_options import TableOptions

__all__ = ["patterns"]

Lake = Annotated[
    list[str], typer.Argument(help="Paths, or tables such as 'sales.*'.", metavar="LAKE")
]
AreTables = Annotated[bool, typer.Option("--tables", help="LAKE holds table names, not paths.")]

patterns = typer.Typer(
    help="Learn the patterns of strings from a lake, and find values that do not match.",
    no_args_is_help=True,
)


@patterns.command()
@command
def build(
    lake: Lake,
    output: OutputOptions,
    spark: SparkOptions,
    write: Annotated[Path, typer.Option(help="The index file to write.", metavar="FILE")],
    add: Annotated[bool, typer.Option("--add", help="Add to the existing index file.")] = False,
    tables: AreTables = False,
) -> None:
    """Read a lake once and write an index of its patterns."""
    from assay.cli.patterns_commands import build as run

    run(lake, output, spark, write=write, add=add, tables=tables)


@patterns.command()
@command
def infer(
    table: TableOptions,
    output: OutputOptions,
    spark: SparkOptions,
    columns: Columns = None,
    index: Index = None,
) -> None:
    """Infer the pattern of each string column."""
    from assay.cli.patterns_commands import infer as run

    run(table, output, spark, columns=columns, index=index)


@patterns.command()
@command
def validate(
    table: TableOptions,
    result: ResultOptions,
    output: OutputOptions,
    spark: SparkOptions,
    options: LearnedPatternOptions,
) -> None:
    """Check the strings of a table against the patterns of an older table."""
    from assay.cli.patterns_commands import validate as run

    run(table, result, output, spark, options)


@patterns.command()
@command
def tag(
    lake: Lake,
    output: OutputOptions,
    spark: SparkOptions,
    example: Annotated[
        list[str],
        typer.Option("--example", "-e", help="A value of the domain. Repeat for several values."),
    ],
    index: Annotated[
        Path, typer.Option(help="A pattern index from `assay patterns build`.", metavar="FILE")
    ],
    tables: AreTables = False,
) -> None:
    """Find the columns of a lake whose values look like the examples."""
    from assay.cli.patterns_commands import tag as run

    run(lake, output, spark, examples=example, index=index, tables=tables)


@patterns.command()
@command
def domains(
    index: Annotated[Path, typer.Argument(help="The index file.", metavar="INDEX")],
    output: OutputOptions,
    most: Annotated[int, typer.Option(min=1, help="Largest number of patterns to list.")] = 30,
    coverage: Annotated[
        int, typer.Option(min=1, help="Smallest number of columns with a pattern.")
    ] = 5,
) -> None:
    """List the patterns that many columns of a lake share."""
    from assay.cli.patterns_commands import domains as run

    run(index, output, most=most, coverage=coverage)
