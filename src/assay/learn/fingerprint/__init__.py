"""The fingerprint: statistics of every batch, which all learners compare.

- `analyzers` says what is measured; `from_states` computes a fingerprint from stored states.
- `from_rows` computes one from rows in memory, as benchmarks and fault injection do.
- `column_stats` holds the statistics; `distances` compares those of two batches.
- `metrics` is the catalogue of metrics that are computed from them; `metric_registry` adds metrics.
"""
