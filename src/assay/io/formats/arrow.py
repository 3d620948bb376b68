"""Arrow and Feather files, read as a Parquet copy with types that Spark reads.

The same copy is made of Parquet files with nanoseconds, times of day or half-precision numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.temporary_copies import temporary_copy

__all__ = ["Arrow", "converted_types_notes", "copy_for_spark"]

_FILE, _STREAM, _OLD_FEATHER = b"ARROW1\x00\x00", b"\xff\xff\xff\xff", b"FEA1"
#: logical types of Parquet that Spark refuses
_REFUSED = ("TIME", "FLOAT16")
#: rows of a Parquet file that are converted at once
_BATCH_ROWS = 1 << 16


class Arrow(FileFormat):
    """Arrow's file and stream format. A Feather file of version 2 is an Arrow file."""

    name, label, extensions = "arrow", "Arrow", ("arrow", "feather", "arrows")

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        """Recognise the first bytes."""
        if head.content.startswith(_OLD_FEATHER):
            return NotATable("binary", "it is a Feather file of version 1: write it again")
        is_arrow = head.content.startswith((_FILE, _STREAM))
        return FileDescription(self.name) if is_arrow else None

    def convert(self, path: Path, options: ReadOptions) -> Path | NotATable | None:
        """Return a Parquet copy."""
        return _copy(path, self.label, _write_arrow)

    def copy_notes(self, path: Path, options: ReadOptions) -> tuple[str, ...]:
        """Name the columns whose type changes."""
        with _open(path) as reader:
            return converted_types_notes(reader.schema)


def copy_for_spark(path: Path) -> Path | NotATable | None:
    """Return a copy of a Parquet file with types that Spark reads; None if it has no others."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_metadata(path).schema
    except (pa.ArrowException, OSError):
        return None  # Spark reports damaged files
    kinds = [schema.column(position).logical_type for position in range(len(schema))]
    if not any(kind.type in _REFUSED or "nanoseconds" in kind.to_json() for kind in kinds):
        return None
    return _copy(path, "Parquet", _write_parquet)


def converted_types_notes(schema: Any) -> tuple[str, ...]:
    """Name the columns of an Arrow schema whose type changes in the copy.

    Examples
    --------
    >>> import pyarrow as pa
    >>> converted_types_notes(pa.schema({"at": pa.timestamp("ns"), "opens": pa.time64("us")}))
    ('nanoseconds are cut to microseconds: at', 'times of day are read as text: opens')
    """
    columns = {
        "nanoseconds are cut to microseconds": [
            field.name for field in schema if "timestamp[ns" in str(field.type)
        ],
        "times of day are read as text": [
            field.name for field in schema if re.search(r"\btime(32|64)\[", str(field.type))
        ],
    }
    return tuple(f"{change}: {', '.join(names)}" for change, names in columns.items() if names)


def _type_for_spark(kind: Any) -> Any:
    """Return the Arrow type in which Spark reads values of a type."""
    import pyarrow as pa

    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_time(kind):
        return pa.string()
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_dictionary(kind):
        return _type_for_spark(kind.value_type)
    if pa.types.is_map(kind):
        return pa.map_(_type_for_spark(kind.key_type), _type_for_spark(kind.item_type))
    if hasattr(kind, "value_field"):  # any kind of list
        return pa.list_(_type_for_spark(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_type_for_spark(field.type)) for field in kind])
    return kind


def _copy(path: Path, label: str, write: Any) -> Path | NotATable:
    import pyarrow as pa

    try:
        return temporary_copy(path, "parquet", write)
    except pa.ArrowException as error:
        reason = " ".join(str(error).split())
        return NotATable("damaged", f"it is a file of {label} that cannot be read: {reason}")


def _write_arrow(path: Path, copy: Path) -> None:
    import pyarrow as pa

    with _open(path) as reader:
        is_stream = isinstance(reader, pa.RecordBatchReader)
        batches: Iterable[Any] = (
            reader if is_stream else map(reader.get_batch, range(reader.num_record_batches))
        )
        _write(batches, reader.schema, copy)


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        is_file = source.read(len(_FILE)) == _FILE
        source.seek(0)
        yield pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def _write_parquet(path: Path, copy: Path) -> None:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        _write(file.iter_batches(_BATCH_ROWS), file.schema_arrow, copy)


def _write(batches: Iterable[Any], schema: Any, copy: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    target = pa.schema([field.with_type(_type_for_spark(field.type)) for field in schema])
    with parquet.ParquetWriter(copy, target, store_schema=False) as writer:
        for batch in batches:
            # unsafe: digits after the microsecond are cut off
            writer.write_table(pa.Table.from_batches([batch]).cast(target, safe=False))
