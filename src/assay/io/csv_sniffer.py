"""Choose the delimiter, the quote and the escape of a text.

Every combination splits the text, and each split gets a score. It is high for records with the
same number of fields, for cells that look like single values, and for quotes that close. The best
score wins. Without a good split the text is one column.

>>> best = sniff_dialect("ort; pegel\\n'Köln; Mitte'; 6,31\\n'Bonn; Süd'; 6,02\\n").dialect
>>> best.delimiter, best.quote, best.padded
(';', "'", True)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from assay.io.cell_kinds import cell_kind, is_blank
from assay.io.csv_records import CsvDialect, CsvRecord, quote_errors, split_records

__all__ = ["DELIMITER_NAMES", "CsvSplit", "StatedDialect", "sniff_dialect"]

#: delimiters that are tried, and their names
DELIMITER_NAMES = {
    ",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar",
    "^": "caret", "~": "tilde", " ": "space", ":": "colon",
    "\x01": "control-A character",  # Hive's own
}  # fmt: skip
#: characters from which the dialect is chosen; more take longer and change nothing
_MAX_CHARACTERS = 1 << 16
#: delimiters that are also frequent within values need columns of numbers or times as evidence
_WEAK_DELIMITERS = " :"
#: the score of the weak and the rare delimiters is lower: of equal splits, the usual one wins
_WEIGHTS = {" ": 0.8, ":": 0.7, "^": 0.9, "~": 0.85}
#: share of records with the same number of fields from which on a weak delimiter is believed
_MIN_WEAK_RATIO = 0.75
#: smallest share of records with two or more fields in a table, from its first record on
_MIN_SPLIT_RATIO = 0.5
#: with a lower score, a split is rejected and the text is one column
_MIN_SCORE = 0.22
#: text with commas has few of them in a line, and the name of its column few words
_MAX_TEXT_PARTS, _MAX_NAME_WORDS = 4, 3
#: cells whose look is examined, at most
_MAX_CELLS = 3000
#: lines that are compared with values
_MAX_LINES = 100
#: a control character that text does not contain
_UNUSED_DELIMITER = "\x1f"
#: share of values of one kind from which on a column is typed
MIN_TYPED_RATIO = 0.8
#: share of fields that begin with a space from which on spaces belong to the delimiter
_MIN_PADDED_RATIO = 0.8
#: share of fields with a space before their quotes that has the same effect
_MIN_HIDDEN_RATIO = 0.1
_QUOTED = {
    quote: re.compile(rf"(?:^|[,;\t|^ ]){quote}|{quote}(?:$|[,;\t|^ ])", re.M) for quote in "\"'"
}
#: lines of comments before the last one
_COMMENTS = re.compile(r"\A(?:[#%].*\s+)+(?=[#%])")
_BOUNDARY = re.compile(r"[,;\t|][^ ,;\t|]")


@dataclass(frozen=True)
class StatedDialect:
    """Parts of a dialect that the user states; None where they are detected."""

    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None


@dataclass(frozen=True)
class CsvSplit:
    """The records of a text under one dialect.

    Attributes
    ----------
    width
        The number of fields of the most records; 1 for one column.
    n_errors
        Records in which a quote does not close at the end of a field.
    """

    dialect: CsvDialect
    records: list[CsvRecord]
    width: int = 1
    score: float = 0.0
    n_errors: int = 0


def sniff_dialect(
    text: str, *, is_whole: bool = True, stated: StatedDialect | None = None
) -> CsvSplit:
    """Split a text by the dialect with the best score; without a good one it is one column."""
    stated = stated or StatedDialect()
    head = text[:_MAX_CHARACTERS]
    is_whole_head = is_whole and len(head) == len(text)
    # the last comment may be the header
    head = _COMMENTS.sub("", head)
    splits = [
        # min() keeps the first of equals: quotes are doubled unless that leaves more of them open
        min(
            (
                _split(
                    head, dialect, is_whole=is_whole_head, is_stated=stated.delimiter is not None
                )
                for dialect in dialects
            ),
            key=lambda split: split.n_errors,
        )
        for dialects in _candidates(head, stated)
    ]
    best = max(splits, key=lambda split: split.score, default=None)
    if best is not None and best.score > 0 and _is_better(best, head, stated):
        return _settle_padding(best, text, is_whole=is_whole)
    return _one_column(text, is_whole=is_whole, stated=stated)


def _candidates(text: str, stated: StatedDialect) -> Iterator[list[CsvDialect]]:
    """Yield dialects that the text may have, as lists that differ in the escape only.

    The first of equally good dialects wins.
    """
    delimiters = [stated.delimiter] if stated.delimiter else DELIMITER_NAMES
    for quote in _quotes(text, stated):
        for delimiter in delimiters:
            if delimiter in text:
                escapes = _escapes(text, quote, stated)
                yield [CsvDialect(delimiter, quote, escape) for escape in escapes]


def _quotes(text: str, stated: StatedDialect) -> list[str]:
    if stated.quote is not None:
        return [stated.quote]
    n_double, n_single = (len(_QUOTED[quote].findall(text)) for quote in "\"'")
    quotes = ['"']
    if n_single >= 4 and n_single > n_double:
        quotes.append("'")
    # a quote at the start of a value may be an inch mark
    return [*quotes, ""] if n_double % 2 else quotes


def _escapes(text: str, quote: str, stated: StatedDialect) -> list[str]:
    """Return the escape characters to try: a second quote, perhaps a backslash."""
    if stated.escape is not None:
        return [stated.escape]
    return [quote, "\\"] if quote and f"\\{quote}" in text else [quote]


def _split(text: str, dialect: CsvDialect, *, is_whole: bool, is_stated: bool) -> CsvSplit:
    """Split the text and score the split."""
    # spaces before a quote must not hide it
    lenient = replace(dialect, padded=True) if dialect.delimiter != "\t" else dialect
    records = split_records(text, lenient, is_whole=is_whole)
    if not records:
        return CsvSplit(dialect, records)
    width, n_body, regularity = _regularity(records)
    split_ratio = sum(len(record.fields) > 1 for record in records[-n_body:]) / n_body
    n_errors = quote_errors(text, lenient, is_whole=is_whole)
    if width == 1 or (split_ratio < _MIN_SPLIT_RATIO and not is_stated):
        return CsvSplit(dialect, records, width, 0.0, n_errors)
    weak = dialect.delimiter in _WEAK_DELIMITERS and not is_stated
    if weak and (regularity < _MIN_WEAK_RATIO or not _typed_columns(records, width)):
        return CsvSplit(dialect, records, width, 0.0, n_errors)
    if not is_stated and _is_one_column(records, width, is_weak=weak):
        return CsvSplit(dialect, records, width, 0.0, n_errors)
    consistency = max(regularity, 0.6 * split_ratio)
    score = (
        consistency
        * _cleanness(records, dialect)
        * (1 - 0.5 / width)
        * max(1 - n_errors / len(records), 0.01) ** 2
        * _WEIGHTS.get(dialect.delimiter, 1.0)
        * (1.0 if dialect.quote else 0.9)
    )
    return CsvSplit(dialect, records, width, score, n_errors)


def _regularity(records: Sequence[CsvRecord]) -> tuple[int, int, float]:
    """Return the usual number of fields, the records from the first such one, and a regularity.

    The regularity is 0 to 1. Lines before the first record of that width may be a title. They
    count less.
    """
    widths = [len(record.fields) for record in records]
    counts = Counter(width for width in widths if width > 1)
    if not counts:
        return 1, len(records), 1.0
    # of equally frequent widths take the larger: one field proves nothing
    width = max(counts.items(), key=lambda pair: pair[::-1])[0]
    # a delimiter at the end of a row or of the header separates nothing
    count = sum(
        len(record.fields) == width or (len(record.fields) == width + 1 and not record.fields[-1])
        for record in records
    )
    n_body = len(widths) - widths.index(width)
    return width, n_body, 0.7 * min(count / n_body, 1.0) + 0.3 * count / len(widths)


def _cleanness(records: Sequence[CsvRecord], dialect: CsvDialect) -> float:
    """Return the share of cells that look like single values, 0 to 1."""
    cells = list(islice((cell for record in records for cell in record.fields), _MAX_CELLS))
    if not cells:
        return 0.0
    return sum(_cell_cleanness(cell, dialect) for cell in cells) / len(cells)


def _cell_cleanness(cell: str, dialect: CsvDialect) -> float:
    if is_blank(cell) or cell_kind(cell) in ("number", "time", "year"):
        return 1.0
    if cell[0] in "\"'" and cell[0] != dialect.quote and len(cell) > 1 and cell[-1] == cell[0]:
        return 0.3  # quotes that have no meaning in this dialect
    if dialect.delimiter == " " and cell[-1] in ",;|":
        return 0.1
    if dialect.delimiter in cell:
        return 0.95  # the cell was quoted
    if _BOUNDARY.search(cell):
        return 0.3  # another delimiter stands between values
    return 0.8 if any(d in cell for d in ",;\t|") else 0.95


def _typed_columns(records: Sequence[CsvRecord], width: int) -> list[int]:
    """Return the columns that hold numbers or times, without regard to the first record."""
    rows = [record.fields for record in records if len(record.fields) == width][1:]
    return [
        position
        for position, column in enumerate(zip(*rows, strict=True))
        if sum(map(_is_typed, column)) >= MIN_TYPED_RATIO * len(column)
    ]


def _is_typed(cell: str) -> bool:
    return cell_kind(cell) in ("number", "time", "year")


def _is_one_column(records: Sequence[CsvRecord], width: int, *, is_weak: bool) -> bool:
    """Return whether a delimiter splits some values of a column instead of lines of a table."""
    position = next(i for i, record in enumerate(records) if len(record.fields) == width)
    above, first = records[:position], records[position]
    if not above or above[-1].lines_before != first.lines_before - 1:
        return False
    # most values have no delimiter
    n_words = sum(len(record.fields) == 1 and " " not in record.fields[0] for record in above)
    n_split = sum(len(record.fields) == width for record in records)
    if n_split <= len(above) and n_words >= MIN_TYPED_RATIO * len(above):
        return True
    # a name stands above values with a weak delimiter, such as MAC addresses
    typed = _typed_columns(records, width)
    return (
        is_weak
        and len(above[-1].fields) == 1
        and len(typed) < width
        and any(_is_typed(first.fields[column]) for column in typed)
    )


def _is_better(best: CsvSplit, text: str, stated: StatedDialect) -> bool:
    """Return whether a split is better than one column."""
    if stated.delimiter is not None:
        return True
    if best.score < _MIN_SCORE or _is_text_with_commas(best, text):
        return False
    delimiter = best.dialect.delimiter
    if best.width > 2 or delimiter not in " :,":
        return True
    # one column of times or of numbers with decimal commas is not split, and neither is its header
    lines = [line for line in text.splitlines()[:_MAX_LINES] if line.strip()]
    others = [line for line in lines if cell_kind(line) not in ("number", "time", "year")]
    is_column = len(lines) - len(others) >= MIN_TYPED_RATIO * (len(lines) - 1)
    if delimiter == "," and not others:
        return True
    return not is_column or any(delimiter in line for line in others)


def _is_text_with_commas(split: CsvSplit, text: str) -> bool:
    """Return whether lines are text with commas below the name of one column, such as addresses."""
    first, *others = split.records
    if split.dialect.delimiter != "," or split.width > _MAX_TEXT_PARTS or len(first.fields) > 1:
        return False
    is_name = len(first.fields[0].split()) <= _MAX_NAME_WORDS
    is_next = bool(others) and others[0].lines_before == first.lines_before + 1
    is_spaced = text.count(",") == text.count(", ")
    return is_name and is_next and is_spaced and not _typed_columns(split.records, split.width)


def _settle_padding(split: CsvSplit, text: str, *, is_whole: bool) -> CsvSplit:
    """Split the text as it will be read: padded only if spaces surround most delimiters."""
    plain = replace(split.dialect, padded=False)
    records = split_records(text, plain, is_whole=is_whole)
    if plain.delimiter == " ":
        is_padded = any("" in record.fields for record in records)
    else:
        # a line of dashes below the header has no spaces
        fields = [field for record in records for field in record.fields[1:] if field.strip("-=:")]
        n_spaced = sum(field[0] == " " for field in fields)
        # the quotes of a value after a space count only if the space does not
        n_hidden = sum(
            len(field) > 2 and field[1] == field[-1] == plain.quote and field[0] == " "
            for field in fields
        )
        is_padded = (
            n_spaced >= _MIN_PADDED_RATIO * max(len(fields), 1)
            or n_hidden > _MIN_HIDDEN_RATIO * len(fields)
            or _has_spaces_after_quotes(text, plain, is_whole=is_whole)
        )
    if not is_padded:
        return replace(split, dialect=plain, records=records)
    dialect = replace(plain, padded=True)
    return replace(split, dialect=dialect, records=split_records(text, dialect, is_whole=is_whole))


def _has_spaces_after_quotes(text: str, plain: CsvDialect, *, is_whole: bool) -> bool:
    """Return whether spaces stand between closing quotes and delimiters."""
    padded = replace(plain, padded=True)
    n_errors, n_padded_errors = (
        quote_errors(text, dialect, is_whole=is_whole) for dialect in (plain, padded)
    )
    return n_padded_errors < n_errors


def _one_column(text: str, *, is_whole: bool, stated: StatedDialect) -> CsvSplit:
    """Read each line as one value, with a delimiter that splits none of them."""
    quote = _quotes(text, stated)[0]
    delimiters = [stated.delimiter] if stated.delimiter else [*DELIMITER_NAMES, _UNUSED_DELIMITER]
    for delimiter in delimiters:
        dialect = CsvDialect(delimiter, quote, stated.escape or quote)
        records = split_records(text, dialect, is_whole=is_whole)
        if all(len(record.fields) == 1 for record in records):
            break
    return CsvSplit(dialect, records, n_errors=quote_errors(text, dialect, is_whole=is_whole))
