"""Processes that write batches until they are killed: ``python -m tests.store.writer DIR``.

Each line of standard input names a writer. It is forked, prints its process number on standard
output, and writes. After its death, "dead" is printed and the next line is read.
"""

from __future__ import annotations

import os
import sys
from itertools import count

from assay.analyzers import Analyzer, Completeness, Size, State
from assay.analyzers.counting import Count, Ratio
from assay.engine.measurement import Measurement, metric_of
from assay.store import Batch, DatasetTotals, EmbeddedStore

SIZES = 40


def measurement(n: int) -> Measurement:
    """Return forty sizes and a ratio that hold the same number."""
    states: dict[Analyzer, State] = {Size(where=f"part = {i}"): Count(n) for i in range(SIZES)}
    states[Completeness("a")] = Ratio(n, n)
    return Measurement({a: metric_of(a, s) for a, s in states.items()}, states)


def main() -> None:
    """Fork off one writer after another."""
    for line in sys.stdin:
        writer = os.fork()
        if writer:
            os.waitpid(writer, 0)
            print("dead", flush=True)
        else:
            write(sys.argv[1], line.strip())


def write(folder: str, name: str) -> None:
    """Write new batches and replace old ones, as fast as possible."""
    store = EmbeddedStore(folder)
    print(os.getpid(), flush=True)
    for n in count(1):
        latest, measured = store.changes("flights").latest, measurement(n)
        store.write(Batch("flights", f"{name}-{n % 7}"), measured, DatasetTotals(latest, measured))


if __name__ == "__main__":
    main()
