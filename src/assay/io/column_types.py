"""The types of columns in files that do not carry types, such as CSV.

Every command uses these rules, so that one file has one schema.

All values of a column decide on its type:

- bigint: whole numbers of at most 18 characters
- decimal(38,0): whole numbers of at most 38 characters
- double: numbers, some with a fraction or an exponent
- boolean: true and false, in any case
- date: days that exist, written 2024-02-29
- timestamp: times written 2024-02-29 10:00 or 2024-02-29T10:00:00Z, some perhaps days
- string: anything else, or no values at all

Exceptions and details:

- A column whose numbers begin with a zero, such as 00501, holds codes and is a string.
- Spaces around a value do not count. Quotes around a value do not count.
- The words of `MISSING_MARKERS` are null in a column that is not a string, and are counted.
- One other value makes the column a string: no value is lost. A note counts such values where
  most look like one type.
- A batch keeps the types that its dataset has (`keep_type`). Numbers and times may become wider.
  Values that do not fit are null and counted, unless they are most values of the column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.analyzers.schema import NUMERIC, TEMPORAL, family
from assay.text import count_noun

__all__ = [
    "MISSING_MARKERS",
    "TypeCounts",
    "choose_type",
    "is_widening",
    "keep_type",
    "type_notes",
    "unfit_count",
    "unfit_note",
    "unfit_values",
]

#: words that stand for a missing value in a column of numbers, times or booleans
MISSING_MARKERS = (
    "NA", "N/A", "n/a", "#N/A", "null", "NULL", "None", "nan", "NaN", "-", "\\N",
)  # fmt: skip
#: characters of a number that surely fits 64 bits, and a decimal
_MAX_BIGINT_LENGTH, _MAX_DECIMAL_LENGTH = 18, 38
#: share of values of one type from which on a note counts the others
_NEARLY_ALL = 0.9
#: columns that one note names
_MAX_NAMES = 5
#: fewer values than these do not change the type of a dataset's column
_MIN_UNFIT = 5


@dataclass(frozen=True)
class TypeCounts:
    """Count the values of a text column by the type that they look like.

    Attributes
    ----------
    integral, fractional, boolean, date, timestamp, string
        Values by their look. Missing markers and blanks are in none of them.
    n_impossible
        Dates and timestamps that do not exist, such as 2024-02-31.
    n_leading_zero
        Values that begin with a zero and another digit.
    n_missing, n_blank
        Missing markers; empty strings and blanks that are not null.
    max_length
        Characters of the longest value.
    """

    integral: int = 0
    fractional: int = 0
    boolean: int = 0
    date: int = 0
    timestamp: int = 0
    string: int = 0
    n_impossible: int = 0
    n_leading_zero: int = 0
    n_missing: int = 0
    n_blank: int = 0
    max_length: int = 0

    @property
    def n_values(self) -> int:
        """Return the number of values that are not missing."""
        numbers = self.integral + self.fractional
        return numbers + self.boolean + self.date + self.timestamp + self.string

    def __add__(self, other: TypeCounts) -> TypeCounts:
        others = vars(other)
        merged = {name: count + others[name] for name, count in vars(self).items()}
        return TypeCounts(**{**merged, "max_length": max(self.max_length, other.max_length)})


def choose_type(counts: TypeCounts) -> str | None:
    """Return the type that all values have; None without values.

    Examples
    --------
    >>> choose_type(TypeCounts(integral=9, max_length=4)), choose_type(TypeCounts(string=1, date=9))
    ('bigint', 'string')
    """
    n_values = counts.n_values
    if not n_values:
        return None
    if counts.integral + counts.fractional == n_values and not counts.n_leading_zero:
        if counts.fractional:
            return "double"
        if counts.max_length <= _MAX_BIGINT_LENGTH:
            return "bigint"
        return "decimal(38,0)" if counts.max_length <= _MAX_DECIMAL_LENGTH else "string"
    if counts.boolean == n_values:
        return "boolean"
    if counts.date + counts.timestamp == n_values and not counts.n_impossible:
        return "timestamp" if counts.timestamp else "date"
    return "string"


def keep_type(counts: TypeCounts, expected: str) -> str:
    """Return the type of a column in a batch whose dataset has the type `expected`.

    Examples
    --------
    >>> whole, words = TypeCounts(integral=90, max_length=3), TypeCounts(string=60, integral=30)
    >>> keep_type(whole, "double"), keep_type(whole, "string"), keep_type(words, "double")
    ('double', 'string', 'string')
    """
    chosen = choose_type(counts)
    if chosen is None or chosen == expected or family(expected) == "string":
        return expected
    if is_widening(expected, chosen):
        return chosen
    n_unfit = unfit_count(counts, expected)
    if n_unfit >= _MIN_UNFIT and 2 * n_unfit > counts.n_values:
        return chosen
    return expected


def is_widening(narrow: str, wide: str) -> bool:
    """Return whether every value of the first type is a value of the second.

    Examples
    --------
    >>> is_widening("bigint", "double"), is_widening("double", "bigint")
    (True, False)
    """
    order = {"integral": 0, "decimal": 1, "fractional": 2}
    one, other = family(narrow), family(wide)
    if one in NUMERIC and other in NUMERIC:
        return order[one] < order[other]
    return one == "date" and other in TEMPORAL - {"date"}


def unfit_count(counts: TypeCounts, type_name: str) -> int:
    """Count the values that cannot be read as a type.

    Examples
    --------
    >>> unfit_count(TypeCounts(integral=2, fractional=1, string=1), "double")
    1
    """
    kind = family(type_name)
    if kind == "integral":
        fitting = counts.integral
    elif kind in NUMERIC:
        fitting = counts.integral + counts.fractional
    elif kind in TEMPORAL:
        fitting = counts.date + counts.timestamp - counts.n_impossible
    elif kind == "boolean":
        fitting = counts.boolean
    else:
        fitting = counts.n_values
    return counts.n_values - fitting


def unfit_note(column: str, counts: TypeCounts, type_name: str) -> list[str]:
    """Describe the values that cannot be read as a type and are null; [] if there are none.

    Examples
    --------
    >>> unfit_note("n", TypeCounts(integral=9, string=1), "bigint")
    ['n: 1 of 10 values is not bigint and becomes null']
    """
    n_unfit = unfit_count(counts, type_name)
    if not n_unfit:
        return []
    are = "is not" if n_unfit == 1 else "are not"
    become = "becomes" if n_unfit == 1 else "become"
    return [
        f"{column}: {n_unfit:,} of {counts.n_values:,} values {are} {type_name} and {become} null"
    ]


def unfit_values(
    counts: Mapping[str, TypeCounts], types: Mapping[str, str]
) -> tuple[tuple[str, int, int], ...]:
    """Return the columns with values that are not of their type and become null.

    Returns
    -------
    tuple of (str, int, int)
        The column, the number of such values, and the number of all values.

    Examples
    --------
    >>> unfit_values({"n": TypeCounts(integral=9, string=1)}, {"n": "bigint"})
    (('n', 1, 10),)
    """
    return tuple(
        (name, n_unfit, column.n_values)
        for name, column in counts.items()
        if (n_unfit := unfit_count(column, types[name]))
    )


def type_notes(counts: Mapping[str, TypeCounts], types: Mapping[str, str]) -> list[str]:
    """Describe values that are read as null, or that keep a column from having a type.

    Examples
    --------
    >>> type_notes({"n": TypeCounts(integral=30, string=1)}, {"n": "string"})
    ['n stays text: 1 of 31 values is not a number']
    >>> columns = {name: TypeCounts(integral=30, n_missing=2) for name in ("n", "m")}
    >>> type_notes(columns, dict.fromkeys(columns, "bigint"))
    ['4 markers such as NA or - are read as null: 2 in n, 2 in m']
    """
    notes = [
        note
        for name, column in counts.items()
        for note in (
            _text_notes(name, column)
            if types[name] == "string"
            else unfit_note(name, column, types[name])
        )
    ]
    markers = {
        name: column.n_missing
        for name, column in counts.items()
        if types[name] != "string" and column.n_missing
    }
    return notes + _marker_note(markers)


def _marker_note(markers: Mapping[str, int]) -> list[str]:
    """Describe the markers of missing values in all columns in one sentence."""
    if not markers:
        return []
    number = sum(markers.values())
    are = "is" if number == 1 else "are"
    sentence = f"{count_noun(number, 'marker')} such as NA or - {are} read as null"
    if len(markers) == 1:
        return [f"{next(iter(markers))}: {sentence}"]
    most = sorted(markers, key=markers.__getitem__, reverse=True)[:_MAX_NAMES]
    counts = ", ".join(f"{markers[name]:,} in {name}" for name in most)
    n_more = len(markers) - _MAX_NAMES
    more = f" and others in {count_noun(n_more, 'column')}" if n_more > 0 else ""
    return [f"{sentence}: {counts}{more}"]


def _text_notes(column: str, counts: TypeCounts) -> list[str]:
    """Describe a column that nearly holds numbers or dates."""
    n_values, notes = counts.n_values, list[str]()
    for kind, name in (("double", "number"), ("timestamp", "date")):
        n_unfit = unfit_count(counts, kind)
        if 0 < n_unfit <= (1 - _NEARLY_ALL) * n_values:
            are_not = f"is not a {name}" if n_unfit == 1 else f"are not {name}s"
            notes.append(f"{column} stays text: {n_unfit:,} of {n_values:,} values {are_not}")
    return notes
