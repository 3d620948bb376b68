"""The result of inference: a pattern with its evidence, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.pattern import Pattern, Piece
from assay.deprecation import warn_renamed

__all__ = ["InferredPattern", "NoPattern"]

#: with fewer distinct values, a column may have a fixed list of values
_MIN_DISTINCT = 10
#: with fewer distinct values, a column of two shapes may have further shapes
_MIN_DISTINCT_OF_TWO_SHAPES = 50


@dataclass(frozen=True)
class NoPattern:
    """The reason why a column has no pattern, such as that it holds text that people write."""

    reason: str

    def __str__(self) -> str:
        return f"no pattern: {self.reason}"


@dataclass(frozen=True)
class InferredPattern:
    """A pattern, and the evidence for it.

    Parameters
    ----------
    pattern
        The pattern of the column.
    rows, distinct
        The number of rows and of distinct values from which it was inferred.
    missed, distinct_missed
        Number of these that do not match.
    rate
        The sum of the false-positive rates of its segments, or None if no index knows them.
    coverage
        The least number of columns of the lake that have one of its segments, or 0.
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
        """The evidence for the test of later batches: values that do not match, and all values.

        The unit that is counted depends on the values:

        - rows, for many distinct values of one shape;
        - distinct values, for few values or two shapes: a value that is repeated a hundred times is
          evidence once;
        - shapes, for few values of two shapes, or for three shapes: later values may have a fourth
          shape.

        In the last two cases, the share that does not match is the larger of the shares of rows and
        of distinct values.
        """
        shapes = sum(not all(map(_is_constant, pieces)) for pieces in self.pattern.alternatives)
        if self.distinct >= _MIN_DISTINCT and shapes <= 1:
            return self.missed, self.rows
        missed = max(self.distinct_missed, self.missed / self.rows * self.distinct)
        if shapes <= 1 or (shapes == 2 and self.distinct >= _MIN_DISTINCT_OF_TWO_SHAPES):
            return missed, self.distinct
        counted = min(shapes, self.distinct)
        return missed / self.distinct * counted, counted

    def constraint(self, column: str) -> ConstraintCall:
        """Return the constraint that a column matches this pattern.

        Examples
        --------
        >>> from assay.learn.patterns import infer
        >>> print(infer([f"AB-{n}" for n in range(20)]).constraint("code").python)
        .matches_pattern("code", "<upper>+-<digit>+", trained=(0, 20))
        """
        missed, total = self.trained
        return ConstraintCall.of(
            "matches_pattern", column, str(self.pattern), trained=(missed, total)
        )

    def demand(self, column: str) -> ConstraintCall:
        """Deprecated name of `constraint`."""
        warn_renamed("InferredPattern.demand", "InferredPattern.constraint")
        return self.constraint(column)

    def __str__(self) -> str:
        source = (
            f"{self.coverage:,} columns of the lake and more, false-positive rate {self.rate:.3f}"
            if self.rate is not None
            else "by its characters alone"
        )
        missed = f"{self.missed:,} of {self.rows:,} rows do not match"
        return f"{self.pattern} ({source}; {missed})"


def _is_constant(piece: Piece) -> bool:
    return isinstance(piece, str)
