"""`BatchContents`: checksums of a batch, by which a later delivery of the same rows is recognized.

Rows are compared by hashes. A batch keeps the 128 smallest hashes of its distinct rows. The hashes
of two batches below the largest kept one are a random sample of the rows of both. They give an
estimate of the share of common rows. Every batch keeps a few kilobytes.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> monday = BatchContents.of(fingerprint({"id": numbers(range(100))}))
>>> tuesday = BatchContents.of(fingerprint({"id": numbers(range(80, 180))}))
>>> monday.share_of_rows_in(tuesday)
0.2
>>> monday.equals(monday), monday.equals(tuesday)
(True, False)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar

from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint

__all__ = ["BatchContents"]

#: The largest number of hashes that a batch keeps: the standard error of a share is at most 4.5 %.
_MAX_HASHES = 128
#: Without at least this many hashes, the share of common rows is unknown.
_MIN_HASHES = 10
#: A date, or a time in seconds, has at least this many characters and some digits.
_MIN_LABEL_LENGTH = 6


@dataclass(frozen=True)
class BatchContents:
    """Checksums of the rows and columns of one batch.

    Parameters
    ----------
    rows
        The number of rows.
    digests
        The digest of each column; None if it is unknown.
    labels
        For each column with a single value, such as the date of the batch, a hash of the value.
    hashes
        The smallest hashes of distinct rows.
    one_in
        Only hashes that are a multiple of this power of 2 were considered.
    sampled, repeated
        The number of rows that were counted, and of those that repeat another row.
    change
        The version of the batch in the store.
    """

    kind: ClassVar[str] = "contents"
    version: ClassVar[int] = 1

    rows: int
    digests: Mapping[str, str | None] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    hashes: frozenset[int] = frozenset()
    one_in: int = 1
    sampled: int = 0
    repeated: int = 0
    change: int = 0

    @staticmethod
    def of(batch: Fingerprint, change: int = 0) -> BatchContents:
        """Return the checksums of a batch."""
        hashes = sorted(int(row, 16) for row in batch.row_counts)
        sampled = sum(batch.row_counts.values())
        labels = {name: _label(stats) for name, stats in batch.columns.items()}
        return BatchContents(
            batch.rows,
            {name: stats.digest for name, stats in batch.columns.items()},
            {name: label for name, label in labels.items() if label is not None},
            frozenset(hashes[:_MAX_HASHES]),
            batch.rows_one_in,
            sampled,
            sampled - len(batch.row_counts),
            change,
        )

    def equals(self, other: BatchContents) -> bool:
        """Return whether both have the same columns with the same known digests."""
        known = self.digests == other.digests and None not in self.digests.values()
        return bool(self.rows) and known and self.rows == other.rows

    def share_of_rows_in(self, other: BatchContents) -> float:
        """Estimate the share of the distinct rows that another batch has too; NaN if unknown."""
        own = self._compared(other)
        if len(own) < min(_MIN_HASHES, self.sampled):
            return math.nan
        return len(own & other.hashes) / len(own) if own else math.nan

    def error_of_share(self, other: BatchContents) -> float:
        """Return how much smaller a share of 1 in `share_of_rows_in` may really be.

        It is 0 if both batches keep all of their hashes. Otherwise it is 3 divided by the size of
        the sample, which 5 % of the samples exceed.
        """
        if math.inf == self._largest == other._largest and self.one_in == other.one_in == 1:
            return 0.0
        return 3 / max(len(self._compared(other)), 1)

    def _compared(self, other: BatchContents) -> frozenset[int]:
        """Return the hashes of which it is known whether the other batch has them."""
        one_in = max(self.one_in, other.one_in)
        # Above the largest kept hash, it is unknown which hashes the other batch has.
        limit = min(self._largest, other._largest)
        return frozenset(row for row in self.hashes if row <= limit and not row % one_in)

    @cached_property
    def _largest(self) -> float:
        is_complete = len(self.hashes) < _MAX_HASHES
        return math.inf if is_complete else float(max(self.hashes))

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        return {
            "change": self.change,
            "rows": self.rows,
            "digests": dict(self.digests),
            "labels": dict(self.labels),
            "hashes": [f"{row:x}" for row in sorted(self.hashes)],
            "one_in": self.one_in,
            "sampled": self.sampled,
            "repeated": self.repeated,
        }

    @classmethod
    def from_json(cls, document: Any) -> BatchContents:
        """Convert a document of `to_json` back."""
        hashes = frozenset(int(row, 16) for row in document["hashes"])
        return cls(**{**document, "hashes": hashes})


def _label(stats: ColumnStats) -> str | None:
    """Return a hash of the only value of a column, or None if it has several or none.

    Short values come again: the day of the month, or the name of a weekday.
    """
    if stats.n_distinct != 1:
        return None
    value = next(iter(stats.value_counts), None)
    if stats.kind == "numeric":
        value = f"{stats.minimum:.15g}" if math.isfinite(stats.minimum) else None
    if value is None or len(value) < _MIN_LABEL_LENGTH or not any(map(str.isdigit, value)):
        return None
    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
