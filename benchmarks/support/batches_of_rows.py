"""Batches of the recurring data sets as rows in memory, which the gate can judge without Spark.

The statistics are computed from all rows, exactly. Distinct counts and quantiles of a real gate
come from sketches, which are slightly less exact.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from assay.engine.measurement import Measurement
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_kind, fingerprint, strings
from assay.store.batch import Batch
from benchmarks.support.corruption import Columns
from benchmarks.support.recurring import Case
from tools.real_data import batch_key, batch_paths

__all__ = ["BatchOfRows", "KeyedRows", "read_rows"]

_START = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class KeyedRows:
    """The key and the columns of a batch."""

    key: str
    columns: Columns


@dataclass(frozen=True)
class BatchOfRows(MeasuredBatch):
    """A batch whose statistics are computed from rows in memory."""

    columns: Columns = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """The statistics that the learners compare."""
        return fingerprint(self.columns)

    def with_columns(self, columns: Columns) -> BatchOfRows:
        """Return a batch of the same key and time with other columns."""
        schema = _schema_of(columns)
        return replace(self, columns=columns, schema=schema)

    @staticmethod
    def of(dataset: str, key: str, place: int, columns: Columns) -> BatchOfRows:
        """Return the batch of a day; `place` is the number of days before it."""
        batch = Batch(dataset, key, _START + timedelta(days=place))
        return BatchOfRows(batch, Measurement({}, {}), _schema_of(columns), columns=columns)


def _schema_of(columns: Columns) -> TableSchema:
    return TableSchema(
        tuple(
            (name, "double" if column_kind(column) == "numeric" else "string")
            for name, column in columns.items()
        )
    )


def read_rows(data: Path, case: Case, *, first: int | None = None) -> list[KeyedRows]:
    """Read the batches of a data set, oldest first. Files without a table are left out.

    A column is numeric if all its values in all batches are numbers.

    Parameters
    ----------
    data
        The folder of the real data sets.
    first
        The number of batches to read. All by default.
    """
    frames = list(_frames(data, case, first))
    text = {name for _, frame in frames for name in frame if _is_text(frame[name])}
    return [
        KeyedRows(key, {str(name): _column(frame[name], text=name in text) for name in frame})
        for key, frame in frames
    ]


def _frames(data: Path, case: Case, first: int | None) -> Iterator[tuple[str, Any]]:
    n_read, usual = 0, 0
    for part in case.parts:
        for path in batch_paths(case.name, part, folder=data):
            frame = _read(path, case.members.get(part))
            # an error page or a file with another delimiter has one column
            if frame is None or len(frame.columns) < max(2, usual / 4):
                continue
            usual = max(usual, len(frame.columns))
            yield batch_key(path), frame
            n_read += 1
            if n_read == first:
                return


def _read(path: Path, member: str | None) -> Any:
    content = gzip.decompress(path.read_bytes())
    if not content.strip():
        return None
    if member is not None:
        document = json.loads(content)
        return pd.DataFrame(document[member] if member else document)
    try:
        return pd.read_csv(
            io.BytesIO(content),
            sep="\t" if ".tsv" in path.name else ",",
            keep_default_na=False,
            na_values=["", "NA"],
            low_memory=False,
            encoding="utf-8-sig",
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError):
        return None


def _is_text(series: Any) -> bool:
    return bool(series.dtype in (object, bool) and series.notna().any())


def _column(series: Any, *, text: bool) -> Column:
    if text:
        values: Sequence[Any] = series.tolist()
        return strings(None if v is None or v != v else str(v) for v in values)
    numbers: Column = series.to_numpy(dtype="float64", na_value=float("nan"))
    return numbers
