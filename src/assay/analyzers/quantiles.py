"""Quantiles without a sketch: exact, dear, and not incremental."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import AggregateExpr, filtered, reads
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.custom import Opaque
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import NUMERIC, Schema

__all__ = ["ExactQuantile"]


@dataclass(frozen=True)
class ExactQuantile(ScanAnalyzer[Opaque]):
    """The quantile of all values, between two of them where it falls between."""

    incremental: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)
    quantile: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.quantile <= 1.0:
            raise ValueError(f"a quantile is a share between 0 and 1, not {self.quantile!r}")

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One percentile: an imperative aggregate, as sketches are."""
        column = schema.column(self.column).require(NUMERIC, "ExactQuantile")
        subject = filtered(f"cast({column.sql} AS double)", self.where)
        sql = f"percentile({subject}, {self.quantile!r}D)"
        return (AggregateExpr(sql, reads(schema, self.where, column), sketch=True),)

    def state(self, values: Sequence[Any], schema: Schema) -> Opaque:
        """The quantile."""
        return Opaque(values[0])

    def metric(self, state: Opaque) -> Value | Undefined:
        """The quantile."""
        return Undefined("there are no values") if state.value is None else state.metric()
