"""Widen limits where the measured rate of false holds exceeds the promised one.

The law, which `tests/gate/test_calibration.py` simulates:

- *Widen.* Let k of the last n batches have been held by mistake, counted since the last change. For
  the promised rate p, the evidence against it is the mean likelihood ratio over rates of 2, 5, 10
  and 20 times p. If it reaches 20, the factor grows by the measured ratio k / np, at most tenfold.
  After the first time, 3 is enough.
- *Narrow.* The factor is halved, down to 1, if two rates are at most p: over all batches, and over
  at least 1 / p batches since the last change.

The budget is divided by the factor, which is never below 1. Limits are therefore never narrower
than promised. If the true rate is at most p, the evidence ever reaches 20 with a probability of at
most 5 %. This holds although it is looked at after each batch (Ville's inequality).

References
----------
- Jean Ville: *Étude critique de la notion de collectif*. 1939.
- Aaditya Ramdas, Peter Grünwald, Vladimir Vovk, Glenn Shafer: *Game-theoretic statistics and safe
  anytime-valid inference*. Statistical Science 38, 2023.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from assay.gate.budget.track_record import TrackRecord
from assay.store.protocol import Store

__all__ = ["Calibration", "evidence_above", "load_calibration"]

#: rates that the evidence compares with the promised one, in multiples of it
_ALTERNATIVES = (2.0, 5.0, 10.0, 20.0)
#: a true rate as promised reaches this evidence in at most 1 of 20 datasets
_EVIDENCE = 20.0
#: a gate that has broken its promise before is corrected sooner
_EVIDENCE_AGAIN = 3.0
_MAX_STEP = 10.0
_MAX_FACTOR = 100.0


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The factor by which a dataset's false-alarm budget is reduced, so that its promise is kept.

    Parameters
    ----------
    factor : float
        The budget of the judges is divided by it. At least 1.
    judged, false_holds : int
        The counts of the track record when the factor changed last.
    measured : float, optional
        The rate of false holds that caused the last change.

    Examples
    --------
    >>> usual = Calibration()
    >>> wider = usual.after(TrackRecord(100, held=5, false_alarms=5, false_holds=5), 1 / 200)
    >>> wider.factor
    10.0
    >>> wider.after(TrackRecord(1200, held=6, false_alarms=6, false_holds=6), 1 / 200).factor
    5.0
    """

    kind: ClassVar[str] = "calibration"
    version: ClassVar[int] = 1

    factor: float = 1.0
    judged: int = 0
    false_holds: int = 0
    measured: float | None = None

    def after(self, record: TrackRecord, promised: float) -> Calibration:
        """Return the calibration by the track record so far; itself if nothing changes."""
        n = max(0, record.judged - self.judged)
        # a mark may be taken back, so that there are fewer false holds than before
        k = min(n, max(0, record.false_holds - self.false_holds))
        factor = self.factor
        enough = _EVIDENCE if self.measured is None else _EVIDENCE_AGAIN
        if evidence_above(k, n, promised) >= enough:
            factor = min(_MAX_FACTOR, factor * min(_MAX_STEP, k / (n * promised)))
        elif (
            factor > 1
            and n * promised >= 1
            and k <= n * promised
            and record.false_holds <= record.judged * promised
        ):
            factor = max(1.0, factor / 2)
        if factor == self.factor:
            return self
        return Calibration(
            factor=factor,
            judged=record.judged,
            false_holds=record.false_holds,
            measured=k / n,
        )

    def __str__(self) -> str:
        if self.factor == 1:
            return ""
        return (
            "more batches than promised were held by mistake. Limits are therefore wider: they use"
            f" 1 part in {self.factor:.2g} of the budget until the measured rate is as promised"
        )

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Convert a document of `to_json` back."""
        return cls(**document)


def evidence_above(k: int, n: int, promised: float) -> float:
    """Return the evidence that a rate is above the promised one, after k false holds in n batches.

    >>> evidence_above(0, 100, 0.005) < 1 < evidence_above(2, 100, 0.005) < 20
    True
    """
    if not k:
        return 0.0
    ratios = []
    for multiple in _ALTERNATIVES:
        rate = min(0.5, multiple * promised)
        if rate <= promised:
            continue
        log_ratio = k * math.log(rate / promised)
        log_ratio += (n - k) * (math.log1p(-rate) - math.log1p(-promised))
        ratios.append(math.exp(min(log_ratio, 700.0)))
    return math.fsum(ratios) / len(_ALTERNATIVES)


def load_calibration(store: Store, dataset: str) -> Calibration:
    """Return the calibration of a dataset, which is neutral at first."""
    return store.derived(Calibration, dataset, [""]).get("", Calibration())
