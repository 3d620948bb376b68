"""Check a table that grows: each partition alone, and the whole table, while reading only new rows.

The dataset stores a small state for each metric of each partition. States add up, so no row is
read twice. A wrong partition is replaced, and the totals follow.
"""

from __future__ import annotations

import tempfile

from pyspark.sql import SparkSession

from assay import Check, Dataset, EmbeddedStore, Result, local_session
from assay.analyzers import Analyzer, ApproxCountDistinct, Mean, Size
from assay.data import flights_path


def main(spark: SparkSession, folder: str) -> Result:
    check = (
        Check("flights")
        .is_complete("carrier")
        .is_unique("carrier", "flight", "origin", "time_hour")
        .has_completeness("dep_time", at_least=0.8)
    )
    metrics: list[Analyzer] = [Size(), Mean("dep_delay"), ApproxCountDistinct("tailnum")]
    dataset = Dataset("flights", EmbeddedStore(f"{folder}/store"), check, analyzers=metrics)

    for key in ("2013-02-06", "2013-02-07", "2013-02-08"):
        path = str(flights_path() / f"{key}.csv.gz")
        partition = spark.read.csv(path, header=True, inferSchema=True, nullValue="NA")
        appended = dataset.append(partition, f"date={key}")
        print(
            f"{key}: this partition {appended.delta.status.value},"
            f" all partitions {appended.whole.status.value}"
        )

    # no rows are read for this: the metrics come from the stored states
    totals = dataset.verify().measurement
    for metric in metrics:
        value = totals.value(metric)
        assert isinstance(value, int | float)
        print(f"{metric} of all partitions: {value:,.6g}")

    # take the day of the snow storm out again
    after = dataset.retract("date=2013-02-08")
    print(f"without 2013-02-08: {after.status.value}")
    return after


if __name__ == "__main__":
    main(local_session(), tempfile.mkdtemp())
