"""Structured Streaming: every micro-batch becomes a batch of a dataset and counts exactly once.

The key of the batch contains Spark's number of the micro-batch. After a restart, Spark may deliver
the last micro-batch again under the same number. It then replaces itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.checks.result import Result
from assay.dataset.dataset import Dataset
from assay.dataset.proposal import Proposal
from assay.deprecation import renamed_arguments, warn_renamed
from assay.engine.reference_tables import ReferenceTables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["MicroBatch", "stream"]

#: keys are padded to this many digits, so that they sort like numbers
_DIGITS = 12


@dataclass(frozen=True)
class MicroBatch:
    """A micro-batch, judged alone, with recent micro-batches, and with the whole dataset.

    Attributes
    ----------
    number : int
        Spark's number of the micro-batch.
    df : DataFrame
        Its rows.
    proposal : Proposal
        The stored batch and its results.
    recent : Result
        Result for the latest micro-batches together, this one included.
    """

    number: int
    df: DataFrame
    proposal: Proposal
    recent: Result

    @property
    def alone(self) -> Result:
        """Result for the micro-batch alone."""
        return self.proposal.delta

    @property
    def whole(self) -> Result:
        """Result for the whole dataset."""
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
    reference_tables: ReferenceTables | None = None,
    **trigger: Any,
) -> StreamingQuery:
    """Start a streaming query that adds each micro-batch to a dataset and judges it.

    Parameters
    ----------
    df
        A streaming DataFrame.
    dataset
        The dataset that the micro-batches become batches of.
    checkpoint
        Spark's checkpoint folder.
    name
        Prefix of the keys, which are ``NAME=000000000042``. Each checkpoint needs a name of its
        own, since it counts micro-batches from 0.
    recent
        Number of micro-batches that are judged together as `MicroBatch.recent`.
    then
        Called with each judged micro-batch, such as to write its rows. An exception that it
        raises stops the query.
    reference_tables
        Tables that checks compare each micro-batch with, by name.
    **trigger
        Arguments of Spark's ``DataStreamWriter.trigger``, such as ``availableNow=True``.

    Returns
    -------
    StreamingQuery
        The running query.
    """
    if "trigger" in trigger:  # one dictionary, as in version 0.1
        warn_renamed("stream(trigger={…})", "stream(**trigger)")
        trigger = {**(trigger.pop("trigger") or {}), **trigger}
    write = _micro_batch_writer(dataset, name, recent, then, reference_tables)
    writer = df.writeStream.foreachBatch(write).option("checkpointLocation", checkpoint)
    if trigger:
        writer = writer.trigger(**trigger)
    return writer.start()


def _micro_batch_writer(
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
            keys=[f"{name}={earlier:0{_DIGITS}}" for earlier in range(first, number + 1)]
        )
        if then is not None:
            then(MicroBatch(number, df, proposal, window))

    return run
