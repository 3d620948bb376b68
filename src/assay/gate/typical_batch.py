"""Measure one batch before many, to choose the samples and the relations of all of them.

The plan of a submitted batch follows from the last batch. Its statistics show which columns need a
sample, which may be keys, and which relations may hold. If many batches are measured at once, a
typical one of them is measured first. It takes the place of the last batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.engine.failure import capture_failure
from assay.engine.frame import is_columnar, schema_of
from assay.engine.measure import measure_planned
from assay.engine.plan import plan_for
from assay.engine.query_log import unlogged
from assay.gate.spec import GateSpec
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.relations.choose_relations import MIN_ROWS, first_that_hold
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.measured import relations_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["TypicalBatch", "measure_typical_batch", "measure_typical_part"]

#: The relations of this number of rounds are tried at once. After 3 rounds, 12 of 13 relations were
#: chosen that submits find in 11 days of nycflights13, and 13 of 14 in those of jhu_us_daily.
_N_ROUNDS = 3
#: The batch of a table is chosen from its first rows.
_N_FIRST_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class TypicalBatch:
    """The statistics of one batch, from which others are planned.

    Parameters
    ----------
    statistics
        Its fingerprint.
    relations
        The relations that were tried: those that hold, and those that do not. Empty if none was.
    """

    statistics: Fingerprint
    relations: tuple[BatchRelations, ...] = ()


def measure_typical_batch(
    spec: GateSpec, df: DataFrame, *, tries_relations: bool = True
) -> TypicalBatch | None:
    """Measure the rows of one batch; return None if it is too small, or cannot be measured.

    Parameters
    ----------
    tries_relations
        True if the rows may be read a second time, to leave out relations that do not hold.
    """
    return _unless_failed(spec, lambda: _measure_typical(spec, df, tries_relations=tries_relations))


def measure_typical_part(
    spec: GateSpec, df: DataFrame, by: Sequence[str], allow_multiple_reads: bool | None = None
) -> TypicalBatch | None:
    """Measure the batch of a table that most of its first rows belong to.

    Return None if the table may be read only once. Columnar files are read twice, for the rows of
    this batch. Other tables are read once more.
    """
    if allow_multiple_reads is False:
        return None

    def measure_part() -> TypicalBatch | None:
        part = _typical_part(df, by)
        if part is None:
            return None
        tries_relations = bool(allow_multiple_reads) or is_columnar(df)
        return _measure_typical(spec, part, tries_relations=tries_relations)

    return _unless_failed(spec, measure_part)


def _unless_failed(
    spec: GateSpec, measure: Callable[[], TypicalBatch | None]
) -> TypicalBatch | None:
    """Return None if a query fails. The queries of all batches find and report the cause.

    PySpark logs a failed query with the value that it failed on, which may be private.
    """
    result = capture_failure(unlogged(measure) if spec.settings.private else measure)()
    return None if isinstance(result, Problem) else result


def _typical_part(df: DataFrame, by: Sequence[str]) -> DataFrame | None:
    """Return the rows of the batch with most of the first rows, without the `by` columns."""
    from pyspark.sql import functions as F

    schema = schema_of(df)
    keys = [F.expr(schema.column(name).sql) for name in by]
    first = df.select(*(key.alias(f"b{i}") for i, key in enumerate(keys))).limit(_N_FIRST_ROWS)
    names = [f"b{i}" for i in range(len(keys))]
    counts = first.groupBy(*names).count().orderBy(F.desc("count"), *names).limit(1).collect()
    if not counts:
        return None
    for key, value in zip(keys, counts[0], strict=False):
        df = df.where(key.eqNullSafe(F.lit(value)))
    return df.drop(*by)


def _measure_typical(
    spec: GateSpec, df: DataFrame, *, tries_relations: bool
) -> TypicalBatch | None:
    schema = schema_of(df)
    plan = spec.plan_fingerprint(schema)
    batch = fingerprint_of(_states(spec, df, plan.analyzers), plan)
    if batch.rows < MIN_ROWS:
        return None
    if not tries_relations:
        return TypicalBatch(batch)
    tried = spec.plan_fingerprint(schema, batch, n_rounds=_N_ROUNDS).relations
    if not tried:
        return TypicalBatch(batch)
    counts = relations_of(_states(spec, df, tried))
    relations = BatchRelations.of(replace(batch, relations=counts))
    return TypicalBatch(batch, (first_that_hold(relations),))


def _states(spec: GateSpec, df: DataFrame, analyzers: Sequence[Analyzer]) -> dict[Analyzer, State]:
    measured = measure_planned(df, plan_for(df, analyzers), private_columns=spec.settings.private)
    return dict(measured[()].states)
