"""Measure how often the layout of a CSV file is detected, compared with other sniffers.

    python -m benchmarks.csv_dialects [--data FOLDER] [--quick] [--check]

Each file has an expected delimiter, an expected header (or none), and an expected number of
columns. A file without a table must be refused, and no other. Compared with:

- DuckDB's ``sniff_csv``;
- clevercsv, if it is installed; it does not count columns.

Goals, on the held-out files: delimiter, header and columns of at least 82 % are right. Only files
without a table are refused.

Data: 119 small files in ``tests/io/heads/csv``, written for the tests. Assay's detection was
developed on 89 of them. The other 30 were not looked at. One author wrote all of them, so they are
more alike than files of strangers. ``--data`` takes a folder with other files and an
``expected.csv`` of the same columns.
Time on 2 cores: a few seconds. ``--quick`` measures the held-out files only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import duckdb
from rich.console import Console

from assay.io.detect import decode, detect_format
from assay.io.file_format import NotATable
from benchmarks.support.command import benchmark_parser, run_benchmark
from benchmarks.support.goals import Goal
from benchmarks.support.output import create_table, percent
from tests.io.csv_heads import CSV_HEADS, ExpectedLayout, expected_layouts

_MIN_RIGHT_PERCENT = 82.0


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The answer of a sniffer about a file. `n_columns` is None if it does not count them."""

    delimiter: str
    has_header: bool
    n_columns: int | None


#: a sniffer returns None for a file that it refuses
Sniffer = Callable[[Path], Sniffed | None]


@dataclass(frozen=True, slots=True)
class Score:
    """The number of files with a right answer."""

    n_files: int
    n_delimiters: int
    n_headers: int
    n_right: int
    n_refused: int
    n_accepted: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("csv_dialects", __doc__, quick="the held-out files only")
    parser.add_argument(
        "--data", type=Path, default=CSV_HEADS, help="folder with files and expected.csv"
    )
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Print the scores of all sniffers, and return the goals of Assay's own."""
    heads = expected_layouts(options.data)
    held_out = [head for head in heads if head.held_out]
    developed = [] if options.quick else [head for head in heads if not head.held_out]
    goals: list[Goal] = []
    for title, files in (("used in development", developed), ("held out", held_out)):
        if not files:
            continue
        scores = {name: score(sniffer, files) for name, sniffer in sniffers()}
        _print_scores(out, f"{len(files)} files {title}", scores)
        if files is held_out:
            goals = list(_goals(scores["Assay"]))
    return goals


def sniffers() -> Iterator[tuple[str, Sniffer]]:
    """Yield the sniffers that are installed."""
    yield "Assay", sniff_with_assay
    yield "DuckDB", sniff_with_duckdb
    if find_spec("clevercsv") is not None:
        yield "clevercsv", sniff_with_clevercsv


def score(sniffer: Sniffer, heads: Sequence[ExpectedLayout]) -> Score:
    """Count the right answers of a sniffer."""
    start = time.process_time()
    answers = [(head, sniffer(head.path)) for head in heads]
    seconds = time.process_time() - start
    tables = [(head, sniffed) for head, sniffed in answers if head.n_columns]
    others = [sniffed for head, sniffed in answers if not head.n_columns]
    read = [(head, sniffed) for head, sniffed in tables if sniffed is not None]
    delimiters = [
        (head, sniffed) for head, sniffed in read if head.delimiter in (None, sniffed.delimiter)
    ]
    headers = [
        (head, sniffed)
        for head, sniffed in delimiters
        if (head.header_rows > 0) == sniffed.has_header
    ]
    right = [head for head, sniffed in headers if sniffed.n_columns in (None, head.n_columns)]
    n_rejected = sum(sniffed is None for sniffed in others)
    return Score(
        n_files=len(heads),
        n_delimiters=len(delimiters) + n_rejected,
        n_headers=len(headers) + n_rejected,
        n_right=len(right) + n_rejected,
        n_refused=len(tables) - len(read),
        n_accepted=len(others) - n_rejected,
        seconds=seconds,
    )


def sniff_with_assay(path: Path) -> Sniffed | None:
    """Detect the layout as Assay's commands do."""
    description = detect_format(path.read_bytes())
    if isinstance(description, NotATable):
        return None
    return Sniffed(description.delimiter, description.header, description.n_columns)


def sniff_with_duckdb(path: Path) -> Sniffed | None:
    """Detect the layout with DuckDB. Encodings that it does not read are converted first."""
    decoded = decode(path.read_bytes())
    if decoded is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_text(decoded[0], encoding="utf-8", newline="")
        try:
            query = "SELECT Delimiter, HasHeader, len(Columns) FROM sniff_csv($path)"
            relation = duckdb.sql(query, params={"path": str(copy)})
            rows = [] if relation is None else relation.fetchall()
        except duckdb.Error:
            return None
    return next((Sniffed(row[0], bool(row[1]), int(row[2])) for row in rows), None)


def sniff_with_clevercsv(path: Path) -> Sniffed | None:
    """Detect delimiter and header with clevercsv."""
    clevercsv = import_module("clevercsv")
    decoded = decode(path.read_bytes())
    if decoded is None:
        return None
    try:
        sniffer = clevercsv.Sniffer()
        dialect = sniffer.sniff(decoded[0])
        if dialect is None:
            return None
        return Sniffed(dialect.delimiter, bool(sniffer.has_header(decoded[0])), None)
    except (clevercsv.Error, StopIteration):
        return None


def _print_scores(out: Console, title: str, scores: dict[str, Score]) -> None:
    headings = ("delimiter", "and header", "and columns", "tables refused", "others read", "CPU s")
    table = create_table(title, "sniffer", headings)
    for name, scored in scores.items():
        shares = (scored.n_delimiters, scored.n_headers, scored.n_right)
        table.add_row(
            name,
            *(percent(count / scored.n_files) for count in shares),
            str(scored.n_refused),
            str(scored.n_accepted),
            f"{scored.seconds:.2f}",
        )
    out.print(table)


def _goals(scored: Score) -> Iterator[Goal]:
    yield Goal(
        name="delimiter, header and columns right",
        actual=100 * scored.n_right / scored.n_files,
        at_least=_MIN_RIGHT_PERCENT,
        decimals=1,
        unit=" %",
    )
    yield Goal(name="tables refused", actual=scored.n_refused, at_most=0, decimals=0)
    yield Goal(name="other files read as tables", actual=scored.n_accepted, at_most=0, decimals=0)


if __name__ == "__main__":
    sys.exit(main())
