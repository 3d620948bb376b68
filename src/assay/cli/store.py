"""The store that a command reads."""

from __future__ import annotations

from pathlib import Path

from assay.errors import StoreError, nearest
from assay.gate.quarantine import apart
from assay.io.formats import format_of_file_name
from assay.store import EmbeddedStore, Store

__all__ = ["datasets_of", "existing", "known", "name_of"]


def existing(folder: Path) -> Store:
    """The store in a folder; a command that reads makes none."""
    if not (folder / "store.sqlite").is_file():
        raise StoreError(f"there is no store at {folder}: a store is a directory that Assay wrote.")
    return EmbeddedStore(folder)


def known(store: Store, dataset: str, folder: Path) -> str:
    """The dataset, if the store has it."""
    names = datasets_of(store)
    if dataset not in names:
        guess = nearest(dataset, names)
        hint = f"; did you mean {guess!r}?" if guess else "."
        listed = ", ".join(names) or "none"
        raise StoreError(f"{folder} has no dataset {dataset!r}{hint} Its datasets: {listed}.")
    return dataset


def datasets_of(store: Store) -> list[str]:
    """The datasets that a store knows; where held batches wait is none of its own."""
    return list(dict.fromkeys(each.removesuffix(apart("")) for each in store.datasets()))


def name_of(source: str) -> str:
    """What a table is called, from its path.

    >>> name_of("/data/orders.csv.gz"), name_of("s3a://lake/orders/"), name_of("sales.orders")
    ('orders', 'orders', 'sales.orders')
    """
    last = source.rstrip("/").rpartition("/")[2]
    return last.partition(".")[0] or last if format_of_file_name(last)[0] else last
