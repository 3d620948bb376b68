"""Settings of a dataset's gate.

>>> GateSettings(budget=Fraction(1, 365)).budget < 0.003
True
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from assay.errors import CheckError, nearest
from assay.learn.novelty.method_names import Method
from assay.store.dataset_info import DatasetInfo
from assay.store.verdict import Decision

__all__ = ["DETECTORS", "GateSettings"]

#: detectors of novelty: the default, and those that the novelty-edbt21 paper compares
DETECTORS: tuple[str, ...] = ("bands", *get_args(Method))


@dataclass(frozen=True)
class GateSettings:
    """Settings by which the gate decides.

    Attributes
    ----------
    budget
        The share of good batches that may be held by mistake, over all judges. Text such as
        ``"1/200"`` and numbers are accepted.
    on_error
        Decision on a batch if something could not be evaluated: ``"hold"`` or ``"warn"``.
    season
        The number of batches after which the data repeats, such as 7 for daily batches.
    private
        Columns whose values are neither shown nor remembered.
    patterns
        File with a pattern index of a lake, which helps to learn the patterns of strings.
    detector
        How a batch is compared with earlier ones: ``"bands"``, or a method that the novelty-edbt21
        paper compares, such as ``"average knn"``.
    owner
        A person or a team to ask about the dataset. ``assay status`` shows it.
    tags
        Names by which ``assay status --tag`` selects datasets.
    description
        A description of the dataset.
    """

    budget: Fraction = Fraction(1, 200)
    on_error: Literal["hold", "warn"] = "hold"
    season: int | None = None
    private: tuple[str, ...] = ()
    patterns: str | None = None
    detector: Literal["bands"] | Method = "bands"
    owner: str | None = None
    tags: tuple[str, ...] = ()
    description: str | None = None

    @property
    def info(self) -> DatasetInfo:
        """Owner, tags and description, as the store keeps them."""
        return DatasetInfo(owner=self.owner, tags=self.tags, description=self.description)

    @property
    def level_on_error(self) -> Decision:
        """The decision for a batch that could not be judged completely."""
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
        is_int = isinstance(self.season, int) and not isinstance(self.season, bool)
        if self.season is not None and not (is_int and self.season >= 2):
            raise CheckError(f"a season is 2 batches or more, not {self.season!r}.")
        if self.on_error not in ("hold", "warn"):
            raise CheckError(f"on_error must be 'hold' or 'warn', got {self.on_error!r}.")
        if self.patterns is not None and not isinstance(self.patterns, str):
            raise CheckError(f"patterns are an index of them, or its file, not {self.patterns!r}.")
        if self.detector not in DETECTORS:
            likely = nearest(str(self.detector), DETECTORS)
            hint = f"did you mean {likely!r}?" if likely else f"there are {', '.join(DETECTORS)}."
            raise CheckError(f"unknown detector {self.detector!r}; {hint}")
        for name in ("owner", "description"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise CheckError(f"{name} must be text, got {value!r}.")
        tags: object = self.tags
        if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) for tag in tags):
            raise CheckError(f"tags must be a list of texts, got {tags!r}.")
        object.__setattr__(self, "tags", tuple(self.tags))
        object.__setattr__(self, "budget", budget)
        object.__setattr__(self, "private", tuple(self.private))
