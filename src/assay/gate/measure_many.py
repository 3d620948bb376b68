"""Measure many batches in as few queries as possible: parts of a table, or DataFrames.

A typical batch is measured first, to plan the samples and relations of all (`typical_batch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from assay.analyzers import Size
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.dataset.batch_keys import key_of, time_of
from assay.engine.failure import capture_failure, one_line
from assay.engine.frame import schema_of
from assay.engine.frequency_table import collect_segments
from assay.engine.measure import measure, measure_planned
from assay.engine.measurement import Measurement
from assay.engine.plan import plan_for
from assay.errors import CheckError, SourceError
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.segments.measure_segments import add_segments_to_batches
from assay.gate.spec import GateSpec
from assay.gate.table_schema import TableSchema
from assay.gate.typical_batch import TypicalBatch, measure_typical_batch, measure_typical_part
from assay.gate.unreadable import problem_of_batch, unreadable_columns
from assay.learn.fingerprint.analyzers import FingerprintPlan
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "Rows",
    "collect_frequencies",
    "measure_frames",
    "measure_table",
    "measure_together",
]

_KEY_COLUMN = "__assay_batch"
#: Relations and keys are judged after this number of batches: fewer need no typical one.
_MIN_BATCHES = 3
#: The number of batches of a table is not known when they are planned.
_TYPICAL_N_BATCHES = 100


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The source of the rows of several batches.

    Parameters
    ----------
    read : callable
        Returns one DataFrame with the rows of the batches of these names.
    by : str
        The column that names the batch of each row.
    name_of : callable
        Returns the name of a batch from a value of that column.
    """

    read: Callable[[Sequence[str]], DataFrame]
    by: str
    name_of: Callable[[str], str] = str


def measure_table(
    spec: GateSpec,
    df: DataFrame,
    by: Sequence[str],
    *,
    allow_multiple_reads: bool | None = None,
    tables: str | None = None,
) -> list[MeasuredBatch]:
    """Measure each combination of values of the `by` columns as a batch, all at once.

    Frequency tables are written under the path `tables`, if the batches will be stored.
    """
    typical = measure_typical_part(spec, df, by, allow_multiple_reads)
    plan = _plan(spec, df, by, typical, _TYPICAL_N_BATCHES)
    measured = _measure(
        spec, df, plan.analyzers, by, allow_multiple_reads=allow_multiple_reads, tables=tables
    )
    if isinstance(measured, Problem):
        raise SourceError.unreadable(spec.dataset, measured.reason)
    now = datetime.now(UTC)
    batches = {
        values: MeasuredBatch(
            Batch(spec.dataset, key_of(by, values), time_of(values) or now),
            measurement,
            plan.schema,
            plan=plan.fingerprint,
        )
        for values, measurement in measured.items()
    }
    batches = add_segments_to_batches(batches, df, by, spec.settings)
    return sorted(batches.values(), key=lambda measured: (measured.batch.time, measured.batch.key))


def measure_frames(spec: GateSpec, frames: Mapping[str, DataFrame]) -> list[MeasuredBatch]:
    """Measure DataFrames by their keys, those of one schema at once; keep their order."""
    from pyspark.sql import functions as F

    groups: dict[str, list[str]] = {}
    for key, df in frames.items():
        if not hasattr(df, "sparkSession"):
            raise CheckError(
                f"batch {key!r} must be a pyspark DataFrame, got {type(df).__name__}."
                " Pass a mapping such as {'2026-11-16': df}."
            )
        groups.setdefault(df.schema.json(), []).append(key)

    def read(keys: Sequence[str]) -> DataFrame:
        named = [frames[key].select(F.lit(key).alias(_KEY_COLUMN), "*") for key in keys]
        return reduce(lambda one, other: one.union(other), named)

    start = datetime.now(UTC)
    batches = {
        key: Batch(spec.dataset, key, start + timedelta(seconds=place))
        for place, key in enumerate(frames)
    }
    rows = Rows(read=read, by=_KEY_COLUMN)
    measured = {
        result.batch.key: result
        for keys in groups.values()
        for result in measure_together(spec, {key: batches[key] for key in keys}, rows)
    }
    return [measured[key] for key in frames]


def measure_together(
    spec: GateSpec, batches: Mapping[str, Batch], rows: Rows, *, tables: str | None = None
) -> Iterator[MeasuredBatch]:
    """Measure batches by their names, in the queries of a single one.

    If a batch or one of its columns cannot be read, the batches are measured in halves, down to
    the one that fails.

    Parameters
    ----------
    tables
        Path under which frequency tables are written, if the batches will be stored.
    """
    typical = _typical_of(spec, list(batches), rows)
    return _measure_parts(spec, batches, rows, typical, tables)


