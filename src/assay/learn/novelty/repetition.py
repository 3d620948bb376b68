"""Is a batch the one before once more? How many columns are exactly as they were.

A feed that is dead, or a job that took yesterday's file, delivers what looks as good as ever. What
gives it away is that columns which are others every time are all at once the same. Most batches
have next to nothing in common with the one before, a few nearly everything: there is no spread to
go by, so that batches are counted.

>>> history = [{UNCHANGED: 0.2}] * 39
>>> stale(history, {UNCHANGED: 0.5}) is None
True
>>> stale(history, {UNCHANGED: 1.0})
Stale(observed=1.0, usual=0.2, limit=0.6, batches=39, like=0, near=0)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.novelty.metrics import UNCHANGED, Features

__all__ = ["Repetition", "find_repetition", "identical", "unchanged"]

#: after fewer batches nothing is said
_NEED = 8


@dataclass(frozen=True)
class Repetition:
    """A batch of which at least half of what usually changes is as in the one before.

    `observed` and `usual` are shares of columns, and `limit` is where that half is reached. Of so
    many `batches` before, some were `near`, beyond that limit, and some `like` this or more so.
    """

    observed: float
    usual: float
    limit: float
    batches: int
    like: int
    near: int


def unchanged(
    batch: Fingerprint, before: Mapping[str, str | None], several: Collection[str] = ()
) -> float:
    """The share of columns that have the same mark as before; NaN if there is none to compare.

    What is constant, and what held no value and holds none, says nothing. What is unknown counts as
    changed, and so does what has but one value and had `several` in other batches: all are 0 on a
    quiet day, and on the next.
    """
    same: list[bool] = []
    for name, stats in batch.columns.items():
        now, then = stats.digest, before.get(name, "")
        alike, varied = now is not None and now == then, stats["distinct"] > 1
        if name in before and (now or then) and (varied or not alike or name in several):
            same.append(alike and varied)
    return sum(same) / len(same) if same and batch.rows else math.nan


def identical(batch: Fingerprint, before: Mapping[str, str | None]) -> bool:
    """Whether every column is known to hold exactly what it held."""
    now = {name: stats.digest for name, stats in batch.columns.items()}
    return now == before and None not in now.values()


def find_repetition(history: Sequence[Features], observed: Features) -> Repetition | None:
    """How the batch is as the one before was, if it is."""
    past = [each[UNCHANGED] for each in history if math.isfinite(each.get(UNCHANGED, math.nan))]
    share = observed.get(UNCHANGED, math.nan)
    if len(past) < _NEED or not math.isfinite(share):
        return None
    usual = median(past)
    limit = (1 + usual) / 2
    if usual == 1 or share < limit:
        return None
    like, near = (sum(each >= bound for each in past) for bound in (share, limit))
    return Repetition(share, usual, limit, len(past), like, near)
