"""`RowMatches`: the rows that were added, removed and changed between two tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ChangedRow", "RowMatches"]


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """An example: the key of a row, and the values of a column in both tables, as text.

    The values are None for null, and for a row that only one table has.
    """

    key: tuple[str | None, ...]
    old: str | None = None
    new: str | None = None


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
