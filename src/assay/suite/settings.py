"""What a suite says of the gate.

>>> GateSettings(budget=Fraction(1, 365)).budget < 0.003
True
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from assay.errors import CheckError

__all__ = ["GateSettings"]


@dataclass(frozen=True)
class GateSettings:
    """How the gate decides.

    `budget` is the share of good batches that may be held by mistake, all judges together (text
    such as ``"1/200"`` and numbers are taken for it too). `closed` holds a batch of which something
    could not be evaluated; else it warns. `season` is after how many batches the data repeats
    itself, such as 7 for days with weekdays. Of `private` columns no value is shown or remembered.
    `patterns` is the file of an index of the lake, by which the patterns of strings are learned.
    """

    budget: Fraction = Fraction(1, 200)
    closed: bool = True
    season: int | None = None
    private: tuple[str, ...] = ()
    patterns: str | None = None

    def __post_init__(self) -> None:
        try:
            budget = Fraction(str(self.budget))
        except (ValueError, ZeroDivisionError):
            budget = Fraction(-1)
        if not 0 < budget < 1:
            raise CheckError(
                f"a budget is a share between 0 and 1, such as 1/200, not {self.budget!r}."
            )
        if self.season is not None and self.season < 2:
            raise CheckError(f"a season is 2 batches or more, not {self.season!r}.")
        object.__setattr__(self, "budget", budget)
        object.__setattr__(self, "private", tuple(self.private))
