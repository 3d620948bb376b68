"""`assay limits`: the arguments and the help of its commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.command import command
from assay.cli.gate_options import Budget, Dataset, DecisionOptions, SuiteFile
from assay.cli.options import OutputOptions, PrintOptions, StoreLocation

__all__ = ["BoundsOptions", "LimitsOptions", "TargetOptions", "limits"]

limits = typer.Typer(
    help="Show, set, approve, mute or export the limits that were learned.", no_args_is_help=True
)


@dataclass(frozen=True)
class LimitsOptions:
    """The settings that limits are learned with."""

    store: StoreLocation = None
    suite: SuiteFile = None
    budget: Budget = None


@dataclass(frozen=True)
class BoundsOptions:
    """The bounds of one limit."""

    column: Annotated[
        str | None,
        typer.Option("--column", "-c", help="The column. Default: a metric of the table."),
    ] = None
    at_least: Annotated[
        float | None, typer.Option(help="The lowest value. Default: no bound.", metavar="NUMBER")
    ] = None
    at_most: Annotated[
        float | None, typer.Option(help="The highest value. Default: no bound.", metavar="NUMBER")
    ] = None
    author: Annotated[
        str | None, typer.Option("--by", help="Your name. Default: your user name.")
    ] = None


@dataclass(frozen=True)
class TargetOptions:
    """The findings to mute."""

    column: Annotated[
        str | None, typer.Option("--column", "-c", help="Alarms about this column.")
    ] = None
    metric: Annotated[str | None, typer.Option(help="Alarms about this metric, such as mean.")] = (
        None
    )
    judge: Annotated[str | None, typer.Option(help="Alarms by this judge, such as novelty.")] = None


@limits.command()
@command
def show(
    dataset: Dataset,
    output: OutputOptions,
    options: LimitsOptions,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", "-c", help="Only this column. Repeat for several columns."),
    ] = None,
    warnings: Annotated[
        bool, typer.Option("--warnings", help="Show the limits that warn, not those that hold.")
    ] = False,
) -> None:
    """Show the limits of the next batch, and what is muted."""
    from assay.cli.limits_commands import show as implementation

    implementation(dataset, output, options, columns=column, warnings=warnings)


@limits.command()
@command
def approve(
    dataset: Dataset,
    output: PrintOptions,
    options: LimitsOptions,
    author: Annotated[
        str | None, typer.Option("--by", help="Your name. Default: your user name.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN:METRIC",
            help="Leave out this limit; ':METRIC' is a limit of the table. Repeat for several.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="COLUMN:METRIC=LOW..HIGH",
            help="Change this limit. Leave LOW or HIGH empty for no bound. Repeat for several.",
        ),
    ] = None,
) -> None:
    """Keep the limits that hold a batch as they are, until others are approved."""
    from assay.cli.limits_commands import approve as implementation

    implementation(dataset, output, options, author, without or [], keep or [])


@limits.command("set")
@command
def set_bounds(
    dataset: Dataset,
    metric: Annotated[
        str, typer.Argument(help="The metric, such as mean or row_count.", metavar="METRIC")
    ],
    output: PrintOptions,
    options: LimitsOptions,
    bounds: BoundsOptions,
) -> None:
    """Change one limit, and keep all limits that hold a batch until others are approved."""
    from assay.cli.limits_commands import set_bounds as implementation

    implementation(dataset, metric, output, options, bounds)


@limits.command()
@command
def relearn(dataset: Dataset, output: PrintOptions, store: StoreLocation = None) -> None:
    """Withdraw the approved limits: limits are learned again for each batch."""
    from assay.cli.limits_commands import relearn as implementation

    implementation(dataset, output, store)


@limits.command()
@command
def mute(
    dataset: Dataset, output: PrintOptions, target: TargetOptions, decision: DecisionOptions
) -> None:
    """Mute alarms of a column, a metric or a judge. They stay visible as observations."""
    from assay.cli.limits_commands import mute as implementation

    implementation(dataset, output, target, decision)


@limits.command()
@command
def unmute(
    dataset: Dataset, output: PrintOptions, target: TargetOptions, store: StoreLocation = None
) -> None:
    """Remove a mute, named as `assay limits mute` got it."""
    from assay.cli.limits_commands import unmute as implementation

    implementation(dataset, output, target, store)


@limits.command()
@command
def export(
    dataset: Dataset,
    output: PrintOptions,
    options: LimitsOptions,
    write: Annotated[
        Path, typer.Option(help="The file: a suite (.yaml) or Python (.py).", metavar="FILE")
    ],
) -> None:
    """Write the limits as a check. Limits that need the history become comments."""
    from assay.cli.limits_commands import export as implementation

    implementation(dataset, output, options, write)
