"""Tables to compare, made from columns in memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from assay.gate.compare.compared_table import ComparedTable
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.from_rows import Column, column_kind, fingerprint

__all__ = ["table", "take"]


def table(columns: Mapping[str, Column], name: str = "old") -> ComparedTable:
    """Return the statistics of columns as a table."""
    types = {True: "double", False: "string"}
    schema = TableSchema(
        tuple((column, types[column_kind(v) == "numeric"]) for column, v in columns.items())
    )
    return ComparedTable(name=name, stats=fingerprint(columns), schema=schema)


def take(columns: Mapping[str, Column], rows: NDArray[np.int64]) -> dict[str, Column]:
    """Return some rows of all columns."""
    return {name: column[rows] for name, column in columns.items()}
