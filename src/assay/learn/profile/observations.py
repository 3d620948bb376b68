"""Find what is odd in a profile: placeholders, outliers, mixed types, wrong encodings.

An observation is a hint, not a verdict. It needs neither history nor constraints.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from assay.analyzers.text import TYPE_PATTERNS
from assay.checks.formatting import format_value, visible
from assay.learn.profile.column_profile import ColumnProfile, kinds_within
from assay.learn.profile.profile import Profile

__all__ = ["Observation", "find_observations"]

#: The smallest number of rows from which observations are made.
_MIN_ROWS = 20
_PLACEHOLDER = re.compile(
    r"(?i:n/?a|nan|null|nil|none|nothing|unknown|missing|undefined|\(null\)|#n/a|\?+|-+|\.)"
)
_SENTINELS = frozenset({-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0})
#: a placeholder is usual if more distinct values have its shape: NA is also a country
_MAX_VALUES_OF_SHAPE = 4
#: an outlier is at least this many times farther from the median than the 1 % or 99 % quantile
_OUTLIER_FACTOR = 20
#: negative numbers are odd if at most this share of the values is negative
_MAX_NEGATIVE_SHARE = 0.01
_EPOCHS = (date(1900, 1, 1), date(1970, 1, 1))
#: dates from this year on stand for "no end"
_FAR_FUTURE = 2100


@dataclass(frozen=True)
class Observation:
    """Something odd about a column, or about the table if `column` is empty.

    `code` is a stable name of the observation, `sentence` describes it.
    """

    column: str
    code: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.column}: {self.sentence}" if self.column else self.sentence


def find_observations(
    profile: Profile, names: Mapping[str, int] | None = None
) -> tuple[Observation, ...]:
    """Find what is odd about a table, column by column.

    Parameters
    ----------
    profile
        The profile of the table.
    names
        The number of columns with each name. Columns whose name occurs twice have no profile.
    """
    observations = [
        Observation("", "ambiguous", f"{count} columns are called {name!r}, and are left out")
        for name, count in (names or {}).items()
        if count > 1
    ]
    if not profile.rows:
        return (*observations, Observation("", "no_rows", "it has columns and no rows"))
    for column in profile.values():
        observations += [
            Observation(column.name, code, sentence) for code, sentence in _observe_column(column)
        ]
    return tuple(observations)


def _observe_column(column: ColumnProfile) -> Iterator[tuple[str, str]]:
    if not column.name.strip() or column.name != column.name.strip():
        yield "name", f"its name, {column.name!r}, begins or ends with a space"
    if not column.present:
        yield "no_values", "has no values"
        return
    for code, observe in _OBSERVERS.items():
        sentence = observe(column)
        if sentence:
            yield code, sentence


# Each observer returns a sentence, or an empty string if there is nothing to report.


def _observe_constant(column: ColumnProfile) -> str:
    if not column.constant or column.present < _MIN_ROWS:
        return ""
    assert column.values is not None
    return f"is {visible(str(column.values.top))!r} in every row that has a value"


def _observe_mixed_kinds(column: ColumnProfile) -> str:
    """Report strings that are not of the kind of nearly all others."""
    if column.texts is None or column.kind in {None, "string"}:
        return ""
    kinds = kinds_within(column.kind)
    others = sum(count for kind, count in column.looks.items() if kind not in kinds)
    if not others:
        return ""
    labels = [
        label for label in _values(column) if not any(_looks_like(label, kind) for kind in kinds)
    ]
    example = f", such as {visible(labels[0])!r}" if labels else ""
    return f"{_share(others, column.present)} values are not {column.kind}{example}"


def _observe_placeholders(column: ColumnProfile) -> str:
    """Report words for a missing value, unless many other values have their shape."""
    if column.texts is None:
        return ""
    values = _values(column)
    shapes = Counter(map(_shape, values))
    placeholders = {
        label: count
        for label, count in values.items()
        if _PLACEHOLDER.fullmatch(label.strip()) and shapes[_shape(label)] <= _MAX_VALUES_OF_SHAPE
    }
    if not placeholders:
        return ""
    label, count = max(placeholders.items(), key=lambda pair: pair[1])
    return f"{visible(label)!r} may stand for no value ({count:,} times)"


def _shape(label: str) -> str:
    """Return the classes of the characters: ``aA-0``."""
    return re.sub(r"[0-9]", "0", re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", label)))


def _observe_empty(column: ColumnProfile) -> str:
    empty = 0 if column.texts is None else column.texts.empty
    return f"{_share(empty, column.present)} values are empty strings" if empty else ""


def _observe_spaces(column: ColumnProfile) -> str:
    padded = [label for label in _values(column) if label.strip() and label != label.strip()]
    return f"values have spaces around them, such as {visible(padded[0])!r}" if padded else ""


def _observe_variants(column: ColumnProfile) -> str:
    """Report values that differ only in case or spaces."""
    if not column.exact or column.texts is None:
        return ""
    groups: dict[str, list[str]] = {}
    for label in _values(column):
        groups.setdefault(" ".join(label.casefold().split()), []).append(label)
    for labels in groups.values():
        if len(labels) > 1:
            return f"{visible(labels[0])!r} and {visible(labels[1])!r} may be the same"
    return ""


def _observe_wrong_encoding(column: ColumnProfile) -> str:
    garbled = [label for label in _values(column) if _is_garbled(label)]
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
    return f"{_share(zeros, column.present)} values begin with 0: codes, and no numbers"


def _observe_nans(column: ColumnProfile) -> str:
    nans = 0 if column.numbers is None else column.numbers.nans
    return f"{_share(nans, column.present)} values are NaN" if nans else ""


def _observe_outliers(column: ColumnProfile) -> str:
    """Report a minimum or maximum that is far from all other values."""
    numbers = column.numbers
    if numbers is None or column.present < _MIN_ROWS or "0.5" not in numbers.quantiles:
        return ""
    median, low, high = (numbers.quantiles[q] for q in ("0.5", "0.01", "0.99"))
    for name, value, usual in (
        ("greatest", float(numbers.maximum), high),
        ("least", float(numbers.minimum), low),
    ):
        distance = max(abs(usual - median), abs(high - low) / 10, 1e-12)
        if abs(value - median) > _OUTLIER_FACTOR * distance:
            bound = "most" if name == "greatest" else "least"
            sentinel = "; it may stand for no value" if value in _SENTINELS else ""
            usual_text = f"99 % are at {bound} {_format(usual)}{sentinel}"
            return f"the {name}, {_format(value)}, is far off: {usual_text}"
    return ""


def _observe_negative(column: ColumnProfile) -> str:
    """Report negative numbers if nearly all values are positive."""
    numbers = column.numbers
    if numbers is None or not numbers.negatives or column.present < 5 * _MIN_ROWS:
        return ""
    if numbers.negatives > _MAX_NEGATIVE_SHARE * column.present:
        return ""
    return f"{_share(numbers.negatives, column.present)} values are negative"


def _observe_dates(column: ColumnProfile) -> str:
    """Report dates that stand for something else: an epoch, the far future, the future."""
    first, last = _as_date(column.first), _as_date(column.last)
    if last is not None and last.year >= _FAR_FUTURE:
        return f"the latest is {last}, which may stand for no value"
    if first is not None and first in _EPOCHS:
        return f"the earliest is {first}, which may stand for no value"
    today = datetime.now(UTC).date()
    if last is not None and first is not None and last > today > first:
        return f"the latest, {last}, is in the future"
    return ""


_OBSERVERS: Mapping[str, Callable[[ColumnProfile], str]] = {
    "constant": _observe_constant,
    "mixed": _observe_mixed_kinds,
    "missing": _observe_placeholders,
    "empty": _observe_empty,
    "spaces": _observe_spaces,
    "variants": _observe_variants,
    "garbled": _observe_wrong_encoding,
    "codes": _observe_codes,
    "nan": _observe_nans,
    "far": _observe_outliers,
    "negative": _observe_negative,
    "time": _observe_dates,
}


def _values(column: ColumnProfile) -> Mapping[str, float]:
    """Return the known values with their counts."""
    values = column.values or (column.texts.examples if column.texts is not None else None)
    return {} if values is None else values.counts


def _looks_like(label: str, kind: str) -> bool:
    return re.match(_python_pattern(TYPE_PATTERNS[kind]), label) is not None


def _python_pattern(spark_pattern: str) -> str:
    return spark_pattern.replace(r"\z", r"\Z")


def _share(count: float, total: int) -> str:
    return f"{count:,.0f} of {total:,}"


def _format(value: float) -> str:
    return format_value(int(value) if value.is_integer() and abs(value) < 1e15 else value)


def _as_date(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else None
