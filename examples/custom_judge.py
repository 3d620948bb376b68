"""Add a judge of your own: hold a batch in which a main airport has no departures.

A judge gets the measured batch and what the gate remembers. It reads no rows. A package can
declare its judges as entry points in the group `assay.judges` instead of calling `register_judge`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import SparkSession

from assay import Gate, MemoryStore, Verdict, local_session
from assay.data import flights_path
from assay.extending import BatchContext, Decision, Finding, MeasuredBatch, register_judge

AIRPORTS = ("EWR", "JFK", "LGA")


@dataclass(frozen=True)
class AirportJudge:
    """Holds a batch without rows of a main airport."""

    name: str = "airports"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        origins = batch.fingerprint.columns["origin"].value_counts
        return [
            Finding(self.name, Decision.HOLD, f"no departures from {airport}.", "origin")
            for airport in AIRPORTS
            if not origins.get(airport)
        ]


def main(spark: SparkSession) -> Verdict:
    register_judge(AirportJudge())
    path = str(flights_path() / "2013-02-07.csv.gz")
    flights = spark.read.csv(path, header=True, inferSchema=True, nullValue="NA")

    gate = Gate("flights", MemoryStore())
    verdict = gate.submit(flights.where("origin <> 'JFK'"), "2013-02-07")
    print(verdict)
    return verdict


if __name__ == "__main__":
    main(local_session())
