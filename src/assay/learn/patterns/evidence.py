"""Measure the impurity of the patterns of one column (Auto-Validate, section 2.2).

The impurity of a pattern is a share of rows, not of distinct values. There are two definitions:

- the paper's (Definition 1): the share of all rows of the column that do not match;
- the default: the share of the rows *of the pattern's shape* that do not match. A column with two
  shapes is then no evidence against the patterns of either shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import CheckError, nearest
from assay.learn.patterns.arguments import require_fraction, require_integer
from assay.learn.patterns.candidates import Candidates, enumerate_patterns
from assay.learn.patterns.hierarchy import FINE, HIERARCHIES
from assay.learn.patterns.value_shape import group_by_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IMPURITY_UNIT", "ColumnEvidence", "Enumeration", "collect_evidence"]

#: impurities are integers, in millionths: their sums do not depend on the order of the columns
IMPURITY_UNIT = 1_000_000
#: the number of patterns of a shape whose text the index keeps
_MAX_TEXTS = 12
#: only patterns of at most this impurity (5 %) are among them
_MAX_TEXT_IMPURITY = IMPURITY_UNIT // 20


@dataclass(frozen=True)
class Enumeration:
    """How the patterns of a column are enumerated. An index remembers these settings.

    Parameters
    ----------
    hierarchy
        The name of the classes of characters, one of `HIERARCHIES`.
    tokens
        The largest number of tokens in a pattern: the paper's τ.
    least
        The smallest share of the rows that a shape must have to be enumerated (Algorithm 1).
    constants
        The number of constants to try at each position, the most frequent first.
    patterns
        The number of patterns to keep for each shape.
    """

    hierarchy: str = FINE.name
    tokens: int = 8
    least: float = 0.05
    constants: int = 16
    patterns: int = 1000

    def __post_init__(self) -> None:
        if self.hierarchy not in HIERARCHIES:
            suggestion = nearest(str(self.hierarchy), HIERARCHIES)
            hint = f"Did you mean {suggestion!r}? " if suggestion else ""
            raise CheckError(
                f"hierarchy: unknown name {self.hierarchy!r}."
                f" {hint}The hierarchies are: {', '.join(HIERARCHIES)}."
            )
        for name in ("tokens", "constants", "patterns"):
            require_integer(name, getattr(self, name), 1)
        require_fraction("least", self.least)


@dataclass(frozen=True)
class ColumnEvidence:
    """The patterns of one column: their keys, and both impurities in millionths.

    `impurity` counts the rows of the pattern's shape, `column_impurity` all rows of the column.
    """

    keys: NDArray[np.uint64]
    impurity: NDArray[np.int64]
    column_impurity: NDArray[np.int64]
    texts: Mapping[int, str]


def collect_evidence(
    values: Iterable[str] | Mapping[str, int],
    enumeration: Enumeration,
    *,
    skip_texts_of: Container[int] = frozenset(),
) -> ColumnEvidence:
    """Enumerate the patterns of a column and measure their impurity.

    Parameters
    ----------
    values
        Values, or the number of rows of each distinct value. Empty strings are ignored.
    enumeration
        Settings of the enumeration.
    skip_texts_of
        Keys of patterns whose text need not be created again.
    """
    hierarchy = HIERARCHIES[enumeration.hierarchy]
    row_counts = Counter(values)
    row_counts.pop("", None)
    rows = row_counts.total()
    candidates: list[Candidates] = []
    for group in group_by_shape(row_counts):
        if group.rows < enumeration.least * rows:
            break
        if group.run_count and group.token_count <= enumeration.tokens:
            candidates.append(
                enumerate_patterns(
                    group,
                    hierarchy,
                    max_constants=enumeration.constants,
                    limit=enumeration.patterns,
                )
            )
    if not candidates:
        empty = np.zeros(0, np.int64)
        return ColumnEvidence(empty.astype(np.uint64), empty, empty, {})
    impurities = [_impurity(one_shape, one_shape.group.rows) for one_shape in candidates]
    texts: dict[int, str] = {}
    for one_shape, impurity in zip(candidates, impurities, strict=True):
        texts |= _texts(one_shape, impurity, skip_texts_of)
    return ColumnEvidence(
        np.concatenate([one_shape.keys for one_shape in candidates]),
        np.concatenate(impurities),
        np.concatenate([_impurity(one_shape, rows) for one_shape in candidates]),
        texts,
    )


def _impurity(candidates: Candidates, rows: int) -> NDArray[np.int64]:
    """Return the share of the rows that each pattern does not match, rounded to millionths."""
    mismatches = rows - candidates.patterns.support
    return (mismatches * (2 * IMPURITY_UNIT) + rows) // (2 * rows)


def _texts(
    candidates: Candidates, impurity: NDArray[np.int64], skipped: Container[int]
) -> dict[int, str]:
    """Return the texts of the most specific patterns among those that match nearly all rows."""
    pure = np.flatnonzero(impurity <= _MAX_TEXT_IMPURITY)
    keys = candidates.keys
    order = pure[np.lexsort((keys[pure], candidates.patterns.generality[pure]))][:_MAX_TEXTS]
    texts: dict[int, str] = {}
    for number, key in zip(order.tolist(), keys[order].tolist(), strict=True):
        if key not in skipped:
            # The pattern language refuses ambiguous patterns: these have no text.
            with suppress(CheckError):
                texts[key] = str(candidates.pattern(number))
    return texts
