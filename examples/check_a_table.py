"""Check one table: declare constraints, verify them in one scan, and write the failing rows.

The table is one day of departures from New York. On that day a snow storm cancelled half of them.
"""

from __future__ import annotations

import tempfile

from pyspark.sql import SparkSession

from assay import Check, local_session, verify
from assay.data import flights_path


def main(spark: SparkSession, folder: str) -> None:
    path = str(flights_path() / "2013-02-08.csv.gz")
    flights = spark.read.csv(path, header=True, inferSchema=True, nullValue="NA")

    check = (
        Check("departures")
        .has_size(at_least=500)
        .is_complete("carrier", "origin", "dest")
        .is_unique("carrier", "flight", "origin", "time_hour")
        .is_contained_in("origin", ["EWR", "JFK", "LGA"])
        .is_complete("dep_time")
        .hint("A flight without a departure time was cancelled.")
        .has_mean("dep_delay", at_most=30)
        .warn()
    )
    result = verify(flights, check)
    result.show()

    # `bad` has columns `errors` and `warnings` with the constraints that the row fails
    good, bad = result.split()
    good.write.mode("overwrite").parquet(f"{folder}/good")
    bad.write.mode("overwrite").parquet(f"{folder}/bad")
    print(f"{good.count()} good rows and {bad.count()} bad rows are in {folder}")


if __name__ == "__main__":
    main(local_session(), tempfile.mkdtemp())
