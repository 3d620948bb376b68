"""The commands, their arguments and their help.

Each command imports its implementation when it runs, so that `assay --help` is fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.command import command
from assay.cli.compare_options import CompareArguments, CompareOptions
from assay.cli.gate_options import (
    BackfillOptions,
    BacktestOptions,
    BatchesArguments,
    DecisionOptions,
    GateArguments,
    GateOptions,
    MarkOptions,
)
from assay.cli.known_names import CommandGroup
from assay.cli.limits_app import limits
from assay.cli.options import (
    CheckOptions,
    ColumnOptions,
    OutputOptions,
    PageOptions,
    PrintOptions,
    ResultOptions,
    SparkOptions,
    StoreOptions,
    SuggestOptions,
)
from assay.cli.patterns_app import patterns
from assay.cli.quarantine_app import Run, quarantine
from assay.cli.reading_options import FileOptions, TableOptions
from assay.cli.store_app import store

__all__ = ["app"]

_TABLES = "Check a table"
_BATCHES = "Guard a dataset"
_DECISIONS = "Look into decisions"
_SETUP = "Set up and try"

_EPILOG = """\
Examples:

assay check orders.csv --suite orders.yaml

assay compare orders-yesterday.csv orders-today.csv

assay gate orders orders-2026-11-14.csv --batch 2026-11-14 --store .assay

