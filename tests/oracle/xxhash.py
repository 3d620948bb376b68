"""XXH64 in plain Python, as Spark's `xxhash64` has it: the last hash is the seed of the next.

The algorithm is Yann Collet's (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
"""

from __future__ import annotations

import struct

_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_MASK = 2**64 - 1
_SEED = 42


def xxhash64(*values: str | bool | int | None, kind: str = "bigint") -> int:
    """Return the hash of these values as a signed number. Nulls are ignored."""
    digest = _SEED
    for value in values:
        if value is not None:
            digest = _xxh64(_bytes(value, kind), digest)
    return digest - 2**64 if digest >= 2**63 else digest


def _bytes(value: str | bool | int, kind: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    return struct.pack("<i" if isinstance(value, bool) or kind == "int" else "<q", value)


def _rotated(x: int, by: int) -> int:
    return ((x << by) | (x >> (64 - by))) & _MASK


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _P2) & _MASK, 31) * _P1 & _MASK


def _xxh64(data: bytes, seed: int) -> int:
    at, length = 0, len(data)
    if length >= 32:
        lanes = [(seed + p) & _MASK for p in (_P1 + _P2, _P2, 0, -_P1)]
        while at + 32 <= length:
            words = struct.unpack_from("<4Q", data, at)
            lanes = [_round(lane, word) for lane, word in zip(lanes, words, strict=True)]
            at += 32
        h = sum(_rotated(x, by) for x, by in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
        for lane in lanes:
            h = ((h ^ _round(0, lane)) * _P1 + _P4) & _MASK
    else:
        h = (seed + _P5) & _MASK
    h = (h + length) & _MASK
    while at + 8 <= length:
        (word,) = struct.unpack_from("<Q", data, at)
        h = (_rotated(h ^ _round(0, word), 27) * _P1 + _P4) & _MASK
        at += 8
    if at + 4 <= length:
        (half,) = struct.unpack_from("<I", data, at)
        h = (_rotated(h ^ (half * _P1 & _MASK), 23) * _P2 + _P3) & _MASK
        at += 4
    for byte in data[at:]:
        h = _rotated(h ^ (byte * _P5 & _MASK), 11) * _P1 & _MASK
    h = (h ^ (h >> 33)) * _P2 & _MASK
    h = (h ^ (h >> 29)) * _P3 & _MASK
    return h ^ (h >> 32)
