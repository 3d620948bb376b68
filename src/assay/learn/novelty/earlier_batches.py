"""Find the earlier batch whose rows or columns a batch repeats, among the latest n batches.

Two batches are as similar as the larger of two shares: of their columns with equal digests, and of
their rows with equal hashes. Columns count if they usually change from batch to batch. A table of
snapshots repeats most rows every day. The similarity is therefore compared with that of each past
batch to the batches before it.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> def day(number):
...     return BatchContents.of(fingerprint({"id": numbers(range(100 * number, 100 * number + 100))}))
>>> history = [day(number) for number in range(12)]
>>> find_earlier(day(5), history)
EarlierBatch(place=5, similarity=1.0, usual=0.0, highest=0.0, batches=11, like=0, is_exact=True)
>>> find_earlier(day(12), history) is None
True
"""  # noqa: E501

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assay.learn.novelty.contents import BatchContents

__all__ = ["EarlierBatch", "find_earlier", "find_repeated_labels"]

#: The smallest number of batches to compare with: the eighth batch is the first one to be judged.
_MIN_BATCHES = 6
#: The similarity of a partly repeated batch is at least this far above that of 95 % of the batches,
_MIN_EXCESS = 0.05
#: and at least this share of the distance from there to 1.
_MIN_RELATIVE_EXCESS = 0.2
#: Some equal columns are usual. Only if most of them are equal, they are evidence.
_MIN_EQUAL_COLUMNS = 0.75


@dataclass(frozen=True, slots=True)
class EarlierBatch:
    """The batch that is repeated.

    Parameters
    ----------
    place
        Its place in the history.
    similarity
        The share of equal columns or rows. 1 is an exact repetition.
    usual, highest
        The median, and the 95 % quantile, of the similarities of past batches.
    batches
        The number of past batches that were compared with those before them.
    like
        The number of them that were at least as similar.
    is_exact
        False if the similarity is estimated from a sample of the rows.
    """

    place: int
    similarity: float
    usual: float
    highest: float
    batches: int
    like: int
    is_exact: bool = True


def find_earlier(batch: BatchContents, history: Sequence[BatchContents]) -> EarlierBatch | None:
    """Return the batch that is repeated in full or in part, or None.

    Parameters
    ----------
    batch
        The contents of the batch.
    history
        The contents of the batches before it, oldest first.
    """
    if len(history) <= _MIN_BATCHES or not batch.rows:
        return None
    changing = _changing_columns(history)
    similarities = [_similarity(batch, earlier, changing) for earlier in history]
    best = int(np.argmax(similarities))
    is_equal = _share_of_equal_columns(batch, history[best], changing) == 1
    error = 0.0 if is_equal else batch.error_of_share(history[best])
    if similarities[best] < _MIN_EXCESS:
        return None
    past = [
        max(_similarity(later, earlier, changing) for earlier in history[:place])
        for place, later in enumerate(history)
        if place
    ]
    usual, highest = float(np.median(past)), float(np.quantile(past, 0.95))
    limit = highest + max(_MIN_EXCESS, _MIN_RELATIVE_EXCESS * (1 - highest))
    # the sample of rows may be more similar than the batches are
    if similarities[best] < min(limit, 1.0) or (error and similarities[best] - error < limit):
        return None
    like = sum(similarity >= similarities[best] for similarity in past)
    return EarlierBatch(
        best, similarities[best], usual, highest, len(past), like, is_exact=error == 0
    )


def find_repeated_labels(batch: BatchContents, history: Sequence[BatchContents]) -> dict[str, int]:
    """Return the columns with one value per batch whose value an earlier batch had.

    A day or a file name is such a column, if its value was another one in each batch so far.

    Returns
    -------
    dict
        By column, the place of the earlier batch.
    """
    if len(history) < _MIN_BATCHES:
        return {}
    places: dict[str, int] = {}
    for name, label in batch.labels.items():
        earlier = [contents.labels.get(name) for contents in history]
        if None not in earlier and len(set(earlier)) == len(earlier) and label in earlier:
            places[name] = earlier.index(label)
    return places


def _changing_columns(history: Sequence[BatchContents]) -> list[str]:
    """Return the columns whose digest differs in most pairs of consecutive batches."""
    columns = set(history[-1].digests)
    pairs = list(pairwise(history))
    return sorted(
        name
        for name in columns
        if 2 * sum(one.digests.get(name) != two.digests.get(name) for one, two in pairs)
        > len(pairs)
    )


def _similarity(batch: BatchContents, earlier: BatchContents, changing: Sequence[str]) -> float:
    rows = batch.share_of_rows_in(earlier)
    columns = _share_of_equal_columns(batch, earlier, changing)
    # A schedule, for example, has the same columns every week.
    columns = columns if columns >= _MIN_EQUAL_COLUMNS else 0.0
    return columns if math.isnan(rows) else max(columns, rows)


def _share_of_equal_columns(
    batch: BatchContents, earlier: BatchContents, changing: Sequence[str]
) -> float:
    equal = [
        batch.digests[name] == earlier.digests.get(name)
        for name in changing
        if batch.digests.get(name) and name not in batch.labels
    ]
    return sum(equal) / len(equal) if equal else 0.0
