"""`RowMatches`: the rows that were added, removed and changed between two tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.text import count_noun, visible

__all__ = ["ROW_LABELS", "ChangedRow", "RowMatches"]

#: the names of examples that are not columns, and what they are
ROW_LABELS: Mapping[str, str] = {"+": "added", "-": "removed"}
#: columns with changes that a sentence names
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """An example: the key of a row, and the values of a column in both tables, as text.

    The values are None for null, and for a row that only one table has.
    """

    key: tuple[str | None, ...]
    old: str | None = None
    new: str | None = None

    @property
    def key_text(self) -> str:
        """The key on one line."""
        return ", ".join("null" if part is None else visible(part) for part in self.key)

    @property
    def change(self) -> str:
        """The old and the new value; empty for a row that only one table has."""
        if self.old is None and self.new is None:
            return ""
        old, new = ("null" if v is None else repr(visible(v)) for v in (self.old, self.new))
        return f"{old} → {new}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMatches:
    """The rows of two tables, matched by key.

    Parameters
    ----------
    key : tuple of str
        The columns of the key.
    added, removed : int
        Keys that only the new table has, and keys that only the older one has.
    changed_rows : int
        Rows with another value in any column.
    changed : mapping
        Rows with another value, by column, most first. Columns without changes are left out.
    repeated_old, repeated_new : int
        Keys that several rows of a table have. These rows are not compared.
    examples : mapping
        Up to five examples by column; ``"+"`` are added rows and ``"-"`` removed ones.
    """

    key: tuple[str, ...]
    added: int = 0
    removed: int = 0
    changed_rows: int = 0
    changed: Mapping[str, int] = field(default_factory=dict)
    repeated_old: int = 0
    repeated_new: int = 0
    examples: Mapping[str, tuple[ChangedRow, ...]] = field(default_factory=dict)

    @property
    def is_equal(self) -> bool:
        """Return whether both tables have the same rows, and no key twice."""
        counts = (self.added, self.removed, self.changed_rows, self.repeated_old, self.repeated_new)
        return not any(counts)

    def __str__(self) -> str:
        if self.is_equal:
            return "all rows are equal."
        counts = (
            (self.added, "added"),
            (self.removed, "removed"),
            (self.changed_rows, "changed"),
        )
        parts = [f"{count_noun(number, 'row')} {verb}" for number, verb in counts if number]
        names = [f"{visible(name)} {n:,}" for name, n in list(self.changed.items())[:_MAX_NAMED]]
        if names:
            n_more = len(self.changed) - len(names)
            names += [f"{n_more} more columns"] * (n_more > 0)
            parts[-1] += f" ({', '.join(names)})"
        for number, table in ((self.repeated_new, "new"), (self.repeated_old, "older")):
            if number:
                parts.append(f"{count_noun(number, 'key')} in several rows of the {table} table")
        return f"{', '.join(parts)}."

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and examples as JSON values."""
        return {
            "key": list(self.key),
            "added": self.added,
            "removed": self.removed,
            "changed_rows": self.changed_rows,
            "changed": dict(self.changed),
            "repeated_old": self.repeated_old,
            "repeated_new": self.repeated_new,
            "examples": {
                name: [{"key": list(row.key), "old": row.old, "new": row.new} for row in rows]
                for name, rows in self.examples.items()
            },
        }
