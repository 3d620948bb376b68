"""Convert values of any type to expressions that Spark can hash, group and show.

Two values have the same key if and only if they are equal in SQL. SQL cannot compare maps and
variants: they are equal if they have the same JSON, with the entries of a map ordered by key.
"""

from __future__ import annotations

import re

from assay.analyzers.schema import Column
from assay.errors import NotComputableError

__all__ = ["hashed", "key_of", "label_of"]

_NEEDS_JSON = re.compile(r"(?:^|[<:,])(?:map<|variant(?=[,>]|$))")
_BY_KEY = "(a, b) -> CASE WHEN a.key < b.key THEN -1 WHEN a.key > b.key THEN 1 ELSE 0 END"


def key_of(column: Column) -> str:
    """Return SQL that rows can be grouped by."""
    if column.family == "map":
        entries = f"array_sort(map_entries({column.sql}), {_BY_KEY})"
        # only strings are unchanged as names in a JSON object
        named = column.type.startswith("map<string,")
        return f"to_json(map_from_entries({entries}))" if named else f"to_json({entries})"
    if _NEEDS_JSON.search(column.type):
        return f"to_json({column.sql})"
    if column.family in {"calendar interval", "void"}:
        return f"cast({column.sql} AS string)"
    if column.family == "fractional":
        return f"({column.sql} + cast(0 AS {column.type}))"  # -0.0 is 0.0
    return column.sql


def hashed(column: Column) -> str:
    """Return SQL for a 64-bit hash of the value, which is null for null."""
    key = key_of(column)
    if "string collate " in column.type:
        raise NotComputableError.collated(column.name)
    return f"CASE WHEN {column.sql} IS NOT NULL THEN xxhash64({key}) END"


def label_of(sql: str, column: Column) -> str:
    """Return SQL for a readable text of a key."""
    match column.family:
        case "binary":
            return f"hex({sql})"
        case "timestamp":
            # with the offset: otherwise two moments in a repeated hour of autumn have equal texts
            return f"date_format({sql}, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX\")"
        case "array" | "struct" if key_of(column) == column.sql:
            return f"to_json({sql})"
        case _:
            return f"cast({sql} AS string)"
