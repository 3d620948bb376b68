"""`BatchSegments`: the row counts and metrics of the segments of one batch.

>>> segments = BatchSegments.of("country", {"DE": (3, {("price", "mean"): 2.5}), None: (1, {})})
>>> segments.names, segments.rows.tolist(), segments.n_rows
(('DE', None), [3.0, 1.0], 4)
>>> BatchSegments.from_json(segments.to_json()).metric("price", "mean").tolist()
[2.5, nan]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import quote
from assay.checks.formatting import visible
from assay.learn.fingerprint.column_stats import Floats

__all__ = ["BatchSegments", "SegmentName", "name_segment", "segment_condition"]

#: the value of the column that splits the batch, as text; None for null
SegmentName = str | None
#: a column and one of its metrics
SegmentMetric = tuple[str, str]


def name_segment(by: str, name: SegmentName) -> str:
    """Return a segment in words.

    >>> name_segment("country", "DE"), name_segment("country", None)
    ("country = 'DE'", 'country is null')
    """
    value = " is null" if name is None else f" = {visible(name)!r}"
    return f"{visible(by)}{value}"


def segment_condition(by: str, name: SegmentName) -> str:
    """Return the SQL condition for the rows of a segment.

    >>> segment_condition("country", "DE"), segment_condition("country", None)
    ("CAST(`country` AS STRING) = 'DE'", '`country` IS NULL')
    """
    if name is None:
        return f"{quote(by)} IS NULL"
    return f"CAST({quote(by)} AS STRING) = {sql_string(name)}"


@dataclass(frozen=True, eq=False)
class BatchSegments:
    """Row counts and metrics of the largest segments of a batch; others are summed.

    Parameters
    ----------
    by
        The column that splits the batch.
    names
        The segments, the largest first.
    rows
        The number of rows of each.
    metrics
        The measured metrics of columns.
    values
        A row for each segment, a column for each metric. NaN if undefined.
    n_others, other_rows
        The number of segments that are not listed, and of their rows.
    """

    kind: ClassVar[str] = "segments"
    version: ClassVar[int] = 1

    by: str
    names: tuple[SegmentName, ...]
    rows: Floats = field(repr=False)
    metrics: tuple[SegmentMetric, ...] = field(repr=False)
    values: Floats = field(repr=False)
    n_others: int = 0
    other_rows: int = 0

    @staticmethod
    def of(
        by: str,
        segments: Mapping[SegmentName, tuple[int, Mapping[SegmentMetric, float]]],
        *,
        most: int = 200,
    ) -> BatchSegments:
        """Return the `most` largest of these segments, and the sum of the others."""
        ordered = sorted(segments, key=lambda name: (-segments[name][0], name is None, name or ""))
        kept, others = ordered[:most], ordered[most:]
        metrics = tuple(dict.fromkeys(m for name in kept for m in segments[name][1]))
        values = [[segments[name][1].get(m, math.nan) for m in metrics] for name in kept]
        return BatchSegments(
            by,
            tuple(kept),
            np.array([segments[name][0] for name in kept], np.float64),
            metrics,
            np.array(values, np.float64).reshape(len(kept), len(metrics)),
            len(others),
            sum(segments[name][0] for name in others),
        )

    @property
    def n_rows(self) -> int:
        """The number of rows of all segments, which is that of the batch."""
        return int(self.rows.sum()) + self.other_rows

    @property
    def largest_other(self) -> float:
        """The most rows that a segment which is not listed can have."""
        return float(self.rows.min()) if self.n_others else 0.0

    @cached_property
    def _places(self) -> dict[SegmentMetric, int]:
        return {metric: place for place, metric in enumerate(self.metrics)}

    def metric(self, column: str, metric: str) -> Floats:
        """Return a metric of each segment."""
        place = self._places.get((column, metric))
        return np.full(len(self.names), math.nan) if place is None else self.values[:, place]

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        return {
            "by": self.by,
            "metrics": [list(metric) for metric in self.metrics],
            "segments": [
                [name, int(rows), [_short(value) for value in values]]
                for name, rows, values in zip(
                    self.names, self.rows.tolist(), self.values.tolist(), strict=True
                )
            ],
            "others": [self.n_others, self.other_rows],
        }

    @classmethod
    def from_json(cls, document: Any) -> BatchSegments:
        """Read what `to_json` returned."""
        metrics = tuple((str(column), str(metric)) for column, metric in document["metrics"])
        segments = document["segments"]
        # None becomes NaN
        values = np.array([values for _, _, values in segments], np.float64)
        n_others, other_rows = document["others"]
        return cls(
            document["by"],
            tuple(name for name, _, _ in segments),
            np.array([rows for _, rows, _ in segments], np.float64),
            metrics,
            values.reshape(len(segments), len(metrics)),
            n_others,
            other_rows,
        )


def _short(value: float) -> float | None:
    """Return nine digits; None for NaN and infinity, which JSON does not have."""
    return float(f"{value:.9g}") if math.isfinite(value) else None
