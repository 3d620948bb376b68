"""Accepted and quarantined batches of one key do not touch each other, in every store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.analyzers import Size
from assay.analyzers.counting import Count
from assay.errors import StoreError
from assay.store import (
    QUARANTINED,
    Batch,
    BatchStatus,
    DatasetTotals,
    DatasetVersion,
    Selection,
    Store,
)
from tests.store.examples import Remark, batch, sized

ACCEPTED, HELD, REJECTED = BatchStatus.ACCEPTED, BatchStatus.HELD, BatchStatus.REJECTED


def sizes(store: Store, status: BatchStatus | tuple[BatchStatus, ...]) -> list[object]:
    return [recorded.metric.value for recorded in store.metrics(Selection("orders", status=status))]


def test_a_batch_is_accepted_unless_it_says_otherwise(store: Store) -> None:
    store.write(Batch("orders", "a"), sized(1))
    (stored,) = store.batches(Selection("orders"))
    assert stored.status is ACCEPTED


def test_a_held_version_does_not_touch_the_accepted_one(store: Store) -> None:
    store.write(batch(1), sized(10), DatasetTotals(0, sized(10)))
    store.save("orders", batch(1).key, Remark("accepted"))
    store.write(batch(1, HELD), sized(20), DatasetTotals(1, sized(30)))
    store.save("orders", batch(1).key, Remark("held"), HELD)
    assert sizes(store, ACCEPTED) == [10]
    assert sizes(store, HELD) == [20]
    assert sorted(map(str, sizes(store, tuple(BatchStatus)))) == ["10", "20"]
    assert store.merged_states(Selection("orders"), [Size()])[0] == 1
    assert store.derived(Remark, "orders") == {batch(1).key: Remark("accepted")}
    assert store.derived(Remark, "orders", status=HELD) == {batch(1).key: Remark("held")}


def test_both_versions_of_a_key_are_read_together(store: Store) -> None:
    store.write(batch(1), sized(10))
    store.write(batch(1, HELD), sized(20))
    everything = Selection("orders", status=tuple(BatchStatus))
    by_status = {stored.status: states for stored, states in store.states(everything).items()}
    assert by_status == {ACCEPTED: {Size(): Count(10)}, HELD: {Size(): Count(20)}}


def test_quarantined_batches_change_neither_totals_nor_the_version(store: Store) -> None:
    store.write(batch(1), sized(10), DatasetTotals(0, sized(10)))
    store.write(batch(1, HELD), sized(20), DatasetTotals(1, sized(30)))
    store.write(batch(1, HELD), sized(21), DatasetTotals(1, sized(31)))
    store.remove("orders", batch(1).key, DatasetTotals(1, sized(0)), status=HELD)
    assert store.changes("orders") == DatasetVersion(1, 0)
    assert store.totals("orders", [Size()]) == {Size(): (1, Count(10))}


def test_a_held_version_replaces_a_held_or_rejected_one(store: Store) -> None:
    store.write(batch(1, HELD), sized(1))
    store.write(batch(1, HELD), sized(2))
    assert sizes(store, QUARANTINED) == [2]
    store.set_status(batch(1, HELD), REJECTED)
    store.write(batch(1, HELD), sized(3))
    assert sizes(store, HELD) == [3]
    assert sizes(store, REJECTED) == []


def test_a_batch_is_removed_only_with_its_status(store: Store) -> None:
    store.write(batch(1), sized(1))
    store.write(batch(1, HELD), sized(2))
    key = batch(1).key
    assert not store.remove("orders", key, status=REJECTED)
    assert store.remove("orders", key, status=QUARANTINED)
    assert sizes(store, tuple(BatchStatus)) == [1]
    assert not store.remove("orders", key, status=HELD)
    assert store.remove("orders", key)


def test_an_accepted_batch_replaces_the_accepted_version_and_brings_its_records(
    store: Store,
) -> None:
    key = batch(1).key
    store.write(batch(1), sized(10), DatasetTotals(0, sized(10)))
    store.save("orders", key, Remark("accepted"))
    store.write(batch(1, HELD), sized(20))
    store.save("orders", key, Remark("held"), HELD)
    stored = store.set_status(batch(1, HELD), ACCEPTED, DatasetTotals(1, sized(20)))
    assert (stored.status, stored.change) == (ACCEPTED, 2)
    assert store.batches(Selection("orders", status=tuple(BatchStatus))) == (stored,)
    assert sizes(store, ACCEPTED) == [20]
    of_whole = store.metrics(Selection("orders"), scope="whole")
    assert [recorded.metric.value for recorded in of_whole] == [20]
    assert store.changes("orders") == DatasetVersion(2, 2)
    assert store.totals("orders", [Size()]) == {Size(): (2, Count(20))}
    assert store.derived(Remark, "orders") == {key: Remark("held")}
    assert store.derived(Remark, "orders", status=HELD) == {}


def test_a_first_version_that_is_accepted_removes_nothing(store: Store) -> None:
    store.write(batch(1, HELD), sized(20))
    store.set_status(batch(1, HELD), ACCEPTED)
    assert store.changes("orders") == DatasetVersion(1, 0)


def test_a_rejected_batch_keeps_its_states(store: Store) -> None:
    store.write(batch(1, HELD), sized(20))
    stored = store.set_status(batch(1, HELD), REJECTED)
    assert stored.status is REJECTED
    assert sizes(store, REJECTED) == [20]
    assert sizes(store, HELD) == sizes(store, ACCEPTED) == []


def test_a_decision_applies_only_to_the_version_that_was_read(store: Store) -> None:
    store.write(batch(1, HELD), sized(1))
    (read,) = store.batches(Selection("orders", status=HELD))
    store.write(batch(1, HELD), sized(2))
    with pytest.raises(StoreError, match="is not in quarantine"):
        store.set_status(read, ACCEPTED)
    with pytest.raises(StoreError, match="is not in quarantine"):
        store.set_status(batch(2), ACCEPTED)
    assert sizes(store, HELD) == [2]


def test_a_dataset_with_only_held_batches_is_listed(store: Store) -> None:
    store.write(batch(1, HELD), sized(1))
    store.write(replace(batch(1), dataset="posts"), sized(1))
    assert store.datasets() == ("orders", "posts")
