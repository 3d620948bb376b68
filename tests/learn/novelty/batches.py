"""Batches to be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, fingerprint, strings
from assay.learn.novelty.batch_features import compute_features
from assay.learn.novelty.features import Feature
from assay.learn.novelty.seen_values import SeenValues

Columns = Mapping[str, Column]


def orders(rng: np.random.Generator, rows: int = 300) -> dict[str, Column]:
    """Create columns of amounts (some null), of a status and of a code."""
    amount = rng.gamma(2.0, 10.0, rows)
    amount[rng.random(rows) < 0.1] = np.nan
    status = rng.choice(["new", "paid", "void"], rows, p=[0.5, 0.4, 0.1]).tolist()
    code = [f"{a}{b}-{n:04d}" for a, b, n in zip(
        rng.choice(list("ABC"), rows), rng.choice(list("XY"), rows),
        rng.integers(0, 10_000, rows), strict=True,
    )]  # fmt: skip
    return {"amount": amount, "status": strings(status), "code": strings(code)}


def many(n: int, seed: int = 0) -> list[dict[str, Column]]:
    rng = np.random.default_rng(seed)
    return [orders(rng) for _ in range(n)]


def walked(batches: Sequence[Columns]) -> tuple[list[dict[Feature, float]], SeenValues]:
    """Return the features of each batch compared with the earlier ones, and all seen values."""
    memory, result = SeenValues(), []
    for batch in map(fingerprint, batches):
        result.append(compute_features(batch, memory))
        memory = memory.add(batch)
    return result, memory


def remembered(batches: Sequence[Fingerprint]) -> SeenValues:
    memory = SeenValues()
    for batch in batches:
        memory = memory.add(batch)
    return memory
