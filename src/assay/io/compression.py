"""Compressed files: the compression that a name promises, and the bytes without it."""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

__all__ = ["COMPRESSIONS", "HEAD_BYTES", "read_chunks", "read_head", "unpack"]

#: compressions that Spark reads, by the extension of a file
COMPRESSIONS = {"gz": "gzip", "bz2": "bzip2", "zst": "zstd", "lz4": "lz4", "snappy": "snappy"}
#: bytes of a file that are read to recognise its format and dialect
HEAD_BYTES = 1 << 18
#: bzip2 yields nothing before a block is complete; a block has up to 900 KB
_BZIP2_BLOCK_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 20
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_CHUNK_BYTES = 1 << 14
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)")


def unpack(data: bytes, limit: int = HEAD_BYTES) -> tuple[bytes, str] | None:
    """Decompress at most `limit` bytes of gzip, bzip2 or zstd data.

    Returns
    -------
    tuple or None
        The bytes and the name of the compression, "" if the data is not compressed. None if the
        data begins like a compressed file and cannot be decompressed.
    """
    decompressor: Any
    if data.startswith(b"\x1f\x8b"):
        decompressor, name = zlib.decompressobj(wbits=31), "gzip"
    elif _BZIP2.match(data):
        decompressor, name = bz2.BZ2Decompressor(), "bzip2"
    elif data.startswith(_ZSTD):
        return _unpack_zstd(data, limit)
    else:
        return data, ""
    try:
        content: bytes = decompressor.decompress(data, limit)
    except (zlib.error, OSError):
        return None
    return (content, name) if content or decompressor.eof else None


def _unpack_zstd(data: bytes, limit: int) -> tuple[bytes, str] | None:
    """Decompress the beginning of zstd data; it may be cut off."""
    import pyarrow as pa

    content = b""
    try:
        with pa.input_stream(pa.BufferReader(data), compression="zstd") as stream:
            while len(content) < limit and (chunk := stream.read(_ZSTD_CHUNK_BYTES)):
                content += chunk
    except (pa.ArrowException, OSError):
        if not content:
            return None
    return content[:limit], "zstd"


def read_head(path: Path) -> tuple[bytes, bool]:
    """Read the first bytes of a file, as they are stored, and whether these are all of it."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        if head.startswith(b"BZh"):
            head += file.read(_BZIP2_BLOCK_BYTES)
        return head, not file.read(1)


def read_chunks(path: Path, compression: str | None, limit: int) -> Iterator[bytes]:
    """Read at most about `limit` bytes of a file, decompressed, chunk by chunk."""
    openers = {"gzip": gzip.open, "bzip2": bz2.open, "zstd": _open_zstd}
    opener: Any = openers.get(compression or "", open)
    file: BinaryIO
    with cast(BinaryIO, opener(path, "rb")) as file:
        n_read = 0
        while n_read < limit and (chunk := file.read(_CHUNK_BYTES)):
            n_read += len(chunk)
            yield chunk


def _open_zstd(path: Path, _mode: str) -> BinaryIO:
    import pyarrow as pa

    return cast(BinaryIO, pa.input_stream(str(path), compression="zstd"))
