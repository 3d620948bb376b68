"""Dataset infos, and how old batches are counted and removed, in stores of each kind."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from assay.errors import StoreError
from assay.store import (
    BatchStatus,
    DatasetInfo,
    Decision,
    EmbeddedStore,
    Mark,
    MarkKind,
    PostgresStore,
    Selection,
    Store,
    VerdictRecord,
)
from assay.store.dataset_info import load_dataset_info, save_dataset_info
from assay.store.maintenance import StoreOnDisk, count_datasets, prune
from tests.store.examples import START, Remark, batch, sized

INFO = DatasetInfo(owner="shop team", tags=("daily", "finance"), description="All orders")


def fill(store: Store, n: int = 6) -> None:
    """Write accepted batches, a held and a rejected one, verdicts on all, and a mark."""
    for day in range(1, n + 1):
        store.write(batch(day), sized(day))
        store.add_verdict(VerdictRecord("orders", batch(day).key, Decision.ACCEPT))
    for day, status in ((1, BatchStatus.HELD), (2, BatchStatus.REJECTED)):
        store.write(batch(day, status), sized(9))
    store.save("orders", batch(1).key, Remark("first"))
    store.add_mark(Mark("orders", batch(2).key, MarkKind.EXPECTED, "ada", "a holiday"))


def keys(store: Store, *statuses: BatchStatus) -> list[str]:
    selection = Selection("orders", status=statuses or (BatchStatus.ACCEPTED,))
    return [stored.key for stored in store.batches(selection)]


def test_a_dataset_has_an_owner_tags_and_a_description(store: Store) -> None:
    assert load_dataset_info(store, "orders") == DatasetInfo()
    save_dataset_info(store, "orders", INFO)
    save_dataset_info(store, "orders", DatasetInfo())  # an empty one changes nothing
    assert load_dataset_info(store, "orders") == INFO
    assert load_dataset_info(store, "events") == DatasetInfo()


def test_all_but_the_newest_batches_are_removed(store: Store) -> None:
    fill(store)
    before = store.changes("orders")
    expected = ["day=01", "day=02", "day=03", "day=02"]
    rehearsed = prune(store, "orders", keep=3, dry_run=True)
    assert store.changes("orders") == before
    pruned = prune(store, "orders", keep=3)
    assert rehearsed == pruned
    assert [removed.key for removed in pruned.batches] == expected
    assert keys(store) == ["day=04", "day=05", "day=06"]
    # a held batch, its verdict and all marks stay
    assert keys(store, BatchStatus.HELD) == ["day=01"]
    assert keys(store, BatchStatus.REJECTED) == []
    judged = [verdict.key for verdict in store.verdicts(Selection("orders"))]
    assert sorted(judged) == ["day=01", "day=04", "day=05", "day=06"]
    assert pruned.n_verdicts == 2
    assert len(store.marks(Selection("orders"))) == 1
    assert store.derived(Remark, "orders") == {}
    assert store.changes("orders").removed > before.removed
    assert prune(store, "orders", keep=3).batches == ()


def test_batches_before_a_time_are_removed(store: Store) -> None:
    fill(store)
    pruned = prune(store, "orders", before=START + timedelta(days=2))
    assert {removed.key for removed in pruned.batches} == {"day=01", "day=02"}
    assert keys(store) == [f"day=0{day}" for day in range(3, 7)]
    (size,) = count_datasets(store)
    assert (size.accepted, size.held, size.rejected, size.verdicts) == (4, 1, 0, 5)


@pytest.mark.parametrize("arguments", [{}, {"keep": 2, "before": START}, {"keep": 0}])
def test_prune_needs_one_limit(store: Store, arguments: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="cannot prune"):
        prune(store, "orders", **arguments)  # type: ignore[arg-type]


def test_a_store_on_disk_has_a_size_and_shrinks(tmp_path: Path, postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as shared:
        for store in (EmbeddedStore(tmp_path), shared):
            assert isinstance(store, StoreOnDisk)
            store.save("orders", "", Remark("x" * 2_000_000))
            large = store.size_bytes
            store.save("orders", "", Remark("x"))
            assert store.vacuum() == 0
            if isinstance(store, EmbeddedStore):
                assert store.size_bytes < large - 1_000_000
            assert store.derived(Remark, "orders")[""] == Remark("x")


def test_a_folder_with_the_name_of_a_url_is_refused() -> None:
    with pytest.raises(StoreError, match="expected a folder") as caught:
        EmbeddedStore("postgresql://ann:secret@host/db")
    assert "secret" not in str(caught.value)
