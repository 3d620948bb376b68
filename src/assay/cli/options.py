"""Options that several commands have, declared once: frozen values that a command asks for.

A command is a function of such values; `command` makes of it one that typer can call, with an
option for each field.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from assay.cli.exits import ending

if TYPE_CHECKING:
    from assay.io.file_format import ReadOptions

__all__ = ["FailOn", "Files", "Judging", "Manner", "Output", "Session", "Table", "command"]


class FailOn(StrEnum):
    """From which level on a command fails."""

    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"


def _fail_on(given: str) -> FailOn:
    word = {"warn": "warning"}.get(given.lower(), given.lower())
    if word not in tuple(FailOn):
        raise typer.BadParameter(f"{given!r} is not one of {', '.join(FailOn)}.")
    return FailOn(word)


_SPARK = "Spark"
_READ = "Reading"
_OUT = "Output"


@dataclass(frozen=True)
class Session:
    """Which Spark."""

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
            help="Spark's master: local[4], spark://host:7077, yarn, k8s://…",
            metavar="URL",
            rich_help_panel=_SPARK,
        ),
    ] = None
    spark_conf: Annotated[
        list[str] | None,
        typer.Option(
            help="A setting of Spark's; may be repeated.",
            metavar="KEY=VALUE",
            rich_help_panel=_SPARK,
        ),
    ] = None


_Format = Annotated[
    str | None,
    typer.Option(
        help="csv, json, parquet, orc, or another that Spark knows; else it is found out.",
        rich_help_panel=_READ,
    ),
]
_Delimiter = Annotated[
    str | None, typer.Option(help="Between fields of CSV; 'tab' is one.", rich_help_panel=_READ)
]
_Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of CSV has names.",
        rich_help_panel=_READ,
    ),
]
_Null = Annotated[
    str | None,
    typer.Option(help="What stands for no value in CSV, such as NA.", rich_help_panel=_READ),
]


@dataclass(frozen=True)
class Table:
    """What is read, and how."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="PATH|TABLE",
            help="A file, a directory, any path that Spark reads, or a table of the catalog.",
            show_default=False,
        ),
    ]
    format: _Format = None
    delimiter: _Delimiter = None
    header: _Header = None
    null: _Null = None

    @property
    def reading(self) -> ReadOptions:
        """What is known of the files."""
        return Files(self.format, self.delimiter, self.header, self.null).reading


@dataclass(frozen=True)
class Files:
    """How the files of a folder are read."""

    format: _Format = None
    delimiter: _Delimiter = None
    header: _Header = None
    null: _Null = None

    @property
    def reading(self) -> ReadOptions:
        """What is known of them."""
        from assay.io.file_format import ReadOptions
        from assay.io.formats import format_by_name

        between = {"tab": "\t", "\\t": "\t"}.get(self.delimiter or "", self.delimiter)
        if between is not None and len(between) != 1:
            raise typer.BadParameter("a delimiter is one character.", param_hint="--delimiter")
        kind = self.format.lower() if self.format else None
        known = None if kind is None else format_by_name(kind)
        name = kind if known is None else known.name
        return ReadOptions(name, between, self.header, self.null)


@dataclass(frozen=True)
class Manner:
    """How much a command says."""

    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="Say nothing: the exit code tells.", rich_help_panel=_OUT
        ),
    ] = False
    debug: Annotated[
        bool, typer.Option("--debug", help="Show traces of faults.", rich_help_panel=_OUT)
    ] = False


@dataclass(frozen=True)
class Output(Manner):
    """How a command answers."""

    json: Annotated[bool, typer.Option("--json", help="Answer in JSON.", rich_help_panel=_OUT)] = (
        False
    )


@dataclass(frozen=True)
class Judging:
    """What a judgement comes to."""

    fail_on: Annotated[
        FailOn,
        typer.Option(
            parser=_fail_on,
            metavar="error|warning|never",
            help="From which level on the exit code is 1.",
            rich_help_panel=_OUT,
        ),
    ] = FailOn.ERROR
    junit: Annotated[
        Path | None,
        typer.Option(help="Write a report for CI servers.", metavar="FILE", rich_help_panel=_OUT),
    ] = None


def command(function: Callable[..., None]) -> Callable[..., None]:
    """The function as typer takes it: parameters that are dataclasses become their fields."""
    hints = get_type_hints(function, include_extras=True)
    own = inspect.signature(function).parameters
    groups = {name: hints[name] for name in own if is_dataclass(hints[name])}
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        if name in groups:
            inner = get_type_hints(groups[name], include_extras=True)
            parameters += [
                _parameter(each.name, inner[each.name], each) for each in fields(groups[name])
            ]
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    @functools.wraps(function)
    def run(**given: Any) -> None:
        with ending(debug=bool(given.get("debug"))):
            made = {
                name: group(**{each.name: given.pop(each.name) for each in fields(group)})
                for name, group in groups.items()
            }
            function(**given, **made)

    # arguments come before options, those that must be given before those that need not
    parameters.sort(key=lambda each: each.default is not each.empty)
    keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    run.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in keyword}
    return run


def _parameter(name: str, annotation: Any, declared: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if declared.default is MISSING else declared.default
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
