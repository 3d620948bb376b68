"""A process that writes batches until it is killed: ``python -m tests.store.writer DIR NAME``."""

from __future__ import annotations

import sys
from itertools import count

from assay.analyzers import Analyzer, Completeness, Size, State
from assay.analyzers.counting import Count, Ratio
from assay.engine.measurement import Measurement, metric_of
from assay.store import Batch, EmbeddedStore, Whole

SIZES = 40


def measurement(n: int) -> Measurement:
    """Forty sizes and a ratio that all say the same number."""
    states: dict[Analyzer, State] = {Size(where=f"part = {i}"): Count(n) for i in range(SIZES)}
    states[Completeness("a")] = Ratio(n, n)
    return Measurement({a: metric_of(a, s) for a, s in states.items()}, states)


def main() -> None:
    """Write new batches and replace old ones, as fast as possible."""
    folder, name = sys.argv[1:]
    store = EmbeddedStore(folder)
    print("ready", flush=True)
    for n in count(1):
        seen, measured = store.changes("flights").latest, measurement(n)
        store.write(Batch("flights", f"{name}-{n % 7}"), measured, Whole(seen, measured))


if __name__ == "__main__":
    main()
