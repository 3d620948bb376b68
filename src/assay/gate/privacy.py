"""Keep the values of private columns out of everything that a gate records or shows.

A state or a metric that may contain values of a private column is used to judge the batch, and is
not stored. Counts, ratios, sums, moments, checksums and hashes are stored.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import GroupingAnalyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Field, Schema
from assay.analyzers.state import State
from assay.checks.constraint import Constraint
from assay.checks.privacy import private_roots
from assay.dataset.proposal import Proposal
from assay.engine.frequency_table import FrequencyTable
from assay.engine.measurement import Measurement, Metric
from assay.gate.table_schema import TableSchema

__all__ = ["exposed_columns", "private_columns", "protect_measurement", "protect_proposal"]


def private_columns(schema: TableSchema, names: Collection[str]) -> tuple[str, ...]:
    """Return private columns as the batch names them. Names without a column stay as they are."""
    return tuple(sorted(private_roots(names, _schema_of(schema))))


def protect_measurement(
    measurement: Measurement,
    schema: TableSchema,
    private: Collection[str],
    *,
    are_hashed: bool,
) -> Measurement:
    """Return a measurement without states and metrics that may contain private values.

    Parameters
    ----------
    schema
        The columns of the batch.
    private
        Names of private columns.
    are_hashed
        True if frequency tables contain hashes instead of values.
    """
    if not private:
        return measurement
    columns = _schema_of(schema)
    private = columns.top_level(private)
    exposing = {
        analyzer
        for analyzer in {*measurement.metrics, *measurement.states}
        if _exposed(analyzer, columns, private, are_hashed=are_hashed)
    }
    return Measurement(
        {
            analyzer: _without_quotes(metric)
            for analyzer, metric in measurement.metrics.items()
            if analyzer not in exposing
        },
        {
            analyzer: _hash_table(analyzer, state, columns, private)
            for analyzer, state in measurement.states.items()
            if analyzer not in exposing
        },
    )


def _hash_table(
    analyzer: Analyzer, state: State, schema: Schema, private: Collection[str]
) -> State:
    """Return a frequency table of private columns by hashes.

    An analyzer that needs no values may share its table with one that shows them.
    """
    if isinstance(state, FrequencyTable) and _exposed(analyzer, schema, private, are_hashed=False):
        return state.hash_values()
    return state


def _without_quotes(metric: Metric) -> Metric:
    """Return a metric whose problem does not quote values; its code stays."""
    if metric.problem is None or not metric.problem.may_quote_values:
        return metric
    reason = "the error may quote values of private columns and is not stored"
    return Metric(metric.analyzer, problem=Problem(metric.problem.code, reason))


def protect_proposal(
    proposal: Proposal, schema: TableSchema, private: Collection[str], *, are_hashed: bool
) -> Proposal:
    """Return a proposal that stores nothing of private columns. Its results stay complete."""
    if not private:
        return proposal
    totals = protect_measurement(
        proposal.totals.measurement, schema, private, are_hashed=are_hashed
    )
    return replace(
        proposal,
        measured=protect_measurement(proposal.measured, schema, private, are_hashed=are_hashed),
        totals=replace(proposal.totals, measurement=totals),
    )


def exposed_columns(
    constraint: Constraint, schema: TableSchema | None, private: Collection[str]
) -> list[str]:
    """Return the private columns whose values the result of a constraint may show."""
    if schema is None or not private:
        return []
    columns = _schema_of(schema)
    private = columns.top_level(private)
    exposed: set[str] = set()
    for analyzer in constraint.analyzers:
        exposed |= _exposed(analyzer, columns, private, are_hashed=False)
    return [name for name in private if name in exposed]


def _exposed(
    analyzer: Analyzer, schema: Schema, private: Collection[str], *, are_hashed: bool
) -> frozenset[str]:
    if isinstance(analyzer, GroupingAnalyzer):
        columns = analyzer.exposed_columns(schema, hash_values=are_hashed)
    else:
        columns = analyzer.exposed_columns(schema)
    return columns & frozenset(private)


def _schema_of(schema: TableSchema) -> Schema:
    return Schema(tuple(Field(name, column_type) for name, column_type in schema.types))
