"""Observers of strings: mixed kinds, placeholders, spaces, encodings, numbers as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from assay.analyzers.text_types import TYPE_PATTERNS
from assay.checks.formatting import visible
from assay.learn.profile.column_profile import ColumnProfile, kinds_within
from assay.learn.profile.date_observers import date_formats
from assay.learn.profile.known_values import MIN_ROWS, Observer, count_of_total, known_values

__all__ = ["TEXT_OBSERVERS"]

_PLACEHOLDER = re.compile(
    r"(?i:n/?a|nan|null|nil|none|nothing|unknown|missing|undefined|\(null\)|#n/a|\?+|-+|\."
    r"|n\.a\.|n/d|tb[ad]|\*+|(?:not|no) (?:available|applicable|known|given|data))"
)
#: these stand for no value only among words of another shape
_WEAK_PLACEHOLDER = re.compile("[xX]{1,3}|0")
_MIN_OTHER_VALUES = 2
#: a placeholder is usual if more distinct values have its shape: NA is also a country
_MAX_VALUES_OF_SHAPE = 4
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_DECIMAL_COMMA = re.compile(r"[+-]?(?:[0-9]{1,3}(?:[. ][0-9]{3})+|[0-9]+),[0-9]+")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
#: the share of the values that must be numbers, and of those with a comma
_MIN_NUMBER_SHARE, _MIN_COMMA_SHARE = 0.9, 0.1
_KIND_WORDS = {
    "integral": "whole numbers",
    "fractional": "numbers",
    "boolean": "truth values",
    "date": "dates",
    "timestamp": "timestamps",
}


def _observe_mixed_kinds(column: ColumnProfile) -> str:
    """Report strings that are not of the kind of nearly all others."""
    if column.texts is None or column.kind in {None, "string"} or len(date_formats(column)) > 1:
        return ""
    kinds = kinds_within(column.kind)
    others = sum(count for kind, count in column.looks.items() if kind not in kinds)
    if not others:
        return ""
    labels = [
        label
        for label in known_values(column)
        if not any(_looks_like(label, kind) for kind in kinds)
    ]
    example = f", such as {visible(labels[0])!r}" if labels else ""
    values = f"{count_of_total(others, column.present)} values"
    kind = _KIND_WORDS[column.kind]
    is_not = f"is not a {kind.removesuffix('s')}" if others == 1 else f"are not {kind}"
    return f"{values} {is_not}{example}"


def _observe_placeholders(column: ColumnProfile) -> str:
    """Report words for a missing value, unless many other values have their shape."""
    if column.texts is None:
        return ""
    values = known_values(column)
    shapes = Counter(map(_shape, values))
    placeholders = {
        label: count
        for label, count in values.items()
        if (_PLACEHOLDER.fullmatch(label.strip()) and shapes[_shape(label)] <= _MAX_VALUES_OF_SHAPE)
        or (_WEAK_PLACEHOLDER.fullmatch(label.strip()) and _is_unlike_others(label, values))
    }
    if not placeholders:
        return ""
    label, count = max(placeholders.items(), key=lambda pair: pair[1])
    return f"{visible(label)!r} may stand for no value ({count:,} times)"


def _is_unlike_others(label: str, values: Mapping[str, float]) -> bool:
    """Return whether no other value has the shape of this one, or begins with a digit."""
    others = [other for other in values if other.strip() not in {"", label.strip()}]
    return len(others) >= _MIN_OTHER_VALUES and not any(
        other[:1].isdigit() or _shape(other) == _shape(label) for other in others
    )


def _shape(label: str) -> str:
    """Return the classes of the characters: ``aA-0``."""
    return re.sub(r"[0-9]", "0", re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", label)))


def _observe_empty(column: ColumnProfile) -> str:
    empty = 0 if column.texts is None else column.texts.empty
    return f"{count_of_total(empty, column.present)} values are empty strings" if empty else ""


def _observe_spaces(column: ColumnProfile) -> str:
    padded = [label for label in known_values(column) if label.strip() and label != label.strip()]
    return f"values have spaces around them, such as {visible(padded[0])!r}" if padded else ""


def _observe_wrong_encoding(column: ColumnProfile) -> str:
    garbled = [label for label in known_values(column) if _is_garbled(label)]
    return f"text looks wrongly encoded, such as {visible(garbled[0])!r}" if garbled else ""


def _is_garbled(text: str) -> bool:
    """Return whether a text is UTF-8 that was decoded as Windows-1252."""
    if text.isascii():
        return False
    try:
        return "\ufffd" in text or bool(text.encode("windows-1252").decode("utf-8"))
    except UnicodeError:
        return False


def _observe_codes(column: ColumnProfile) -> str:
    zeros = 0 if column.texts is None else column.texts.leading_zeros or 0
    if not zeros or column.kind not in {"integral", "fractional"}:
        return ""
    return f"{count_of_total(zeros, column.present)} values begin with 0: codes, and no numbers"


def _observe_numbers_as_text(column: ColumnProfile) -> str:
    """Report strings that are all of another kind, such as numbers."""
    texts = column.texts
    words = _KIND_WORDS.get(column.kind or "")
    if texts is None or words is None or texts.leading_zeros or column.present < MIN_ROWS:
        return ""
    matching = sum(column.looks.get(kind, 0) for kind in kinds_within(column.kind))
    return f"holds {words} as text" if matching == column.present else ""


def _observe_number_formats(column: ColumnProfile) -> str:
    """Report numbers with a decimal comma, or with commas between thousands."""
    values = known_values(column)
    if column.texts is None or column.kind != "string" or not values:
        return ""
    with_comma = [
        label
        for label in values
        if _DECIMAL_COMMA.fullmatch(label.strip()) or _THOUSANDS.fullmatch(label.strip())
    ]
    comma_count = sum(values[label] for label in with_comma)
    number_count = comma_count + sum(
        count for label, count in values.items() if _WHOLE_NUMBER.fullmatch(label.strip())
    )
    total = sum(values.values())
    if number_count < _MIN_NUMBER_SHARE * total or comma_count < _MIN_COMMA_SHARE * total:
        return ""
    decimals = [label for label in with_comma if not _THOUSANDS.fullmatch(label.strip())]
    if decimals:
        return f"values are numbers with a decimal comma, such as {visible(decimals[0])!r}"
    return f"values are numbers with commas between thousands, such as {visible(with_comma[0])!r}"


#: the observers of strings by the code of their observation
TEXT_OBSERVERS: Mapping[str, Observer] = {
    "mixed": _observe_mixed_kinds,
    "missing": _observe_placeholders,
    "empty": _observe_empty,
    "spaces": _observe_spaces,
    "garbled": _observe_wrong_encoding,
    "codes": _observe_codes,
    "text_numbers": _observe_numbers_as_text,
    "number_format": _observe_number_formats,
}


def _looks_like(label: str, kind: str) -> bool:
    return re.match(_python_pattern(TYPE_PATTERNS[kind]), label) is not None


def _python_pattern(spark_pattern: str) -> str:
    return spark_pattern.replace(r"\z", r"\Z")
