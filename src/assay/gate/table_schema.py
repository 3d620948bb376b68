"""`TableSchema`: the columns of a batch, and the dialect of the file that it came from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from assay.analyzers.schema import Schema
from assay.io.dialect import FileDialect

__all__ = ["TableSchema"]


@dataclass(frozen=True)
class TableSchema:
    """The names and types of a table's columns, in their order; how it was written, if as text."""

    types: tuple[tuple[str, str], ...]
    writing: FileDialect | None = None

    @staticmethod
    def of(schema: Schema) -> TableSchema:
        """Those of a table."""
        return TableSchema(tuple((each.name, each.type) for each in schema.fields))

    def written(self) -> str:
        """As JSON."""
        document: Any = self.types
        if self.writing is not None:
            document = {"types": self.types, "writing": self.writing.to_dict()}
        return json.dumps(document, ensure_ascii=False)

    @staticmethod
    def read(text: str) -> TableSchema:
        """The inverse of `written`."""
        document = json.loads(text)
        types, writing = document, None
        if isinstance(document, dict):
            types, writing = document["types"], FileDialect.from_dict(document["writing"])
        return TableSchema(tuple((str(name), str(kind)) for name, kind in types), writing)

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(name for name, _ in self.types)
