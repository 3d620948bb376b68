"""Snapshots and transactions of a store, one of each at most in a thread."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Generic, Protocol, TypeVar

from assay.store.protocol import Counters

__all__ = ["Connection", "DatabaseSession", "Row", "Transactional"]

Row = tuple[Any, ...]
T = TypeVar("T")


class Connection(Protocol):
    """A connection within a transaction. Statements name their values as ``:name``."""

    def execute(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        """Run a statement and return its rows."""


class _LazyConnection:
    """A connection whose transaction begins with the first statement.

    Before it, Spark may write frequency tables while other writers do not wait.
    """

    def __init__(
        self, stack: ExitStack, begin: Callable[[], AbstractContextManager[Connection]]
    ) -> None:
        self._stack = stack
        self._begin = begin
        self._connection: Connection | None = None

    def execute(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        if self._connection is None:
            self._connection = self._stack.enter_context(self._begin())
        return self._connection.execute(statement, values)


class Transactional(ABC, Generic[T]):
    """A store's snapshots and transactions, one of each at most in a thread.

    `T` is the value from which a thread reads and to which it writes meanwhile.
    """

    def __init__(self) -> None:
        self._open_session()

    def _open_session(self) -> None:
        self._counters = Counters()
        self._lock = threading.Lock()
        self._thread = _ThreadState()

    @abstractmethod
    def _open_snapshot(self) -> AbstractContextManager[T]:
        """Begin to read one state of the store."""

    @abstractmethod
    def _open_transaction(self) -> AbstractContextManager[T]:
        """Begin to write; commit at the end, unless an exception is raised."""

    @property
    def counters(self) -> Counters:
        """Number of snapshots and commits so far."""
        return self._counters

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads of this thread see one state of the store."""
        if self._thread.transaction or self._thread.snapshot:
            yield
            return
        with self._open_snapshot() as self._thread.snapshot:
            try:
                yield
            finally:
                self._thread.snapshot = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes of this thread together, or none if an exception is raised."""
        if self._thread.transaction:
            yield
            return
        with self._open_transaction() as self._thread.transaction:
            try:
                yield
            finally:
                self._thread.transaction = None

    @contextmanager
    def _reading(self) -> Iterator[T]:
        with self.snapshot():
            yield self._thread.transaction or self._thread.snapshot

    @contextmanager
    def _writing(self) -> Iterator[T]:
        with self.transaction():
            yield self._thread.transaction


class _ThreadState(threading.local):
    snapshot: Any = None
    transaction: Any = None


class DatabaseSession(Transactional[Connection]):
    """Runs statements in the snapshot or transaction of the calling thread."""

    # Spark Connect copies the function of a stream, with its store, into another process. The copy
    # begins a session of its own there.
    def __getstate__(self) -> dict[str, Any]:
        of_session = {"_counters", "_lock", "_thread"}
        return {name: value for name, value in vars(self).items() if name not in of_session}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._open_session()

    @abstractmethod
    def _begin_snapshot(self) -> AbstractContextManager[Connection]:
        """Begin to read one state of the database, without waiting for writers."""

    @abstractmethod
    def _begin_transaction(self) -> AbstractContextManager[Connection]:
        """Begin to write, after other writers have finished; commit at the end."""

    @contextmanager
    def _open_snapshot(self) -> Iterator[Connection]:
        with ExitStack() as stack:
            yield _LazyConnection(stack, self._counted_snapshot)

    @contextmanager
    def _open_transaction(self) -> Iterator[Connection]:
        with ExitStack() as stack:
            yield _LazyConnection(stack, self._counted_transaction)

    def _read(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        with self._reading() as connection:
            return connection.execute(query, values)

    @contextmanager
    def _counted_snapshot(self) -> Iterator[Connection]:
        with self._begin_snapshot() as connection:
            with self._lock:
                self._counters.snapshots += 1
            yield connection

    @contextmanager
    def _counted_transaction(self) -> Iterator[Connection]:
        with self._begin_transaction() as connection:
            yield connection
        with self._lock:
            self._counters.commits += 1
