"""Choose the values and the rows that are sampled, from the batch before.

A frequent-items sketch counts up to about 750 distinct values exactly. It keeps a few of 20,000,
from the last rows. Columns of more values therefore get a sample as well: the values whose hash is
a multiple of ``one_in``. Every occurrence of a sampled value is counted, in the scan of the batch.
So a repeated value shows in the sample with its exact count.

>>> from assay.learn.fingerprint.column_stats import ColumnStats, Stat
>>> ids = ColumnStats("categorical", {Stat.VALUES: 20_000.0, Stat.DISTINCT: 19_800.0})
>>> few = {Stat.VALUES: 3.0, Stat.DISTINCT: 2.0}
>>> cities = ColumnStats("categorical", few, value_counts={"a": 3})
>>> sample_rates(Fingerprint(20_000, {"id": ids, "city": cities}))
{'id': 32}
"""

from __future__ import annotations

import math

from assay.analyzers.batch_profiles import RowProfile
from assay.learn.fingerprint.column_stats import Fingerprint

__all__ = ["row_sample", "sample_rates"]

#: The largest expected number of sampled values. The sketch counts about 1,500 exactly, so that
#: the next batch may be somewhat larger.
_MAX_SAMPLED = 1000
#: The sample of the first batch, whose size is unknown.
_FIRST_ONE_IN = 16


def sample_rates(last: Fingerprint | None) -> dict[str, int]:
    """Return ``one_in`` for each column whose values were too many to be counted exactly."""
    rates: dict[str, int] = {}
    for name, stats in ({} if last is None else last.columns).items():
        distinct = stats.n_distinct
        is_counted = bool(stats.value_counts) and not stats.uncounted(stats.value_counts)
        if stats.n_values and not is_counted and distinct > 1:
            rates[name] = max(2, _one_in(distinct))
    return rates


def row_sample(last: Fingerprint | None) -> RowProfile:
    """Return the analyzer that counts rows: all of a small batch, and a sample of a large one."""
    if last is None or not last.rows:
        return RowProfile(_FIRST_ONE_IN)
    return RowProfile(_one_in(last.rows))


def _one_in(distinct: float) -> int:
    return 1 << max(0, math.ceil(math.log2(distinct / _MAX_SAMPLED)))
