"""Batches: one delivery of a dataset, and which of them are meant."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from glob import escape
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote

from assay.errors import StoreError

__all__ = ["Batch", "Selection", "apart", "keyed"]

#: what the dataset of held batches is called
_APART = "{} (held)"


def apart(dataset: str) -> str:
    """Where the held batches of a dataset are remembered, of which they are no part."""
    return _APART.format(dataset)


def keyed(key: str) -> str:
    """The key of a batch, which is a text."""
    if not isinstance(key, str):
        raise StoreError(f"a batch has a text for its key, such as 'date=2026-11-16', not {key!r}.")
    return key


class _Said(Protocol):
    @property
    def dataset(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def time(self) -> datetime: ...


S = TypeVar("S", bound=_Said)


@dataclass(frozen=True)
class Batch:
    """One delivery: an append, or a new version of a partition.

    The key names it within its dataset. Written as Hive writes partitions, its parts can be asked
    for: ``date=2026-11-14/region=EU``.

    >>> Batch("orders", "date=2026-11-14/region=EU").parts
    {'date': '2026-11-14', 'region': 'EU'}
    """

    dataset: str
    key: str
    time: datetime = field(default_factory=lambda: datetime.now(UTC))
    tags: Mapping[str, str] = field(default_factory=dict)
    #: which change of the dataset wrote it, as the store counts them
    change: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.dataset or not keyed(self.key):
            raise StoreError("a batch needs the name of its dataset and a key.")
        if not isinstance(self.time, datetime):
            raise StoreError(f"the time of batch {self.key!r} is a datetime, not {self.time!r}.")
        moment = self.time if self.time.tzinfo else self.time.replace(tzinfo=UTC)
        object.__setattr__(self, "time", moment.astimezone(UTC))

    @property
    def parts(self) -> dict[str, str]:
        """The key's names and values; the key as a whole is called ``key``."""
        pairs = (part.partition("=") for part in self.key.split("/"))
        return {unquote(name): unquote(value) for name, sign, value in pairs if sign}

    def __hash__(self) -> int:
        return hash((self.dataset, self.key))


@dataclass(frozen=True)
class Selection:
    """Which batches of a dataset: by key, by a condition on the key's parts, by time, by tags.

    `keys` are exact or have ``*``, ``?`` and ``[…]``; `where` is a condition such as
    ``date BETWEEN '2026-11-01' AND '2026-11-07' AND region = 'EU'``; `since` is included, `until`
    is not; `after` is a change of the dataset (see `Store.changes`); `but` is a key
    that is left out. All that is given must hold.
    """

    dataset: str
    keys: tuple[str, ...] = ()
    where: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    after: int | None = None
    but: str | None = None

    @staticmethod
    def one(dataset: str, key: str) -> Selection:
        """The batch of this key, whatever signs are in it."""
        return Selection(dataset, (escape(keyed(key)),))

    def of(self, batches: Iterable[Batch]) -> tuple[Batch, ...]:
        """The batches that are meant, in the order of time, then of keys."""
        found = [each for each in batches if each.dataset == self.dataset and self._meant(each)]
        if self.where is not None:
            kept = _keys_where(found, self.where)
            found = [each for each in found if each.key in kept]
        return tuple(sorted(found, key=lambda each: (each.time, each.key)))

    def about(self, said: Iterable[S]) -> tuple[S, ...]:
        """Of what was said of batches, that of these keys and times, oldest first."""
        found = [(each, Batch(each.dataset, each.key, each.time)) for each in said]
        timed = replace(self, tags={}, after=None)
        meant = {(batch.key, batch.time) for batch in timed.of(batch for _, batch in found)}
        kept = [each for each, batch in found if (batch.key, batch.time) in meant]
        return tuple(sorted(kept, key=lambda each: each.time))

    def _meant(self, batch: Batch) -> bool:
        return (
            (not self.keys or any(_alike(batch.key, pattern) for pattern in self.keys))
            and batch.key != self.but
            and (self.after is None or batch.change > self.after)
            and (self.since is None or batch.time >= self.since)
            and (self.until is None or batch.time < self.until)
            and all(batch.tags.get(name) == value for name, value in self.tags.items())
        )


def _alike(key: str, pattern: str) -> bool:
    return key == pattern or (bool(re.search(r"[*?\[]", pattern)) and fnmatchcase(key, pattern))


def _keys_where(batches: list[Batch], where: str) -> set[str]:
    """The keys for which a condition on their parts holds, by a database of nothing but keys."""
    parts = [each.parts for each in batches]
    names = sorted({name for each in parts for name in each} - {"key"})
    # numeric: a part that is a number is compared as one, with 8 and with '8'
    columns = ", ".join(["key TEXT", *(f"{_quoted(name)} NUMERIC" for name in names)])
    rows: list[tuple[Any, ...]] = [
        (batch.key, *map(own.get, names)) for batch, own in zip(batches, parts, strict=True)
    ]
    with sqlite3.connect(":memory:") as keys:
        keys.execute(f"CREATE TABLE batches ({columns})")
        marks = ", ".join("?" for _ in ["key", *names])
        keys.executemany(f"INSERT INTO batches VALUES ({marks})", rows)  # noqa: S608 - no values in it
        try:
            found = keys.execute(f"SELECT key FROM batches WHERE ({where}\n)")  # noqa: S608
            return {key for (key,) in found}
        except sqlite3.Error as error:
            known = ", ".join(["key", *names])
            raise StoreError(
                f"`{where}` is no condition on batches: {error}; a batch has: {known}."
            ) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
