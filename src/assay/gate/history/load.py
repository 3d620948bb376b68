"""Load the history before a batch from the store.

Features and metrics of a batch are computed once and stored as derived records. Records that the
store lacks are returned in `GateHistory.unsaved`, so that the gate commits them with its verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from assay.gate.history.derived_records import load_contents, load_features
from assay.gate.history.gate_history import (
    ARRIVAL_WINDOW,
    FEATURE_WINDOW,
    WINDOW,
    GateHistory,
    calendar_time,
)
from assay.gate.history.new_normal import features_since, new_normals
from assay.gate.history.provisional_suite import load_suite
from assay.gate.history.released import expected_keys, load_marked, released_columns
from assay.gate.history.schemas import load_schema
from assay.gate.table_schema import TableSchema
from assay.learn.limits.metric_history import FingerprintReader, MetricHistory, build_metric_history
from assay.learn.relations.history import load_relations, relations_since
from assay.store.batch import QUARANTINED, Batch, Selection
from assay.store.protocol import Store

__all__ = ["load_history"]


def load_history(
    store: Store,
    dataset: str,
    *,
    until: datetime | None = None,
    but: str | None = None,
) -> GateHistory:
    """Load the stored data of a dataset's latest batches before a moment.

    The cost depends on the windows, not on the number of batches. Batches that are marked bad are
    left out.
    """
    accepted = Selection(dataset, until=until, but=but)
    batches = store.batches(replace(accepted, learnable=True, latest=FEATURE_WINDOW))
    if not batches:
        return GateHistory(MetricHistory(dataset))
    fingerprints = FingerprintReader(store, dataset)
    window = batches[-WINDOW:]
    metric_history, new_metrics = build_metric_history(store, dataset, window, fingerprints)
    contents, new_contents = load_contents(store, window, fingerprints)
    relations, new_relations = load_relations(store, window, fingerprints.read)
    newest = store.batches(Selection(dataset, learnable=True, latest=1))
    batch_features, seen_values, new_features = load_features(
        store, batches, fingerprints, are_newest=newest[-1:] == batches[-1:]
    )
    arrived = store.batches(replace(accepted, latest=ARRIVAL_WINDOW))
    held = store.batches(replace(accepted, status=QUARANTINED, latest=ARRIVAL_WINDOW))
    arrival_times = sorted(batch.time for batch in (*arrived, *held))
    keys = tuple(batch.key for batch in batches)
    marked = load_marked(store, dataset, keys)
    starts = new_normals(store, batches, marked)
    n_before_window = len(batches) - len(window)
    starts_in_window = {column: place - n_before_window for column, place in starts.items()}
    suite, new_suite = load_suite(store, batches, fingerprints)
    history = GateHistory(
        metric_history.since(starts_in_window),
        features=tuple(features_since(batch_features, starts)),
        seen_values=seen_values,
        contents=contents,
        schema=load_schema(store, batches[-1]),
        held=_held_after(store, held, batches[-1]),
        arrivals=tuple(arrival_times)[-ARRIVAL_WINDOW:],
        unsaved=(*new_metrics, *new_features, *new_contents, *new_suite, *new_relations),
        keys=keys,
        times=tuple(map(calendar_time, batches)),
        expected=expected_keys(marked),
        released=released_columns(marked),
        provisional=suite,
        relations=relations_since(relations, starts_in_window),
    )
    return history.without_unusual()


def _held_after(
    store: Store, held: Sequence[Batch], last: Batch
) -> tuple[Batch, TableSchema | None] | None:
    """Return the latest quarantined batch if it came after the last accepted one."""
    if not held or held[-1].time <= last.time:
        return None
    return held[-1], load_schema(store, held[-1])
