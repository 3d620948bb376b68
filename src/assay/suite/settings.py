"""What a suite says of the gate.

>>> GateSettings(budget=Fraction(1, 365)).budget < 0.003
True
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from assay.errors import CheckError, nearest
from assay.learn.novelty.novelty_result import Method
from assay.store.verdict import Decision

__all__ = ["DETECTORS", "GateSettings"]

#: of novelty: the default, and those of novelty-edbt21
DETECTORS: tuple[str, ...] = ("bands", *get_args(Method))


@dataclass(frozen=True)
class GateSettings:
    """How the gate decides.

    `budget` is the share of good batches that may be held by mistake, all judges together (text
    such as ``"1/200"`` and numbers are taken for it too). `on_error` says what happens to a
    batch if something could not be evaluated: ``"hold"`` or ``"warn"``. `season`
    is the number of batches after which the data repeats, such as 7 for daily batches. Values of
    `private` columns are never shown or recorded.
    `patterns` is the file of an index of the lake, by which the patterns of strings are learned.
    `detector` says whether a batch is like those before: ``"bands"``, or one of those that
    novelty-edbt21 compares, such as its own, ``"average knn"``.
    """

    budget: Fraction = Fraction(1, 200)
    on_error: Literal["hold", "warn"] = "hold"
    season: int | None = None
    private: tuple[str, ...] = ()
    patterns: str | None = None
    detector: Literal["bands"] | Method = "bands"

    @property
    def level_on_error(self) -> Decision:
        """What becomes of a batch if something about it could not be judged."""
        return Decision(self.on_error)

    def __post_init__(self) -> None:
        try:
            budget = Fraction(str(self.budget))
        except (ValueError, ZeroDivisionError):
            budget = Fraction(-1)
        if not 0 < budget < 1:
            raise CheckError(
                f"a budget is a share between 0 and 1, such as 1/200, not {self.budget!r}."
            )
        whole = isinstance(self.season, int) and not isinstance(self.season, bool)
        if self.season is not None and not (whole and self.season >= 2):
            raise CheckError(f"a season is 2 batches or more, not {self.season!r}.")
        if self.on_error not in ("hold", "warn"):
            raise CheckError(f"on_error must be 'hold' or 'warn', got {self.on_error!r}.")
        if self.patterns is not None and not isinstance(self.patterns, str):
            raise CheckError(f"patterns are an index of them, or its file, not {self.patterns!r}.")
        if self.detector not in DETECTORS:
            likely = nearest(str(self.detector), DETECTORS)
            hint = f"did you mean {likely!r}?" if likely else f"there are {', '.join(DETECTORS)}."
            raise CheckError(f"there is no detector {self.detector!r}; {hint}")
        object.__setattr__(self, "budget", budget)
        object.__setattr__(self, "private", tuple(self.private))
