"""Write days of flights as the three users get them."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from assay.data import flights_path

__all__ = ["COLUMNS", "HISTORY", "TODAY", "damage", "rows_of", "write_csv", "write_partition"]

COLUMNS = ("time_hour", "carrier", "flight", "origin", "dep_delay", "distance")
HISTORY = [f"2013-02-{day:02}" for day in (1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13)]
TODAY = "2013-02-14"

Row = dict[str, str]


def rows_of(day: str) -> list[Row]:
    """Return some columns of the flights of a day."""
    with gzip.open(flights_path() / f"{day}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return [{name: row[name] for name in COLUMNS} for row in csv.DictReader(file)]


def damage(rows: list[Row]) -> list[Row]:
    """Write carriers in lower case, and miles as kilometres."""
    return [
        {**row, "carrier": row["carrier"].lower(), "distance": str(int(row["distance"]) * 1.609)}
        for row in rows
    ]


def write_csv(path: Path, rows: list[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def _number(text: str) -> float | None:
    return None if text == "NA" else float(text)


def write_partition(lake: Path, day: str, rows: list[Row]) -> Path:
    """Write the flights of a day as a Hive partition of Parquet."""
    folder = lake / f"date={day}"
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table({
        "time_hour": [row["time_hour"] for row in rows],
        "carrier": [row["carrier"] for row in rows],
        "flight": [int(row["flight"]) for row in rows],
        "origin": [row["origin"] for row in rows],
        "dep_delay": [_number(row["dep_delay"]) for row in rows],
        "distance": [float(row["distance"]) for row in rows],
    })  # fmt: skip
    parquet.write_table(table, folder / "part-0.parquet")
    return folder
