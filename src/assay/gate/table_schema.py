"""`TableSchema`: the columns of a batch, and the dialect of the file that it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyzers.schema import Schema
from assay.io.dialect import FileDialect

__all__ = ["TableSchema"]


@dataclass(frozen=True)
class TableSchema:
    """The names and types of a table's columns, in their order; how it was written, if as text."""

    kind: ClassVar[str] = "table schema"
    version: ClassVar[int] = 1

    types: tuple[tuple[str, str], ...]
    writing: FileDialect | None = None

    @staticmethod
    def of(schema: Schema) -> TableSchema:
        """Those of a table."""
        return TableSchema(tuple((each.name, each.type) for each in schema.fields))

    def to_json(self) -> Any:
        """Return the columns, and the dialect if there is one, as JSON can hold them."""
        types = [list(column) for column in self.types]
        if self.writing is None:
            return types
        return {"types": types, "writing": self.writing.to_dict()}

    @classmethod
    def from_json(cls, document: Any) -> TableSchema:
        """Return the schema that `to_json` made this document of."""
        types, writing = document, None
        if isinstance(document, dict):
            types, writing = document["types"], FileDialect.from_dict(document["writing"])
        return TableSchema(tuple((str(name), str(kind)) for name, kind in types), writing)

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(name for name, _ in self.types)
