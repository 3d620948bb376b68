"""Measured batches: one batch, or all batches of a frame in the same few queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.analyzers import Size
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.dataset.keys import key_of, time_of
from assay.dataset.proposal import Proposal
from assay.engine.failure import one_line, problem_of
from assay.engine.frame import schema_of
from assay.engine.measure import measure, measure_planned
from assay.engine.measurement import Measurement
from assay.engine.plan import plan_for
from assay.errors import AssayError, SourceError
from assay.gate.table_schema import TableSchema
from assay.gate.unreadable import lost_columns, unread
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.gate.gate import Gate

__all__ = ["MeasuredBatch", "columns_but", "delivered_together", "deliveries_of"]


@dataclass(frozen=True)
class MeasuredBatch:
    """A batch with its measurement; or the reason why it could not be read, with a code.

    `proposal` holds the results of the checks, once they are evaluated.
    """

    batch: Batch
    measurement: Measurement | None
    schema: TableSchema | None
    unreadable: str | None = None
    code: str | None = None
    proposal: Proposal | None = field(default=None, repr=False, compare=False)

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """The statistics that the learners compare."""
        return fingerprint_of({} if self.measurement is None else self.measurement.states)

    @cached_property
    def unreadable_columns(self) -> Mapping[str, str]:
        """The columns that cannot be read, such as for a cast that fails, and why."""
        return {} if self.measurement is None else lost_columns(self.measurement)


def deliveries_of(
    gate: Gate, df: DataFrame, by: Sequence[str], *, allow_multiple_reads: bool | None = None
) -> list[MeasuredBatch]:
    """The batches of a table, by the values of some columns, measured all at once."""
    columns, asked = _asked(gate, df, by)
    measured, now = (
        _measured(df, asked, by, allow_multiple_reads=allow_multiple_reads),
        datetime.now(UTC),
    )
    if isinstance(measured, Problem):
        raise SourceError.unreadable(gate.dataset, measured.reason)
    found = [
        MeasuredBatch(Batch(gate.dataset, key_of(by, values), time_of(values) or now), own, columns)
        for values, own in measured.items()
    ]
    return sorted(found, key=lambda each: (each.batch.time, each.batch.key))


def delivered_together(
    gate: Gate,
    batches: Mapping[str, Batch],
    read: Callable[[Sequence[str]], DataFrame],
    by: str,
    named: Callable[[str], str] = str,
    keep: str | None = None,
) -> Iterator[MeasuredBatch]:
    """Batches of one frame, each by its name in a column: as many queries as one would take.

    `read` gives the frame of some of them. Where it, or a column of it, cannot be read, halves of
    them are, down to the batch that is to blame. `keep` is the path under which a store has its
    tables of frequencies, if the batches are to be remembered there.
    """
    names = list(batches)
    try:
        df = read(names)
        columns, asked = _asked(gate, df, [by])
        measured = _measured(df, asked, [by], keep=keep)
    except AssayError:
        raise
    except Exception as error:  # whatever a file can do to whoever reads it
        measured = problem_of(error)
    if isinstance(measured, Problem) and measured.code == "session_closed":
        raise SourceError.unreadable(gate.dataset, measured.reason)
    blamed = isinstance(measured, Problem) or any(map(lost_columns, measured.values()))
    if blamed and len(names) > 1:
        for some in (names[: len(names) // 2], names[len(names) // 2 :]):
            part = {each: batches[each] for each in some}
            yield from delivered_together(gate, part, read, by, named, keep)
        return
    if isinstance(measured, Problem):
        reason = f"it cannot be read: {one_line(measured.reason)}"
        yield MeasuredBatch(batches[names[0]], None, None, reason, measured.code)
        return
    by_name = {named(str(values[0])): own for values, own in measured.items()}
    empty = None
    for name, batch in batches.items():
        own = by_name.get(name)
        if own is None:
            # a batch without rows is in no group of rows
            empty = empty or measure(df.drop(by).limit(0), asked)
            own = empty
        yield MeasuredBatch(batch, own, columns)


def columns_but(
    gate: Gate, schema: Schema, by: Sequence[str]
) -> tuple[TableSchema, tuple[Analyzer, ...]]:
    """The columns of a table but those that tell batches apart, and what is asked of them."""
    left = replace(schema, fields=tuple(each for each in schema.fields if each.name not in by))
    return TableSchema.of(left), gate.analyzers(left)


def _asked(
    gate: Gate, df: DataFrame, by: Sequence[str]
) -> tuple[TableSchema, tuple[Analyzer, ...]]:
    """The columns, and all that is measured of them: for the checks, and for the learners."""
    columns, asked = columns_but(gate, schema_of(df), by)
    constraints = (each for check in gate.checks for each in check.constraints)
    wanted = [own for each in constraints for own in each.analyzers]
    return columns, tuple(dict.fromkeys([*wanted, *asked]))


def _measured(
    df: DataFrame,
    asked: Sequence[Analyzer],
    by: Sequence[str],
    *,
    allow_multiple_reads: bool | None = None,
    keep: str | None = None,
) -> dict[tuple[Any, ...], Measurement] | Problem:
    """The batches by their values; or why the frame cannot be read."""
    plan = plan_for(
        df, asked, by, allow_multiple_reads=allow_multiple_reads, hash_values=keep is not None
    )
    measured = measure_planned(df, plan, keep)
    nothing = measured.pop((), None)
    if nothing is not None:
        problem = nothing[Size()].problem
        # of a frame without rows, nothing is computed
        return {} if problem is None or problem.code == "not_computed" else problem
    return next(filter(None, map(unread, measured.values())), measured)
