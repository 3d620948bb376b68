"""Bound the share of alarms that are false, over an endless stream of tests.

A team with 1,000 daily datasets and 1 false alarm in 200 batches gets 5 false alarms a day, however
few incidents there are. Online control of the false discovery rate (FDR) gives each test a level
instead. An alarm raises later levels, because it shows that there are incidents to be found.

>>> state = OnlineFdr(0.1, decay=0.99)
>>> f"{state.level:.4f}"
'0.0100'
>>> rejected, state = state.after(0.002)
>>> rejected, f"{state.level:.4f}", f"{state.settle().level:.4f}"
(True, '0.0090', '0.0189')

References
----------
- Aaditya Ramdas, Fanny Yang, Martin J. Wainwright, Michael I. Jordan: *Online control of the false
  discovery rate with decaying memory*. NIPS 2017. It defines LORD++ and the FDR with memory.
- Quentin Rebjock, Baris Kurt, Tim Januschowski, Laurent Callot: *Online false discovery rate
  control for anomaly detection in time series*. NeurIPS 2021. Its levels never reach 0.
- Tijana Zrnic, Aaditya Ramdas, Michael I. Jordan: *Asynchronous online testing of multiple
  hypotheses*. JMLR 22, 2021. Levels do not use rewards of tests that depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from assay.errors import CheckError

__all__ = ["DEFAULT_DECAY", "OnlineFdr"]

#: a memory of 33,000 tests, such as a month of 1,000 daily datasets
DEFAULT_DECAY = 0.99997
#: Credit is spent ten times as fast as it is forgotten. So 91 % of an alarm's credit is spent, over
#: about 3 days if the memory is 30 days (`python -m benchmarks.fdr`).
_SPENDING_PER_FORGETTING = 10
#: with a short memory, a test spends at most this share of the credit
_MAX_SPENT_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class OnlineFdr:
    """The level of the next test in a stream, so that few alarms are false.

    A test raises an alarm if its p-value is at most `level`. The size of the state is constant: it
    does not grow with the number of tests or alarms.

    Parameters
    ----------
    share_false : float
        Highest expected share of alarms that are false, between 0 and 1.
    decay : float
        Weight of a test compared with the next one, between 0 and 1. About ``1 / (1 - decay)``
        tests are remembered.
    credit : float
        The state: what later tests may spend, counted in alarms. It starts at 1.
    pending : float
        The state: credit of alarms since the last `settle`.

    Raises
    ------
    CheckError
        If a share or the decay is not between 0 and 1, or if the state is negative.

    Notes
    -----
    This is LORD++ with decaying memory. Let ``a`` be `share_false`, ``d`` the decay, ``s`` the
    share of the credit that one test spends, and ``t_1, t_2, …`` the times of settled alarms::

        level(t) = a * start(t) + a * sum(d ** (t - t_j) * gamma(t - t_j) for all t_j < t)
        gamma(k) = s * (1 - s) ** (k - 1)

    Here ``start(t)`` comes from the first credit and from the income below, without any alarm.
    The weights ``gamma`` are geometric, so one number replaces the sum. Before a test, the credit
    ``c`` becomes ``c' = d * c + 1 - d``. The level is ``a * s * c'``, which leaves
    ``(1 - s) * c'``, and an alarm adds 1. The income ``1 - d`` keeps the level above 0 during a
    long time without alarms (Rebjock et al.). For every time ``T``, with ``R(T)`` for the
    number of alarms, each with weight ``d ** (T - t)``::

        sum(d ** (T - t) * level(t) for all t <= T) = a * (R(T) + 1 - credit - pending)

    The left side bounds the expected number of false alarms with the same weights, if each p-value
    is valid given the tests that decided its level. The expected number of false alarms is
    therefore at most ``a`` times the expected number of alarms plus 1.

    Tests of one day often depend on each other, because datasets share a source. An alarm's credit
    is therefore *pending* until `settle` is called at the beginning of the next day. The bound then
    holds for any dependence within a day. Dependence between days is not covered by the proof;
    ``python -m benchmarks.fdr`` measures it.

    A p-value is valid if at most a share ``p`` of good batches has a p-value of ``p`` or less.
    Without this, no method keeps its promise.

    Examples
    --------
    >>> state = OnlineFdr(0.1, decay=0.99)
    >>> alarms = []
    >>> for p_value in (0.4, 1e-9, 0.03, 0.2):
    ...     alarm, state = state.after(p_value)
    ...     alarms.append(alarm)
    >>> alarms
    [False, True, False, False]
    """

    share_false: float
    decay: float = DEFAULT_DECAY
    credit: float = 1.0
    pending: float = 0.0

    def __post_init__(self) -> None:
        for name in ("share_false", "decay"):
            value = getattr(self, name)
            if not _is_number(value) or not 0 < value < 1:
                raise CheckError(f"{name} must be a number between 0 and 1, got {value!r}.")
        for name in ("credit", "pending"):
            value = getattr(self, name)
            if not _is_number(value) or not 0 <= value < float("inf"):
                raise CheckError(f"{name} must be a number of at least 0, got {value!r}.")

    @property
    def level(self) -> float:
        """The level of the next test, at most `share_false`."""
        return self.share_false * self._spent_share * self._available

    def after(self, p_value: float) -> tuple[bool, Self]:
        """Test a p-value.

        Parameters
        ----------
        p_value : float
            Probability that a good batch deviates as much as this one, or more.

        Returns
        -------
        tuple of bool and OnlineFdr
            Whether the test raises an alarm, and the state for the next test.

        Raises
        ------
        CheckError
            If the p-value is not between 0 and 1.
        """
        if not _is_number(p_value) or not 0 <= p_value <= 1:
            raise CheckError(f"a p-value must be a number between 0 and 1, got {p_value!r}.")
        alarm = bool(p_value <= self.level)
        credit = (1 - self._spent_share) * self._available
        return alarm, replace(self, credit=credit, pending=self.decay * self.pending + alarm)

    def settle(self) -> Self:
        """Return the state in which the pending credit can be spent.

        Call it when a new day begins, so that the next tests do not share the chance of the last.
        """
        return replace(self, credit=self.credit + self.pending, pending=0.0)

    @property
    def _available(self) -> float:
        return self.decay * self.credit + 1 - self.decay

    @property
    def _spent_share(self) -> float:
        return min(_MAX_SPENT_SHARE, _SPENDING_PER_FORGETTING * (1 - self.decay))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
