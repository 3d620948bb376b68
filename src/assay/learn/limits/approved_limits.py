"""Limits that a person has approved: they apply until others are approved or they are withdrawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from assay.checks.assertions.expectation import NotEnough
from assay.errors import CheckError, StoreError
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.limits.column_limits import ColumnLimits, Settings
from assay.learn.limits.metric_limit import Constraint, SkippedMetric
from assay.learn.limits.stationary import Transformation
from assay.learn.limits.table_limits import TableLimits
from assay.learn.limits.tail_bounds import Interval
from assay.store.protocol import Store

__all__ = ["approve", "approved", "read", "withdraw", "written"]


def approve(store: Store, limits: TableLimits, by: str) -> TableLimits:
    """Store limits that a person has approved. They apply until others are approved.

    Raises
    ------
    StoreError
        If `by` is empty.
    """
    if not by:
        raise StoreError("limits need a person who approves them: `by` is empty.")
    limits = replace(limits, by=by)
    store.save(limits.dataset, "", _ApprovedLimits(limits))
    return limits


def approved(store: Store, dataset: str) -> TableLimits | None:
    """Return the approved limits of a dataset, or None."""
    record = store.derived(_ApprovedLimits, dataset, [""]).get("")
    if record is None or record.limits.by is None:
        return None
    return replace(record.limits, dataset=dataset)


def withdraw(store: Store, dataset: str) -> None:
    """Withdraw the approved limits of a dataset: limits are learned again for each batch.

    Raises
    ------
    StoreError
        If the dataset has no approved limits.
    """
    limits = approved(store, dataset)
    if limits is None:
        raise StoreError(f"no limits of {dataset!r} are approved.")
    store.save(dataset, "", _ApprovedLimits(replace(limits, by=None)))


@dataclass(frozen=True)
class _ApprovedLimits:
    """Limits that a person approved, as a store keeps them.

    The document has its own version, so that limits of a newer version raise an error. A record of
    a newer version would be ignored.
    """

    kind: ClassVar[str] = "approved limits"
    version: ClassVar[int] = 1

    limits: TableLimits

    def to_json(self) -> Any:
        return {
            "version": 1,
            "by": self.limits.by,
            "batches": self.limits.batches,
            "kinds": dict(self.limits.kinds),
            "columns": [
                [
                    column,
                    {"have": column_limits.have, "need": column_limits.need}
                    if isinstance(column_limits, NotEnough)
                    else written(column_limits),
                ]
                for column, column_limits in self.limits.columns.items()
            ],
        }

    @classmethod
    def from_json(cls, document: Any) -> _ApprovedLimits:
        if document.get("version") != 1:
            raise StoreError.newer("of approved limits", document.get("version"), 1)
        columns = {
            column: NotEnough(**column_document)
            if "need" in column_document
            else read(column_document)
            for column, column_document in document["columns"]
        }
        kinds, batches = document["kinds"], document["batches"]
        return cls(TableLimits("", columns, kinds, batches, document["by"]))


def written(limits: ColumnLimits) -> dict[str, Any]:
    """Convert the limits of a column to a document of JSON types."""
    document = asdict(limits)
    # Version 0.1 called the injected faults issues.
    document["issues"] = document.pop("faults")
    return {
        **document,
        "constraints": list(document["constraints"]),
        "left_out": list(document["left_out"]),
    }


def read(document: Mapping[str, Any]) -> ColumnLimits:
    """Convert a document of `written` back to limits.

    Raises
    ------
    CheckError
        If the document is invalid, or if a metric in it is not registered.
    """
    try:
        fields = dict(document)
        fields["faults"] = fields.pop("issues")
        return ColumnLimits(
            **{
                **fields,
                "settings": Settings(**document["settings"]),
                "constraints": tuple(map(_read_constraint, document["constraints"])),
                "left_out": tuple(SkippedMetric(**entry) for entry in document["left_out"]),
            }
        )
    except (KeyError, TypeError) as error:
        raise CheckError(f"invalid limits of a column: {error}.") from error


def _read_constraint(document: Mapping[str, Any]) -> Constraint:
    return Constraint(
        **{
            **document,
            "metric": catalogue.get(document["metric"]).name,
            "interval": Interval(**document["interval"]),
            "transformation": Transformation(**document["transformation"]),
        }
    )
