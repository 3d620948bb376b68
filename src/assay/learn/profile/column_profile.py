"""The profile of one column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.analyzers.exact import Number
from assay.analyzers.metric import Distribution, Value, plain

__all__ = ["KINDS", "ColumnProfile", "Numbers", "Texts", "kind_of", "kinds_within"]

#: The kinds of values that the strings of a column may look like.
KINDS = ("integral", "fractional", "boolean", "date", "timestamp", "string")
#: a column is of a kind if at least this share of its values look like it
_MIN_KIND_SHARE = 0.9
_NARROWER_KINDS = {
    "fractional": ("integral", "fractional"),
    "timestamp": ("date", "timestamp"),
}


def kinds_within(kind: str | None) -> tuple[str, ...]:
    """Return the kinds whose values also belong to a kind.

    >>> kinds_within("fractional"), kinds_within("date")
    (('integral', 'fractional'), ('date',))
    """
    return _NARROWER_KINDS.get(kind or "", (kind or "",))


def kind_of(looks: Mapping[str, int]) -> str | None:
    """Return the kind of at least nine tenths of the values.

    A mixture of integers and decimals is ``fractional``, one of dates and timestamps is
    ``timestamp``.

    >>> kind_of({"integral": 60, "fractional": 35, "string": 5})
    'fractional'
    """
    total = sum(looks.values())
    if not total:
        return None
    required = _MIN_KIND_SHARE * total
    for kind in KINDS:
        if looks.get(kind, 0) >= required:
            return kind
    for wide in _NARROWER_KINDS:
        if sum(looks.get(kind, 0) for kind in kinds_within(wide)) >= required:
            return wide
    return "string"


@dataclass(frozen=True)
class Numbers:
    """Statistics of a column of numbers, or of strings that look like numbers.

    Parameters
    ----------
    minimum, maximum, mean, standard_deviation
        Statistics of the values. The standard deviation is that of the population.
    quantiles
        Estimates, within 1.3 % of the rank, by probability (``"0.5"`` is the median).
    buckets
        Estimated counts in ten intervals of equal width.
    zeros, negatives, nans
        The number of values that are 0, below 0, or not a number.
    """

    minimum: Number
    maximum: Number
    mean: float
    standard_deviation: float
    quantiles: Mapping[str, float] = field(default_factory=dict)
    buckets: Distribution | None = None
    zeros: int | None = None
    negatives: int | None = None
    nans: int = 0


@dataclass(frozen=True)
class Texts:
    """Statistics of a column of strings.

    Parameters
    ----------
    min_length, max_length, mean_length
        Lengths in characters.
    empty
        The number of empty strings.
    shapes
        The frequent coarse shapes of the values, such as ``a-9`` for ``abc-12``.
    examples
        Values with their counts: the most frequent, or a random sample if few values repeat.
    leading_zeros
        The number of values such as ``00501``, which are codes and not numbers.
    """

    min_length: int
    max_length: int
    mean_length: float
    empty: int
    shapes: Distribution | None = None
    examples: Distribution | None = None
    leading_zeros: int | None = None


@dataclass(frozen=True, repr=False)
class ColumnProfile:
    """The profile of one column.

    Parameters
    ----------
    name
        The name of the column, such as ``address.zip``.
    type
        Spark's type.
    rows, present
        The number of rows, and of rows that have a value.
    distinct
        The number of distinct values: an estimate (HyperLogLog), unless `exact` is true.
    kind
        Type that at least nine tenths of the values look like, one of `KINDS`. It is ``string`` if
        nothing else fits, and None without values.
    looks
        The number of values of each kind.
    numbers, texts
        Statistics of numbers and of strings.
    first, last
        The earliest and the latest date or timestamp.
    period
        Estimated counts in ten intervals of equal width from the first to the last moment.
    lengths
        Statistics of the number of entries in arrays and maps.
    values
        The most frequent values with their counts. None if hardly any value repeats.
    exact
        True if `values` has all values with their true counts.
    frequent
        The values that repeat often in a column of mostly different values.
    """

    name: str
    type: str
    rows: int
    present: int
    distinct: int
    kind: str | None = None
    looks: Mapping[str, int] = field(default_factory=dict)
    numbers: Numbers | None = None
    texts: Texts | None = None
    first: Value | None = None
    last: Value | None = None
    values: Distribution | None = None
    exact: bool = False
    period: Distribution | None = None
    lengths: Numbers | None = None
    frequent: Distribution | None = None

    def __repr__(self) -> str:
        complete = f"{100 * self.completeness:.4g} % complete"
        return f"ColumnProfile({self.name!r}, {self.type}, {complete}, {self.distinct:,} distinct)"

    @property
    def completeness(self) -> float:
        """The share of rows that have a value; 1.0 without rows."""
        return self.present / self.rows if self.rows else 1.0

    @property
    def nulls(self) -> int:
        """The number of rows without a value."""
        return self.rows - self.present

    @property
    def constant(self) -> bool:
        """True if all values are equal."""
        return self.exact and self.values is not None and len(self.values) == 1

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON can hold it, without unknown fields."""
        fields = {name: _plain(value) for name, value in vars(self).items() if value is not None}
        return fields | {"completeness": self.completeness}


def _plain(value: object) -> Any:
    if isinstance(value, Numbers | Texts):
        fields = asdict(value) | {
            name: field_value
            for name, field_value in vars(value).items()
            if isinstance(field_value, Distribution)
        }
        return {
            name: plain(field_value)
            for name, field_value in fields.items()
            if field_value is not None
        }
    return plain(value)
