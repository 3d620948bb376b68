"""Leave out of learning the columns for which a batch was held and then released.

A released batch is let in, but its release does not say that its values are normal. If they were
learned, one bad day would hide the same error for months. The columns that held the batch are
therefore left out. They are learned once a second batch is released for the same column, or the
batch is marked as expected or as the new normal.

>>> left_out_columns(["1", "2", "3"], {"2": frozenset({"price", "city"}), "3": frozenset({"city"})})
{'2': frozenset({'price'})}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from assay.learn.fingerprint import metrics
from assay.learn.novelty.features import Features
from assay.store.batch import Selection
from assay.store.protocol import Store
from assay.store.verdict import Decision, MarkKind
from assay.store.versions import Version, versions

__all__ = [
    "ReleasedColumns",
    "expected_keys",
    "held_columns",
    "left_out_columns",
    "load_marked",
    "released_columns",
    "without_columns",
]

#: After this number of releases for one column in the window, its values are usual.
_MIN_RELEASES = 2

#: By batch key, the columns for which the batch was held; None stands for the table.
ReleasedColumns = Mapping[str, frozenset[str | None]]


def held_columns(findings: Iterable[Mapping[str, object]]) -> frozenset[str | None]:
    """Return the columns of the findings that hold a batch; None stands for the table."""
    columns = (f.get("column") for f in findings if f.get("level") == Decision.HOLD.value)
    return frozenset(None if column is None else str(column) for column in columns)


def load_marked(store: Store, dataset: str, keys: Sequence[str]) -> tuple[Version, ...]:
    """Return the accepted versions of these batches that a person marked, in two queries."""
    marks = store.marks(Selection(dataset, keys=tuple(keys)))
    marked = tuple(sorted({mark.key for mark in marks}))
    verdicts = store.verdicts(Selection(dataset, keys=marked)) if marked else ()
    return tuple(
        version
        for version in versions(verdicts, marks)
        if version.accepted and version.mark is not None
    )


def released_columns(marked: Iterable[Version]) -> dict[str, frozenset[str | None]]:
    """Return the columns of released batches, if release is the last mark of the batch."""
    return {
        version.key: held_columns(version.verdict.findings)
        for version in marked
        if version.has_mark(MarkKind.RELEASED) and version.verdict is not None
    }


def expected_keys(marked: Iterable[Version]) -> frozenset[str]:
    """Return the keys of batches that a person marked as expected or as the new normal."""
    return frozenset(
        version.key
        for version in marked
        if version.has_mark(MarkKind.EXPECTED, MarkKind.NEW_NORMAL)
    )


def left_out_columns(
    keys: Iterable[str], released: ReleasedColumns
) -> dict[str, frozenset[str | None]]:
    """Return the columns to leave out of each batch: those that were released only once.

    Parameters
    ----------
    keys
        The keys of the batches in the window.
    released
        The columns of released batches.
    """
    in_window = {key: released[key] for key in keys if key in released}
    counts = Counter(column for columns in in_window.values() for column in columns)
    left_out = {
        key: frozenset(column for column in columns if counts[column] < _MIN_RELEASES)
        for key, columns in in_window.items()
    }
    return {key: columns for key, columns in left_out.items() if columns}


def without_columns(
    features: Sequence[Features], keys: Sequence[str], left_out: ReleasedColumns
) -> tuple[Features, ...]:
    """Return the features of batches without those of the columns that are left out."""
    empty: frozenset[str | None] = frozenset()
    return tuple(
        {
            feature: value
            for feature, value in batch.items()
            if feature.column not in left_out.get(key, empty)
            or (feature.column is None and feature.metric == metrics.UNCHANGED)
        }
        for batch, key in zip(features, keys, strict=True)
    )
