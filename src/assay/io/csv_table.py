"""Find the table in the records of a text: lines before it, header rows, columns.

>>> from assay.io.csv_sniffer import sniff_dialect
>>> text = "Homes 2019\\n\\n,Built,,Sold,\\nRegion,New,Old,New,Old\\nEast,5,6,7,8\\nWest,6,7,8,9\\n"
>>> table = find_table(sniff_dialect(text))
>>> table.skipped_lines, table.header_rows, table.columns
(2, 2, ('Region', 'Built New', 'Built Old', 'Sold New', 'Sold Old'))
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.io.cell_kinds import cell_kind, is_blank, is_missing
from assay.io.csv_records import CsvRecord
from assay.io.csv_sniffer import MIN_TYPED_RATIO, CsvSplit

__all__ = ["CsvTable", "find_table"]

#: header rows at most
_MAX_HEADER_ROWS = 4
#: records before the header, at most, that may look like it
_MAX_NOTES = 12
#: the first characters of comments
_COMMENT_SIGNS = ("#", "%")
#: records after the header that are compared with it
_MAX_BODY = 200
#: share of records with the same number of fields from which on a table is regular
_MIN_REGULAR_RATIO = 0.5
_BORDER = re.compile(r":?[-=_]{2,}:?")
_UNIT = re.compile(r"[\[(].*[\])]|%|°.?|[^\W\d_]{1,4}(?:[²³/][^\W\d_]{0,3}[²³]?\d?)?")

Row = Sequence[str]


@dataclass(frozen=True)
class CsvTable:
    """The first line, the header and the columns of a table in a text.

    Attributes
    ----------
    columns
        Names from the header rows; () without a header.
    skipped_lines, skipped_records, skipped_white_space
        Physical lines before the table, records before it, and lines of white space among these.
    """

    columns: tuple[str, ...]
    n_columns: int
    header_rows: int
    skipped_lines: int
    skipped_records: int
    skipped_white_space: int
    body: Sequence[CsvRecord]


def find_table(
    split: CsvSplit,
    *,
    skip_lines: int | None = None,
    header: bool | None = None,
    header_rows: int | None = None,
) -> CsvTable:
    """Find the table in a text.

    Parameters
    ----------
    skip_lines, header, header_rows
        Stated by the user instead of detected.
    """
    start = (
        _first_record(split)
        if skip_lines is None
        else sum(record.lines_before < skip_lines for record in split.records)
    )
    records = split.records[start:]
    rows = [record.fields for record in records]
    n_header = header_rows
    if n_header is None:
        n_header = 0 if header is False else _header_rows(rows, split.width)
        if header is True:
            n_header = max(n_header, 1)
    n_header = min(n_header, len(rows))
    if not n_header and skip_lines is None:
        start = _first_data(split, start)
        records = split.records[start:]
        rows = [record.fields for record in records]
    body = records[n_header:]
    columns = _names(rows[:n_header], [record.fields for record in body], split.width)
    lines = records[0].lines_before if records else 0
    return CsvTable(
        columns=tuple(columns),
        n_columns=len(columns) or _width_without_header(rows),
        header_rows=n_header,
        skipped_lines=lines if skip_lines is None else skip_lines,
        skipped_records=start,
        skipped_white_space=sum(record.is_white_space for record in split.records[:start]),
        body=body,
    )


def _first_record(split: CsvSplit) -> int:
    """Return the number of records before the table: titles, notes, other tables."""
    rows = [record.fields for record in split.records]
    if not rows or split.width == 1:
        return 0
    n_usual = sum(len(row) == split.width for row in rows)
    usual_filled = _usual_filled(rows, split.width)
    n_comments = _n_comments(rows, split.width)
    start = next(
        (
            i
            for i, row in enumerate(rows)
            if i >= n_comments and _is_table_row(row, split.width, usual_filled)
        ),
        0,
    )
    if n_usual < _MIN_REGULAR_RATIO * (len(rows) - start):
        # no usual width: the table begins with the first record that is split at all
        return next((i for i, row in enumerate(rows) if len(row) > 1 and _filled(row) > 1), 0)
    start = _later_header(rows, start, split.width) or start
    while start > n_comments and _continues_upwards(split.records, start, split.width):
        start -= 1
    return start


def _n_comments(rows: Sequence[Row], width: int) -> int:
    """Return the number of comments before the table; the last one may be its header."""
    n_comments = next((i for i, row in enumerate(rows) if row[0][:1] not in _COMMENT_SIGNS), 0)
    if not n_comments or n_comments == len(rows):
        return 0
    first, body = rows[n_comments], rows[n_comments + 1 : n_comments + _MAX_BODY]
    has_header = _is_header(first, [row for row in body if len(row) == width])
    return n_comments if has_header or len(rows[n_comments - 1]) != width else n_comments - 1


def _first_data(split: CsvSplit, start: int) -> int:
    """Return the first record of a table without a header: rows above may have more fields."""
    rows = [record.fields for record in split.records]
    typed = _typed_columns([row for row in rows[start:] if len(row) == split.width])
    while start and len(rows[start - 1]) > split.width and _values_in(rows[start - 1], typed):
        start -= 1
    return start


def _later_header(rows: Sequence[Row], start: int, width: int) -> int | None:
    """Find a header below notes, one of which has as many fields as the table by chance."""
    for position in range(start + 2, min(start + _MAX_NOTES, len(rows) - 1)):
        row = rows[position]
        above, body = rows[start:position], rows[position + 1 : position + _MAX_BODY]
        has_names = len(row) == len(set(row)) == _filled(row) == width
        typed = _typed_columns([one for one in body if len(one) == width]) if has_names else []
        if not typed or _values_in(row, typed):
            continue
        is_ragged = any(len(one) != width for one in above)
        has_values = any(_values_in(one, typed) for one in above)
        if all(map(_is_padded_note, above)) or (is_ragged and not has_values):
            return position
    return None


def _is_padded_note(row: Row) -> bool:
    """Return whether a record is a note that empty cells make as wide as the table."""
    n_filled = _filled(row)
    is_prefix = not any(map(is_blank, row[:n_filled]))
    return is_prefix and n_filled <= max(len(row) // 2, 1)


def _values_in(row: Row, columns: Sequence[int]) -> bool:
    """Return whether some of the columns has a number or a time in a record."""
    cells = (row[column] for column in columns if column < len(row))
    return any(cell_kind(cell) in ("number", "time") for cell in cells)


def _filled(row: Row) -> int:
    return sum(not is_blank(cell) for cell in row)


def _usual_filled(rows: Sequence[Row], width: int) -> int:
    counts = Counter(_filled(row) for row in rows if abs(len(row) - width) <= 1)
    return max(counts.items(), key=lambda pair: pair[::-1])[0] if counts else width


def _is_table_row(row: Row, width: int, usual_filled: int) -> bool:
    """Return whether a record may be the first of a table: as wide as most, and not a title."""
    trimmed = len(row) - (len(row) == width + 1 and is_blank(row[-1]))
    filled = _filled(row)
    if trimmed != width or not filled:
        return False
    is_title = filled == 1 < usual_filled and not is_blank(row[0])
    return not is_title


def _continues_upwards(records: Sequence[CsvRecord], start: int, width: int) -> bool:
    """Return whether the record above the first complete one is its header.

    A header may have one field less (rows end with a delimiter, or begin with row names) or more.
    """
    above, first = records[start - 1].fields, records[start].fields
    if records[start].lines_before - records[start - 1].lines_before != 1:
        return False
    longest = max(len(record.fields) for record in records[start : start + _MAX_BODY])
    is_as_long = abs(len(above) - width) <= 1 or width < longest <= len(above)
    if not is_as_long or _filled(above) < max(2, len(above) - 1):
        return False
    if any(cell_kind(cell) in ("number", "time") for cell in above):
        return False
    body = [record.fields for record in records[start:] if len(record.fields) == width]
    return all(is_blank(row[-1]) for row in body) or not _is_header(first, body[1:])


def _header_rows(rows: Sequence[Row], width: int) -> int:
    """Return the number of header rows: the last row that differs in kind from those below."""
    full = [row for row in rows[:_MAX_BODY] if abs(len(row) - max(width, 1)) <= 1]
    if len(rows) > 1 and _is_border(rows[1]):
        return 2
    for n_rows in range(min(_MAX_HEADER_ROWS, len(rows) - 2), 1, -1):
        if _is_multi_row_header(rows[:n_rows], full[n_rows:]):
            return n_rows
    body = [row for row in rows[1:_MAX_BODY] if len(row) == max(width, 1)]
    return int(bool(rows) and _is_header(rows[0], body))


def _is_border(row: Row) -> bool:
    """Return whether a record is a line of dashes below the header."""
    cells = [cell.strip() for cell in row if not is_blank(cell)]
    return bool(cells) and all(map(_BORDER.fullmatch, cells))


def _is_multi_row_header(header: Sequence[Row], body: Sequence[Row]) -> bool:
    """Return whether all rows are names or units above columns of numbers and times."""
    typed = _typed_columns(body)
    if not typed or len(body) < 2:
        return False
    for row in header:
        if _values_in(row, typed):
            return False
        cells = [row[column] for column in typed if column < len(row)]
        if row is not header[0] and not _continues_header(row, cells, header[0]):
            return False
    return True


def _continues_header(row: Row, cells: Sequence[str], first: Row) -> bool:
    """Return whether a row after the first is part of the header, by its cells in typed columns."""
    texts = [cell.strip() for cell in cells if not is_missing(cell)]
    if not texts or 2 * len(texts) < len(cells):
        return False
    if all(map(_UNIT.fullmatch, texts)) and _filled(row) <= len(texts) + 1:
        return True
    # names below a merged cell, or a second name for each column
    has_merged_cells = any(map(is_blank, first[1:]))
    return has_merged_cells or (len(texts) == len(cells) > 1 and len(set(texts)) == len(texts))


def _typed_columns(body: Sequence[Row]) -> list[int]:
    """Return the positions of columns whose values are numbers or times."""
    positions = []
    for column in range(max(map(len, body), default=0)):
        kinds = [
            cell_kind(row[column])
            for row in body
            if column < len(row) and not is_missing(row[column])
        ]
        n_typed = sum(kind in ("number", "time", "year") for kind in kinds)
        if kinds and n_typed >= MIN_TYPED_RATIO * len(kinds):
            positions.append(column)
    return positions


def _is_header(first: Row, body: Sequence[Row]) -> bool:
    """Return whether a record holds names: its fields differ in kind from the values below."""
    kinds = [cell_kind(cell) for cell in first]
    if not body:
        is_typed = [kind in ("number", "time", "year") for kind in kinds]
        # names may be years, but the first is not
        return not all(is_typed) and not (len(kinds) > 2 and is_typed[0])
    n_unlike = n_alike = 0
    for column, name in enumerate(first):
        values = [row[column] for row in body if column < len(row) and not is_missing(row[column])]
        counts = Counter(map(cell_kind, values))
        kind, count = counts.most_common(1)[0] if counts else ("", 0)
        if not kind or is_missing(name) or count < MIN_TYPED_RATIO * len(values):
            continue
        if counts[kinds[column]] > (1 - MIN_TYPED_RATIO) * len(values):
            n_alike += 1
        else:
            n_unlike += 1
    if n_unlike or n_alike:
        return n_unlike >= n_alike
    return not any(kind in ("number", "time") for kind in kinds)


def _names(header: Sequence[Row], body: Sequence[Row], width: int) -> list[str]:
    """Return one name for each column; rows of a header are joined, merged cells filled."""
    if not header:
        return []
    header = [row for row in header if not _is_border(row)] or header
    filled = [_fill_merged(row) for row in header[:-1]] + [list(header[-1])]
    length = max(map(len, filled))
    names = []
    for column in range(length):
        parts = [row[column].strip() for row in filled if column < len(row)]
        names.append(" ".join(dict.fromkeys(filter(None, parts))))
    if body and not names[-1] and all(len(row) < len(names) for row in body):
        return names[:-1]
    usual = [row for row in body if len(row) == width] if width > 1 else []
    if len(names) == width - 1 and usual and not all(is_blank(row[-1]) for row in usual):
        first_values = [row[0] for row in usual]
        has_row_names = len(set(first_values)) == len(first_values)
        return ["", *names] if has_row_names else [*names, ""]
    is_regular = len(usual) >= _MIN_REGULAR_RATIO * len(body)
    widths = [len(row) - is_blank(row[-1]) for row in body if len(row) > 1]
    n_longer = sum(body_width > len(names) for body_width in widths)
    if len(names) < width - 1 and is_regular:
        return names + [""] * (width - len(names))
    if width > 1 and 2 * n_longer > len(body) and not is_regular:
        # the header names the first fields only: the others are read, too
        return names + [""] * (max(widths) - len(names))
    return names


def _fill_merged(row: Row) -> list[str]:
    filled: list[str] = []
    for cell in row:
        filled.append(filled[-1] if is_blank(cell) and filled else cell)
    return filled


def _width_without_header(rows: Sequence[Row]) -> int:
    """Return the usual number of fields, or the largest if all differ."""
    widths = Counter(len(row) - (len(row) > 2 and is_blank(row[-1])) for row in rows)
    if not widths:
        return 0
    width, count = max(widths.items(), key=lambda pair: pair[::-1])
    if len(set(map(len, rows))) == 1:
        return len(rows[0])
    return width if count >= _MIN_REGULAR_RATIO * len(rows) else max(widths)
