"""The false-alarm budget, and the share of it that each learning judge may spend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from assay.suite.settings import GateSettings

__all__ = ["Budget"]

#: warnings stop nothing, so they may occur this many times as often as holds
WARNINGS_PER_HOLD = 10
#: a warning rate above one half would say nothing
MAX_WARNING_RATE = 0.5
#: Judges of rows and relations divide the share of one learner. Redelivery gets the most, since few
#: batches are evidence of it.
_SHARES = {
    "redelivery": Fraction(43, 100),
    "relations": Fraction(30, 100),
    "counters": Fraction(7, 100),
    "keys": Fraction(10, 100),
    "repeated rows": Fraction(10, 100),
}
#: They are parts of the share of limits or novelty if only these two learn.
_LEARNERS_OF_PARTS = 2


@dataclass(frozen=True)
class Budget:
    """The share of good batches that may be held by mistake, divided evenly over the learners.

    The learners are limits and novelty, as far as they are selected. Patterns are another one if
    the gate has a pattern index, and segments if it splits its batches.

    Parameters
    ----------
    total : Fraction
        Expected share of good batches that are held.
    n_learners : int
        Number of judges that divide the budget.
    factor : float
        The budget of the judges is divided by it, if more batches than promised were held by
        mistake (`assay.gate.budget.calibration`).

    Examples
    --------
    >>> budget = Budget(Fraction(1, 200))
    >>> budget.hold, budget.warn
    (0.0025, 0.025)
    """

    total: Fraction
    n_learners: int = 2
    factor: float = 1.0

    @staticmethod
    def from_settings(settings: GateSettings, *, has_index: bool = False) -> Budget:
        """Return the budget of a gate; `has_index` says that it was given a pattern index."""
        learners = ["limits", "novelty"]
        if has_index or settings.patterns is not None:
            learners.append("patterns")
        if settings.by is not None:
            learners.append("segments")
        selected = [name for name in learners if not settings.judges or name in settings.judges]
        return Budget(settings.budget_share, max(1, len(selected)))

    def of_judge(self, name: str) -> Budget:
        """Return the budget of a judge, which may be a part of a learner's share.

        Such a part does not depend on the number of learners: with segments or a pattern index,
        an exact redelivery is held as well.
        """
        if name not in _SHARES:
            return self
        n_learners = min(self.n_learners, _LEARNERS_OF_PARTS)
        return replace(self, total=self.total * _SHARES[name], n_learners=n_learners)

    @property
    def hold(self) -> float:
        """The rate at which one learner may hold good batches."""
        return float(self.total / self.n_learners) / self.factor

    @property
    def warn(self) -> float:
        """The rate at which one learner may warn of good batches."""
        return min(MAX_WARNING_RATE, WARNINGS_PER_HOLD * self.hold)
