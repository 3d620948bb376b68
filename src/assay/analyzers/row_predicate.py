"""Describe how single rows change a metric, so that the rows behind a failed constraint are found.

`Analyzer.row_predicate` returns one of these classes. The bounds of the constraint then decide
which rows fail: those that match, those that do not, or those with a value beyond a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.analyzers.schema import Column

__all__ = ["CountedRows", "ExtremeRows", "MatchingRows", "RowPredicate"]


@dataclass(frozen=True, slots=True)
class MatchingRows:
    """The metric is a share: rows that match raise it, other rows lower it.

    If the metric has only an upper bound, the matching rows fail, and otherwise the other rows.
    Rows that do not fulfil `among` never fail.
    """

    condition: str
    among: str | None = None


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The metric is the number of these rows. They fail if there are too many of them."""

    condition: str


@dataclass(frozen=True, slots=True)
class ExtremeRows:
    """The metric is the lowest or the highest value. Rows with a value beyond the bound fail."""

    value: Column
    end: Literal["lowest", "highest"]


RowPredicate = MatchingRows | CountedRows | ExtremeRows
