"""`ComparedTable`: the name, the columns and the statistics of a table that is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.column_stats import Fingerprint

__all__ = ["ComparedTable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTable:
    """A measured table.

    Parameters
    ----------
    name : str
        Its path or name, for people.
    stats : Fingerprint
        The statistics of its columns.
    schema : TableSchema, optional
        Names and types of its columns; None if only the statistics are known.
    unreadable : mapping
        The columns that cannot be read, such as for a cast that fails, and why.
    """

    name: str
    stats: Fingerprint
    schema: TableSchema | None = None
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(measured: MeasuredBatch) -> ComparedTable:
        """Return a measured batch under its key."""
        return ComparedTable(
            name=measured.batch.key,
            stats=measured.fingerprint,
            schema=measured.schema,
            unreadable=measured.unreadable_columns,
        )
