"""Write the rows of batches and running totals, within a transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from assay.engine.measurement import Measurement
from assay.store.batch import Batch, BatchStatus
from assay.store.packing import Entry, pack_metrics, pack_states
from assay.store.statements import put, slot_of
from assay.store.transactions import Connection

__all__ = ["add_totals", "delete_batch", "insert_batch", "move_to_dataset", "quarantined_row"]

_PLACE = "dataset = :dataset AND key = :key AND slot = :slot"


def insert_batch(
    connection: Connection,
    batch: Batch,
    states: Iterable[tuple[Entry, bytes]],
    measurement: Measurement,
    dataset_metrics: Measurement,
) -> int:
    """Insert a batch in place of the one in its slot. Return the number of the change."""
    slot = slot_of(in_quarantine=batch.status.in_quarantine)
    removed = _delete(connection, batch.dataset, batch.key, slot)
    change = _next_change(connection, batch.dataset, slot, removes=removed)
    values: dict[str, Any] = {
        "dataset": batch.dataset,
        "key": batch.key,
        "slot": slot,
        "status": batch.status.value,
        "time": batch.time.isoformat(),
        "tags": json.dumps(dict(batch.tags), sort_keys=True),
        "change": change,
    }
    values["of_states"], values["states"] = pack_states(states)
    values["of_metrics"], values["metrics"] = _packed(measurement)
    kept = Measurement({}, {}) if batch.status.in_quarantine else dataset_metrics
    values["of_whole"], values["whole"] = _packed(kept)
    names = ", ".join(values)
    placeholders = ", ".join(f":{name}" for name in values)
    connection.execute(f"INSERT INTO batches ({names}) VALUES ({placeholders})", values)  # noqa: S608 - names of our own
    return change


def delete_batch(connection: Connection, dataset: str, key: str, status: BatchStatus) -> int | None:
    """Delete a batch of this status.

    Return the number of the change, which is 0 for a quarantined batch, or None if there is none.
    """
    slot = slot_of(in_quarantine=status.in_quarantine)
    place = {"dataset": dataset, "key": key, "slot": slot}
    query = f"SELECT 1 FROM batches WHERE {_PLACE} AND status = :status"  # noqa: S608 - names of our own
    if not connection.execute(query, {**place, "status": status.value}):
        return None
    _delete(connection, dataset, key, slot)
    if status.in_quarantine:
        return 0
    return _next_change(connection, dataset, slot, removes=True)


def quarantined_row(connection: Connection, batch: Batch) -> int | None:
    """Return the change that wrote the quarantined batch of a key; None if there is none."""
    query = f"SELECT change FROM batches WHERE {_PLACE}"  # noqa: S608 - names of our own
    place = {"dataset": batch.dataset, "key": batch.key, "slot": slot_of(in_quarantine=True)}
    rows = connection.execute(query, place)
    return rows[0][0] if rows else None


def move_to_dataset(connection: Connection, batch: Batch, dataset_metrics: Measurement) -> int:
    """Put a quarantined batch in place of the accepted one. Return the number of the change."""
    accepted, quarantined = slot_of(in_quarantine=False), slot_of(in_quarantine=True)
    removed = _delete(connection, batch.dataset, batch.key, accepted)
    change = _next_change(connection, batch.dataset, accepted, removes=removed)
    place = {"dataset": batch.dataset, "key": batch.key, "slot": quarantined, "to": accepted}
    connection.execute(f"UPDATE derived SET slot = :to WHERE {_PLACE}", place)  # noqa: S608 - names of our own
    values: dict[str, Any] = {"status": BatchStatus.ACCEPTED.value, "change": change}
    values["of_whole"], values["whole"] = _packed(dataset_metrics)
    changed = ", ".join(f"{name} = :{name}" for name in values)
    connection.execute(
        f"UPDATE batches SET slot = :to, {changed} WHERE {_PLACE}",  # noqa: S608 - names of our own
        place | values,
    )
    return change


def add_totals(
    connection: Connection, dataset: str, change: int, totals: Iterable[tuple[Entry, bytes]]
) -> None:
    """Store running totals as of a change."""
    for entry, data in totals:
        values = {"dataset": dataset, "analyzer": entry.analyzer, "change": change}
        values |= {"head": entry.head, "data": data}
        put(connection, "totals", ("dataset", "analyzer"), values)


def _packed(measurement: Measurement) -> tuple[str, bytes]:
    return pack_metrics({analyzer.key: metric for analyzer, metric in measurement.metrics.items()})


def _delete(connection: Connection, dataset: str, key: str, slot: str) -> bool:
    """Delete a batch and the derived records about it. Return whether there was one."""
    place = {"dataset": dataset, "key": key, "slot": slot}
    connection.execute(f"DELETE FROM derived WHERE {_PLACE}", place)  # noqa: S608 - names of our own
    query = f"DELETE FROM batches WHERE {_PLACE} RETURNING key"  # noqa: S608 - names of our own
    return bool(connection.execute(query, place))


def _next_change(connection: Connection, dataset: str, slot: str, *, removes: bool) -> int:
    """Count a change of the dataset, or of its quarantine, and return its number."""
    column = "quarantined" if slot == slot_of(in_quarantine=True) else "latest"
    ((change,),) = connection.execute(
        "INSERT INTO datasets (name, latest, removed, quarantined)"  # noqa: S608 - names of our own
        f" VALUES (:dataset, {int(column == 'latest')}, 0, {int(column == 'quarantined')})"
        f" ON CONFLICT (name) DO UPDATE SET {column} = datasets.{column} + 1 RETURNING {column}",
        {"dataset": dataset},
    )
    if removes and column == "latest":
        update = "UPDATE datasets SET removed = :change WHERE name = :dataset"
        connection.execute(update, {"dataset": dataset, "change": change})
    return int(change)
