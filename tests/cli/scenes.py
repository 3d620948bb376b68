"""What the examples of documents are about. No Spark here."""

from __future__ import annotations

import csv
import gzip
import shutil
from datetime import UTC, datetime
from pathlib import Path

from assay.analyzers import Analyzer, Completeness, Mean, Size
from assay.data import flights_path
from assay.engine.measurement import Measurement, Metric
from assay.store import Batch, EmbeddedStore

_HEADS = Path(__file__).parents[1] / "engine" / "heads"


def nothing(folder: Path) -> None:
    """An empty folder."""
    assert not list(folder.iterdir())


def command_line(folder: Path) -> None:
    """A day of a storm, a delivery that is none, a store that remembers two weeks."""
    header, *rows = _lines(flights_path() / "2013-02-08.csv.gz")
    (folder / "flights.csv").write_text(header + "".join(rows[::6]))
    shutil.copy(_HEADS / "hhs-2022-11-19.csv", folder / "hospitals.csv")
    EmbeddedStore(folder / "store").load(
        dict(map(_measured, sorted(flights_path().glob("*.csv.gz"))))
    )


def _measured(path: Path) -> tuple[Batch, Measurement]:
    day = path.name.partition(".")[0]
    rows = list(csv.DictReader(_lines(path)))
    departed = sum(each["dep_time"] != "NA" for each in rows) / len(rows)
    delays = [float(each["dep_delay"]) for each in rows if each["dep_delay"] != "NA"]
    found: dict[Analyzer, float] = {
        Size(): len(rows),
        Completeness("dep_time"): departed,
        Mean("dep_delay"): sum(delays) / len(delays),
    }
    metrics = {each: Metric(each, value=value) for each, value in found.items()}
    time = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return Batch("flights", f"date={day}", time), Measurement(metrics, {})


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.readlines()
