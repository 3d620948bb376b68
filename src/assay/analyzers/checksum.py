"""Checksums detect whether two columns hold the same values, in any order."""

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

#: the low 24 bits of each hash are summed: half a trillion of them fit into 64 bits
_BITS = 0xFFFFFF


@dataclass(frozen=True)
class Checksum(ScanAnalyzer[Count]):
    """Sum hashes of the values, to detect whether two columns hold the same values.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.

    Notes
    -----
    ``Σ (xxhash64(value) mod 2²⁴)``, in any order of rows. If one value differs, the sums are equal
    in 1 of 17 million cases. Nulls add nothing. 0.0 equals -0.0, and NaN equals NaN.

    Examples
    --------
    >>> Checksum("id").key
    'Checksum(id)'
    """

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sum of hashes."""
        column = schema.column(self.column).require(GROUPABLE, "Checksum")
        sql = f"sum({filtered(f'({hashed(column)}) & {_BITS}', self.where)})"
        return (AggregateExpr(sql, reads(schema, self.where, column)),)

    def state(self, values: Sequence[Any], schema: Schema) -> Count:
        """Create the state from the sum, which is 0 without values."""
        return Count(values[0] or 0)
