"""Arrow and Feather files, and Parquet with nanoseconds, read as a Parquet copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.temporary_copies import temporary_copy

__all__ = ["Arrow", "copy_with_microseconds"]

_FILE, _STREAM, _OLD_FEATHER = b"ARROW1\x00\x00", b"\xff\xff\xff\xff", b"FEA1"
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


def copy_with_microseconds(path: Path) -> Path | NotATable | None:
    """Return a copy of a Parquet file without nanoseconds; None if it has none.

    Spark refuses nanoseconds. Digits after the microsecond are cut off.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_metadata(path).schema
    except (pa.ArrowException, OSError):
        return None  # Spark reports damaged files
    columns = (schema.column(position) for position in range(len(schema)))
    if not any("nanoseconds" in column.logical_type.to_json() for column in columns):
        return None
    return _copy(path, "Parquet", _write_parquet)


def _copy(path: Path, label: str, write: Any) -> Path | NotATable:
    import pyarrow as pa

    try:
        return temporary_copy(path, "parquet", write)
    except pa.ArrowException as error:
        reason = " ".join(str(error).split())
        return NotATable("damaged", f"it is a file of {label} that cannot be read: {reason}")


def _write_arrow(path: Path, copy: Path) -> None:
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        if source.read(len(_FILE)) == _FILE:
            reader = pa.ipc.open_file(source)
            batches: Iterable[Any] = (
                reader.get_batch(number) for number in range(reader.num_record_batches)
            )
        else:
            source.seek(0)
            reader = batches = pa.ipc.open_stream(source)
        _write(batches, reader.schema, copy)


def _write_parquet(path: Path, copy: Path) -> None:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        _write(file.iter_batches(_BATCH_ROWS), file.schema_arrow, copy)


def _write(batches: Iterable[Any], schema: Any, copy: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetWriter(
        copy, schema, coerce_timestamps="us", allow_truncated_timestamps=True
    ) as writer:
        for table in _tables(batches, pa):
            writer.write_table(table)


def _tables(batches: Iterable[Any], pa: Any) -> Iterator[Any]:
    for batch in batches:
        yield pa.Table.from_batches([batch])
