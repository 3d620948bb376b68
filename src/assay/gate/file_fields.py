"""Which fields a file has, and of which kind, where it says so itself: its own, not its folder's.

Files that are read together have one schema, so that only those may be whose fields are the same:
a column that went, or came, is noticed on its day. Columnar files tell their schema, JSON what its
first records hold.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.engine.sniff import HEAD, Sniffed, unpacked

__all__ = ["fields_in", "told_apart"]

#: a field is of one of these kinds; null is of any
_KINDS: Mapping[type, str] = {
    bool: "boolean", int: "number", float: "number", str: "text", list: "list", dict: "record",
}  # fmt: skip


def fields_in(path: Path, how: Sniffed) -> Mapping[str, str | None]:
    """The kinds of its fields by their names; None where nothing tells the kind.

    Nothing at all is known of a file that is torn: whoever reads it will say so.
    """
    if how.format in ("parquet", "orc"):
        return _columnar(path, how.format)
    return _of_records(path, how) if how.format == "json" else {}


def told_apart(fields: Mapping[str, str | None], known: dict[str, str]) -> Hashable:
    """The same of files that can be read together; `known` are the kinds that fields first had."""
    for name, kind in fields.items():
        if kind is not None:
            known.setdefault(name, kind)
    other = ((name, kind) for name, kind in fields.items() if kind not in (None, known.get(name)))
    return frozenset(fields), frozenset(other)


def _columnar(path: Path, kind: str) -> dict[str, str | None]:
    import pyarrow as pa
    from pyarrow import orc, parquet

    try:
        schema = parquet.read_schema(path) if kind == "parquet" else orc.ORCFile(path).schema
    except (pa.ArrowException, OSError):
        return {}
    return {field.name: str(field.type) for field in schema}


def _of_records(path: Path, how: Sniffed) -> dict[str, str | None]:
    with path.open("rb") as file:
        unpacking = unpacked(file.read(HEAD))
    text = "" if unpacking is None else unpacking[0].decode(how.encoding, "replace")
    found: dict[str, str | None] = {}
    for record in _records(text.removeprefix("\ufeff"), lines=how.lines):
        for name, value in record.items():
            found[name] = found.get(name) or _KINDS.get(type(value))
    return found


def _records(text: str, *, lines: bool) -> Iterator[dict[str, Any]]:
    """The records that are whole."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            record, end = decoder.raw_decode(text, at)
        except ValueError:
            # of a line that is none the next is looked at; where a document breaks off, it ends
            end = text.find("\n", at) if lines else -1
        else:
            if isinstance(record, dict):
                yield record
        at = text.find("{", end) if end >= 0 else -1
