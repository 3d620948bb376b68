"""`TableSchema`: the columns of a batch, and the dialect of the file that it came from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from assay.analyzers.schema import Schema
from assay.io.file_dialect import FileDialect
from assay.learn.fingerprint.column_stats import Fingerprint

__all__ = ["TableSchema"]


@dataclass(frozen=True)
class TableSchema:
    """The columns of a batch in their order.

    Parameters
    ----------
    types : tuple of (str, str)
        Name and type of each column.
    writing : FileDialect, optional
        The dialect of the text file that the batch came from.
    empty : frozenset of str, optional
        Columns of files without types that had no value in any batch so far. Their type is unknown.
    """

    kind: ClassVar[str] = "table schema"
    version: ClassVar[int] = 1

    types: tuple[tuple[str, str], ...]
    writing: FileDialect | None = None
    empty: frozenset[str] = frozenset()

    @staticmethod
    def of(schema: Schema) -> TableSchema:
        """Return the columns of a table."""
        return TableSchema(tuple((field.name, field.type) for field in schema.fields))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for name, _ in self.types)

    @property
    def known_types(self) -> dict[str, str]:
        """The types by column, without the columns that never had a value."""
        return {name: kind for name, kind in self.types if name not in self.empty}

    def mark_empty(self, batch: Fingerprint, before: TableSchema | None) -> TableSchema:
        """Mark the text columns without a value in this batch and in the ones before.

        Blank text counts as no value: a CSV file may write an empty field as two quotes.
        """
        filled = set() if before is None else set(before.known_types)
        empty = {
            name
            for name, kind in self.types
            if kind == "string"
            and name not in filled
            and (stats := batch.columns.get(name)) is not None
            and not any(map(str.strip, stats.value_counts))
            and not stats.uncounted(stats.value_counts)
        }
        return replace(self, empty=frozenset(empty))

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        types = [list(column) for column in self.types]
        if self.writing is None and not self.empty:
            return types
        document: dict[str, Any] = {"types": types}
        if self.writing is not None:
            document["writing"] = self.writing.to_dict()
        if self.empty:
            document["empty"] = sorted(self.empty)
        return document

    @classmethod
    def from_json(cls, document: Any) -> TableSchema:
        """Convert a document of `to_json` back."""
        types, dialect, empty = document, None, frozenset[str]()
        if isinstance(document, dict):
            types, writing = document["types"], document.get("writing")
            dialect = None if writing is None else FileDialect.from_dict(writing)
            empty = frozenset(document.get("empty", ()))
        return cls(tuple((str(name), str(kind)) for name, kind in types), dialect, empty)
