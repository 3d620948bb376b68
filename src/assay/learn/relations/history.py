"""`BatchRelations`: the relations of one past batch, as the store keeps them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, ClassVar

from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind
from assay.store.batch import Batch
from assay.store.derived import DerivedRecord
from assay.store.protocol import Store

__all__ = ["BatchRelations", "load_relations", "relations_since", "without_relations"]


@dataclass(frozen=True)
class BatchRelations:
    """The counts of the relations that were measured in a batch.

    Parameters
    ----------
    counts
        The counts of each relation.
    schema
        A hash of the names of the columns.
    change
        The version of the batch in the store.
    """

    kind: ClassVar[str] = "relations"
    version: ClassVar[int] = 1

    counts: Mapping[Relation, RelationCounts] = field(default_factory=dict)
    schema: str = ""
    change: int = 0

    @staticmethod
    def schema_of(batch: Fingerprint) -> str:
        """Return a hash of the names of the columns."""
        names = "\x1f".join(sorted(batch.columns))
        return blake2b(names.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @staticmethod
    def of(
        batch: Fingerprint, change: int = 0, chosen: Iterable[Relation] | None = None
    ) -> BatchRelations:
        """Return the relations of a batch: the `chosen` ones, by default all that were measured."""
        relations = tuple(batch.relations) if chosen is None else tuple(chosen)
        counts = {
            relation: batch.relations[relation]
            for relation in relations
            if relation in batch.relations
        }
        return BatchRelations(counts, BatchRelations.schema_of(batch), change)

    def without(self, columns: Collection[str | None]) -> BatchRelations:
        """Return the relations of other columns than these."""
        counts = {
            relation: counts
            for relation, counts in self.counts.items()
            if not any(name in columns for name in relation.columns)
        }
        return replace(self, counts=counts)

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        return {
            "change": self.change,
            "schema": self.schema,
            "relations": [
                {
                    "kind": relation.kind.value,
                    "columns": list(relation.columns),
                    "rows": counts.rows,
                    "broken": counts.broken,
                    "below": counts.below,
                    "sampled": counts.sampled,
                    **({} if math.isnan(counts.value) else {"value": counts.value}),
                }
                for relation, counts in self.counts.items()
            ],
        }

    @classmethod
    def from_json(cls, document: Any) -> BatchRelations:
        """Convert a document of `to_json` back."""
        counts = {}
        for stored in document["relations"]:
            numbers = {name: stored[name] for name in ("rows", "broken", "below", "sampled")}
            relation = Relation(RelationKind(stored["kind"]), tuple(stored["columns"]))
            counts[relation] = RelationCounts(**numbers, value=stored.get("value", math.nan))
        return cls(counts, document["schema"], document["change"])


def load_relations(
    store: Store, batches: Sequence[Batch], read: Callable[[Batch], Fingerprint]
) -> tuple[tuple[BatchRelations, ...], list[tuple[str, DerivedRecord]]]:
    """Return the relations of each batch, and pairs of key and record that the store lacks.

    Parameters
    ----------
    store
        The store of the batches.
    batches
        Batches of one dataset, oldest first.
    read
        Returns the statistics of a batch.
    """
    if not batches:
        return (), []
    records = store.derived(BatchRelations, batches[-1].dataset, [batch.key for batch in batches])
    relations: list[BatchRelations] = []
    new: list[tuple[str, DerivedRecord]] = []
    for batch in batches:
        record = records.get(batch.key)
        if record is None or record.change != batch.change:
            record = BatchRelations.of(read(batch), batch.change)
            new.append((batch.key, record))
        relations.append(record)
    return tuple(relations), new


def without_relations(
    relations: Sequence[BatchRelations],
    batches: Sequence[Batch],
    left_out: Mapping[str, Collection[str | None]],
) -> tuple[BatchRelations, ...]:
    """Leave out the relations of columns of some batches, by batch key."""
    return tuple(
        of_batch.without(left_out.get(batch.key, ()))
        for of_batch, batch in zip(relations, batches[-len(relations) :], strict=False)
    )


def relations_since(
    relations: Sequence[BatchRelations], starts: Mapping[str | None, int]
) -> tuple[BatchRelations, ...]:
    """Leave out the relations of each column before its start position."""
    return tuple(
        of_batch.without([column for column, start in starts.items() if place < start])
        for place, of_batch in enumerate(relations)
    )
