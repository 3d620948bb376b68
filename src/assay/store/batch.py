"""Batches, their status, and selections of batches."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote

from assay.errors import StoreError

__all__ = ["QUARANTINED", "Batch", "BatchStatus", "Selection", "require_key"]


class BatchStatus(StrEnum):
    """The state of a batch: accepted, held or rejected.

    An accepted batch is part of its dataset. A held batch waits for a person's decision. A
    rejected batch never becomes part of the dataset. Held and rejected batches are in quarantine.
    """

    ACCEPTED = "accepted"
    HELD = "held"
    REJECTED = "rejected"

    @property
    def in_quarantine(self) -> bool:
        """True if the batch is held or rejected."""
        return self is not BatchStatus.ACCEPTED


#: statuses of batches that do not belong to their dataset
QUARANTINED = (BatchStatus.HELD, BatchStatus.REJECTED)


def require_key(key: str) -> str:
    """Return the key of a batch; raise a `StoreError` if it is not a string."""
    text: object = key
    if not isinstance(text, str):
        expected = "text, such as 'date=2026-11-16'"
        raise StoreError.unexpected("invalid key of a batch", expected, key)
    return key


class _AboutBatch(Protocol):
    """The fields that verdicts and marks share."""

    @property
    def dataset(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def time(self) -> datetime: ...


R = TypeVar("R", bound=_AboutBatch)


@dataclass(frozen=True)
class Batch:
    """One delivery of a dataset: new rows, or a new version of a partition.

    Parameters
    ----------
    dataset
        Name of the dataset.
    key
        Name of the batch within its dataset. A key in the form of a Hive partition, such as
        ``date=2026-11-14/region=EU``, has parts that a selection can filter by.
    time
        When the batch was delivered; now if it is not stated. It is stored in UTC. A time without
        a zone is in UTC.
    tags
        Further names and values to select batches by.
    change
        Number of the write that stored this batch. The store assigns it.
    status
        Status: accepted, held or rejected.

    Examples
    --------
    >>> Batch("orders", "date=2026-11-14/region=EU").parts
    {'date': '2026-11-14', 'region': 'EU'}
    """

    dataset: str
    key: str
    time: datetime = field(default_factory=lambda: datetime.now(UTC))
    tags: Mapping[str, str] = field(default_factory=dict)
    change: int = field(default=0, compare=False, repr=False)
    status: BatchStatus = BatchStatus.ACCEPTED

    def __post_init__(self) -> None:
        if not self.dataset or not require_key(self.key):
            expected = "the name of its dataset and a key"
            raise StoreError.unexpected("incomplete batch", expected, (self.dataset, self.key))
        time: object = self.time
        if not isinstance(time, datetime):
            what = f"invalid time of batch {self.key!r}"
            raise StoreError.unexpected(what, "a datetime", time)
        self._require_tags()
        moment = self.time if self.time.tzinfo else self.time.replace(tzinfo=UTC)
        object.__setattr__(self, "time", moment.astimezone(UTC))

    def _require_tags(self) -> None:
        tags: object = self.tags
        pairs = tags.items() if isinstance(tags, Mapping) else [(None, None)]
        if not all(isinstance(text, str) for pair in pairs for text in pair):
            what = f"invalid tags of batch {self.key!r}"
            expected = "values by name, all text, such as {'source': 'shop'}"
            raise StoreError.unexpected(what, expected, tags)

    @property
    def parts(self) -> dict[str, str]:
        """Names and values in the key, such as those of Hive partitions."""
        pairs = (part.partition("=") for part in self.key.split("/"))
        return {unquote(name): unquote(value) for name, sign, value in pairs if sign}

    def __hash__(self) -> int:
        return hash((self.dataset, self.key))


@dataclass(frozen=True)
class Selection:
    """Some batches of a dataset, or all. A batch must fulfil every condition.

    Parameters
    ----------
    dataset
        Name of the dataset.
    keys
        Keys, exact or with the wildcards ``*``, ``?`` and ``[…]``.
    where
        SQL condition on the parts of the key, such as
        ``date BETWEEN '2026-11-01' AND '2026-11-07' AND region = 'EU'``.
    since, until
        Earliest time (included) and latest time (excluded) of a batch.
    tags
        Tags that the batch must have.
    after
        Only batches written by a later change than this (`Store.changes`).
    but
        Key of a batch to leave out.
    key
        Exact key of one batch. Wildcards in it are ordinary characters.
    status
        Status, or several. Accepted batches by default.
    latest
        Only this many batches: the newest by time.
    learnable
        Only accepted batches that history may be learned from: those whose last mark, if they
        have one, is not *bad*.

    Examples
    --------
    >>> november = Selection("orders", where="date >= '2026-11-01'", tags={"source": "app"})
    >>> november.of([Batch("orders", "date=2026-11-14", tags={"source": "app"})])[0].key
    'date=2026-11-14'

    Notes
    -----
    Verdicts and marks are selected by `keys`, `where`, `since`, `until`, `but`, `key` and
    `latest`. Keys and times are then those of the verdict or mark.
    """

    dataset: str
    keys: tuple[str, ...] = ()
    where: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    after: int | None = None
    but: str | None = None
    key: str | None = None
    status: BatchStatus | tuple[BatchStatus, ...] = BatchStatus.ACCEPTED
    latest: int | None = None
    learnable: bool = False

    @staticmethod
    def one(
        dataset: str,
        key: str,
        status: BatchStatus | tuple[BatchStatus, ...] = BatchStatus.ACCEPTED,
    ) -> Selection:
        """Select the batch of this key. Wildcards in the key are ordinary characters."""
        return Selection(dataset, key=require_key(key), status=status)

    @property
    def statuses(self) -> tuple[BatchStatus, ...]:
        """The statuses as a tuple."""
        return (self.status,) if isinstance(self.status, BatchStatus) else self.status

    @property
    def exact_keys(self) -> tuple[str, ...] | None:
        """The keys, or None if the selection does not name keys or one has a wildcard."""
        if not self.keys or any(map(_has_wildcard, self.keys)):
            return None
        return self.keys

    def of(self, batches: Iterable[Batch]) -> tuple[Batch, ...]:
        """Return the selected ones of these batches, sorted by time and key.

        `learnable` is ignored: the store decides it by its verdicts and marks.
        """
        statuses = self.statuses
        candidates = [
            batch
            for batch in batches
            if batch.status in statuses and self._matches_batch(batch) and self._matches(batch)
        ]
        selected = self._where(candidates)
        return self._newest(sorted(selected, key=lambda batch: (batch.time, batch.key)))

    def about(self, records: Iterable[R]) -> tuple[R, ...]:
        """Return the selected ones of these verdicts or marks, sorted by time and key."""
        selected = self._where([record for record in records if self._matches(record)])
        return self._newest(sorted(selected, key=lambda record: (record.time, record.key)))

    def _newest(self, records: Sequence[R]) -> tuple[R, ...]:
        if self.latest is None:
            return tuple(records)
        return tuple(records[-self.latest :]) if self.latest > 0 else ()

    def _matches(self, record: _AboutBatch) -> bool:
        return (
            record.dataset == self.dataset
            and (self.key is None or record.key == self.key)
            and record.key != self.but
            and (self.since is None or record.time >= self.since)
            and (self.until is None or record.time < self.until)
            and (not self.keys or any(_is_like(record.key, pattern) for pattern in self.keys))
        )

    def _matches_batch(self, batch: Batch) -> bool:
        return (self.after is None or batch.change > self.after) and all(
            batch.tags.get(name) == value for name, value in self.tags.items()
        )

    def _where(self, records: list[R]) -> list[R]:
        if self.where is None:
            return records
        batches = [Batch(record.dataset, record.key, record.time) for record in records]
        keys = _keys_where(batches, self.where)
        return [record for record in records if record.key in keys]


def _has_wildcard(pattern: str) -> bool:
    return bool(re.search(r"[*?\[]", pattern))


def _is_like(key: str, pattern: str) -> bool:
    return key == pattern or (_has_wildcard(pattern) and fnmatchcase(key, pattern))


def _keys_where(batches: Sequence[Batch], where: str) -> set[str]:
    """Return the keys whose parts fulfil a condition, evaluated by SQLite in memory."""
    parts = [batch.parts for batch in batches]
    names = sorted({name for parts_of_key in parts for name in parts_of_key} - {"key"})
    # NUMERIC: a part that is a number equals both 8 and '8'
    columns = ", ".join(["key TEXT", *(f"{_quote(name)} NUMERIC" for name in names)])
    rows: list[tuple[Any, ...]] = [
        (batch.key, *map(parts_of_key.get, names))
        for batch, parts_of_key in zip(batches, parts, strict=True)
    ]
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE batches ({columns})")
        placeholders = ", ".join("?" for _ in ["key", *names])
        database.executemany(f"INSERT INTO batches VALUES ({placeholders})", rows)  # noqa: S608 - no values in it
        try:
            selected = database.execute(f"SELECT key FROM batches WHERE ({where}\n)")  # noqa: S608
            return {key for (key,) in selected}
        except sqlite3.Error as error:
            available = ", ".join(["key", *names])
            raise StoreError(
                f"invalid condition on batches `{where}`: {error}; a batch has: {available}."
            ) from error


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
