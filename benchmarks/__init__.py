"""Benchmarks of speed and quality. Run one with ``python -m benchmarks.NAME``.

Speed, on generated tables:

- `differential`: time of states, compared with reading all rows again.
- `grouping`: CPU of frequencies, compared with hand-written queries.
- `scan`: CPU of scans, compared with hand-written aggregations.
- `segments`: CPU of many segments, in one query and in several.
- `watch`: CPU of a watched write, compared with a verification afterwards.

Quality, on real data sets (`tools.real_data`), skipped without them:

- `csv_dialects`: layouts of CSV files that are detected, compared with other sniffers.
- `history`: false alarms and recall of limits learned from history, on rows or through sketches.
- `incidents`: incidents caught, right reasons, useful warnings and false holds of a gate.
- `judgement`: decisions and first causes of injected errors, compared with simple methods.
- `names`: AUC of keys predicted by the names of columns.
- `novelty`: false alarms and recall of novelty detection, on rows or through sketches.
- `patterns`: precision and recall of learned patterns.
- `suggest`: share of suggested checks that hold on unseen rows.

Every benchmark has goals and prints which ones are met. ``--quick`` reduces it to about a minute on
an idle machine with two cores. ``--check`` exits with 1 if a goal is missed. Durations in the
docstrings are estimates for two cores.
"""
