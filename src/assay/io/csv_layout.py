"""Detect how lines of text are a table: dialect, lines before it, header, columns.

>>> layout = detect_layout("a;b\\n1,5;2\\n2,5;3\\n")
>>> layout.delimiter, layout.header_rows, layout.columns
(';', 1, ('a', 'b'))
>>> detect_layout("Redirecting to https://example.org/current.csv\\n") is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.io.cell_kinds import cell_kind
from assay.io.csv_records import CsvDialect, CsvRecord, read_by_spark
from assay.io.csv_sniffer import CsvSplit, StatedDialect, sniff_dialect
from assay.io.csv_table import CsvTable, find_table
from assay.io.ragged_rows import find_ragged

if TYPE_CHECKING:
    from assay.io.file_format import ReadOptions

__all__ = ["CsvLayout", "detect_layout"]

#: share of sentences among lines from which on text without typed columns is prose
_MIN_SENTENCE_RATIO = 0.3
#: words of a name of a column, at most
_MAX_NAME_WORDS = 6
#: ragged records that are shown
MAX_RAGGED_SHOWN = 3
_SENTENCE_ENDS = (".", "!", "?")


@dataclass(frozen=True, kw_only=True)
class CsvLayout:
    """How text is split into records and fields, and where its table is.

    Attributes
    ----------
    columns
        Names from the header; () without one.
    header_rows
        Rows of the header.
    skipped_lines, skipped_records, skipped_white_space
        Lines before the header, records before it, and lines of white space among these.
    padded
        Spaces around a delimiter are not part of a value.
    ends_with_delimiter
        Some rows end with a delimiter that separates nothing.
    n_ragged
        Examined records that have more or fewer fields than columns.
    ragged_lines
        Line and number of fields of the first ragged records.
    """

    columns: tuple[str, ...]
    n_columns: int
    delimiter: str
    quote: str
    escape: str
    padded: bool
    ends_with_delimiter: bool
    header_rows: int
    skipped_lines: int
    skipped_records: int
    skipped_white_space: int
    multiline: bool
    n_ragged: int
    ragged_lines: tuple[tuple[int, int], ...] = ()


def detect_layout(
    text: str,
    *,
    is_whole: bool = True,
    options: ReadOptions | None = None,
    may_be_prose: bool = True,
) -> CsvLayout | None:
    """Detect the layout of a CSV file from its text.

    Parameters
    ----------
    text
        The first lines of a file.
    is_whole
        True if `text` is all of the file; otherwise its last line may be cut off.
    options
        Parts of the layout that the user states. They are not detected.
    may_be_prose
        True if text that reads like prose is rejected.

    Returns
    -------
    CsvLayout or None
        None if the text is prose.
    """
    stated = StatedDialect()
    skip_lines = header = header_rows = None
    if options is not None:
        stated = StatedDialect(options.delimiter, options.quote, options.escape)
        skip_lines, header, header_rows = options.skip_lines, options.header, options.header_rows
    split = sniff_dialect(text, is_whole=is_whole, stated=stated)
    if not split.records or (may_be_prose and _is_prose(split)):
        return None
    table = find_table(split, skip_lines=skip_lines, header=header, header_rows=header_rows)
    return _layout(split.dialect, split.records, table)


def _layout(dialect: CsvDialect, records: Sequence[CsvRecord], table: CsvTable) -> CsvLayout:
    multiline = any("\n" in value or "\r" in value for record in records for value in record.fields)
    body = read_by_spark(list(table.body), multiline=multiline)
    ragged = find_ragged(body, table.n_columns)
    return CsvLayout(
        columns=table.columns,
        n_columns=table.n_columns,
        delimiter=dialect.delimiter,
        quote=dialect.quote,
        escape=dialect.escape,
        padded=dialect.padded,
        ends_with_delimiter=any(
            len(record.fields) == table.n_columns + 1 and not record.fields[-1] for record in body
        ),
        header_rows=table.header_rows,
        skipped_lines=table.skipped_lines,
        skipped_records=table.skipped_records,
        skipped_white_space=table.skipped_white_space,
        multiline=multiline,
        n_ragged=len(ragged),
        ragged_lines=tuple(ragged[:MAX_RAGGED_SHOWN]),
    )


def _is_prose(split: CsvSplit) -> bool:
    """Return whether a text is a message or a letter instead of a table."""
    rows = [record.fields for record in split.records]
    if split.width == 1:
        return _is_prose_line(rows[0][0].strip(), len(rows)) or _n_sentences(rows) > len(rows) / 2
    delimiter, padded = split.dialect.delimiter, split.dialect.padded
    if delimiter not in ", :" or (delimiter == "," and not padded) or _has_values(rows):
        return False
    if len(rows) == 1:
        last = rows[0][-1].rstrip()
        return last.endswith(_SENTENCE_ENDS) and len(last.split()) > 1
    return _n_sentences(rows) >= _MIN_SENTENCE_RATIO * len(rows)


def _is_prose_line(first: str, n_lines: int) -> bool:
    """Return whether the first of lines without a delimiter is not the name of a column."""
    # a single line is the name of a column only if it is one word
    max_words = 1 if n_lines == 1 else _MAX_NAME_WORDS
    return len(first.split()) > max_words or "://" in first or first.endswith(_SENTENCE_ENDS)


def _has_values(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether many cells are numbers, times or codes."""
    cells = [cell for row in rows for cell in row if cell]
    return sum(map(bool, map(cell_kind, cells))) >= 0.15 * len(cells)


def _n_sentences(rows: Sequence[Sequence[str]]) -> int:
    """Count the lines that end like a sentence, or within one."""
    lines = [" ".join(row).strip() for row in rows]
    return sum(
        line.endswith((*_SENTENCE_ENDS, ",")) or (not row[-1] and len(line.split()) > 1)
        for line, row in zip(lines, rows, strict=True)
        if len(line.split()) > 1
    )
