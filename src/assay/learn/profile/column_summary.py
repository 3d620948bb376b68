"""Summarize a column in a few words, for the terminal and for notebooks."""

from __future__ import annotations

from datetime import datetime

from assay.analyzers.metric import Distribution, Value
from assay.checks.formatting import count_noun, format_value, visible
from assay.learn.profile.column_profile import ColumnProfile, Numbers, kinds_within

__all__ = [
    "HEADINGS",
    "count_other_kinds",
    "describe_values",
    "format_completeness",
    "period_ends",
    "summarize",
    "type_text",
]

HEADINGS = ("column", "type", "complete", "distinct", "values")
_KIND_NAMES = {
    "integral": "integer",
    "fractional": "number",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
}
_BARS = "▁▂▃▄▅▆▇█"
#: characters of a list of values, of a type or value, and of a shape
_MAX_LIST_LENGTH = 60
_MAX_TEXT_LENGTH = 24
_MAX_SHAPE_LENGTH = 30
#: numbers with at most this many distinct values are listed
_MAX_LISTED_VALUES = 10


def summarize(column: ColumnProfile) -> tuple[str, str, str, str, str]:
    """Return the texts of a column for `HEADINGS`."""
    distinct = f"{'' if column.exact else '≈ '}{column.distinct:,}" if column.present else ""
    values = describe_values(column)
    return column.name, type_text(column), format_completeness(column), distinct, values


def type_text(column: ColumnProfile) -> str:
    """Return Spark's type, cut; or the kind of strings that are not plain text.

    >>> from assay.learn.profile import Texts
    >>> texts = Texts(min_length=1, max_length=4, mean_length=2.0, empty=0)
    >>> type_text(ColumnProfile("price", "string", 9, 9, 5, kind="fractional", texts=texts))
    'number (text)'
    """
    kind = _kind_of_texts(column)
    return _cut(column.type) if kind is None else f"{_KIND_NAMES[kind]} (text)"


def _kind_of_texts(column: ColumnProfile) -> str | None:
    """Return the kind of strings that are neither plain text nor codes such as ``00501``."""
    texts = column.texts
    if texts is None or texts.leading_zeros or column.kind == "string":
        return None
    return column.kind


def count_other_kinds(column: ColumnProfile) -> int | None:
    """Return the number of strings that are not of the column's kind, or None for plain text."""
    kind = _kind_of_texts(column)
    if kind is None:
        return None
    matching = sum(column.looks.get(narrower, 0) for narrower in kinds_within(kind))
    return sum(column.looks.values()) - matching


def format_completeness(column: ColumnProfile) -> str:
    """Return the share of rows with a value as a percentage.

    It is 100 % only without nulls, and 0.0 % only without values.
    """
    if not column.rows:
        return "-"
    if column.nulls == 0:
        return "100 %"
    percentage = min(99.9, max(0.1, 100 * column.completeness)) if column.present else 0.0
    return f"{percentage:.1f} %"


def describe_values(column: ColumnProfile, *, bars: bool = True) -> str:
    """Describe the values of a column in about 60 characters; distributions as bars."""
    if not column.present:
        return "no values"
    ends = period_ends(column)
    if ends is not None:
        return f"{_draw_bars(column.period) if bars else ''}{' … '.join(dict.fromkeys(ends))}"
    if column.lengths is not None:
        numbers = _describe_numbers(column.lengths, bars=bars)
        return f"{numbers} {'entry' if numbers == '1' else 'entries'}"
    values = column.values
    listed = column.exact and values is not None and len(values) <= _MAX_LISTED_VALUES
    if column.numbers is not None and not listed:
        return _describe_numbers(column.numbers, bars=bars)
    if values is not None and values.counts:
        return _list_values(column)
    return _describe_lengths(column)


def period_ends(column: ColumnProfile) -> tuple[str, str] | None:
    """Return the earliest and the latest moment in words; None if the column has no moments."""
    if column.first is None or column.last is None:
        return None
    return _format_moment(column, column.first), _format_moment(column, column.last)


def _describe_numbers(numbers: Numbers, *, bars: bool) -> str:
    median = numbers.quantiles.get("0.5")
    points = [numbers.minimum, *([] if median is None else [median]), numbers.maximum]
    if numbers.minimum == numbers.maximum:
        points = [numbers.minimum]
    picture = _draw_bars(numbers.buckets) if bars else ""
    return f"{picture}{' … '.join(map(_format_number, points))}"


def _draw_bars(buckets: Distribution | None) -> str:
    """Return one bar for each count, and a space; only a count of 0 has no bar.

    >>> _draw_bars(Distribution({"a": 0, "b": 1, "c": 50, "d": 100}))
    ' ▁▄█ '
    """
    heights = [] if buckets is None else list(buckets.counts.values())
    highest = max(heights, default=0)
    if not highest or len(heights) < 2:
        return ""
    drawn = (
        " " if not height else _BARS[max(0, round(height / highest * len(_BARS)) - 1)]
        for height in heights
    )
    return f"{''.join(drawn)} "


def _list_values(column: ColumnProfile) -> str:
    assert column.values is not None
    parts: list[str] = []
    length = 0
    for label, count in column.values.counts.items():
        percentage = 100 * count / column.present
        text = visible(_cut(label) if label.strip() else repr(label))
        part = f"{text} {percentage:.0f} %" if percentage >= 1 else text
        if parts and length + len(part) > _MAX_LIST_LENGTH:
            parts.append("…")
            break
        parts.append(part)
        length += len(part) + 2
    return ", ".join(parts)


def _describe_lengths(column: ColumnProfile) -> str:
    texts = column.texts
    if texts is None:
        return ""
    low, high = texts.min_length, texts.max_length
    lengths = count_noun(low, "character") if low == high else f"{low} to {high} characters"
    shape = str(texts.shapes.top) if texts.shapes and texts.shapes.top else ""
    return lengths + (f", like {visible(shape)[:_MAX_SHAPE_LENGTH]}" if shape else "")


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT_LENGTH else text[: _MAX_TEXT_LENGTH - 1] + "…"


def _format_moment(column: ColumnProfile, value: Value) -> str:
    """Format a date, or a timestamp without seconds that are 0 and without the offset of UTC.

    Dates in strings are measured as timestamps at midnight.
    """
    if isinstance(value, datetime) and not value.utcoffset():
        value = value.replace(tzinfo=None)
    if column.kind == "date" and isinstance(value, datetime):
        return str(value.date())
    if isinstance(value, datetime) and not value.second and not value.microsecond:
        return value.isoformat(" ", "minutes")
    return format_value(value)


def _format_number(value: Value) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return format_value(value)
