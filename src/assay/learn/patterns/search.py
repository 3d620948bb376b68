"""Settings of the search for a column's pattern: which variant of the paper, with which limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from assay.deprecation import renamed_fields
from assay.errors import CheckError
from assay.learn.patterns.arguments import (
    require_bool,
    require_fraction,
    require_integer,
    require_non_negative,
)

__all__ = ["Search", "Variant", "require_search"]

Variant = Literal["fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "cmdv", "unified"]


@renamed_fields(whole="column_impurity")
@dataclass(frozen=True)
class Search:
    """Settings of `infer`: which patterns to look for.

    Parameters
    ----------
    variant
        How to search: ``"unified"`` (the default) or a variant of the paper. See `infer`.
    rate
        The largest false-positive rate of a pattern: the paper's r.
    coverage
        The smallest number of columns in which a pattern occurs: the paper's m.
    tolerance
        The share of the rows that need not match: the paper's θ.
    column_impurity
        Use the paper's impurity, over all rows of a column, instead of the rows of the shape.
    alternatives
        ``unified`` only: the number of shapes to describe.
    doubt
        ``unified`` only: the number of imaginary columns, half of whose rows do not match, to add
        to the evidence of each pattern. The rate of a rare pattern is then less certain.
    align
        ``unified`` only: align the shapes near the dominant one (section 3). They count as one
        alternative, and what they share is described in the same way. On columns of all kinds this
        raises F1 from .75 to .77. On machine-made columns, F1 stays the same and the precision
        falls from .957 to .953.
    open_vocabulary
        Describe a position by ``<alphanum>+`` if at least this share of its rows has a unique run,
        in shapes of several tokens without a space. None turns this off. With 0.01, F1 rises from
        .909 to .912, and the share of small changes that are caught falls from .69 to .62.
    generic
        ``unified`` only: describe values that the index lacks by their classes of characters.
    """

    variant: Variant = "unified"
    rate: float = 0.05
    coverage: int = 5
    tolerance: float = 0.1
    column_impurity: bool = False
    alternatives: int = 3
    doubt: float = 1.0
    align: bool = False
    open_vocabulary: float | None = None
    generic: bool = True

    def __post_init__(self) -> None:
        if self.variant not in get_args(Variant):
            variants = ", ".join(get_args(Variant))
            raise CheckError(f"variant: expected one of {variants}, got {self.variant!r}.")
        require_fraction("rate", self.rate)
        require_fraction("tolerance", self.tolerance)
        require_integer("coverage", self.coverage, 0)
        require_integer("alternatives", self.alternatives, 1)
        require_non_negative("doubt", self.doubt)
        require_bool("align", self.align)
        if self.open_vocabulary is not None:
            require_fraction("open_vocabulary", self.open_vocabulary)

    @property
    def horizontal(self) -> bool:
        """True if some rows need not match (horizontal cuts, section 4)."""
        return self.variant in {"fmdv-h", "fmdv-vh", "unified"}

    @property
    def vertical(self) -> bool:
        """True if values may be cut into segments (vertical cuts, section 3)."""
        return self.variant in {"fmdv-v", "fmdv-vh", "unified"}


def require_search(value: object) -> None:
    """Require a `Search`, not the name of a variant."""
    if not isinstance(value, Search):
        raise CheckError(f"search: expected Search(…), got {value!r}.")
