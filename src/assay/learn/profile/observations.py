"""What in a profile is worth a second look: sentences, not verdicts.

Each remark is a function from a column's profile; none needs history or a demand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from assay.analyzers.text import TYPE_PATTERNS
from assay.checks.formatting import format_value, visible
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile

__all__ = ["Observation", "find_observations"]

#: so few rows say nothing about what is usual
_FEW = 20
_MISSING = re.compile(
    r"(?i:n/?a|nan|null|nil|none|nothing|unknown|missing|undefined|\(null\)|#n/a|\?+|-+|\.)"
)
_SENTINELS = frozenset({-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0})
#: so many values of one shape are no accident
_ALIKE = 4
#: a value is far off if it is so many times further from the middle than 99 % of all
_FAR = 20
_EPOCHS = (date(1900, 1, 1), date(1970, 1, 1))
_SAME = {"fractional": {"integral", "fractional"}, "timestamp": {"date", "timestamp"}}


@dataclass(frozen=True)
class Observation:
    """Something odd about a column (or about the table: ``column=""``)."""

    column: str
    code: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.column}: {self.sentence}" if self.column else self.sentence


def find_observations(
    profile: Profile, names: Mapping[str, int] | None = None
) -> tuple[Observation, ...]:
    """What is odd about a table, its columns in their order.

    `names` counts columns by name, where several may have the same.
    """
    found = [
        Observation("", "ambiguous", f"{n} columns are called {name!r}, and are left out")
        for name, n in (names or {}).items()
        if n > 1
    ]
    if not profile.rows:
        return (*found, Observation("", "no_rows", "it has columns and no rows"))
    for each in profile.values():
        found += [Observation(each.name, code, said) for code, said in _of_column(each)]
    return tuple(found)


def _of_column(column: ColumnProfile) -> Iterator[tuple[str, str]]:
    if not column.name.strip() or column.name != column.name.strip():
        yield "name", f"its name, {column.name!r}, begins or ends with a space"
    if not column.present:
        yield "no_values", "has no values"
        return
    for code, look in _LOOKS.items():
        said = look(column)
        if said:
            yield code, said


def _constant(column: ColumnProfile) -> str:
    if not column.constant or column.present < _FEW:
        return ""
    assert column.values is not None
    return f"is {visible(str(column.values.top))!r} in every row that has a value"


def _mixed(column: ColumnProfile) -> str:
    """Strings of which nearly all look like one type."""
    if column.texts is None or column.kind in {None, "string"}:
        return ""
    own = _SAME.get(column.kind or "", {column.kind})
    other = sum(n for kind, n in column.looks.items() if kind not in own)
    if not other:
        return ""
    like = [each for each in _labels(column) if not any(_is(each, kind) for kind in own)]
    such = f", such as {visible(like[0])!r}" if like else ""
    return f"{_of(other, column.present)} values are not {column.kind}{such}"


def _missing(column: ColumnProfile) -> str:
    """Words that stand for no value, where they look unlike the others: NA is also a country."""
    if column.texts is None:
        return ""
    shapes = Counter(map(_shape, _labels(column)))
    found = {
        each: n
        for each, n in _labels(column).items()
        if _MISSING.fullmatch(each.strip()) and shapes[_shape(each)] <= _ALIKE
    }
    if not found:
        return ""
    label, n = max(found.items(), key=lambda pair: pair[1])
    return f"{visible(label)!r} may stand for no value ({n:,} times)"


def _shape(label: str) -> str:
    """Its characters by their classes: ``aA-0``."""
    return re.sub(r"[0-9]", "0", re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", label)))


def _empty(column: ColumnProfile) -> str:
    empty = 0 if column.texts is None else column.texts.empty
    return f"{_of(empty, column.present)} values are empty strings" if empty else ""


def _spaces(column: ColumnProfile) -> str:
    found = [each for each in _labels(column) if each.strip() and each != each.strip()]
    return f"values have spaces around them, such as {visible(found[0])!r}" if found else ""


def _variants(column: ColumnProfile) -> str:
    """Values that differ in case or spaces alone."""
    if not column.exact or column.texts is None:
        return ""
    groups: dict[str, list[str]] = {}
    for each in _labels(column):
        groups.setdefault(" ".join(each.casefold().split()), []).append(each)
    for alike in groups.values():
        if len(alike) > 1:
            return f"{visible(alike[0])!r} and {visible(alike[1])!r} may be the same"
    return ""


def _garbled(column: ColumnProfile) -> str:
    found = [each for each in _labels(column) if _is_garbled(each)]
    return f"text looks wrongly encoded, such as {visible(found[0])!r}" if found else ""


def _is_garbled(text: str) -> bool:
    """Whether it was decoded as what it is not: UTF-8 that was taken for Windows-1252."""
    if text.isascii():
        return False
    try:
        return "\ufffd" in text or bool(text.encode("windows-1252").decode("utf-8"))
    except UnicodeError:
        return False


def _codes(column: ColumnProfile) -> str:
    zeros = 0 if column.texts is None else column.texts.leading_zeros or 0
    if not zeros or column.kind not in {"integral", "fractional"}:
        return ""
    return f"{_of(zeros, column.present)} values begin with 0: codes, and no numbers"


def _nans(column: ColumnProfile) -> str:
    nans = 0 if column.numbers is None else column.numbers.nans
    return f"{_of(nans, column.present)} values are NaN" if nans else ""


def _far(column: ColumnProfile) -> str:
    """A least or greatest value beyond all proportion, or one that stands for something else."""
    numbers = column.numbers
    if numbers is None or column.present < _FEW or "0.5" not in numbers.quantiles:
        return ""
    middle, low, high = (numbers.quantiles[q] for q in ("0.5", "0.01", "0.99"))
    for name, value, usual in (
        ("greatest", float(numbers.maximum), high),
        ("least", float(numbers.minimum), low),
    ):
        if abs(value - middle) > _FAR * max(abs(usual - middle), abs(high - low) / 10, 1e-12):
            most = "most" if name == "greatest" else "least"
            stands = "; it may stand for no value" if value in _SENTINELS else ""
            rest = f"99 % are at {most} {format_value(_brief(usual))}{stands}"
            return f"the {name}, {format_value(_brief(value))}, is far off: {rest}"
    return ""


def _negative(column: ColumnProfile) -> str:
    numbers = column.numbers
    if numbers is None or not numbers.negatives or column.present < 5 * _FEW:
        return ""
    if numbers.negatives * 100 > column.present:
        return ""
    return f"{_of(numbers.negatives, column.present)} values are negative"


def _times(column: ColumnProfile) -> str:
    """Moments that are none: the beginning of a calendar, or a time to come."""
    first, last = _day(column.first), _day(column.last)
    if last is not None and last.year >= 2100:
        return f"the latest is {last}, which may stand for no value"
    if first is not None and first in _EPOCHS:
        return f"the earliest is {first}, which may stand for no value"
    today = datetime.now(UTC).date()
    if last is not None and first is not None and last > today > first:
        return f"the latest, {last}, is in the future"
    return ""


_LOOKS: Mapping[str, Callable[[ColumnProfile], str]] = {
    "constant": _constant,
    "mixed": _mixed,
    "missing": _missing,
    "empty": _empty,
    "spaces": _spaces,
    "variants": _variants,
    "garbled": _garbled,
    "codes": _codes,
    "nan": _nans,
    "far": _far,
    "negative": _negative,
    "time": _times,
}


def _labels(column: ColumnProfile) -> Mapping[str, float]:
    """Values that are known, with how often they occur."""
    known = column.values or (column.texts.examples if column.texts is not None else None)
    return {} if known is None else known.counts


def _is(label: str, kind: str | None) -> bool:
    return kind is not None and re.match(_python(TYPE_PATTERNS[kind]), label) is not None


def _python(pattern: str) -> str:
    return pattern.replace(r"\z", r"\Z")


def _of(n: float, total: int) -> str:
    return f"{n:,.0f} of {total:,}"


def _brief(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else None
