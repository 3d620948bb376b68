"""Detect a batch that repeats the one before, by counting unchanged columns.

A stopped feed, or a job that reads yesterday's file again, delivers data that looks normal. But all
of its columns are unchanged, also those that change in every normal batch. The share of unchanged
columns is close to 0 in most batches and close to 1 in a few. Its standard deviation is therefore
of no use, and earlier batches with such a share are counted instead.

>>> history = [{UNCHANGED: 0.2}] * 39
>>> find_repetition(history, {UNCHANGED: 0.5}) is None
True
>>> find_repetition(history, {UNCHANGED: 1.0})
Repetition(observed=1.0, usual=0.2, limit=0.6, batches=39, like=0, near=0)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.novelty.features import UNCHANGED, Features

__all__ = ["Repetition", "find_repetition", "identical", "share_of_unchanged_columns"]

#: The smallest number of batches to compare with: the eighth batch is the first one to be judged.
_MIN_BATCHES = 6


@dataclass(frozen=True)
class Repetition:
    """A batch in which at least half of the columns that usually change are unchanged.

    Parameters
    ----------
    observed, usual
        The share of unchanged columns in this batch, and its median in earlier batches.
    limit
        A share of at least this is a repetition. It is ``(1 + usual) / 2``.
    batches
        The number of earlier batches.
    like
        The number of earlier batches whose share was at least `observed`.
    near
        The number of earlier batches whose share was at least `limit`.
    """

    observed: float
    usual: float
    limit: float
    batches: int
    like: int
    near: int


def share_of_unchanged_columns(
    batch: Fingerprint, before: Mapping[str, str | None], several: Collection[str] = ()
) -> float:
    """Return the share of columns with the same digest as in the batch before.

    Parameters
    ----------
    batch
        The batch.
    before
        The digest of each column in the batch before; None if it is unknown.
    several
        Columns that had several distinct values in some batch.

    Returns
    -------
    float
        NaN if no column can be compared.

    Notes
    -----
    Constant columns, and columns without values in both batches, are ignored. A column with an
    unknown digest counts as changed. So does a column that has one distinct value now but had
    `several` in another batch. On two quiet days in a row, for example, all its values may be 0.
    """
    unchanged: list[bool] = []
    for name, stats in batch.columns.items():
        now, then = stats.digest, before.get(name, "")
        same, varies = now is not None and now == then, stats.n_distinct > 1
        if name in before and (now or then) and (varies or not same or name in several):
            unchanged.append(same and varies)
    return sum(unchanged) / len(unchanged) if unchanged and batch.rows else math.nan


def identical(batch: Fingerprint, before: Mapping[str, str | None]) -> bool:
    """Return whether all columns have the same known digests as in the batch before."""
    now = {name: stats.digest for name, stats in batch.columns.items()}
    return now == before and None not in now.values()


def find_repetition(history: Sequence[Features], observed: Features) -> Repetition | None:
    """Return the evidence that a batch repeats the one before, or None if it does not."""
    earlier_shares = [
        features[UNCHANGED]
        for features in history
        if math.isfinite(features.get(UNCHANGED, math.nan))
    ]
    share = observed.get(UNCHANGED, math.nan)
    if len(earlier_shares) < _MIN_BATCHES or not math.isfinite(share):
        return None
    usual = median(earlier_shares)
    limit = (1 + usual) / 2
    if usual == 1 or share < limit:
        return None
    like, near = (sum(value >= bound for value in earlier_shares) for bound in (share, limit))
    return Repetition(share, usual, limit, len(earlier_shares), like, near)
