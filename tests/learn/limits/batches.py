"""Batches to learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import Column, column_kind, column_stats, strings
from assay.learn.limits.column_limits import ColumnHistory
from assay.learn.limits.fault_injection import inject_faults

STATES = [f"state-{number:02d}" for number in range(50)]
CARRIERS = ["AA", "UA", "DL", "B6", "WN"]


def delays(rng: np.random.Generator) -> Column:
    return np.round(rng.gamma(2.0, 10.0, 200 + int(rng.integers(0, 40))), 1) + 1.0


def carriers(rng: np.random.Generator) -> Column:
    n = 200 + int(rng.integers(0, 40))
    return strings(rng.choice(CARRIERS, n, p=[0.3, 0.3, 0.2, 0.15, 0.05]).tolist())


def states(rng: np.random.Generator) -> Column:
    return strings(rng.permutation(STATES).tolist())


def columns(make: Callable[[np.random.Generator], Column], n: int, seed: int = 0) -> list[Column]:
    rng = np.random.default_rng(seed)
    return [make(rng) for _ in range(n)]


def metrics(batches: Sequence[Column]) -> list[dict[str, float]]:
    stats: list[ColumnStats] = [column_stats(batch) for batch in batches]
    return [
        catalogue.compute(this, before) for this, before in zip(stats, [None, *stats], strict=False)
    ]


def past(
    batches: Sequence[Column], neighbour: Column | None = None, *, paper: bool = False
) -> ColumnHistory:
    before = column_stats(batches[-2]) if len(batches) > 1 else None
    return ColumnHistory(
        column_kind(batches[-1]),
        metrics(batches),
        inject_faults(batches[-1], before, sources={"schema": neighbour}, paper=paper),
    )
