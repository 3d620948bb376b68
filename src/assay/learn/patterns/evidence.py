"""What one column of a lake says of patterns: their impurity on it (auto-validate, section 2.2).

Two definitions (rows, never distinct values): the paper's, the share of the column's rows that do
not match (Definition 1); and the default, the share of the rows *of the pattern's shape* that do
not, so that a column of two shapes is no witness against the patterns of either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import CheckError, nearest
from assay.learn.patterns.arguments import require_share, require_whole
from assay.learn.patterns.candidates import Candidates, candidates
from assay.learn.patterns.hierarchy import FINE, HIERARCHIES
from assay.learn.patterns.value_shape import group_by_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PARTS", "Enumeration", "Evidence", "evidence"]

#: impurities are whole numbers of millionths: their sums do not depend on the order
PARTS = 1_000_000
#: for so many patterns of a column, those that describe it best, the text is kept
_TEXTS = 12
#: what a pattern may miss of a shape to be among them
_PURE = PARTS // 20


@dataclass(frozen=True)
class Enumeration:
    """How far the patterns of a column are enumerated.

    `tokens` is the paper's τ. A shape of fewer than `least` of the rows is left out (Algorithm 1);
    `constants` are tried at each position of a shape, `patterns` kept of it.
    """

    hierarchy: str = FINE.name
    tokens: int = 8
    least: float = 0.05
    constants: int = 16
    patterns: int = 1000

    def __post_init__(self) -> None:
        if self.hierarchy not in HIERARCHIES:
            likely = nearest(str(self.hierarchy), HIERARCHIES)
            hint = f"did you mean {likely!r}? There" if likely else "there"
            raise CheckError(
                f"no hierarchy is called {self.hierarchy!r}; {hint} are: {', '.join(HIERARCHIES)}."
            )
        for name in ("tokens", "constants", "patterns"):
            require_whole(name, getattr(self, name), 1)
        require_share("least", self.least)


@dataclass(frozen=True)
class Evidence:
    """Patterns of one column by their hashes, with both impurities in millionths."""

    keys: NDArray[np.uint64]
    impurity: NDArray[np.int64]
    column_impurity: NDArray[np.int64]
    texts: Mapping[int, str]


def evidence(
    values: Iterable[str] | Mapping[str, int],
    enumeration: Enumeration,
    *,
    known: Container[int] = frozenset(),
) -> Evidence:
    """The patterns of a column; empty strings are no values. No text is made that is `known`."""
    hierarchy = HIERARCHIES[enumeration.hierarchy]
    counts = Counter(values)
    counts.pop("", None)
    rows = counts.total()
    found: list[Candidates] = []
    for shape in group_by_shape(counts):
        if shape.rows < enumeration.least * rows:
            break
        if shape.width and shape.tokens <= enumeration.tokens:
            options = {"constants": enumeration.constants, "most": enumeration.patterns}
            found.append(candidates(shape, hierarchy, **options))
    if not found:
        none = np.zeros(0, np.int64)
        return Evidence(none.astype(np.uint64), none, none, {})
    impurities = [_millionths(each.values.rows, each) for each in found]
    texts: dict[int, str] = {}
    for each, impurity in zip(found, impurities, strict=True):
        texts |= _texts(each, impurity, known)
    return Evidence(
        np.concatenate([each.keys for each in found]),
        np.concatenate(impurities),
        np.concatenate([_millionths(rows, each) for each in found]),
        texts,
    )


def _millionths(rows: int, found: Candidates) -> NDArray[np.int64]:
    missed = rows - found.found.support
    return (missed * (2 * PARTS) + rows) // (2 * rows)


def _texts(found: Candidates, impurity: NDArray[np.int64], known: Container[int]) -> dict[int, str]:
    """Of the patterns that describe nearly all rows, the most specific."""
    pure = np.flatnonzero(impurity <= _PURE)
    keys = found.keys
    order = pure[np.lexsort((keys[pure], found.found.generality[pure]))][:_TEXTS]
    texts: dict[int, str] = {}
    for at, key in zip(order.tolist(), keys[order].tolist(), strict=True):
        if key not in known:
            # what the language refuses has no text
            with suppress(CheckError):
                texts[key] = str(found.pattern(at))
    return texts
