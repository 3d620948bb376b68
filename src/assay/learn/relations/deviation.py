"""Decide whether a relation of a batch deviates from what held in earlier batches.

A relation that no row of any batch broke is judged by its rows. Let the batches have n rows. With
Jeffreys' prior, the number of broken rows in a batch of m rows has a beta-binomial distribution.
Rows of one batch often break together. The rate is therefore at least the share of good batches in
which a relation breaks for the first time.

If some rows always break it, the share of broken rows is compared with the median of earlier
batches. The scale is the median absolute deviation, but at least the sampling error.

>>> f"{broken_rate(4, rows=100, rows_before=100):.4f}"
'0.0214'
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

import numpy as np

from assay.learn.dependency import import_optional
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind

__all__ = ["Deviation", "broken_rate", "find_deviation"]

#: The smallest numbers of batches to compare with: if no row was broken, and otherwise.
MIN_BATCHES, MIN_BATCHES_OF_SHARES = 3, 8
#: Relations of fewer rows hold by chance.
MIN_ROWS = 20
#: The share of good batches that break a relation that held in every row of 10 batches. In 1 of
#: 4,600 batches, more than one row broke it (python -m benchmarks.relations).
_BREAK_RATE = 2e-4
_MANY = 10
#: Smaller changes of a share have no practical effect: of broken rows, of a comparison.
_MIN_RISE, _MIN_CHANGE = 0.02, 0.2
#: A value must be outside of those of earlier batches by this much: a lasting change is found once.
_MIN_EXCESS_OF_BROKEN, _MIN_EXCESS = 0.02, 0.05
#: Smaller falls of a coefficient have no practical effect.
_MIN_FALL = 0.3
#: The smallest standard deviations from batch to batch: of a share, of Fisher's z.
_MIN_SPREAD, _MIN_Z_SPREAD = 0.003, 0.05
#: The median absolute deviation of a normal distribution is this part of its standard deviation.
_NORMAL_MAD = 0.6745
#: Degrees of freedom of Student's t distribution: shares have heavier tails than the normal one.
_TAIL = 5

Pattern = Literal["above", "below", "broken"]
_PATTERNS: tuple[Pattern, Pattern] = ("above", "below")


@dataclass(frozen=True, slots=True)
class Deviation:
    """How a relation deviates.

    Parameters
    ----------
    pattern
        ``"above"``: the first column of a comparison is larger in more rows than before, ``"below"``:
        it is smaller in more rows. ``"broken"``: more rows break another relation.
    is_swapped
        True if the first column is larger as often as the second one was before.
    n_broken
        The number of rows that deviate.
    actual, usual
        The share of rows, or the coefficient, in this batch and in earlier ones.
    n_batches
        The number of earlier batches.
    rate
        The share of good batches with such a deviation of this relation.
    """  # noqa: E501

    pattern: Pattern
    n_broken: int
    actual: float
    usual: float
    n_batches: int
    rate: float
    is_swapped: bool = False


def find_deviation(
    relation: Relation, now: RelationCounts, history: Sequence[RelationCounts]
) -> Deviation | None:
    """Return the deviation of a relation, or None if it is as before.

    Parameters
    ----------
    relation
        The relation.
    now
        Its counts in the batch.
    history
        Its counts in earlier batches.
    """
    earlier = [counts for counts in history if counts.rows >= MIN_ROWS]
    if now.rows < MIN_ROWS or len(earlier) < MIN_BATCHES:
        return None
    if relation.kind is RelationKind.CORRELATION:
        return _of_correlation(now, earlier)
    if relation.kind is RelationKind.COMPARISON:
        return _of_comparison(now, earlier)
    if not any(counts.broken for counts in earlier):
        return _of_unbroken(now, earlier)
    return _of_shares(now, earlier)


def broken_rate(n_broken: int, *, rows: int, rows_before: int) -> float:
    """Return the probability of at least this number of broken rows.

    Parameters
    ----------
    n_broken
        The number of broken rows.
    rows
        The number of rows of the batch.
    rows_before
        The number of rows of earlier batches, none of them broken.
    """
    distribution = import_optional("scipy.stats").betabinom(rows, 0.5, rows_before + 0.5)
    return float(distribution.sf(n_broken - 1))


def _of_unbroken(now: RelationCounts, earlier: Sequence[RelationCounts]) -> Deviation | None:
    if not now.broken:
        return None
    rows_before = sum(counts.rows for counts in earlier)
    rate = max(
        broken_rate(now.broken, rows=now.rows, rows_before=rows_before),
        _BREAK_RATE * max(1.0, _MANY / len(earlier)),
    )
    return Deviation("broken", now.broken, now.share, 0.0, len(earlier), rate)


def _of_comparison(now: RelationCounts, earlier: Sequence[RelationCounts]) -> Deviation | None:
    for pattern in _PATTERNS:
        one, *before = (_direction(counts, pattern) for counts in (now, *earlier))
        is_unbroken = not any(counts.broken for counts in before)
        deviation = _of_unbroken(one, before) if is_unbroken else None
        if deviation is not None:
            was_strict = median(c.broken + c.below for c in earlier) > 0
            is_swapped = was_strict and one.share > 0.5
            return replace(deviation, pattern=pattern, is_swapped=is_swapped)
    shares = [counts.share_above for counts in earlier if not math.isnan(counts.share_above)]
    n_different = now.broken + now.below
    if len(shares) < MIN_BATCHES_OF_SHARES or n_different < MIN_ROWS:
        return None
    usual, actual = float(np.median(shares)), now.share_above
    largest = max(
        (abs(share - usual) for share in shares if (share > usual) == (actual > usual)), default=0.0
    )
    if abs(actual - usual) < max(_MIN_CHANGE, largest + _MIN_EXCESS):
        return None
    rate = _tail(actual - usual, shares, usual, n_different, sides=2)
    is_swapped = abs(1 - actual - usual) < abs(actual - usual) / 2
    pattern = "above" if actual > usual else "below"
    n_broken = now.broken if actual > usual else now.below
    if pattern == "below":
        actual, usual = 1 - actual, 1 - usual
    return Deviation(pattern, n_broken, actual, usual, len(shares), rate, is_swapped)


def _direction(counts: RelationCounts, pattern: Pattern) -> RelationCounts:
    return RelationCounts(counts.rows, counts.broken if pattern == "above" else counts.below)


def _of_shares(now: RelationCounts, earlier: Sequence[RelationCounts]) -> Deviation | None:
    shares = [counts.share for counts in earlier]
    usual = float(np.median(shares))
    if len(shares) < MIN_BATCHES_OF_SHARES or now.share < max(
        usual + _MIN_RISE, max(shares) + _MIN_EXCESS_OF_BROKEN
    ):
        return None
    rate = _tail(now.share - usual, shares, usual, now.rows, sides=1)
    return Deviation("broken", now.broken, now.share, usual, len(shares), rate)


def _of_correlation(now: RelationCounts, earlier: Sequence[RelationCounts]) -> Deviation | None:
    coefficients = np.array([counts.value for counts in earlier])
    usual = float(np.median(coefficients))
    sign = math.copysign(1.0, usual)
    if len(earlier) < MIN_BATCHES_OF_SHARES or sign * now.value > abs(usual) - _MIN_FALL:
        return None
    if sign * now.value >= float((sign * coefficients).min()) - _MIN_EXCESS:
        return None
    values = np.arctanh(np.clip(coefficients, -0.9999, 0.9999))
    level = float(np.median(values))
    spread = float(np.median(np.abs(values - level))) / _NORMAL_MAD
    scale = max(spread, 1 / math.sqrt(max(1, now.rows - 3)), _MIN_Z_SPREAD)
    distance = abs(math.atanh(max(-0.9999, min(0.9999, now.value))) - level)
    rate = _heavy(distance / scale, len(earlier), sides=1)
    return Deviation("broken", now.rows, now.value, usual, len(earlier), rate)


def _tail(change: float, shares: Sequence[float], usual: float, rows: int, *, sides: int) -> float:
    """Return the share of good batches whose share changes as much."""
    spread = float(np.median(np.abs(np.array(shares) - usual))) / _NORMAL_MAD
    sampling_error = math.sqrt(max(usual * (1 - usual), 1 / rows) / rows)
    deviations = abs(change) / max(spread, sampling_error, _MIN_SPREAD)
    return _heavy(deviations, len(shares), sides=sides)


def _heavy(deviations: float, batches: int, *, sides: int) -> float:
    """Return the tail of Student's t distribution, for a mean that is known from few batches."""
    scaled = deviations / math.sqrt(1 + 1 / batches)
    return min(1.0, sides * float(import_optional("scipy.special").stdtr(_TAIL, -scaled)))
