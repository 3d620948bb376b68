"""`SegmentSeries`: the same segments and metrics of many batches as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.gate.segments.batch_segments import BatchSegments, SegmentName
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Floats

__all__ = ["SegmentSeries", "align_segments"]

#: a segment has a usual row count if it was in this share of the batches since its first one
_MIN_PRESENCE = 0.95


@dataclass(frozen=True, eq=False)
class SegmentSeries:
    """Row counts and values of all batches, the judged one last.

    Parameters
    ----------
    names
        The segments.
    metrics
        The metrics of columns that the judged batch has.
    rows
        The row counts, by batch and segment; NaN before the first batch of a segment, and if they
        are not known.
    values
        The metrics, by batch, segment and metric.
    """

    names: tuple[SegmentName, ...]
    metrics: tuple[tuple[str, str], ...]
    rows: Floats
    values: Floats

    @cached_property
    def are_usual(self) -> NDArray[np.bool_]:
        """The segments that nearly all batches have had since their first one."""
        earlier = self.rows[:-1]
        n_batches = np.isfinite(earlier).sum(axis=0)
        n_present = (earlier > 0).sum(axis=0)
        usual: NDArray[np.bool_] = (n_present >= _MIN_PRESENCE * n_batches) & (n_batches > 0)
        return usual

    def of(self, name: str) -> tuple[list[str], Floats]:
        """Return the columns with a metric, and its values."""
        places = [place for place, (_, metric) in enumerate(self.metrics) if metric == name]
        return [self.metrics[place][0] for place in places], self.values[:, :, places]

    def counts(self, columns: Sequence[str]) -> Floats:
        """Return the number of values of each column."""
        names, shares = self.of(catalogue.COMPLETENESS)
        return self.rows[:, :, None] * shares[:, :, [names.index(column) for column in columns]]


def align_segments(batches: Sequence[BatchSegments]) -> SegmentSeries:
    """Return the series of all segments of some batches, the judged one last."""
    names = tuple(dict.fromkeys(name for batch in batches for name in batch.names))
    metrics = batches[-1].metrics
    place_of = {name: place for place, name in enumerate(names)}
    metric_place = {metric: place for place, metric in enumerate(metrics)}
    rows = np.full((len(batches), len(names)), np.nan)
    values = np.full((len(batches), len(names), len(metrics)), np.nan)
    for place, batch in enumerate(batches):
        of_segments = [place_of[name] for name in batch.names]
        # a segment that is not listed may have a few rows
        is_last = place == len(batches) - 1
        rows[place] = batch.largest_other if is_last or not batch.n_others else np.nan
        rows[place, of_segments] = batch.rows
        common = [(i, metric_place[m]) for i, m in enumerate(batch.metrics) if m in metric_place]
        if common and of_segments:
            theirs, ours = map(list, zip(*common, strict=True))
            values[place][np.ix_(of_segments, ours)] = batch.values[:, theirs]
    before_first = ~(np.cumsum(np.nan_to_num(rows) > 0, axis=0) > 0)
    return SegmentSeries(names, metrics, np.where(before_first, np.nan, rows), values)
