"""The file format of a pattern index, version 1.

A file holds, one after the other:

- a magic number and the length of the header;
- the header as JSON: the format's version, the sizes, and how the index was built;
- the arrays of 64-bit integers, each at a multiple of 64 bytes, so that they can be memory-mapped;
- the texts of patterns as compressed JSON;
- a CRC-32 of everything before it.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import PatternIndexError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VERSION", "map_index_file", "pack_index", "unpack_index", "write_index_file"]

VERSION = 1
_MAGIC = b"assay patterns\n\0"
#: bytes that hold the length of the header
_LENGTH_BYTES = 8
_CHECKSUM_BYTES = 4
#: each array begins at a multiple of this many bytes
_ALIGNMENT = 64
_NUMBER_TYPE = np.dtype("<u8")


def pack_index(
    header: Mapping[str, Any], arrays: Sequence[NDArray[np.uint64]], texts: Mapping[int, str]
) -> bytes:
    """Return the contents of a file. All arrays have the same length."""
    text_json = json.dumps({f"{key:016x}": text for key, text in sorted(texts.items())})
    packed = zlib.compress(text_json.encode(), 6)
    sizes = {"version": VERSION, "patterns": len(arrays[0]), "texts": len(packed)}
    header_json = json.dumps({**sizes, **header}).encode()
    blocks = [_MAGIC, len(header_json).to_bytes(_LENGTH_BYTES, "little"), header_json]
    blocks.append(b"\0" * (-sum(map(len, blocks)) % _ALIGNMENT))
    for array in arrays:
        block = np.ascontiguousarray(array, _NUMBER_TYPE).tobytes()
        blocks += [block, b"\0" * (-len(block) % _ALIGNMENT)]
    content = b"".join([*blocks, packed])
    return content + zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "little")


def unpack_index(
    content: bytes | NDArray[np.uint8], source: str, array_count: int
) -> tuple[dict[str, Any], list[NDArray[np.uint64]], dict[int, str]]:
    """Return the header, the arrays (without copying them) and the texts of a file.

    Raises
    ------
    PatternIndexError
        If the content is damaged or of another version.
    """
    data = np.frombuffer(content, np.uint8)
    start = len(_MAGIC) + _LENGTH_BYTES
    if data[: len(_MAGIC)].tobytes() != _MAGIC or len(data) < start + _CHECKSUM_BYTES:
        raise PatternIndexError(f"{source} is not a pattern index.")
    header_length = int.from_bytes(data[len(_MAGIC) : start].tobytes(), "little")
    checksum = int.from_bytes(data[-_CHECKSUM_BYTES:].tobytes(), "little")
    damaged = start + header_length > len(data)
    if damaged or zlib.crc32(data[:-_CHECKSUM_BYTES].data) != checksum:
        raise PatternIndexError(
            f"{source} is damaged: its checksum does not match its contents. Build it again."
        )
    header = json.loads(data[start : start + header_length].tobytes())
    if header["version"] != VERSION:
        raise PatternIndexError(
            f"{source} has version {header['version']}, expected version {VERSION}."
            " Update Assay, or build the index again."
        )
    offset = start + header_length
    arrays = []
    for _ in range(array_count):
        offset += -offset % _ALIGNMENT
        size = header["patterns"] * _NUMBER_TYPE.itemsize
        arrays.append(data[offset : offset + size].view(_NUMBER_TYPE))
        offset += size
    offset += -offset % _ALIGNMENT
    texts = json.loads(zlib.decompress(data[offset : offset + header["texts"]].tobytes()))
    return header, arrays, {int(key, 16): text for key, text in texts.items()}


def write_index_file(target: Path, content: bytes) -> None:
    """Write a file; an existing one is replaced atomically.

    Raises
    ------
    PatternIndexError
        If the file cannot be written.
    """
    if target.is_dir():
        raise PatternIndexError(f"{target} cannot be written: it is a directory.")
    if not target.absolute().parent.is_dir():
        raise PatternIndexError(f"{target} cannot be written: its directory does not exist.")
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as error:
        raise PatternIndexError(f"{target} cannot be written: {error.strerror}.") from None
    finally:
        partial.unlink(missing_ok=True)


def map_index_file(source: Path) -> NDArray[np.uint8]:
    """Memory-map a file.

    Raises
    ------
    PatternIndexError
        If the file does not exist, or cannot be read.
    """
    try:
        return np.memmap(source, dtype=np.uint8, mode="r")
    except FileNotFoundError:
        raise PatternIndexError(
            f"no index at {source}. Build one with build_index(…).index.save(…)."
        ) from None
    except (OSError, ValueError) as error:
        raise PatternIndexError(f"{source} cannot be read as an index: {error}.") from None
