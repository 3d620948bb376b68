"""The fingerprint: statistics of every batch that all learners compare.

- `analyzers` lists the analyzers that every batch gets.
- `from_states` computes a fingerprint from stored states.
- `from_rows` computes a fingerprint from rows in memory, as benchmarks and fault injection do.
- `column_stats` holds the statistics; `pair_distances` compares those of two batches.
- `metrics` is the catalogue: one `BatchMetric` for each number that limits and novelty compare.
- `metric_registry` adds metrics to the catalogue, and finds them by name.
- `metric_format` writes their values for people.
"""

from assay.learn.fingerprint.analyzers import fingerprint_analyzers
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of

__all__ = ["Fingerprint", "fingerprint_analyzers", "fingerprint_of"]
