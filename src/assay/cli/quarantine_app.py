"""`assay quarantine`: the arguments and the help of its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.command import command
from assay.cli.gate_options import DecisionOptions
from assay.cli.options import OutputOptions, PrintOptions, StoreOptions

__all__ = ["Run", "quarantine"]

Run = Annotated[
    str, typer.Argument(help="A judged batch, as DATASET/BATCH.", metavar="DATASET/BATCH")
]

quarantine = typer.Typer(help="List, release or reject held batches.", no_args_is_help=True)


@quarantine.command(name="list")
@command
def list_batches(
    output: OutputOptions,
    options: StoreOptions,
    dataset: Annotated[
        str | None, typer.Argument(help="Only batches of this dataset.", metavar="DATASET")
    ] = None,
) -> None:
    """List the held batches that are neither released nor rejected."""
    from assay.cli.quarantine_commands import list_batches as implementation

    implementation(dataset, output, options.store)


@quarantine.command()
@command
def show(run: Run, output: OutputOptions, options: StoreOptions) -> None:
    """Show the findings of a held batch, and its columns compared with the previous batch."""
    from assay.cli.quarantine_commands import show as implementation

    implementation(run, output, options.store)


@quarantine.command()
@command
def release(run: Run, output: PrintOptions, decision: DecisionOptions) -> None:
    """Accept a held batch: it joins the dataset and its history."""
    from assay.cli.quarantine_commands import release as implementation

    implementation(run, output, decision)


@quarantine.command()
@command
def reject(run: Run, output: PrintOptions, decision: DecisionOptions) -> None:
    """Reject a held batch for good."""
    from assay.cli.quarantine_commands import reject as implementation

    implementation(run, output, decision)
