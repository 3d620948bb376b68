"""`TableSchema`: the columns of a batch, and the dialect of the file that it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyzers.schema import Schema
from assay.io.dialect import FileDialect

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
    """

    kind: ClassVar[str] = "table schema"
    version: ClassVar[int] = 1

    types: tuple[tuple[str, str], ...]
    writing: FileDialect | None = None

    @staticmethod
    def of(schema: Schema) -> TableSchema:
        """Return the columns of a table."""
        return TableSchema(tuple((field.name, field.type) for field in schema.fields))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for name, _ in self.types)

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        types = [list(column) for column in self.types]
        if self.writing is None:
            return types
        return {"types": types, "writing": self.writing.to_dict()}

    @classmethod
    def from_json(cls, document: Any) -> TableSchema:
        """Convert a document of `to_json` back."""
        types, dialect = document, None
        if isinstance(document, dict):
            types, dialect = document["types"], FileDialect.from_dict(document["writing"])
        return cls(tuple((str(name), str(kind)) for name, kind in types), dialect)
