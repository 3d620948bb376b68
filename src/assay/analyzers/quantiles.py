"""Exact quantiles: expensive, and their states cannot be merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import AggregateExpr, filtered, reads, require_share
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.custom import Opaque
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import NUMERIC, Schema

__all__ = ["ExactQuantile"]


@dataclass(frozen=True)
class ExactQuantile(ScanAnalyzer[Opaque]):
    """Compute a quantile exactly.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.
    quantile
        A share between 0 and 1; 0.5 is the median.

    Notes
    -----
    Between two values it is interpolated. It costs much more than `ApproxQuantile`, and states
    cannot be merged. Nulls are ignored. Undefined without values.

    Examples
    --------
    >>> ExactQuantile("amount", 0.5).key
    'ExactQuantile(amount, 0.5)'
    """

    incremental: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)
    quantile: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_share("quantile", self.quantile)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one percentile, an imperative aggregate like sketches."""
        column = schema.column(self.column).require(NUMERIC, "ExactQuantile")
        subject = filtered(f"cast({column.sql} AS double)", self.where)
        sql = f"percentile({subject}, {self.quantile!r}D)"
        return (AggregateExpr(sql, reads(schema, self.where, column), sketch=True),)

    def state(self, values: Sequence[Any], schema: Schema) -> Opaque:
        """Create the state from the quantile."""
        return Opaque(values[0])

    def metric(self, state: Opaque) -> Value | Undefined:
        """Return the quantile."""
        return Undefined("it has no values") if state.value is None else state.metric()
