"""CPU seconds of this process and all its descendants, the JVM included.

They are sampled: the usual sums lose what a finished child has used if its parent ignores SIGCHLD,
as PySpark's daemon does.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

import psutil

__all__ = ["Meter"]

_INTERVAL_SECONDS = 0.25


class Meter:
    """Measure a block: after ``with Meter() as meter``, `cpu` and `wall` hold its seconds."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.wall = 0.0
        self._seconds_by_process: dict[tuple[int, float], float] = {}
        self._done = threading.Event()
        self._sampler = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._sample()
        self._before = sum(self._seconds_by_process.values())
        self._start = time.perf_counter()
        self._sampler.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.wall = time.perf_counter() - self._start
        self._done.set()
        self._sampler.join()
        self._sample()
        self.cpu = sum(self._seconds_by_process.values()) - self._before

    def _watch(self) -> None:
        while not self._done.wait(_INTERVAL_SECONDS):
            self._sample()

    def _sample(self) -> None:
        me = psutil.Process()
        for process in (me, *me.children(recursive=True)):
            try:
                used = process.cpu_times()
                self._seconds_by_process[process.pid, process.create_time()] = (
                    used.user + used.system
                )
            except psutil.Error:  # the process has just ended
                continue
