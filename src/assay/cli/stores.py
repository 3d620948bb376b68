"""Open the store of the option --store, and find datasets in it."""

from __future__ import annotations

from pathlib import Path

from assay.cli.closing import close_at_end
from assay.errors import StoreError, nearest
from assay.io.formats import format_of_file_name
from assay.store import Store, open_store

__all__ = [
    "dataset_names",
    "open_existing_store",
    "open_or_create_store",
    "require_dataset",
    "table_name",
]


def open_or_create_store(location: str | None) -> Store:
    """Open the store of a gate, or create it."""
    if location is None:
        raise StoreError("a gate needs a store: give --store DIR or set ASSAY_STORE.")
    return _open(location)


def open_existing_store(location: str | None) -> Store:
    """Open a store for reading; a directory that is not a store is an error."""
    if location is None:
        raise StoreError("this command reads a store: give --store DIR or set ASSAY_STORE.")
    if "://" not in location and not (Path(location) / "store.sqlite").is_file():
        raise StoreError(f"no store at {location}: expected a directory that Assay has written.")
    return _open(location)


def _open(location: str) -> Store:
    store = open_store(location)
    close_at_end(store)
    return store


def require_dataset(store: Store, dataset: str) -> str:
    """Return the name of a dataset; raise `StoreError` if the store does not have it."""
    names = dataset_names(store)
    if dataset not in names:
        guess = nearest(dataset, names)
        hint = f" Did you mean {guess!r}?" if guess else ""
        listed = ", ".join(names) or "none"
        raise StoreError(f"no dataset {dataset!r} in the store.{hint} Its datasets: {listed}.")
    return dataset


def dataset_names(store: Store) -> list[str]:
    """List the datasets of a store, those with only held batches included."""
    return list(store.datasets())


def table_name(source: str) -> str:
    """Name a table after its path.

    >>> table_name("/data/orders.csv.gz"), table_name("s3a://lake/orders/")
    ('orders', 'orders')
    >>> table_name("sales.orders")
    'sales.orders'
    """
    last = source.rstrip("/").rpartition("/")[2]
    return last.partition(".")[0] or last if format_of_file_name(last)[0] else last
