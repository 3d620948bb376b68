"""Count repeated values of a column, or of several columns together, in the scan of a batch.

A grouping counts them exactly as well, but it needs a shuffle. This analyzer counts the values,
and estimates the distinct ones with a theta sketch of their hashes. Up to 262,144 hashes, the
sketch keeps all of them, and its estimate is exact. A sample by hash is counted if there are more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import AggregateExpr, check_positive, filtered, reads
from assay.analyzers.analyzer import COLUMNS, ScanAnalyzer
from assay.analyzers.custom import Opaque
from assay.analyzers.hashing import hashed, key_of
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import GROUPABLE, Schema
from assay.errors import InvalidValueError

__all__ = ["RepeatedValueCount"]

#: The sketch keeps 2 ** 18 hashes, in at most 4 MB.
_LG_K = 18
#: An estimate below this number is exact. Others have an error of 0.2 %.
_MAX_EXACT = 2**_LG_K * 99 // 100


@dataclass(frozen=True)
class RepeatedValueCount(ScanAnalyzer[Opaque]):
    """Count the values that repeat another value of the column.

    Parameters
    ----------
    columns
        Name of a column, or several names. Several columns are counted by their combinations.
    one_in
        Count only the values whose hash is a multiple of this number: a sample of the distinct
        values. All values by default.

    Notes
    -----
    ``N - |V|`` of N values with the set of distinct values V. All occurrences of a sampled value
    are counted. The count is exact: it is undefined for more than about 260,000 distinct values,
    which need a sample. Rows in which a column is null do not count. States contain two counts, and
    cannot be merged.

    Examples
    --------
    >>> RepeatedValueCount("order_id", one_in=4).key
    'RepeatedValueCount(order_id, one_in=4)'
    >>> RepeatedValueCount(["shop", "receipt"]).key
    'RepeatedValueCount(shop, receipt)'
    """

    incremental: ClassVar[bool] = False
    exposes_values: ClassVar[bool] = False

    columns: Sequence[str] | str = field(metadata=COLUMNS)
    one_in: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("one_in", self.one_in)
        if not self.columns:
            raise InvalidValueError.unexpected(
                "invalid RepeatedValueCount", "at least one column", ()
            )

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return a count of the sampled values, and a sketch of their hashes."""
        columns = [
            schema.column(name).require(GROUPABLE, "RepeatedValueCount") for name in self.columns
        ]
        if len(columns) == 1:
            key_hash = hashed(columns[0])
        else:
            are_present = " AND ".join(f"({hashed(column)}) IS NOT NULL" for column in columns)
            keys = ", ".join(map(key_of, columns))
            key_hash = f"CASE WHEN {are_present} THEN xxhash64({keys}) END"
        if self.one_in > 1:
            key_hash = f"CASE WHEN pmod({key_hash}, {self.one_in}) = 0 THEN {key_hash} END"
        key_hash = filtered(key_hash, self.where)
        read = reads(schema, self.where, *columns)
        sketch = f"theta_sketch_estimate(theta_sketch_agg({key_hash}, {_LG_K}))"
        return AggregateExpr(f"count({key_hash})", read), AggregateExpr(sketch, read, sketch=True)

    def state(self, values: Sequence[Any], schema: Schema) -> Opaque:
        """Create the state from the numbers of values and of distinct values."""
        return Opaque((int(values[0]), int(values[1])))

    @staticmethod
    def counts_of(state: Opaque) -> tuple[int, int] | None:
        """Return the numbers of values and of distinct values; None if they are not exact."""
        if state.empty:
            return 0, 0
        n_values, n_distinct = state.value
        return (n_values, n_distinct) if n_distinct <= _MAX_EXACT else None

    def metric(self, state: Opaque) -> Value | Undefined:
        """Return the number of values that repeat another one."""
        counts = self.counts_of(state)
        if counts is None:
            return Undefined("it has too many values to count them exactly: count a sample")
        return counts[0] - counts[1]
