"""Checks: named lists of constraints.

Type checkers and editors read ``check.pyi``, which lists every method with its whole signature.
``python -m tools.check_stub`` writes it.

>>> orders = (
...     Check("orders")
...     .is_complete("order_id", "status")
...     .is_unique("order_id")
...     .has_completeness("email", at_least=0.9).warn()
...     .has_mean("amount", between=(10, 40))
... )
>>> orders
Check('orders', 5 constraints)
>>> print(orders)
orders
  error    is_complete(order_id): expected 100 %
  error    is_complete(status): expected 100 %
  error    is_unique(order_id): expected 100 %
  warning  has_completeness(email): expected at least 90 %
  error    has_mean(amount): expected between 10 and 40
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.analyzers.schema import Schema
from assay.checks.applicability import Applicability, find_problems
from assay.checks.formatting import count_noun, one_line
from assay.checks.methods.anomalies import AnomalyMethods
from assay.checks.methods.completeness import CompletenessMethods
from assay.checks.methods.distances import DistanceMethods
from assay.checks.methods.lengths import LengthMethods
from assay.checks.methods.patterns import PatternMethods
from assay.checks.methods.prediction import PredictionMethods
from assay.checks.methods.reference_tables import ReferenceTableMethods
from assay.checks.methods.statistics import StatisticsMethods
from assay.checks.methods.text import TextMethods
from assay.checks.methods.uniqueness import UniquenessMethods
from assay.checks.methods.values import ValueMethods
from assay.deprecation import renamed_arguments
from assay.html_table import html_table

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["Check"]


@dataclass(frozen=True, repr=False)
class Check(
    UniquenessMethods,
    CompletenessMethods,
    StatisticsMethods,
    ValueMethods,
    TextMethods,
    LengthMethods,
    PatternMethods,
    PredictionMethods,
    DistanceMethods,
    ReferenceTableMethods,
    AnomalyMethods,
):
    """A named list of constraints. Every method returns a longer copy.

    Parameters
    ----------
    name
        Name of the check, which results show.
    level
        Level of constraints that do not give their own: ``"error"`` or ``"warning"``.
    on
        The scope of constraints that do not state one:
        ``"batch"``, ``"whole"`` or ``"both"``. See `Constraint.scopes` for the default.

    Examples
    --------
    >>> Check("orders").is_unique("order_id").has_size(at_least=1)
    Check('orders', 2 constraints)
    >>> Check("orders", level="warning").is_complete("email").constraints[0].level.value
    'warning'
    """

    @renamed_arguments(others="reference_tables")
    def applicable_to(
        self,
        schema: Schema | StructType,
        reference_tables: Mapping[str, Schema | StructType] | None = None,
    ) -> Applicability:
        """Say which constraints cannot be evaluated on a table, without reading data.

        Parameters
        ----------
        schema
            The schema of the table.
        reference_tables
            The schemas of the other tables, by name. Constraints that compare with them are judged
            only if they are given.

        Returns
        -------
        Applicability
            The constraints that cannot be evaluated, with reasons. True if there are none.

        Examples
        --------
        >>> from assay.analyzers.schema import Schema
        >>> print(Check("orders").is_complete("id").applicable_to(Schema.of(id="int")))
        every constraint can be evaluated
        """
        return find_problems(self.constraints, schema, reference_tables)

    def __repr__(self) -> str:
        return f"Check({self.name!r}, {count_noun(len(self.constraints), 'constraint')})"

    def __str__(self) -> str:
        lines = [f"  {c.level.value:<7}  {one_line(str(c))}" for c in self.constraints]
        return "\n".join([one_line(self.name), *lines])

    def _repr_html_(self) -> str:
        """Return the constraints as an HTML table, which notebooks show."""
        rows = [
            (constraint.label, constraint.expected_text, constraint.level.value)
            for constraint in self.constraints
        ]
        return html_table(("constraint", "expected", "level"), rows, caption=self.name)
