"""Checks: what people demand of their data.

>>> orders = (
...     Check("orders")
...     .is_complete("order_id", "status")
...     .is_unique("order_id")
...     .has_completeness("email", at_least=0.9).warn()
...     .has_mean("amount", between=(10, 40))
... )
>>> for constraint in orders.constraints:
...     print(f"{constraint.level}: {constraint}")
error: Completeness(order_id) == 1.0
error: Completeness(status) == 1.0
error: Uniqueness(order_id) == 1.0
warning: Completeness(email) >= 0.9
error: Mean(amount) in [10, 40]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.checks.constraint import Constraint
from assay.checks.formatting import one_line, visible
from assay.checks.methods.anomalies import AnomalyMethods
from assay.checks.methods.completeness import CompletenessMethods
from assay.checks.methods.patterns import PatternMethods
from assay.checks.methods.prediction import PredictionMethods
from assay.checks.methods.reference_tables import ReferenceTableMethods
from assay.checks.methods.statistics import StatisticsMethods
from assay.checks.methods.text import TextMethods
from assay.checks.methods.uniqueness import UniquenessMethods
from assay.checks.methods.values import ValueMethods
from assay.deprecation import renamed_arguments
from assay.engine.frame import fields_of

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["Applicability", "Check"]


@dataclass(frozen=True)
class Applicability:
    """Which constraints a table's schema leaves no chance, and why; true if there are none."""

    problems: Mapping[Constraint, Problem]

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if self:
            return "every constraint can be evaluated"
        return "\n".join(
            f"{visible(each.name)}: {one_line(str(why))}" for each, why in self.problems.items()
        )


@dataclass(frozen=True)
class Check(
    UniquenessMethods,
    CompletenessMethods,
    StatisticsMethods,
    ValueMethods,
    TextMethods,
    PatternMethods,
    PredictionMethods,
    ReferenceTableMethods,
    AnomalyMethods,
):
    """A named list of constraints with a level; every method returns a longer copy.

    Every demand takes bounds (`equals`, `at_least`, `at_most`, `more_than`, `less_than`, `between`
    or a function as `satisfies`), `where`, a condition in SQL that selects rows, `level`, `hint`,
    what to do when it is broken, and `id`, the name that its history survives renames by.
    """

    @renamed_arguments(others="reference_tables")
    def applicable_to(
        self,
        schema: Schema | StructType,
        reference_tables: Mapping[str, Schema | StructType] | None = None,
    ) -> Applicability:
        """Whether each constraint makes sense on such a table, without touching data.

        With the schemas of the `reference_tables`, also whether it makes sense beside them.
        """
        tables = (
            None
            if reference_tables is None
            else {name: _ours(each) for name, each in reference_tables.items()}
        )
        problems = {each: each.problem(_ours(schema), tables) for each in self.constraints}
        return Applicability({each: why for each, why in problems.items() if why is not None})


def _ours(schema: Schema | StructType) -> Schema:
    return schema if isinstance(schema, Schema) else Schema(fields_of(schema))
