"""Write the store folder of version 0.1 that `tests/store/test_version_0_1.py` reads.

Run it only with version 0.1: ``python -m tests.store.version_0_1.make``. The folder is a record of
what that version wrote, so it is never written again by a later one.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assay import Gate
from assay.engine.session import local_session
from assay.store import EmbeddedStore
from assay.suite import Suite

HERE = Path(__file__).parent
FIELDS = "id int, amount double, status string, day date"
START = datetime(2026, 11, 1, tzinfo=UTC)


def rows(day: int) -> list[tuple[Any, ...]]:
    """Return the rows of one day: 40 orders that differ a little from day to day."""
    moment = (START + timedelta(days=day)).date()
    return [
        (day * 100 + n, 10.0 + (n * 7 + day) % 13, ("paid", "open", "void")[n * n % 3], moment)
        for n in range(40)
    ]


def main() -> None:
    """Submit six batches: the sixth breaks a check and is held, the fifth is marked."""
    spark = local_session()
    suite = Suite.read(HERE / "orders.yaml")
    gate = Gate("orders", EmbeddedStore(HERE / "store"), suite)
    for day in range(6):
        batch = rows(day) if day < 5 else [(None, -a, s, d) for _, a, s, d in rows(day)]
        moment = START + timedelta(days=day)
        df = spark.createDataFrame(batch, FIELDS)
        print(gate.submit(df, f"day={moment:%Y-%m-%d}", time=moment).headline)
    gate.mark("day=2026-11-05", "expected", author="ann", reason="month end")


if __name__ == "__main__":
    main()