Exit codes: 0 clean or only warnings; 1 a check of level error failed; \
2 wrong arguments or configuration; 3 not evaluated; 4 the batch is held.
"""

app = typer.Typer(
    cls=CommandGroup,
    help="Assay keeps bad data out of Spark pipelines.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        from assay.version import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


@app.command(rich_help_panel=_TABLES)
@command
def check(
    table: TableOptions,
    result: ResultOptions,
    output: OutputOptions,
    spark: SparkOptions,
    options: CheckOptions,
    page: PageOptions,
) -> None:
    """Check a table against a suite, or list what is odd about it."""
    from assay.cli.check_command import run

    run(table, result, output, spark, options, page)


@app.command(rich_help_panel=_TABLES)
@command
def profile(
    table: TableOptions,
    output: OutputOptions,
    spark: SparkOptions,
    options: ColumnOptions,
    page: PageOptions,
) -> None:
    """Describe each column: type, nulls, distinct values, distribution."""
    from assay.cli.profile_command import run

    run(table, output, spark, options, page)


@app.command(rich_help_panel=_TABLES)
@command
def suggest(
    table: TableOptions,
    output: OutputOptions,
    spark: SparkOptions,
    options: SuggestOptions,
    page: PageOptions,
) -> None:
    """Suggest checks from some of the rows, and test them on the others."""
    from assay.cli.suggest_command import run

    run(table, output, spark, options, page)


@app.command(rich_help_panel=_TABLES)
@command
def compare(
    arguments: CompareArguments,
    files: FileOptions,
    output: OutputOptions,
    page: PageOptions,
    spark: SparkOptions,
    options: CompareOptions,
) -> None:
    """Compare a table with older ones: what changed, the worst first (exit code 4)."""
    from assay.cli.compare_command import run

    run(arguments, files, output, page, spark, options)


@app.command(rich_help_panel=_BATCHES)
@command
def gate(
    arguments: GateArguments,
    table: TableOptions,
    result: ResultOptions,
    output: OutputOptions,
    spark: SparkOptions,
    options: GateOptions,
) -> None:
    """Judge a batch: accept it, or hold it (exit code 4)."""
    from assay.cli.gate_command import run

    run(arguments, table, result, output, spark, options)


@app.command(rich_help_panel=_BATCHES)
@command
def backfill(
    arguments: BatchesArguments,
    files: FileOptions,
    output: OutputOptions,
    spark: SparkOptions,
    options: BackfillOptions,
) -> None:
    """Record existing batches as history without judging them."""
    from assay.cli.backfill_command import run

    run(arguments, files, output, spark, options)


@app.command(rich_help_panel=_BATCHES)
@command
def backtest(
    arguments: BatchesArguments,
    files: FileOptions,
    output: OutputOptions,
    spark: SparkOptions,
    options: BacktestOptions,
    page: PageOptions,
) -> None:
    """Replay past batches and list which would have been held."""
    from assay.cli.backtest_command import run

    run(arguments, files, output, spark, options, page)


app.add_typer(quarantine, name="quarantine", rich_help_panel=_BATCHES)
app.add_typer(limits, name="limits", rich_help_panel=_BATCHES)


@app.command(rich_help_panel=_BATCHES)
@command
def release(run: Run, output: PrintOptions, decision: DecisionOptions) -> None:
    """Accept a held batch: it joins the dataset and its history."""
    from assay.cli.quarantine_commands import release as implementation

    implementation(run, output, decision)


@app.command(rich_help_panel=_BATCHES)
@command
def reject(run: Run, output: PrintOptions, decision: DecisionOptions) -> None:
    """Reject a held batch for good."""
    from assay.cli.quarantine_commands import reject as implementation

    implementation(run, output, decision)


@app.command(rich_help_panel=_DECISIONS)
@command
def status(
    output: OutputOptions,
    options: StoreOptions,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="Only datasets with this tag. Repeat for several tags.", metavar="TAG"),
    ] = None,
) -> None:
    """Show all datasets: last verdict, age, held batches and owner."""
    from assay.cli.status_command import run

    run(output, options.store, tag)


@app.command(rich_help_panel=_DECISIONS)
@command
def explain(run: Run, output: OutputOptions, options: StoreOptions) -> None:
    """Show why a batch was held or raised a warning, and its marks."""
    from assay.cli.verdict_commands import explain as implementation

    implementation(run, output, options.store)


@app.command(rich_help_panel=_DECISIONS)
@command
def report(
    run: Run,
    output: PrintOptions,
    write: Annotated[
        Path, typer.Option("--output", "-o", help="The HTML file to write.", metavar="FILE.html")
    ],
    options: StoreOptions,
) -> None:
    """Write the report on a batch as one HTML file without scripts."""
    from assay.cli.verdict_commands import report as implementation

    implementation(run, output, options.store, write)


@app.command(rich_help_panel=_DECISIONS)
@command
def mark(run: Run, output: PrintOptions, decision: DecisionOptions, marks: MarkOptions) -> None:
    """Mark a batch as expected, bad or the new normal; later limits depend on it."""
    from assay.cli.verdict_commands import mark as implementation

    implementation(run, output, decision, marks)


@app.command(rich_help_panel=_DECISIONS)
@command
def history(
    output: OutputOptions,
    options: StoreOptions,
    dataset: Annotated[
        str | None,
        typer.Argument(help="Name of the dataset. Default: list all datasets.", metavar="DATASET"),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Only this metric, such as 'Mean(amount)'. Repeat for several metrics."),
    ] = None,
    last: Annotated[int, typer.Option(min=2, help="Number of batches to show.")] = 30,
) -> None:
    """Show a dataset's metrics batch by batch."""
    from assay.cli.history_command import run

    run(dataset, output, store=options.store, metrics=metric, last=last)


app.add_typer(store, name="store", rich_help_panel=_SETUP)
app.add_typer(patterns, name="patterns", rich_help_panel=_TABLES)


@app.command(rich_help_panel=_SETUP)
@command
def doctor(output: OutputOptions, spark: SparkOptions, options: StoreOptions) -> None:
    """Check the installation: Java, Spark, Connect, store."""
    from assay.cli.doctor_command import run

    run(output, spark, store=options.store)


@app.command(rich_help_panel=_SETUP)
@command
def demo(
    output: PrintOptions,
    spark: SparkOptions,
    write: Annotated[
        Path | None,
        typer.Option(help="Only write the flights there, one file per day.", metavar="DIR"),
    ] = None,
) -> None:
    """Judge two weeks of real flights, with a snow storm among them."""
    from assay.cli.demo_command import run

    run(output, spark, write=write)
