"""The fingerprint: statistics of every batch that all learners compare.

- `analyzers` lists the analyzers that every batch gets.
- `from_states` computes a fingerprint from stored states.
- `from_rows` computes a fingerprint from rows in memory, as benchmarks and fault injection do.
- `column_stats` holds the statistics; `distances` compares those of two batches.
- `metrics` is the catalogue of metrics of these statistics; `metric_registry` adds metrics.
"""

from assay.learn.fingerprint.analyzers import fingerprint_analyzers
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of

__all__ = ["Fingerprint", "fingerprint_analyzers", "fingerprint_of"]
