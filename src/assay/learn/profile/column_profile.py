"""The profile of one column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.analyzers.exact import Number
from assay.analyzers.metric import Distribution, Value, plain

__all__ = ["KINDS", "ColumnProfile", "Numbers", "Texts"]

#: what a column's values are, by what they look like
KINDS = ("integral", "fractional", "boolean", "date", "timestamp", "string")


@dataclass(frozen=True)
class Numbers:
    """A column of numbers, or of strings that look like numbers.

    `quantiles` are estimates within 1.3 % of the ranks; `buckets` are estimated counts in ten
    intervals of equal width.
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
    """A column of strings: their lengths in characters, and the coarse shapes that are frequent.

    `examples` are values with their counts: the most frequent, or some by lot where hardly one
    repeats. `leading_zeros` counts values such as ``00501``, which are codes and no numbers.
    """

    min_length: int
    max_length: int
    mean_length: float
    empty: int
    shapes: Distribution | None = None
    examples: Distribution | None = None
    leading_zeros: int | None = None


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of a column.

    `type` is Spark's; `kind` is what nine tenths of the values look like, *string* where nothing
    else does, and None where there is no value at all. `distinct` is estimated (HyperLogLog), but
    exact where `values` are. `values` are the most frequent ones; `exact` says that they are all
    there are, with their true counts.
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

    @property
    def completeness(self) -> float:
        """The share of rows that have a value; 1.0 where there is no row."""
        return self.present / self.rows if self.rows else 1.0

    @property
    def nulls(self) -> int:
        """The rows without a value."""
        return self.rows - self.present

    @property
    def constant(self) -> bool:
        """Whether all values are the same one."""
        return self.exact and self.values is not None and len(self.values) == 1

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; what is not known is left out."""
        shown = {name: _plain(each) for name, each in vars(self).items() if each is not None}
        return shown | {"completeness": self.completeness}


def _plain(value: object) -> Any:
    if isinstance(value, Numbers | Texts):
        own = asdict(value) | {
            name: each for name, each in vars(value).items() if isinstance(each, Distribution)
        }
        return {name: plain(each) for name, each in own.items() if each is not None}
    return plain(value)
