"""Is a batch like the accepted ones? One way to ask, whoever answers."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.anomalies import NotEnough
from assay.learn.novelty.bands import Bands
from assay.learn.novelty.metrics import Features
from assay.learn.novelty.novelty import Detector, Novelty, not_enough

__all__ = ["judge"]


def judge(
    history: Sequence[Features], observed: Features, detector: Detector | None = None
) -> Novelty:
    """Hold a batch against the accepted ones before it, oldest first.

    Held batches, and those marked bad, are no part of the history.
    """
    model = (Bands() if detector is None else detector).learn(history)
    if isinstance(model, NotEnough):
        return not_enough(model.have, model.need)
    return model.judge(observed)
