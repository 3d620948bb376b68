"""Gate a folder of daily files: learn from the first days, then accept or hold each new day.

Nothing is declared. The gate learns what is normal from eleven days. One later day is damaged on
purpose: its carriers are in lower case.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from assay import EmbeddedStore, Gate, Verdict, local_session
from assay.data import flights_path

COLUMNS = ["date", "carrier", "origin", "dest", "distance", "dep_delay"]
DAMAGED_DAY = "2013-02-14"
#: the two days of a snow storm are not normal, and the damaged day is new
NOT_LEARNED = ("2013-02-08", "2013-02-09", DAMAGED_DAY)


def main(spark: SparkSession, folder: str) -> list[Verdict]:
    gate = Gate("flights", EmbeddedStore(f"{folder}/store"), budget="1/200")
    files = str(flights_path())
    flights = spark.read.csv(files, header=True, inferSchema=True, nullValue="NA")
    flights = flights.withColumn("date", F.make_date("year", "month", "day")).select(COLUMNS)

    # remember the normal days as history, without judging them
    history = flights.where(~F.col("date").isin(*NOT_LEARNED))
    print(f"{len(gate.backfill(history, 'date'))} days are remembered")

    # the gate accepts or holds a new day
    time = datetime.fromisoformat(DAMAGED_DAY).replace(tzinfo=UTC)
    day = flights.where(F.col("date") == DAMAGED_DAY).drop("date")
    damaged = day.withColumn("carrier", F.lower("carrier"))
    held = gate.submit(damaged, f"date={DAMAGED_DAY}", time=time)
    print(held)

    # a person rejects it, and the corrected file has the same key
    gate.reject(f"date={DAMAGED_DAY}", author="ada", reason="carriers in lower case")
    corrected = gate.submit(day, f"date={DAMAGED_DAY}", time=time)
    print(corrected.headline)
    return [held, corrected]


if __name__ == "__main__":
    main(local_session(), tempfile.mkdtemp())
