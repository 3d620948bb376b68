"""`FileDialect`: how a CSV file is written, so that a gate notices a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.io.file_format import FileDescription

__all__ = ["FileDialect"]


@dataclass(frozen=True)
class FileDialect:
    """How a CSV file is written, as a gate remembers it from batch to batch.

    Attributes
    ----------
    encoding
        None if all characters are ASCII.
    unfit
        The columns with values that are not of the column's type and are read as null. Each has the
        number of such values and the number of all values.
    """

    delimiter: str
    encoding: str | None = None
    bom: bool = False
    header: bool = True
    unfit: tuple[tuple[str, int, int], ...] = ()

    @staticmethod
    def of(description: FileDescription) -> FileDialect | None:
        """Return the dialect of a file; None if it is not CSV, or a copy of another format."""
        if description.format != "csv" or description.converted_from:
            return None
        encoding = None if description.ascii else description.encoding
        # one column has a delimiter that no value contains, which may be another every day
        delimiter = description.delimiter if description.n_columns != 1 else ","
        return FileDialect(
            delimiter, encoding, bom=description.bom, header=description.header_rows > 0
        )

    def after(self, previous: FileDialect | None) -> FileDialect:
        """Take over the encoding of the previous file if this one is all ASCII."""
        if self.encoding is not None or previous is None:
            return self
        return replace(self, encoding=previous.encoding)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON can hold them."""
        document = asdict(self)
        unfit = [list(column) for column in document.pop("unfit")]
        return {**document, "unfit": unfit} if unfit else document

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> FileDialect:
        """Restore a dialect from `to_dict`."""
        unfit = tuple((str(name), int(n), int(of)) for name, n, of in document.get("unfit", ()))
        return FileDialect(**{**document, "unfit": unfit})
