"""Batches that a person marked as the new normal: older values of their columns are not used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.gate.history.schemas import load_schema
from assay.learn.novelty.features import Features
from assay.store.batch import Batch
from assay.store.protocol import Store
from assay.store.verdict import MarkKind
from assay.store.versions import Version

__all__ = ["features_since", "new_normals"]


def new_normals(
    store: Store, batches: Sequence[Batch], marked: Iterable[Version]
) -> dict[str | None, int]:
    """Return, by column, the place of the last batch that is marked as the new normal.

    Columns are those with alarms in the batch's verdict; all columns if it has none. The mark must
    be the last one on the version of the batch that is in the dataset.
    """
    renewed = {version.key: version for version in marked if version.has_mark(MarkKind.NEW_NORMAL)}
    starts: dict[str | None, int] = {}
    for place, batch in enumerate(batches):
        version = renewed.get(batch.key)
        if version is None:
            continue
        findings = () if version.verdict is None else version.verdict.findings
        columns = {f.get("column") for f in findings if f["level"] != "accept"}
        if not columns:
            schema = load_schema(store, batch)
            columns = {None, *(() if schema is None else schema.names)}
        starts |= dict.fromkeys(columns, place)
    return starts


def features_since(
    all_features: Sequence[Features], starts: Mapping[str | None, int]
) -> list[Features]:
    """Leave out the features of each column from before its new normal."""
    return [
        {
            feature: value
            for feature, value in values.items()
            if place >= starts.get(feature.column, 0)
        }
        for place, values in enumerate(all_features)
    ]
