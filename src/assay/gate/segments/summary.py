"""The segments of a batch as the evidence of its verdict: row counts now and usually.

>>> now = BatchSegments.of("country", {"DE": (1204, {}), "FR": (1190, {})})
>>> before = BatchSegments.of("country", {"DE": (2400, {}), "FR": (1200, {}), "AT": (300, {})})
>>> summarize_segments([before], now)["segments"]
[['DE', 1204, 2400.0], ['AT', 0, 300.0], ['FR', 1190, 1200.0]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.gate.segments.batch_segments import BatchSegments, SegmentName

__all__ = ["summarize_segments"]

#: segments that are shown, those whose row counts changed most first
_MAX_SHOWN = 30


def summarize_segments(history: Sequence[BatchSegments], batch: BatchSegments) -> dict[str, Any]:
    """Return the segments whose row counts changed most, as JSON values.

    Parameters
    ----------
    history
        The segments of earlier batches.
    batch
        The segments of the batch.

    Returns
    -------
    dict
        The column, the number of segments, and for each shown segment its value, its number of
        rows and the median of earlier batches. A median is None without earlier batches.
    """
    now: dict[SegmentName, int] = dict(zip(batch.names, map(int, batch.rows), strict=True))
    earlier = [
        dict(zip(segments.names, segments.rows.tolist(), strict=True)) for segments in history
    ]
    names = dict.fromkeys((*now, *(name for rows in earlier for name in rows)))
    usual = {
        name: float(np.median([rows.get(name, 0) for rows in earlier])) for name in names if earlier
    }
    changes = {name: abs(now.get(name, 0) - usual.get(name, 0)) for name in names}
    shown = sorted(names, key=lambda name: -changes[name])[:_MAX_SHOWN]
    return {
        "by": batch.by,
        "n_segments": len(now) + batch.n_others,
        "segments": [[name, now.get(name, 0), usual.get(name)] for name in shown],
        "others": [batch.n_others, batch.other_rows],
    }
