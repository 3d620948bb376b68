"""Structured Streaming: every micro-batch is a batch of the dataset, counted exactly once.

The number that Spark gives a micro-batch is the batch's key. After a restart Spark may deliver the
last one again with the same number and the same rows: it takes its own place and counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.checks.result import Result
from assay.dataset.dataset import Dataset
from assay.dataset.proposal import Proposal
from assay.deprecation import renamed_arguments
from assay.engine.reference_tables import ReferenceTables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["MicroBatch", "stream"]

_DIGITS = 12


@dataclass(frozen=True)
class MicroBatch:
    """A micro-batch: judged alone, with the recent ones, and with all there were."""

    number: int
    df: DataFrame
    proposal: Proposal
    #: the latest micro-batches together, this one included
    recent: Result

    @property
    def alone(self) -> Result:
        """Of the micro-batch alone."""
        return self.proposal.delta

    @property
    def whole(self) -> Result:
        """Of the whole dataset."""
        return self.proposal.whole


@renamed_arguments(others="reference_tables")
def stream(
    df: DataFrame,
    dataset: Dataset,
    checkpoint: str,
    *,
    name: str = "stream",
    recent: int = 10,
    then: Callable[[MicroBatch], None] | None = None,
    trigger: Mapping[str, Any] | None = None,
    reference_tables: ReferenceTables | None = None,
) -> StreamingQuery:
    """Start a query that adds each micro-batch to a dataset, and judges it.

    `name` tells several streams into one dataset apart: keys are ``NAME=000000000042``. It must
    stay with its `checkpoint`; a new checkpoint counts from 0 again and needs a new name. `recent`
    is how many micro-batches are judged together. `then` is called with what was found, to write
    the good rows or to raise, which stops the query. `trigger` is Spark's own, such as
    ``{"availableNow": True}``. `reference_tables` are tables that checks compare each
    micro-batch with.
    """
    writer = df.writeStream.foreachBatch(_each(dataset, name, recent, then, reference_tables))
    writer = writer.option("checkpointLocation", checkpoint)
    if trigger:
        writer = writer.trigger(**trigger)
    return writer.start()


def _each(
    dataset: Dataset,
    name: str,
    recent: int,
    then: Callable[[MicroBatch], None] | None,
    reference_tables: ReferenceTables | None,
) -> Callable[[DataFrame, int], None]:
    def run(df: DataFrame, number: int) -> None:
        proposal = dataset.append(
            df, f"{name}={number:0{_DIGITS}}", reference_tables=reference_tables
        )
        first = max(0, number - recent + 1)
        window = dataset.verify(
            keys=[f"{name}={each:0{_DIGITS}}" for each in range(first, number + 1)]
        )
        if then is not None:
            then(MicroBatch(number, df, proposal, window))

    return run
