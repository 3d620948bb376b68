"""What was learned of a column: a pattern and on what evidence, or that there is none."""

from __future__ import annotations

from dataclasses import dataclass

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.pattern import Pattern, Piece
from assay.deprecation import warn_renamed

__all__ = ["InferredPattern", "NoPattern"]

#: from so many distinct values on, they are not the few that a column has
_MANY = 10
#: and from so many on, a column that has shown two shapes has shown them all
_MANY_OF_TWO = 50


@dataclass(frozen=True)
class NoPattern:
    """Why a column has no pattern: an honest answer for text that people write."""

    reason: str

    def __str__(self) -> str:
        return f"no pattern: {self.reason}"


@dataclass(frozen=True)
class InferredPattern:
    """A pattern, the rows and distinct values it was learned from, and those it does not match.

    `rate` is the sum of the parts' FPR_T and `coverage` the least number of columns of the lake
    that speak for one of them; None and 0 where the lake says nothing.
    """

    pattern: Pattern
    rows: int
    missed: int
    distinct: int
    distinct_missed: int
    rate: float | None
    coverage: int

    @property
    def trained(self) -> tuple[float, int]:
        """Non-conforming values of so many: the evidence for the distributional test.

        Rows, where values are many and of one shape. Of few values, or of two shapes, each
        distinct one counts once: a value that is seen a hundred times has said once what values
        look like. Of few values of two shapes, or any of more, each shape counts once: values of a
        shape come together, and where there are three there will be a fourth. Of these the share
        that does not conform is that of the rows or of the distinct values, whichever is more.
        """
        shapes = sum(not all(map(_is_constant, each)) for each in self.pattern.alternatives)
        if self.distinct >= _MANY and shapes <= 1:
            return self.missed, self.rows
        missed = max(self.distinct_missed, self.missed / self.rows * self.distinct)
        if shapes <= 1 or (shapes == 2 and self.distinct >= _MANY_OF_TWO):
            return missed, self.distinct
        counted = min(shapes, self.distinct)
        return missed / self.distinct * counted, counted

    def constraint(self, column: str) -> ConstraintCall:
        """Return the constraint that a column matches this pattern."""
        missed, of = self.trained
        return ConstraintCall.of("matches_pattern", column, str(self.pattern), trained=(missed, of))

    def demand(self, column: str) -> ConstraintCall:
        """Deprecated name of `constraint`."""
        warn_renamed("InferredPattern.demand", "InferredPattern.constraint")
        return self.constraint(column)

    def __str__(self) -> str:
        known = (
            f"{self.coverage:,} columns of the lake and more, false-positive rate {self.rate:.3f}"
            if self.rate is not None
            else "by its characters alone"
        )
        missed = f"{self.missed:,} of {self.rows:,} rows do not match"
        return f"{self.pattern} ({known}; {missed})"


def _is_constant(piece: Piece) -> bool:
    return isinstance(piece, str)
