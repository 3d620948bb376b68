"""`DetectorSettings`: how novelty compares a batch with earlier ones (novelty-edbt21)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, Literal, get_args

from assay.errors import CheckError, nearest
from assay.learn.novelty.method_names import Aggregation, Distance, Method

__all__ = ["DETECTORS", "DetectorSettings"]

#: detectors of novelty: the default, and those that the novelty-edbt21 paper compares
DETECTORS: tuple[str, ...] = ("bands", *get_args(Method))
#: detectors that compare a batch with its nearest neighbours
_NEIGHBOUR_METHODS = ("average knn", "knn")


@dataclass(frozen=True)
class DetectorSettings:
    """How novelty compares a batch with earlier ones.

    Parameters
    ----------
    method
        ``"bands"``, or a method that the novelty-edbt21 paper compares, such as ``"average knn"``.
    features
        ``"assay"`` for the features of the default detector, ``"paper"`` for those of the paper:
        completeness, distinct values, the most frequent value, minimum, maximum, mean, standard
        deviation and the index of peculiarity.
    neighbours
        The number k of nearest neighbours; 5 by default, as in the paper.
    distance
        The distance of two batches: ``"euclidean"`` (default), ``"manhattan"`` or ``"chebyshev"``.
    aggregation
        ``"mean"``, ``"median"`` or ``"max"`` of the distances to the neighbours. By default the
        mean for ``"average knn"``, and the maximum for ``"knn"``.
    contamination
        The share of the accepted batches that may score above the limit. By default the budget.

    Raises
    ------
    CheckError
        If a value is unknown, or if the method does not use it.

    Examples
    --------
    >>> DetectorSettings("average knn", features="paper", neighbours=3).changed
    {'method': 'average knn', 'features': 'paper', 'neighbours': 3}
    """

    method: Literal["bands"] | Method = "bands"
    _: KW_ONLY
    features: Literal["assay", "paper"] = "assay"
    neighbours: int | None = None
    distance: Distance | None = None
    aggregation: Aggregation | None = None
    contamination: float | None = None

    @property
    def changed(self) -> dict[str, Any]:
        """The values that differ from the defaults, by name."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}

    def __post_init__(self) -> None:
        _require_one_of("detector", self.method, DETECTORS)
        _require_one_of("features of a detector", self.features, ("assay", "paper"))
        unused = self.changed.keys() - {"method"}
        if self.method in _NEIGHBOUR_METHODS:
            unused = set()
        elif self.method != "bands":
            unused -= {"features", "contamination"}
        if unused:
            raise CheckError(
                f"the detector {self.method!r} does not use {', '.join(sorted(unused))}."
                " Choose the detector 'average knn'."
            )
        for name, options in (("distance", Distance), ("aggregation", Aggregation)):
            if getattr(self, name) is not None:
                _require_one_of(f"{name} of a detector", getattr(self, name), get_args(options))
        k: object = self.neighbours
        if k is not None and (not isinstance(k, int) or isinstance(k, bool) or k < 1):
            raise CheckError(f"neighbours must be a whole number of at least 1, got {k!r}.")
        share: object = self.contamination
        if share is not None and (
            not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share < 1
        ):
            raise CheckError(f"contamination must be a share from 0 to below 1, got {share!r}.")


def _require_one_of(noun: str, value: object, options: tuple[str, ...]) -> None:
    if value not in options:
        likely = nearest(str(value), options)
        hint = f"did you mean {likely!r}?" if likely else f"there are {', '.join(options)}."
        raise CheckError(f"unknown {noun} {value!r}; {hint}")
