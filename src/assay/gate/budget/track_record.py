"""`TrackRecord`: the verdicts of a gate so far, and its measured rate of false alarms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from assay.checks.formatting import count_noun, counted_batches, percent
from assay.store.protocol import Store

__all__ = ["TrackRecord", "load_track_record"]

#: probability that the true rate is below, or above, the interval of `TrackRecord.interval`
_TAIL = 0.025
_BISECTIONS = 60


@dataclass(frozen=True)
class TrackRecord:
    """The record of a gate so far.

    An alarm is false if a person released the batch, or marked it as expected or as new normal. It
    is confirmed if a person rejected the batch, or marked it as bad. Other alarms are unreviewed.

    Parameters
    ----------
    judged, held, warned : int
        Number of batches that were judged, held and warned of.
    false_alarms : int
        Number of false alarms.
    false_holds : int
        Number of false alarms that held their batch. The budget bounds their rate.
    confirmed : int
        Number of confirmed alarms.

    Examples
    --------
    >>> record = TrackRecord(100, held=3, warned=4, false_alarms=3, false_holds=2, confirmed=1)
    >>> record.unreviewed, record.false_hold_rate
    (3, 0.02)
    >>> print(record.measured(1 / 200))
    2 false holds per 100 batches (likely 0.24 to 7), promised at most 0.5
    """

    judged: int = 0
    held: int = 0
    warned: int = 0
    false_alarms: int = 0
    false_holds: int = 0
    confirmed: int = 0

    @property
    def alarms(self) -> int:
        """Number of batches that were held or warned of."""
        return self.held + self.warned

    @property
    def unreviewed(self) -> int:
        """Number of alarms that are neither false nor confirmed."""
        return self.alarms - self.false_alarms - self.confirmed

    @property
    def false_alarm_rate(self) -> float | None:
        """The measured share of batches with a false alarm; None before the first batch."""
        return self.false_alarms / self.judged if self.judged else None

    @property
    def false_hold_rate(self) -> float | None:
        """The measured share of batches that were held by mistake; None before the first batch."""
        return self.false_holds / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """Lowest and highest likely share of false holds, with a probability of 95 %.

        Notes
        -----
        The interval of Clopper and Pearson (1934) for a binomial share. It assumes that batches
        are held by mistake independently of each other.
        """
        n, k = self.judged, self.false_holds
        low = _solve(lambda share: 1 - _at_most(k - 1, n, share) >= _TAIL) if k else 0.0
        high = _solve(lambda share: _at_most(k, n, share) <= _TAIL) if k < n else 1.0
        return low, high

    def measured(self, promised: float) -> str:
        """Compare the measured rate of false holds with the promised one, in words."""
        if self.false_hold_rate is None:
            return f"no batch was judged, promised at most {_per_100(promised)} false holds per 100"
        low, high = map(_per_100, self.interval)
        noun = "false hold" if self.false_hold_rate == 0.01 else "false holds"
        return (
            f"{_per_100(self.false_hold_rate)} {noun} per 100 batches (likely {low} to {high}),"
            f" promised at most {_per_100(promised)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        low, high = (round(share, 6) for share in self.interval)
        return {
            "judged": self.judged,
            "held": self.held,
            "warned": self.warned,
            "false_alarms": self.false_alarms,
            "false_holds": self.false_holds,
            "confirmed": self.confirmed,
            "unreviewed": self.unreviewed,
            "false_hold_rate": self.false_hold_rate,
            "false_hold_interval": [low, high],
        }

    def __str__(self) -> str:
        if self.false_alarm_rate is None:
            return "No batch was judged before"
        return (
            f"{counted_batches(self.judged)} judged before: {self.held} held, {self.warned} warned,"
            f" {count_noun(self.false_alarms, 'false alarm')} ({percent(self.false_alarm_rate)})"
        )


def load_track_record(store: Store, dataset: str, *, but: str | None = None) -> TrackRecord:
    """Count a gate's verdicts and false alarms. Each version of a batch counts for itself."""
    counts = store.verdict_counts(dataset, but)
    return TrackRecord(
        counts.judged,
        counts.held,
        counts.warned,
        counts.false_alarms,
        counts.false_holds,
        counts.confirmed,
    )


def _per_100(share: float) -> str:
    return f"{100 * share:.2g}"


def _at_most(k: int, n: int, share: float) -> float:
    """Return the probability of at most k successes in n trials."""
    if share <= 0 or k >= n:
        return 1.0
    if share >= 1:
        return 0.0
    log_share, log_rest = math.log(share), math.log1p(-share)
    return math.fsum(
        math.exp(
            math.lgamma(n + 1)
            - math.lgamma(i + 1)
            - math.lgamma(n - i + 1)
            + i * log_share
            + (n - i) * log_rest
        )
        for i in range(k + 1)
    )


def _solve(is_above: Any) -> float:
    """Return the share between 0 and 1 from which on a condition is true."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_above(middle) else (middle, high)
    return high
