"""`Relation`: what may hold between columns of one row, and `RelationCounts`: whether it holds.

>>> Relation(RelationKind.SUM, ("total", "net", "tax"))
Relation(kind=<RelationKind.SUM: 'sum'>, columns=('total', 'net', 'tax'))
>>> RelationCounts(rows=1000, broken=5).share
0.005
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Relation", "RelationCounts", "RelationKind"]


class RelationKind(StrEnum):
    """The kinds of relations. Their names are stored."""

    #: which of two numbers or times is larger
    COMPARISON = "comparison"
    #: two columns have the same value in each row
    EQUALITY = "equality"
    #: the first column is the sum of the others
    SUM = "sum"
    #: each value of the first column has one value of the second
    DEPENDENCY = "dependency"
    #: two numbers rise and fall together
    CORRELATION = "correlation"
    #: no two rows have the same values in both columns
    KEY = "key"


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """A relation between columns of a table, whether it holds or not.

    Parameters
    ----------
    kind
        Its kind.
    columns
        The columns in the order that the kind defines. All are different.
    """

    kind: RelationKind
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """The number of rows of a batch that break a relation.

    Parameters
    ----------
    rows
        The number of rows that were compared.
    broken
        The number of rows that break the relation. In a comparison, the first column is larger in
        them.
    below
        The number of rows in which the first column of a comparison is smaller.
    value
        Pearson's coefficient of a correlation. Otherwise NaN.
    sampled
        True if the rows are a sample.
    examples
        Values that break the relation, as text. They are not stored.
    row_filter
        A SQL condition of the rows with these values. It is not stored.
    """

    rows: int
    broken: int = 0
    below: int = 0
    value: float = math.nan
    sampled: bool = False
    examples: tuple[str, ...] = field(default=(), compare=False)
    row_filter: str | None = field(default=None, compare=False)

    @property
    def share(self) -> float:
        """The share of rows that break the relation."""
        return self.broken / self.rows if self.rows else math.nan

    @property
    def share_above(self) -> float:
        """The share of rows with a larger first column, among rows with two different values."""
        different = self.broken + self.below
        return self.broken / different if different else math.nan
