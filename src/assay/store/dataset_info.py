"""`DatasetInfo`: who owns a dataset, its tags and its description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from assay.store.protocol import Store

__all__ = ["DatasetInfo", "load_dataset_info", "save_dataset_info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetInfo:
    """The description of a dataset by its people. The gate saves it with each batch.

    Parameters
    ----------
    owner : str, optional
        A person or a team to ask.
    tags : tuple of str
        Names by which ``assay status --tag`` selects datasets.
    description : str, optional
        A description of the dataset.
    """

    kind: ClassVar[str] = "dataset info"
    version: ClassVar[int] = 1

    owner: str | None = None
    tags: tuple[str, ...] = ()
    description: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        return {"owner": self.owner, "tags": list(self.tags), "description": self.description}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Return the record of a document of `to_json`."""
        return cls(
            owner=document.get("owner"),
            tags=tuple(document.get("tags", ())),
            description=document.get("description"),
        )


def save_dataset_info(store: Store, dataset: str, info: DatasetInfo) -> None:
    """Save the info of a dataset; an empty one leaves the stored one as it is."""
    if info != DatasetInfo():
        store.save(dataset, "", info)


def load_dataset_info(store: Store, dataset: str) -> DatasetInfo:
    """Return the info of a dataset, which is empty if there is none.

    >>> from assay.store import MemoryStore
    >>> store = MemoryStore()
    >>> save_dataset_info(store, "orders", DatasetInfo(owner="shop", tags=("daily",)))
    >>> load_dataset_info(store, "orders").owner, load_dataset_info(store, "events").owner
    ('shop', None)
    """
    return store.derived(DatasetInfo, dataset, [""]).get("", DatasetInfo())
