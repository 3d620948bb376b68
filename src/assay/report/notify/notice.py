"""`Notice` is a message about a batch; `Sent` records whether a target received it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.suite.target import Target

__all__ = ["NOTIFIED_DECISIONS", "Notice", "Sent"]

#: decisions about which people are notified
NOTIFIED_DECISIONS = frozenset({"hold", "warn"})


@dataclass(frozen=True)
class Notice:
    """A message about a decision on a batch.

    Parameters
    ----------
    dataset, batch
        Names of the dataset and of the batch.
    decision
        ``accept``, ``warn`` or ``hold``.
    headline
        The worst problem, or another sentence.
    reasons
        The problems that led to the decision, the worst first.
    key
        The same for every repetition of a notice, so that receivers can ignore repetitions.
    link
        Address of a page with details.
    """

    dataset: str
    batch: str
    decision: str
    headline: str
    reasons: tuple[str, ...] = ()
    key: str = ""
    link: str | None = None


@dataclass(frozen=True)
class Sent:
    """The outcome of sending a notice to a target.

    `word` is ``sent``, ``sent before``, ``not needed``, or the reason why it was not sent.
    """

    target: Target
    word: str
