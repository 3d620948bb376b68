"""`DerivedRecord`: data computed from a batch or a dataset, kept so that it is computed once."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

__all__ = ["DerivedRecord"]


class DerivedRecord(Protocol):
    """A record that a store keeps about a batch or about a dataset.

    `kind` names what the record holds, `version` its form. A record of another version is ignored
    by `Store.derived`, so that its owner computes it again.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from assay.store import MemoryStore
    >>> @dataclass(frozen=True)
    ... class Owner:
    ...     kind = "owner"
    ...     version = 1
    ...     name: str
    ...     def to_json(self):
    ...         return {"name": self.name}
    ...     @classmethod
    ...     def from_json(cls, document):
    ...         return cls(document["name"])
    >>> store = MemoryStore()
    >>> store.save("orders", "", Owner("ann"))
    >>> store.derived(Owner, "orders")
    {'': Owner(name='ann')}
    """

    kind: ClassVar[str]
    version: ClassVar[int]

    def to_json(self) -> Any:
        """Return the record as strings, numbers, lists and dictionaries."""

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Return the record that `to_json` made this document of."""
