"""Option groups: frozen dataclasses that several commands share.

A command's function takes such groups as arguments. `assay.cli.command.command` gives it one
command-line option for each field. The groups of a gate are in `assay.cli.gate_options`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "CheckOptions",
    "ColumnOptions",
    "FailOn",
    "LearnedPatternOptions",
    "OutputOptions",
    "PageOptions",
    "PrintOptions",
    "ResultOptions",
    "SparkOptions",
    "StoreOptions",
    "SuggestOptions",
    "parse_time",
]

_SPARK = "Spark"
_OUT = "Output"


class FailOn(StrEnum):
    """The lowest level that makes a command fail."""

    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"


def _parse_fail_on(text: str) -> FailOn:
    word = {"warn": "warning"}.get(text.lower(), text.lower())
    if word not in tuple(FailOn):
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(FailOn)}.")
    return FailOn(word)


def parse_time(text: str) -> datetime:
    """Return the time that a text is, such as 2026-11-14T06:30."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        message = f"{text!r} is not a time such as 2026-11-14 or 2026-11-14T06:30."
        raise typer.BadParameter(message) from None


def _require_folder(path: Path | None) -> Path | None:
    """Refuse a file in a folder that does not exist before the command begins its work."""
    if path is not None and not path.parent.is_dir():
        raise typer.BadParameter(
            f"the folder {str(path.parent)!r} does not exist. Create it first."
        )
    return path


Plan = Annotated[bool, typer.Option("--plan", help="Print the Spark jobs and do not run them.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", "-c", help="Only this column. Repeat for several columns."),
]
Index = Annotated[
    Path | None,
    typer.Option(help="A pattern index from `assay patterns build`.", metavar="FILE"),
]
StoreLocation = Annotated[
    str | None,
    typer.Option(
        help="The store: a directory, or postgresql://user@host/database.",
        metavar="DIR|URL",
        envvar="ASSAY_STORE",
    ),
]


@dataclass(frozen=True)
class SparkOptions:
    """The Spark session of a command."""

    remote: Annotated[
        str | None,
        typer.Option(
            help="A Spark Connect server, such as sc://host:15002.",
            envvar="SPARK_REMOTE",
            metavar="URL",
            rich_help_panel=_SPARK,
        ),
    ] = None
    master: Annotated[
        str | None,
        typer.Option(
            help="Spark master: local[4], spark://host:7077, yarn, k8s://…",
            metavar="URL",
            rich_help_panel=_SPARK,
        ),
    ] = None
    spark_conf: Annotated[
        list[str] | None,
        typer.Option(
            help="A Spark setting. Repeat for several settings.",
            metavar="KEY=VALUE",
            rich_help_panel=_SPARK,
        ),
    ] = None


@dataclass(frozen=True)
class PrintOptions:
    """Options that silence a command or show its errors in full."""

    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="Print nothing; only set the exit code.", rich_help_panel=_OUT
        ),
    ] = False
    debug: Annotated[
        bool, typer.Option("--debug", help="Show Python tracebacks.", rich_help_panel=_OUT)
    ] = False


@dataclass(frozen=True)
class OutputOptions(PrintOptions):
    """Options that select the form of the output."""

    json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=_OUT)] = False


@dataclass(frozen=True)
class ResultOptions:
    """The exit code and the JUnit report of a result."""

    fail_on: Annotated[
        FailOn,
        typer.Option(
            parser=_parse_fail_on,
            metavar="error|warning|never",
            help="Lowest level that makes the exit code 1.",
            rich_help_panel=_OUT,
        ),
    ] = FailOn.ERROR
    junit: Annotated[
        Path | None,
        typer.Option(
            help="Write a JUnit XML report for CI servers.", metavar="FILE", rich_help_panel=_OUT
        ),
    ] = None


@dataclass(frozen=True)
class PageOptions:
    """The HTML page of what a command prints."""

    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            callback=_require_folder,
            help="Write the output as one HTML file too.",
            metavar="FILE",
            rich_help_panel=_OUT,
        ),
    ] = None


@dataclass(frozen=True)
class StoreOptions:
    """The store to read or write."""

    store: StoreLocation = None


@dataclass(frozen=True)
class ColumnOptions:
    """The columns to look at."""

    columns: Columns = None
    plan: Plan = False


@dataclass(frozen=True)
class CheckOptions:
    """Options of `assay check`."""

    suite: Annotated[
        Path | None,
        typer.Option(
            help="Checks in a YAML file. Without it: profile the table and list oddities.",
            metavar="FILE",
        ),
    ] = None
    store: StoreLocation = None
    dataset: Annotated[
        str | None,
        typer.Option(help="Name of the dataset in the store. Default: the name of the file."),
    ] = None
    examples: Annotated[
        int,
        typer.Option(
            help="Example values for each failed constraint, from one more pass; 0 for none.",
            metavar="N",
            min=0,
            rich_help_panel=_OUT,
        ),
    ] = 5
    failing_rows: Annotated[
        str | None,
        typer.Option(
            help="Write the rows that fail: rows.csv, rows.parquet, a new folder or a table.",
            metavar="PATH|TABLE",
            rich_help_panel=_OUT,
        ),
    ] = None
    plan: Plan = False


@dataclass(frozen=True)
class SuggestOptions:
    """Options of `assay suggest`."""

    columns: Columns = None
    index: Index = None
    held_out: Annotated[
        str,
        typer.Option(
            help="Rows on which suggestions are tested: a share, or a SQL condition.",
            metavar="SHARE|SQL",
        ),
    ] = "0.2"
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            help="Name of the table, which hints at its key. Default: the name of the file.",
            metavar="NAME",
        ),
    ] = None
    sample: Annotated[
        float | None,
        typer.Option(help="Share of the rows to use. Default: all.", metavar="SHARE"),
    ] = None
    max_categories: Annotated[
        int, typer.Option(help="Most values of a list of allowed values.", metavar="N")
    ] = 60
    min_confidence: Annotated[
        float, typer.Option(help="Leave out less certain suggestions.", metavar="SHARE")
    ] = 0.0
    write: Annotated[
        Path | None,
        typer.Option(
            help="Write the checks to a suite (.yaml) or as Python (.py).", metavar="FILE"
        ),
    ] = None
    plan: Plan = False


@dataclass(frozen=True)
class LearnedPatternOptions:
    """Options of `assay patterns validate`."""

    against: Annotated[
        str,
        typer.Option(help="The table from which patterns are learned.", metavar="PATH|TABLE"),
    ]
    columns: Columns = None
    index: Index = None
    plan: Plan = False
