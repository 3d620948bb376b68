"""Find constraints that cannot be evaluated on a table, by its schema alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.checks.constraint import Constraint
from assay.checks.formatting import one_line, visible
from assay.engine.frame import fields_of

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["Applicability", "find_problems"]


@dataclass(frozen=True)
class Applicability:
    """The constraints that cannot be evaluated on a table, with reasons. True if there are none.

    Attributes
    ----------
    problems
        The reason for each constraint that cannot be evaluated.
    """

    problems: Mapping[Constraint, Problem]

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if self:
            return "every constraint can be evaluated"
        return "\n".join(
            f"{visible(constraint.name)}: {one_line(str(problem))}"
            for constraint, problem in self.problems.items()
        )


def find_problems(
    constraints: Iterable[Constraint],
    schema: Schema | StructType,
    reference_tables: Mapping[str, Schema | StructType] | None,
) -> Applicability:
    """Return the constraints that the schemas rule out."""
    ours = _to_schema(schema)
    theirs = None
    if reference_tables is not None:
        theirs = {name: _to_schema(table) for name, table in reference_tables.items()}
    problems = {constraint: constraint.problem(ours, theirs) for constraint in constraints}
    return Applicability({c: problem for c, problem in problems.items() if problem is not None})


def _to_schema(schema: Schema | StructType) -> Schema:
    return schema if isinstance(schema, Schema) else Schema(fields_of(schema))
