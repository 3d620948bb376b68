"""Choose the values and the rows that are counted, from the batch before.

A frequent-items sketch counts up to about 750 distinct values exactly. It keeps a few of 20,000,
from the last rows. Columns of more values therefore get a sample as well: the values whose hash is
a multiple of ``one_in``. Every occurrence of a sampled value is counted, in the scan of the batch.
So a repeated value shows in the sample with its exact count.

Columns that may be keys have a larger sample, of which only the number of repeated values is kept.

>>> from assay.learn.fingerprint.column_stats import ColumnStats, Stat
>>> ids = ColumnStats("categorical", {Stat.VALUES: 20_000.0, Stat.DISTINCT: 19_800.0})
>>> few = {Stat.VALUES: 3.0, Stat.DISTINCT: 2.0}
>>> cities = ColumnStats("categorical", few, value_counts={"a": 3})
>>> sample_rates(Fingerprint(20_000, {"id": ids, "city": cities}))
{'id': 32}
>>> key_rates(Fingerprint(20_000, {"id": ids, "city": cities}))
{'id': 1}
"""

from __future__ import annotations

import math

from assay.analyzers.batch_profiles import RowProfile
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint

__all__ = ["MAX_KEY_VALUES", "key_rates", "row_sample", "sample_rates"]

#: The largest expected number of sampled values. The sketch counts about 1,500 exactly, so that
#: the next batch may be somewhat larger.
_MAX_SAMPLED = 1000
#: The sample of the first batch, whose size is unknown.
_FIRST_ONE_IN = 16
#: The largest expected number of counted values of one key, and of all keys together. The sketch
#: counts twice as many exactly. It costs 0.2 CPU s for a key of a million rows.
MAX_KEY_VALUES, _MAX_VALUES_OF_KEYS = 2**17, 2**20
#: The sketch of frequent items counts the values of smaller batches, even if the next one is twice
#: as large.
_MIN_KEY_VALUES = 300
#: The number of distinct values is an estimate: of a key, it is at least this share of the values.
_MIN_DISTINCT_SHARE = 0.95


def sample_rates(last: Fingerprint | None) -> dict[str, int]:
    """Return ``one_in`` for each column whose values were too many to be counted exactly."""
    rates: dict[str, int] = {}
    for name, stats in ({} if last is None else last.columns).items():
        distinct = stats.n_distinct
        is_counted = bool(stats.value_counts) and not stats.uncounted(stats.value_counts)
        if stats.n_values and not is_counted and distinct > 1:
            rates[name] = max(2, _one_in(distinct))
    return rates


def key_rates(last: Fingerprint | None, n_batches: int = 1) -> dict[str, int]:
    """Return the share of values to count of each column that may be a key.

    These are columns in which no value was counted twice. Columns of fractions are never keys.

    Parameters
    ----------
    last
        The statistics of a batch; None before the first one.
    n_batches
        The number of batches that are measured at the same time.
    """
    keys = {
        name: stats.n_values
        for name, stats in ({} if last is None else last.columns).items()
        if _may_be_key(stats)
    }
    size = min(MAX_KEY_VALUES, _MAX_VALUES_OF_KEYS / max(1, len(keys) * n_batches))
    return {name: _one_in(n_values, size) for name, n_values in keys.items()}


def _may_be_key(stats: ColumnStats) -> bool:
    if stats.n_values < _MIN_KEY_VALUES or not (
        stats.kind == "categorical" or stats.holds_integers
    ):
        return False
    if stats.n_sampled > 0:
        return stats.n_sampled == stats.n_sampled_distinct
    return stats.n_distinct >= _MIN_DISTINCT_SHARE * stats.n_values


def row_sample(last: Fingerprint | None) -> RowProfile:
    """Return the analyzer that counts rows: all of a small batch, and a sample of a large one."""
    if last is None or not last.rows:
        return RowProfile(_FIRST_ONE_IN)
    return RowProfile(_one_in(last.rows))


def _one_in(distinct: float, size: float = _MAX_SAMPLED) -> int:
    return 1 << max(0, math.ceil(math.log2(distinct / size)))
