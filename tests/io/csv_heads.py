"""The collection of CSV heads: small files of every shape, and what each of them is.

``heads/csv/expected.csv`` has one line for each file. The files marked `held_out` were not looked
at while the detection was written. They show how well it does on files that it was not made for.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CSV_HEADS", "ExpectedLayout", "expected_layouts"]

CSV_HEADS = Path(__file__).with_name("heads") / "csv"
_DELIMITERS = {
    "comma": ",", "tab": "\t", "semicolon": ";", "vertical bar": "|", "space": " ", "colon": ":",
    "caret": "^", "tilde": "~", "control-A": "\x01",
}  # fmt: skip
_QUOTES = {"double": '"', "single": "'"}


@dataclass(frozen=True, slots=True)
class ExpectedLayout:
    """The layout of one file. None stands for anything: the file does not show it.

    `n_columns` is 0 for a file without a table.
    """

    path: Path
    delimiter: str | None
    quote: str | None
    escape: str | None
    header_rows: int
    skipped_lines: int
    n_columns: int
    held_out: bool


def expected_layouts(folder: Path = CSV_HEADS) -> list[ExpectedLayout]:
    """Return the expectations of all files."""
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as file:
        return [_expected(row, folder) for row in csv.DictReader(file)]


def _expected(row: dict[str, str], folder: Path) -> ExpectedLayout:
    quote = _QUOTES.get(row["quote"])
    return ExpectedLayout(
        path=folder / row["file"],
        delimiter=_DELIMITERS.get(row["delimiter"]),
        quote=quote,
        escape={"doubled": quote, "backslash": "\\"}.get(row["escape"]),
        header_rows=int(row["header_rows"] or 0),
        skipped_lines=int(row["skipped_lines"] or 0),
        n_columns=int(row["columns"] or 0),
        held_out=row["held_out"] == "yes",
    )
