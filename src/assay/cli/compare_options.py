"""The arguments and options of `assay compare`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

__all__ = ["CompareArguments", "CompareOptions"]


@dataclass(frozen=True)
class CompareArguments:
    """The tables to compare."""

    old: Annotated[
        list[str],
        typer.Argument(
            metavar="OLD",
            help="One or more files, directories, paths or tables, the oldest first.",
            show_default=False,
        ),
    ]
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="The table to compare.", show_default=False)
    ]


@dataclass(frozen=True)
class CompareOptions:
    """The columns of a comparison."""

    key: Annotated[
        list[str] | None,
        typer.Option(
            help="A column that identifies a row: also count rows added, removed and changed."
            " Repeat for several columns."
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", "-c", help="Only this column. Repeat for several columns."),
    ] = None
    private: Annotated[
        list[str] | None,
        typer.Option(help="A column whose values are not shown. Repeat for several columns."),
    ] = None
