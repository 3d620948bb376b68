"""Parquet, ORC and Delta: formats whose files carry names and types of columns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.formats.arrow import converted_types_notes, copy_for_spark

__all__ = ["Delta", "Orc", "Parquet"]


class _MagicFormat(FileFormat):
    """A format whose files begin with known bytes and whose schema pyarrow reads."""

    magic: tuple[bytes, ...] = ()

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        """Recognise the first bytes."""
        return FileDescription(self.name) if head.content.startswith(self.magic) else None

    def field_kinds(self, path: Path, description: FileDescription) -> Mapping[str, str | None]:
        """Return names and types of the schema; {} if the file is damaged: reading reports that."""
        import pyarrow as pa

        try:
            schema = self._schema(path)
        except (pa.ArrowException, OSError):
            return {}
        return {field.name: str(field.type) for field in schema}

    def _schema(self, path: Path) -> Any:
        raise NotImplementedError


class Parquet(_MagicFormat):
    """Apache Parquet."""

    name, label, extensions = "parquet", "Parquet", ("parquet",)
    magic = (b"PAR1", b"PARE")

    def check_file(self, path: Path) -> NotATable | None:
        """Report a file that is cut off: Parquet files end as they begin."""
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(-min(4, size), os.SEEK_END)
            if size > 8 and file.read(4) in self.magic:
                return None
        return NotATable("damaged", "it is a Parquet file that is cut off: its end is missing")

    def convert(self, path: Path, options: ReadOptions) -> Path | NotATable | None:
        """Return a copy without types that Spark refuses; None if there are none."""
        return copy_for_spark(path)

    def copy_notes(self, path: Path, options: ReadOptions) -> tuple[str, ...]:
        """Name the columns whose type changes."""
        return converted_types_notes(self._schema(path))

    def _schema(self, path: Path) -> Any:
        from pyarrow import parquet

        return parquet.read_schema(path)


class Orc(_MagicFormat):
    """Apache ORC."""

    name, label, extensions = "orc", "ORC", ("orc",)
    magic = (b"ORC",)

    def _schema(self, path: Path) -> Any:
        from pyarrow import orc

        return orc.ORCFile(path).schema


class Delta(FileFormat):
    """Delta Lake: a directory with a log, recognised by its name."""

    name, label = "delta", "delta"

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        """Return None: single files of a Delta table are Parquet."""
        return None
