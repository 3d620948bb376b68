"""Write rows as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import MissingDependencyError, SourceError
from assay.io.atomic_write import write_atomically

__all__ = ["ROW_FORMATS", "require_row_format", "write_rows"]

#: extensions of files that `write_rows` can write
ROW_FORMATS = ("csv", "jsonl", "ndjson", "parquet")


def require_row_format(path: Path) -> str:
    """Return the format that the extension of a path names.

    Raises
    ------
    SourceError
        If the extension is another.
    """
    extension = path.suffix.lower().removeprefix(".")
    if extension not in ROW_FORMATS:
        expected = ", ".join(f".{name}" for name in ROW_FORMATS)
        raise SourceError.not_writable(path.name, f"expected the extension {expected}")
    return extension


def write_rows(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows to a file whose extension names the format. Lists and mappings become JSON.

    Parameters
    ----------
    columns
        The columns in their order.
    rows
        Values that JSON can hold, by column.
    """
    extension = require_row_format(path)
    flat = [{name: _flat(row.get(name)) for name in columns} for row in rows]
    try:
        if extension == "parquet":
            _write_parquet(path, columns, flat)
        elif extension == "csv":
            write_atomically(path, _csv(columns, flat))
        else:
            lines = (json.dumps(row, ensure_ascii=False) for row in flat)
            write_atomically(path, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise SourceError.not_writable(str(path), error.strerror or error) from error


def _flat(value: Any) -> Any:
    is_nested = isinstance(value, list | tuple | Mapping)
    return json.dumps(value, ensure_ascii=False) if is_nested else value


def _csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write_parquet(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependencyError.absent("pyarrow", extra="spark") from error
    arrays = {name: [row[name] for row in rows] for name in columns}
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        pq.write_table(pa.table(arrays), temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
