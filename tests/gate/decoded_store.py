"""Everything that a store's folder holds, decoded, and the forms in which it may hold a value."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet

__all__ = ["Value", "forms_of", "parts_of"]

Value = str | int | float | Decimal | date | datetime

#: the first two bytes of compressed states
_ZLIB = b"\x78\x9c"


def parts_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Return each file, each row of a Parquet file, and each cell of a database, as bytes."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        yield path.name, path.read_bytes()
        if path.suffix == ".parquet":
            yield (
                f"rows of {path.name}",
                repr(pyarrow.parquet.read_table(path).to_pylist()).encode(),
            )
        elif path.suffix == ".sqlite":
            yield from _cells_of(path)


def _cells_of(path: Path) -> Iterator[tuple[str, bytes]]:
    with sqlite3.connect(path) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (table,) in tables.fetchall():
            cursor = database.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            for row in cursor:
                for name, cell in zip(names, row, strict=True):
                    data = cell if isinstance(cell, bytes) else str(cell).encode()
                    yield f"{table}.{name}", data + b"".join(_uncompressed(data))


def _uncompressed(data: bytes) -> Iterator[bytes]:
    start = data.find(_ZLIB)
    while start >= 0:
        with suppress(zlib.error):  # two bytes may be equal by chance
            yield zlib.decompressobj().decompress(data[start:])
        start = data.find(_ZLIB, start + 1)


def forms_of(value: Value) -> set[bytes]:
    """Return the bytes by which text, JSON, Parquet or a sketch may hold a value."""
    if isinstance(value, str):
        texts = {value, value.upper()}
        return {text.encode(code) for text in texts for code in ("utf-8", "utf-16-le")}
    if isinstance(value, float):
        return {repr(value).encode(), f"{value:,}".encode(), struct.pack("<d", value)}
    if isinstance(value, int):
        packed = {struct.pack("<q", value), struct.pack("<d", value)}
        return {str(value).encode(), f"{value:,}".encode(), f'"{value:x}"'.encode()} | packed
    if isinstance(value, Decimal):
        return {str(value).encode(), str(value.normalize()).encode()}
    return {value.isoformat().encode(), str(value).encode()}
