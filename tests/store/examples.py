"""Batches, measurements and derived records for tests of stores."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Self

from assay.analyzers import Size
from assay.analyzers.counting import Count
from assay.engine import Measurement, Metric
from assay.store import Batch, BatchStatus

START = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Remark:
    """A derived record."""

    kind: ClassVar[str] = "remark"
    version: ClassVar[int] = 1

    text: str

    def to_json(self) -> Any:
        return {"text": self.text}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        return cls(document["text"])


class NewerRemark(Remark):
    """The same kind of record in a later version."""

    version: ClassVar[int] = 2


class Alert(Remark):
    """A derived record of another kind."""

    kind: ClassVar[str] = "alert"


def sized(n: int) -> Measurement:
    """Return the measurement of a batch of `n` rows."""
    return Measurement({Size(): Metric(Size(), n)}, {Size(): Count(n)})


def batch(n: int, status: BatchStatus = BatchStatus.ACCEPTED, dataset: str = "orders") -> Batch:
    """Return the batch of the n-th day of November 2026."""
    return Batch(dataset, f"day={n:02}", START + timedelta(days=n - 1), status=status)
