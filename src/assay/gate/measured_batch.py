"""`MeasuredBatch`: the measurements of one batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.dataset.proposal import Proposal
from assay.engine.measurement import Measurement
from assay.gate.segments.batch_segments import BatchSegments
from assay.gate.table_schema import TableSchema
from assay.gate.unreadable import unreadable_columns
from assay.learn.fingerprint.analyzers import FingerprintPlan
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store.batch import Batch

__all__ = ["MeasuredBatch"]


@dataclass(frozen=True)
class MeasuredBatch:
    """A batch with its measurement, or the reason why it cannot be read.

    Parameters
    ----------
    batch : Batch
        Dataset, key and time.
    measurement : Measurement, optional
        States and metrics; None if the batch cannot be read.
    schema : TableSchema, optional
        Its columns.
    unreadable : str, optional
        Why it cannot be read.
    code : str, optional
        The stable code of that reason.
    plan : FingerprintPlan, optional
        The analyzers of its fingerprint. They are found out from the states without it.
    proposal : Proposal, optional
        The results of the checks, once they are evaluated.
    notes : tuple of str, optional
        Sentences about rows and values of its files that do not fit, and are null or left out.
    segments : BatchSegments, optional
        The measures of its segments, if the gate splits its batches.
    segments_problem : str, optional
        Why the segments could not be measured.
    """

    batch: Batch
    measurement: Measurement | None
    schema: TableSchema | None
    unreadable: str | None = None
    code: str | None = None
    plan: FingerprintPlan | None = field(default=None, repr=False)
    proposal: Proposal | None = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = ()
    segments: BatchSegments | None = field(default=None, repr=False, compare=False)
    segments_problem: str | None = None

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """The statistics that the learners compare."""
        states = {} if self.measurement is None else self.measurement.states
        return fingerprint_of(states, self.plan)

    @cached_property
    def unreadable_columns(self) -> Mapping[str, str]:
        """The columns that cannot be read, such as for a cast that fails, and why."""
        return {} if self.measurement is None else unreadable_columns(self.measurement)
