"""`assay store`: the arguments and the help of its commands."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.command import command
from assay.cli.options import OutputOptions, PrintOptions, StoreOptions, parse_time

__all__ = ["store"]

store = typer.Typer(help="Look after a store: size, old batches, export.", no_args_is_help=True)

_Datasets = Annotated[
    list[str] | None,
    typer.Argument(help="Only these datasets. Default: all.", metavar="DATASET…"),
]


@store.command()
@command
def info(output: OutputOptions, options: StoreOptions) -> None:
    """Show the version, the size, and the numbers of batches and verdicts."""
    from assay.cli.store_commands import info as implementation

    implementation(output, options.store)


@store.command()
@command
def prune(
    output: OutputOptions,
    options: StoreOptions,
    datasets: _Datasets = None,
    keep: Annotated[
        int | None, typer.Option(help="Keep this number of the newest batches.", min=1)
    ] = None,
    before: Annotated[
        datetime | None,
        typer.Option(help="Remove batches before this time.", metavar="TIME", parser=parse_time),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be removed.")
    ] = False,
) -> None:
    """Remove old batches with their states, metrics and verdicts; held ones and marks stay."""
    from assay.cli.store_commands import prune as implementation

    implementation(output, options.store, datasets, keep=keep, before=before, dry_run=dry_run)


@store.command()
@command
def vacuum(output: PrintOptions, options: StoreOptions) -> None:
    """Free space, and delete frequency tables that no batch needs."""
    from assay.cli.store_commands import vacuum as implementation

    implementation(output, options.store)


@store.command()
@command
def export(
    output: PrintOptions,
    options: StoreOptions,
    write: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The file to write: .csv, .jsonl or .parquet.",
            metavar="FILE",
        ),
    ],
    datasets: _Datasets = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Export verdicts instead of metrics.")
    ] = False,
) -> None:
    """Write metrics or verdicts to a file, one row for each."""
    from assay.cli.store_commands import export as implementation

    implementation(output, options.store, datasets, path=write, verdicts=verdicts)
