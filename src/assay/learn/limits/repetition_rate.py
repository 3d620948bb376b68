"""The false-alarm rate of repeated values where no value was ever repeated.

Two rows with the same value are an equal pair. A timestamp or a random number may repeat by chance.
The more pairs of rows earlier batches had without an equal one, the rarer this chance is.

Let earlier batches have P pairs of rows, and none of them equal. With Jeffreys' prior, the number
of equal pairs among p new ones has a negative binomial distribution. Its size is 1/2, and its
probability is ``P / (P + p)``. Its tail is the false-alarm rate.

>>> round(repetition_rate(1, pairs=100, earlier_pairs=3000), 4)
0.0163
>>> f"{repetition_rate(5, pairs=100, earlier_pairs=3000):.0e}"
'9e-09'
"""

from __future__ import annotations

from assay.learn.dependency import import_optional

__all__ = ["repetition_rate"]


def repetition_rate(repeated: int, *, pairs: float, earlier_pairs: float) -> float:
    """Return the probability that chance makes at least this number of pairs equal.

    Parameters
    ----------
    repeated
        The number of values that repeat another.
    pairs
        The number of pairs of rows in this batch.
    earlier_pairs
        The number of pairs of rows in earlier batches, none of them equal.
    """
    share = earlier_pairs / (earlier_pairs + pairs)
    return float(import_optional("scipy.special").betainc(repeated, 0.5, 1 - share))
