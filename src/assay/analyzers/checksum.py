"""Checksums: whether two columns hold the same values, in whatever order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import AggregateExpr, filtered, reads
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.counting import Count
from assay.analyzers.hashing import hashed
from assay.analyzers.schema import GROUPABLE, Schema

__all__ = ["Checksum"]

#: so many bits of a hash are summed up: sums of half a trillion of them fit into 64
_BITS = 0xFFFFFF


@dataclass(frozen=True)
class Checksum(ScanAnalyzer[Count]):
    """The sum of hashes of the values: that of the same values is the same, in any order.

    ``Σ (xxhash64(value) mod 2²⁴)``. Of two columns of which one value differs, 1 in 17 million have
    the same. Nulls count nothing; 0.0 and -0.0 are the same value, and all NaN are.
    """

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One sum."""
        column = schema.column(self.column).require(GROUPABLE, "Checksum")
        sql = f"sum({filtered(f'({hashed(column)}) & {_BITS}', self.where)})"
        return (AggregateExpr(sql, reads(schema, self.where, column)),)

    def state(self, values: Sequence[Any], schema: Schema) -> Count:
        """The sum; of no values it is nothing."""
        return Count(values[0] or 0)
