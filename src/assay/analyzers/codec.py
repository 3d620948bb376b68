"""Encode fields of states, and metrics, as JSON. Types that JSON lacks are tagged.

>>> encode((3, date(2026, 11, 15), Exact.of(0.75)))
b'[3,{"date":"2026-11-15"},{"exact":["3",-2,2,0.0]}]'
>>> decode(encode((3, date(2026, 11, 15), (Decimal("1.50"), None))))
(3, datetime.date(2026, 11, 15), (Decimal('1.50'), None))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from assay.analyzers.exact import Exact
from assay.analyzers.metric import Distribution

__all__ = ["decode", "decode_all", "encode", "plain"]


def encode(value: object) -> bytes:
    """Encode a value; equal values have equal bytes."""
    return json.dumps(_packed(value), separators=(",", ":"), ensure_ascii=False).encode()


def decode(data: bytes) -> Any:
    """Decode what `encode` returned; lists become tuples."""
    return _tuples(_DECODER.decode(data.decode()))


def decode_all(many: Sequence[bytes]) -> list[Any]:
    """Decode many values at once, which is much faster than one by one."""
    values: list[Any] = list(_tuples(_joined(many)))
    return values


def plain(many: Sequence[bytes]) -> list[Any]:
    """Decode many sequences of plain numbers and strings as lists."""
    values: list[Any] = _joined(many)
    return values


def _joined(many: Sequence[bytes]) -> Any:
    return _DECODER.decode((b"[" + b",".join(many) + b"]").decode())


def _packed(value: object) -> object:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case tuple() | list():
            return [_packed(item) for item in value]
        case Exact():
            # hexadecimal: a mantissa may have thousands of digits
            return {"exact": [f"{value.mantissa:x}", value.exponent, value.base, value.special]}
        case Decimal():
            return {"decimal": str(value)}
        case datetime():  # before date, of which it is one
            return {"timestamp": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case time():
            return {"time": value.isoformat()}
        case timedelta():
            return {"interval": value // timedelta(microseconds=1)}
        case bytes() | bytearray():
            return {"binary": value.hex()}
        case Distribution():
            counts = list(value.counts.items())
            parts = (counts, value.other, value.nulls, value.groups, value.edges)
            return {"distribution": _packed(parts)}
        case Mapping():
            return {"mapping": _packed(list(value.items()))}
        case _:
            raise TypeError(f"a state cannot hold a {type(value).__name__}: {value!r}")


def _exact(parts: list[Any]) -> Exact:
    return Exact(int(parts[0], 16), parts[1], parts[2], parts[3])


def _distribution(parts: list[Any]) -> Distribution:
    counts, other, nulls, groups, edges = parts
    return Distribution(dict(counts), other, nulls, groups, tuple(edges))


_TAGS: dict[str, Callable[[Any], Any]] = {
    "exact": _exact,
    "decimal": Decimal,
    "timestamp": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "interval": lambda micros: timedelta(microseconds=micros),
    "binary": bytes.fromhex,
    "distribution": _distribution,
    "mapping": dict,
}


def _untagged(tagged: dict[str, Any]) -> Any:
    ((tag, value),) = tagged.items()
    return _TAGS[tag](value)


#: created once, since views decode tens of thousands of states
_DECODER = json.JSONDecoder(object_hook=_untagged)


def _tuples(value: Any) -> Any:
    if type(value) is not list:
        return value
    return tuple([_tuples(item) if type(item) is list else item for item in value])
