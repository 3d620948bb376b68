"""Options that say which rows a command reads, and how their files are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.io.file_format import ReadOptions

__all__ = ["By", "FileOptions", "TableOptions", "Where"]

_READ = "Reading"

By = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "Column or Hive partition that names the batch of each row. Repeat for several."
            " Default: the path, or the partition of the time."
        ),
        metavar="COLUMN",
        rich_help_panel=_READ,
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        help="Only rows that fulfil this SQL condition.", metavar="SQL", rich_help_panel=_READ
    ),
]
_Format = Annotated[
    str | None,
    typer.Option(
        help="csv, json, parquet, orc or another format of Spark. Default: detected.",
        rich_help_panel=_READ,
    ),
]
_Delimiter = Annotated[
    str | None,
    typer.Option(
        help="Character between CSV fields, or 'tab'. Default: detected.", rich_help_panel=_READ
    ),
]
_Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="The first CSV line holds column names, or it does not. Default: detected.",
        rich_help_panel=_READ,
    ),
]
_Null = Annotated[
    str | None,
    typer.Option(help="CSV text that means null, such as NA.", rich_help_panel=_READ),
]
_Quote = Annotated[
    str | None,
    typer.Option(
        help="Character around CSV values: 'double', 'single', 'none' or another character."
        " Default: detected.",
        rich_help_panel=_READ,
    ),
]
_Escape = Annotated[
    str | None,
    typer.Option(
        help="Character before a quote within quotes: 'backslash', or the quote itself."
        " Default: detected.",
        rich_help_panel=_READ,
    ),
]
_SkipLines = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Lines before the CSV header, blank lines included. Default: detected.",
        rich_help_panel=_READ,
    ),
]
_HeaderRows = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Rows of the CSV header; 0 for none. Default: detected.",
        rich_help_panel=_READ,
    ),
]
_Sheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Sheet of an Excel workbook. Default: the first with values.",
        rich_help_panel=_READ,
    ),
]
_CHARACTERS = {
    "tab": "\t", "\\t": "\t", "space": " ", "double": '"', "single": "'", "backslash": "\\",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How files are read."""

    format: _Format = None
    delimiter: _Delimiter = None
    header: _Header = None
    null: _Null = None
    quote: _Quote = None
    escape: _Escape = None
    skip_lines: _SkipLines = None
    header_rows: _HeaderRows = None
    sheet: _Sheet = None

    @property
    def reading(self) -> ReadOptions:
        """Return the options of the reader."""
        from assay.io.file_format import ReadOptions
        from assay.io.formats import format_by_name

        name = self.format.lower() if self.format else None
        file_format = None if name is None else format_by_name(name)
        return ReadOptions(
            format=name if file_format is None else file_format.name,
            delimiter=_character(self.delimiter, "--delimiter"),
            header=self.header,
            null=self.null,
            quote="" if self.quote == "none" else _character(self.quote, "--quote"),
            escape=_character(self.escape, "--escape"),
            skip_lines=self.skip_lines,
            header_rows=self.header_rows,
            sheet=self.sheet,
        )


def _character(text: str | None, option: str) -> str | None:
    """Return the character that the user writes or names."""
    character = _CHARACTERS.get(text or "", text)
    if character is not None and len(character) != 1:
        raise typer.BadParameter(f"expected one character, got {text!r}.", param_hint=option)
    return character


@dataclass(frozen=True)
class TableOptions(FileOptions):
    """The table to read, and how its files are read."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="PATH|TABLE",
            help="A file, a directory, a path such as s3a://…, or a table of the catalog.",
            show_default=False,
        ),
    ]
