"""Note what is odd in the first batch of a dataset, which has nothing to be compared with.

The notes are about columns without values, words and numbers that may stand for no value, and text
in a wrong encoding. They raise no alarm.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import numpy as np

from assay.analyzers.metric import Distribution
from assay.checks.formatting import visible
from assay.engine.measurement import Measurement
from assay.gate.finding import Finding
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.profile.column_profile import ColumnProfile, Numbers, Texts
from assay.learn.profile.profile import Profile
from assay.store.verdict import Decision

__all__ = ["first_batch_notes"]

#: The observations of a profile that are noted, by their codes. In a part of a table, a constant
#: column or one kind of values is usual.
_CODES = frozenset(("missing", "garbled", "default", "default_date"))
_MAX_NOTES = 5
_MAX_NAMES = 5
_PROBABILITIES = (0.01, 0.05, 0.5, 0.95, 0.99)


def first_batch_notes(
    batch: Fingerprint, schema: TableSchema | None, private: Collection[str] = ()
) -> Iterator[Finding]:
    """Return notes about the first batch of a dataset: no alarms.

    Parameters
    ----------
    batch
        The statistics of the batch.
    schema
        Its columns.
    private
        Columns whose values are not quoted.
    """
    if not batch.rows:
        return
    empty = [name for name, stats in batch.columns.items() if not stats.n_values]
    if empty:
        yield _note(_without_values(empty))
    types = {} if schema is None else dict(schema.types)
    columns = {
        name: _profile_of(name, types.get(name, ""), stats)
        for name, stats in batch.columns.items()
        if name not in private
    }
    profile = Profile(batch.rows, columns, types, Measurement({}, {}))
    odd = [observed for observed in profile.observations if observed.code in _CODES]
    for observed in odd[:_MAX_NOTES]:
        yield _note(f"{observed.sentence}.", observed.column)


def _without_values(names: list[str]) -> str:
    listed = ", ".join(map(visible, names[:_MAX_NAMES]))
    n_more = len(names) - _MAX_NAMES
    more = f" and {n_more:,} more" if n_more > 0 else ""
    if len(names) == 1:
        return f"one column has no values: {listed}."
    return f"{len(names):,} columns have no values: {listed}{more}."


def _note(sentence: str, column: str | None = None) -> Finding:
    return Finding("gate", Decision.ACCEPT, sentence, column or None)


def _profile_of(name: str, type_name: str, stats: ColumnStats) -> ColumnProfile:
    """Return what the statistics of a batch say about a column, as a profile."""
    present, counts = int(stats.n_values), stats.value_counts
    exact = bool(counts) and not stats.uncounted(counts)
    return ColumnProfile(
        name,
        type_name,
        int(stats.n_rows),
        present,
        0 if math.isnan(stats.n_distinct) else int(stats.n_distinct),
        kind="string" if stats.kind == "categorical" else "fractional",
        numbers=_numbers(stats),
        texts=Texts(0, 0, 0.0, 0) if stats.shape_counts else None,
        values=Distribution(dict(counts)) if counts else None,
        exact=exact,
    )


def _numbers(stats: ColumnStats) -> Numbers | None:
    if stats.kind != "numeric" or stats.sample is None or not stats.sample.total:
        return None
    quantiles = stats.sample.quantiles(np.array(_PROBABILITIES)).tolist()
    return Numbers(
        stats.minimum,
        stats.maximum,
        stats.mean,
        stats.sd,
        {str(p): value for p, value in zip(_PROBABILITIES, quantiles, strict=True)},
    )
