"""Prepare the folders in which the examples of documents run."""

from __future__ import annotations

import csv
import gzip
import shutil
from datetime import UTC, datetime
from pathlib import Path

from assay.analyzers import Analyzer, Completeness, Mean, Size
from assay.data import flights_path
from assay.demo import flights
from assay.engine.measurement import Measurement, Metric
from assay.engine.session import active_session
from assay.store import Batch, DatasetInfo, EmbeddedStore

_HEADS = Path(__file__).parents[1] / "io" / "heads"

_COLUMNS = [
    "month",
    "dep_time",
    "dep_delay",
    "carrier",
    "flight",
    "tailnum",
    "origin",
    "dest",
    "distance",
    "time_hour",
]


def nothing(folder: Path) -> None:
    """An empty folder."""
    assert not list(folder.iterdir())


def a_table(_: Path) -> None:
    """A table of the session's catalog."""
    spark = active_session()
    assert spark is not None
    flights(spark).where("month = 2 and day = 8").createOrReplaceTempView("departures")


def command_line(folder: Path) -> None:
    """A day with a storm, a file that is not a table, and a store with two weeks of metrics."""
    header, *rows = csv.reader(_lines(flights_path() / "2013-02-08.csv.gz"))
    positions = [header.index(name) for name in _COLUMNS]
    with (folder / "flights.csv").open("w") as file:
        for row in [header, *rows[::6]]:
            file.write(",".join(row[position] for position in positions) + "\n")
    shutil.copy(_HEADS / "hhs-2022-11-19.csv", folder / "hospitals.csv")
    store = EmbeddedStore(folder / "store")
    store.load(dict(map(_measured, sorted(flights_path().glob("*.csv.gz")))))
    store.save("flights", "", DatasetInfo(owner="airport team", tags=("daily",)))
    _write_lake(folder / "lake")


def _write_lake(lake: Path) -> None:
    """Write four columns of nine days as Hive partitions of days and airports."""
    for path in [flights_path() / f"2013-02-{day:02}.csv.gz" for day in (*range(1, 8), 10, 12)]:
        day = path.name.partition(".")[0]
        rows = list(csv.DictReader(_lines(path)))
        for origin in ("EWR", "JFK"):
            folder = lake / f"date={day}" / f"origin={origin}"
            folder.mkdir(parents=True)
            with (folder / "part-0.csv").open("w", newline="") as file:
                writer = csv.DictWriter(
                    file, ["dep_delay", "carrier", "distance"], extrasaction="ignore"
                )
                writer.writeheader()
                writer.writerows(row for row in rows if row["origin"] == origin)
    (lake / "README.md").write_text("Flights by day and airport.")


def _measured(path: Path) -> tuple[Batch, Measurement]:
    day = path.name.partition(".")[0]
    rows = list(csv.DictReader(_lines(path)))
    departed = sum(row["dep_time"] != "NA" for row in rows) / len(rows)
    delays = [float(row["dep_delay"]) for row in rows if row["dep_delay"] != "NA"]
    values: dict[Analyzer, float] = {
        Size(): len(rows),
        Completeness("dep_time"): departed,
        Mean("dep_delay"): sum(delays) / len(delays),
    }
    metrics = {analyzer: Metric(analyzer, value=value) for analyzer, value in values.items()}
    time = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return Batch("flights", f"date={day}", time), Measurement(metrics, {})


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.readlines()
