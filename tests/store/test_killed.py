"""A writer killed at any instant leaves a store that reads, and every batch wholly there or not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.analyzers.counting import Count, Ratio
from assay.store import Batch, DatasetTotals, EmbeddedStore, Selection
from tests.store.writer import SIZES, measurement

pytestmark = pytest.mark.slow

KILLS = 50
everything = Selection("flights")


def test_fifty_killed_writers_leave_no_half_batch(tmp_path: Path) -> None:
    chance = random.Random(2013)
    store = EmbeddedStore(tmp_path)
    survivors = 0
    with _nursery(tmp_path) as one, _nursery(tmp_path) as two:
        for kill in range(0, KILLS, 2):
            writers = {one: _writer(one, f"{kill}-0"), two: _writer(two, f"{kill}-1")}
            for nursery, writer in writers.items():
                # a random moment: the writer goes on writing meanwhile
                time.sleep(chance.uniform(0.0, 0.05))
                os.kill(writer, signal.SIGKILL)
                assert nursery.stdout is not None
                assert nursery.stdout.readline() == "dead\n"
            survivors = _check(store)
    assert survivors > 0
    last = measurement(1)
    store.write(
        Batch("flights", "after"), last, DatasetTotals(store.changes("flights").latest, last)
    )
    assert _check(store) == survivors + 1


@contextmanager
def _nursery(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.store.writer", str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as nursery:
        yield nursery


def _writer(nursery: subprocess.Popen[str], name: str) -> int:
    """The process of a new writer."""
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    nursery.stdin.write(f"{name}\n")
    nursery.stdin.flush()
    return int(nursery.stdout.readline())


def _check(store: EmbeddedStore) -> int:
    """Assert that every batch has all its states and metrics, of one version."""
    states, metrics = store.states(everything), store.metrics(everything)
    assert len(metrics) == len(states) * (SIZES + 1)
    assert len(store.metrics(everything, scope="whole")) == len(metrics)
    totals = store.totals("flights", [*next(iter(states.values()), {})])
    assert len({at for at, _ in totals.values()}) <= 1, "totals of one moment"
    for batch, states_of_batch in states.items():
        numbers = {
            s.n if isinstance(s, Count) else s.matches
            for s in states_of_batch.values()
            if isinstance(s, Count | Ratio)
        }
        assert len(states_of_batch) == SIZES + 1, batch
        assert len(numbers) == 1, batch
    return len(states)
