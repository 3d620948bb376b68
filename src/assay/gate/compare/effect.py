"""`Effect`: one change of a column, and the difference that chance makes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.learn.fingerprint.column_stats import ColumnStats

__all__ = [
    "CHANCE_DEVIATIONS",
    "CHANCE_KS",
    "MAX_ABSENT_SHARE",
    "MIN_HOLDING_SHARE",
    "MIN_KS",
    "Effect",
    "exceeds_chance",
    "is_category",
]

#: Standard errors beyond which a difference is not chance. A column has up to some hundred values
#: that could differ, and a table a hundred columns: 4.5 errors occur once in 150,000 comparisons.
CHANCE_DEVIATIONS = 4.5
#: the same rarity for the Kolmogorov-Smirnov distance, in units of sqrt(1/n + 1/m)
CHANCE_KS = 2.47
#: Kolmogorov-Smirnov distance: a tenth of the rows would have to move
MIN_KS = 0.1
#: Share of rows that became null, or have a value or a kind of value that was absent before, that
#: holds a table. Smaller shares occur on ordinary days (benchmarks.compare).
MIN_HOLDING_SHARE = 0.1
#: a value was absent before if it had less than this share
MAX_ABSENT_SHARE = 0.01
#: a column with at most this many values holds categories, such as carriers
_MAX_CATEGORIES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One change of a column.

    Parameters
    ----------
    metric : str
        Name of the batch metric that changed.
    size : float
        How much: the share of rows, or the distance, from 0 to 1.
    actual, before : float
        The metric in the new and in the older table. A distance has no value before.
    reason : str
        The change in one sentence, without values of the column.
    quote : str
        The same with values of the column. Empty if a sentence without them says it all.
    may_hold : bool
        True if a gate with enough history would hold the table, given a cause that explains it.
    """

    metric: str
    size: float
    actual: float
    before: float = math.nan
    reason: str
    quote: str = ""
    may_hold: bool = False


def exceeds_chance(share: float, share_before: float, now: float, before: float) -> bool:
    """Return whether two shares differ by more than chance.

    Parameters
    ----------
    share, share_before
        The shares in both tables.
    now, before
        The numbers of rows that they are shares of.
    """
    pooled = (share * now + share_before * before) / (now + before)
    error = math.sqrt(max(pooled * (1 - pooled), 0.0) * (1 / now + 1 / before))
    return abs(share - share_before) > CHANCE_DEVIATIONS * error


def is_category(stats: ColumnStats) -> bool:
    """Return whether a column has few values, which repeat."""
    return stats.is_category(_MAX_CATEGORIES) and stats.n_distinct <= stats.n_values / 2
