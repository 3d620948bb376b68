"""Profile a table, and let Assay suggest checks for it.

Rules propose constraints from 80 % of the rows. Constraints that do not hold on the other 20 % are
dropped. The rest is printed as a suite, with the evidence for each constraint.
"""

from __future__ import annotations

from pyspark.sql import SparkSession

from assay import Suite, local_session, profile, suggest, verify
from assay.data import flights_path

COLUMNS = ["carrier", "origin", "dest", "tailnum"]


def main(spark: SparkSession) -> None:
    path = str(flights_path() / "2013-02-07.csv.gz")
    flights = spark.read.csv(path, header=True, inferSchema=True, nullValue="NA").select(COLUMNS)

    profile(flights).show()

    suggestions = suggest(flights)
    suite_text = suggestions.to_yaml("departures")
    print(suite_text)

    # the text is a suite: edit it, commit it, and use it for the next day
    suite = Suite.parse(suite_text)
    path = str(flights_path() / "2013-02-11.csv.gz")
    next_day = spark.read.csv(path, header=True, inferSchema=True, nullValue="NA").select(COLUMNS)
    verify(next_day, *suite.checks).show()


if __name__ == "__main__":
    main(local_session())
