"""Find the earlier state to which a table of snapshots returned.

A table of snapshots is often the same for several batches, and then changes. Two equal batches in a
row are therefore usual. A table that is again as it was before its last changes has lost them: an
old snapshot was delivered.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> def state(number):
...     return BatchContents.of(fingerprint({"id": numbers(range(100 + number))}))
>>> history = [state(number) for number in (1, 1, 2, 2, 3, 4, 4)]
>>> find_returned_state(state(2), history)
ReturnedState(place=3, n_changes=3, n_returns=0)
>>> find_returned_state(state(4), history) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.learn.novelty.contents import BatchContents

__all__ = ["ReturnedState", "find_returned_state"]

#: With fewer changes, it is unknown whether a table returns to earlier states.
_MIN_CHANGES = 3


@dataclass(frozen=True, slots=True)
class ReturnedState:
    """An earlier batch with the same rows as this one, and other rows in between.

    Parameters
    ----------
    place
        The place of the latest such batch in the history.
    n_changes
        The number of earlier batches that differ from the batch before.
    n_returns
        The number of these that were equal to an earlier batch.
    """

    place: int
    n_changes: int
    n_returns: int


def find_returned_state(
    batch: BatchContents, history: Sequence[BatchContents]
) -> ReturnedState | None:
    """Return the earlier state that a batch is equal to, if it differs from the last batch.

    Parameters
    ----------
    batch
        The contents of the batch.
    history
        The contents of the batches before it, oldest first.
    """
    place = _latest_equal(batch, history)
    if place is None or place == len(history) - 1:
        return None
    changes = [at for at in range(1, len(history)) if not history[at].equals(history[at - 1])]
    if len(changes) < _MIN_CHANGES:
        return None
    n_returns = sum(_latest_equal(history[at], history[: at - 1]) is not None for at in changes)
    return ReturnedState(place, len(changes), n_returns)


def _latest_equal(batch: BatchContents, history: Sequence[BatchContents]) -> int | None:
    places = reversed(range(len(history)))
    return next((at for at in places if batch.equals(history[at])), None)
