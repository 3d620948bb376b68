"""Settings of a dataset's gate.

>>> GateSettings(budget="2/730").budget
'1/365'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from assay.deprecation import warn_renamed
from assay.errors import CheckError
from assay.learn.novelty.method_names import Method
from assay.store.dataset_info import DatasetInfo
from assay.store.verdict import Decision
from assay.suite.detector_settings import DETECTORS, DetectorSettings

__all__ = ["DETECTORS", "LISTS", "DetectorSettings", "GateSettings", "budget_text"]

#: settings that are lists of names
LISTS = ("private", "judges", "columns", "exclude", "metrics", "tags")


@dataclass(frozen=True)
class GateSettings:
    """Settings by which the gate decides.

    Attributes
    ----------
    budget
        The share of good batches that may be held by mistake, over all judges, such as ``"1/200"``.
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
        paper compares, such as ``"average knn"``; or `DetectorSettings` with its parameters.
    owner
        A person or a team to ask about the dataset. ``assay status`` shows it.
    tags
        Names by which ``assay status --tag`` selects datasets.
    description
        A description of the dataset.
    share_false
        The share of the holds of a team that may be false, such as 0.1. It applies to all gates of
        the store that set it, together. Each gate keeps its own budget as well.
    judges
        The judges that are asked, such as ``("schema", "limits")``. All by default.
    columns
        The columns that are measured for the learning judges. All by default.
    exclude
        Columns that are not measured for the learning judges.
    metrics
        The metrics that limits, novelty and drift compare, such as ``("mean", "row_count")``. All
        by default.
    by
        A column that splits each batch into segments, such as ``"country"``. Each segment is
        compared with its own history.
    """

    budget: str = "1/200"
    on_error: Literal["hold", "warn"] = "hold"
    season: int | None = None
    private: tuple[str, ...] = ()
    patterns: str | None = None
    detector: Literal["bands"] | Method | DetectorSettings = "bands"
    owner: str | None = None
    tags: tuple[str, ...] = ()
    description: str | None = None
    share_false: float | None = None
    judges: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    by: str | None = None

    @property
    def budget_share(self) -> Fraction:
        """The budget as an exact number."""
        return Fraction(self.budget)

    @property
    def info(self) -> DatasetInfo:
        """Owner, tags and description, as the store keeps them."""
        return DatasetInfo(owner=self.owner, tags=self.tags, description=self.description)

    @property
    def level_on_error(self) -> Decision:
        """The decision for a batch that could not be judged completely."""
        return Decision(self.on_error)

    @property
    def novelty(self) -> DetectorSettings:
        """The detector of novelty with its parameters."""
        is_name = isinstance(self.detector, str)
        return DetectorSettings(self.detector) if is_name else self.detector  # type: ignore[arg-type, return-value]

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", budget_text(self.budget, stacklevel=5))
        is_int = isinstance(self.season, int) and not isinstance(self.season, bool)
        if self.season is not None and not (is_int and self.season >= 2):
            raise CheckError(f"a season is 2 batches or more, not {self.season!r}.")
        if self.on_error not in ("hold", "warn"):
            raise CheckError(f"on_error must be 'hold' or 'warn', got {self.on_error!r}.")
        if self.patterns is not None and not isinstance(self.patterns, str):
            raise CheckError(f"patterns are an index of them, or its file, not {self.patterns!r}.")
        if not isinstance(self.detector, DetectorSettings):
            DetectorSettings(self.detector)
        elif not self.detector.changed.keys() - {"method"}:
            object.__setattr__(self, "detector", self.detector.method)
        self._require_share()
        self._require_texts()

    def _require_share(self) -> None:
        share: object = self.share_false
        is_number = isinstance(share, int | float) and not isinstance(share, bool)
        if share is not None and not (is_number and 0 < share < 1):  # type: ignore[operator]
            raise CheckError(
                f"share_false must be a number between 0 and 1, such as 0.1, got {share!r}."
            )

    def _require_texts(self) -> None:
        for name in ("owner", "description", "by"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise CheckError(f"{name} must be text, got {value!r}.")
        for name in LISTS:
            values: object = getattr(self, name)
            if not isinstance(values, list | tuple) or not _are_texts(values):
                raise CheckError(f"{name} must be a list of texts, got {values!r}.")
            object.__setattr__(self, name, tuple(values))
        both = set(self.columns) & set(self.exclude)
        if both:
            names = ", ".join(sorted(both))
            raise CheckError(f"columns and exclude have the same names: {names}. Keep one of them.")


def _are_texts(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def budget_text(budget: object, *, stacklevel: int = 3) -> str:
    """Return a budget in its shortest form. Numbers are deprecated.

    Raises
    ------
    CheckError
        If it is not a share between 0 and 1.

    Examples
    --------
    >>> budget_text("0.005")
    '1/200'
    """
    try:
        share = Fraction(str(budget))
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 < share < 1:
        raise CheckError(f"a budget is a share between 0 and 1, such as 1/200, not {budget!r}.")
    if not isinstance(budget, str):
        warn_renamed(f"budget={budget!r}", f'budget="{share}"', stacklevel=stacklevel)
    return str(share)