def _typical_of(spec: GateSpec, names: Sequence[str], rows: Rows) -> TypicalBatch | None:
    """Return the statistics of the batch in the middle, or else of the last one."""
    if len(names) < _MIN_BATCHES:
        return None
    for name in (names[len(names) // 2], names[-1]):
        df = capture_failure(partial(rows.read, [name]))()
        if isinstance(df, Problem):
            continue
        typical = measure_typical_batch(spec, df.drop(rows.by))
        if typical is not None:
            return typical
    return None


def _measure_parts(
    spec: GateSpec,
    batches: Mapping[str, Batch],
    rows: Rows,
    typical: TypicalBatch | None,
    tables: str | None,
) -> Iterator[MeasuredBatch]:
    names = list(batches)

    def measure_all() -> tuple[DataFrame, _BatchPlan, _Measured]:
        df = rows.read(names)
        plan = _plan(spec, df, [rows.by], typical, len(names))
        return df, plan, _measure(spec, df, plan.analyzers, [rows.by], tables=tables)

    result = capture_failure(measure_all)()
    problem = result if isinstance(result, Problem) else None
    if problem is None and not isinstance(result, Problem) and isinstance(result[2], Problem):
        problem = result[2]
    if problem is not None and problem.code == "session_closed":
        raise SourceError.unreadable(spec.dataset, problem.reason)
    fails = problem is not None or _has_unreadable_columns(result)
    if fails and len(names) > 1:
        for half in (names[: len(names) // 2], names[len(names) // 2 :]):
            part = {name: batches[name] for name in half}
            yield from _measure_parts(spec, part, rows, typical, tables)
        return
    if problem is not None:
        reason = f"it cannot be read: {one_line(problem.reason)}"
        yield MeasuredBatch(batches[names[0]], None, None, reason, problem.code)
        return
    assert not isinstance(result, Problem)
    df, plan, measured = result
    assert not isinstance(measured, Problem)
    values_of = {rows.name_of(str(values[0])): values for values in measured}
    empty: Measurement | None = None
    by_values: dict[tuple[Any, ...], MeasuredBatch] = {}
    for name, batch in batches.items():
        values = values_of.get(name, (name, "without rows"))
        measurement = measured.get(values)
        if measurement is None:
            # a batch without rows is in no group of rows
            empty = empty or measure(df.drop(rows.by).limit(0), plan.analyzers)
            measurement = empty
        by_values[values] = MeasuredBatch(batch, measurement, plan.schema, plan=plan.fingerprint)
    yield from add_segments_to_batches(by_values, df, [rows.by], spec.settings).values()


_Measured = dict[tuple[Any, ...], Measurement] | Problem


def _has_unreadable_columns(result: object) -> bool:
    measured = result[2] if isinstance(result, tuple) else {}
    return any(map(unreadable_columns, measured.values()))


def collect_frequencies(batches: Iterable[MeasuredBatch]) -> list[MeasuredBatch]:
    """Collect small frequency tables of all batches, with one job per grouping and schema."""
    measured = list(batches)
    states = collect_segments(
        [batch.measurement.states if batch.measurement else {} for batch in measured]
    )
    return [
        replace(
            batch,
            measurement=batch.measurement and Measurement(batch.measurement.metrics, batch_states),
        )
        for batch, batch_states in zip(measured, states, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _BatchPlan:
    """The columns of a batch, and what is measured of them."""

    schema: TableSchema
    fingerprint: FingerprintPlan
    analyzers: tuple[Analyzer, ...]


def _plan(
    spec: GateSpec,
    df: DataFrame,
    by: Sequence[str],
    typical: TypicalBatch | None,
    n_batches: int,
) -> _BatchPlan:
    schema = schema_of(df)
    fields = tuple(field for field in schema.fields if field.name not in by)
    schema = replace(schema, fields=fields)
    if typical is None:
        fingerprint = spec.plan_fingerprint(schema)
    else:
        fingerprint = spec.plan_fingerprint(
            schema, typical.statistics, typical.relations, n_batches=n_batches
        )
    return _BatchPlan(TableSchema.of(schema), fingerprint, spec.analyzers(schema, fingerprint))


def _measure(
    spec: GateSpec,
    df: DataFrame,
    analyzers: Sequence[Analyzer],
    by: Sequence[str],
    *,
    allow_multiple_reads: bool | None = None,
    tables: str | None = None,
) -> _Measured:
    """Return the measurements by the values of the `by` columns, or why there are none."""
    plan = plan_for(
        df,
        analyzers,
        by,
        allow_multiple_reads=allow_multiple_reads,
        hash_values=tables is not None,
    )
    measured = measure_planned(df, plan, tables, private_columns=spec.settings.private)
    unsplit = measured.pop((), None)
    if unsplit is not None:
        problem = unsplit[Size()].problem
        # a DataFrame without rows has no batches
        return {} if problem is None or problem.code == "not_computed" else problem
    return next(filter(None, map(problem_of_batch, measured.values())), measured)
