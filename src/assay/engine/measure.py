"""Measure a DataFrame: run the passes of a plan, create states, compute metrics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.other_table import PairedAnalyzer
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.deprecation import renamed_arguments
from assay.engine.failure import capture_failure, problem_of
from assay.engine.frame import Segment, names_of, require_analyzers, unambiguous
from assay.engine.jobs import run_concurrently
from assay.engine.measurement import Measurement, Metric, metric_of
from assay.engine.passes.query_pass import Outcome, PassInput
from assay.engine.passes.scan_pass import Values, scan_jobs
from assay.engine.plan import Plan, plan_for
from assay.engine.query_log import unlogged
from assay.engine.reference_tables import ReferenceTables
from assay.errors import AssayError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["failed_measurement", "measure", "measure_planned", "measurement_of_scans"]


@overload
def measure(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: None = None,
    *,
    allow_multiple_reads: bool | None = None,
    reference_tables: ReferenceTables | None = None,
) -> Measurement: ...
@overload
def measure(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: str | Sequence[str],
    *,
    allow_multiple_reads: bool | None = None,
    reference_tables: ReferenceTables | None = None,
) -> Mapping[Segment, Measurement]: ...
@renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
def measure(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: str | Sequence[str] | None = None,
    *,
    allow_multiple_reads: bool | None = None,
    reference_tables: ReferenceTables | None = None,
) -> Measurement | Mapping[Segment, Measurement]:
    """Measure a DataFrame in the smallest number of passes over it.

    Parameters
    ----------
    df
        The table.
    analyzers
        The analyzers to measure.
    by
        Column or columns that split the table into segments. The result then has a measurement for
        each combination of their values.
    allow_multiple_reads
        True if columns may be read in several passes, which is faster for wide columnar files.
        ``False`` computes everything in one pass. By default, only columnar files (Parquet, ORC)
        are read several times.
    reference_tables
        DataFrames by the names that comparisons give them.

    Returns
    -------
    Measurement, or mapping from segment to Measurement
        A state and a metric for each analyzer. An analyzer that cannot be measured has the
        reason instead, and the other analyzers are measured.

    Raises
    ------
    CheckError
        If an argument is not a DataFrame, a list of analyzers or the names of columns.

    Examples
    --------
    >>> from assay.analyzers import Mean
    >>> orders = spark.createDataFrame([("EU", 10.0), ("US", 30.0)], "region string, amount double")
    >>> measure(orders, [Mean("amount")])[Mean("amount")].value
    20.0
    >>> measure(orders, [Mean("amount")], by="region")[("EU",)][Mean("amount")].value
    10.0
    """
    distinct = require_analyzers(analyzers)
    segment_columns = names_of(() if by is None else by)
    try:
        plan = plan_for(
            df,
            distinct,
            segment_columns,
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
        )
    except AssayError:
        raise
    except Exception as error:  # Spark raises anything, such as for a closed session
        failed = failed_measurement(distinct, error)
        return failed if by is None else {(): failed}
    measurements = measure_planned(df, plan, reference_tables=reference_tables)
    return measurements[()] if by is None else measurements


def failed_measurement(analyzers: Iterable[Analyzer], error: Exception) -> Measurement:
    """Return the measurement of a DataFrame that could not be read at all."""
    problem = problem_of(error)
    metrics = {analyzer: Metric(analyzer, problem=problem) for analyzer in analyzers}
    return Measurement(metrics, {})


def measure_planned(
    df: DataFrame,
    plan: Plan,
    tables_path: str | None = None,
    reference_tables: ReferenceTables | None = None,
    *,
    private_columns: Collection[str] = (),
) -> dict[Segment, Measurement]:
    """Run a plan and return the measurement of every segment.

    Parameters
    ----------
    df
        The table that was planned.
    plan
        The plan.
    tables_path
        A path under which frequency tables are written, so that they can be stored.
    reference_tables
        DataFrames by the names that the plan uses.
    private_columns
        Columns whose values are never written: frequency tables that contain them stay in Spark,
        and PySpark does not log failed queries meanwhile.

    Returns
    -------
    dict
        Measurements by segment. Without segments, the key is the empty tuple.
    """
    tables = {
        name: unambiguous(reference_tables[name], schema)
        for name, schema in plan.reference_schemas.items()
        if reference_tables is not None
    }
    source = PassInput(
        unambiguous(df, plan.schema),
        plan.schema,
        plan.by,
        tables,
        tables_path,
        frozenset(plan.schema.top_level(private_columns)),
    )
    scans = scan_jobs(source, plan.scans, plan.sharing)
    queries = [capture_failure(partial(query_pass.run, source)) for query_pass in plan.query_passes]
    reference_scans = [
        (name, job)
        for name, reference_plan in plan.reference_plans.items()
        for job in scan_jobs(
            PassInput(tables[name], reference_plan.schema),
            reference_plan.scans,
            reference_plan.sharing,
        )
    ]
    # one list, so that all queries run at the same time
    jobs: list[Callable[[], Any]] = [*scans, *queries, *(job for _, job in reference_scans)]
    if source.private_columns:
        jobs = list(map(unlogged, jobs))
    results = iter(run_concurrently(jobs, df.sparkSession))
    values = [next(results) for _ in scans]
    outcomes: list[Outcome] = [next(results) for _ in queries]
    reference_values: dict[str, Values] = {}
    for name, _ in reference_scans:
        reference_values.setdefault(name, {}).update(next(results)[()])
    by_segment, failed_everywhere = _merge_values(values, segmented=bool(plan.by))
    segments = dict.fromkeys(by_segment)
    for outcome in outcomes:
        if not isinstance(outcome, Problem):
            segments |= dict.fromkeys(outcome)
    any_failed = any(isinstance(outcome, Problem) for outcome in outcomes)
    if not plan.by or (not segments and (failed_everywhere or plan.refused or any_failed)):
        segments = {(): None}
    return {
        segment: _measurement(
            plan,
            by_segment.get(segment, {}) | failed_everywhere,
            segment,
            outcomes,
            reference_values,
        )
        for segment in segments
    }


def measurement_of_scans(plan: Plan, values: Values, problem: Problem) -> Measurement:
    """Return the measurement of a plan after only its scans ran.

    `problem` says why the other passes did not run.
    """
    return _measurement(plan, values, (), [problem] * len(plan.query_passes), {})


def _merge_values(
    results: Iterable[Mapping[Segment, Values]], *, segmented: bool
) -> tuple[dict[Segment, Values], Values]:
    """Return the values of each segment, and the problems of scans that failed for all of them."""
    by_segment: dict[Segment, Values] = {}
    everywhere: Values = {}
    for result in results:
        for segment, values in result.items():
            if segmented and not segment:
                everywhere |= values
            else:
                by_segment.setdefault(segment, {}).update(values)
    return by_segment, everywhere


def _measurement(
    plan: Plan,
    values: Values,
    segment: Segment,
    outcomes: Sequence[Outcome],
    reference_values: Mapping[str, Values],
) -> Measurement:
    """Create the states and metrics of one segment."""
    results: dict[Analyzer, State | Problem] = {
        analyzer: _scan_state(analyzer, values, plan.schema) for analyzer in plan.scan_analyzers
    }
    for query_pass, outcome in zip(plan.query_passes, outcomes, strict=True):
        if isinstance(outcome, Problem):
            results |= dict.fromkeys(query_pass.measured, outcome)
        else:
            results |= query_pass.states(outcome, segment, outcomes)
    for pair in plan.paired_analyzers:
        results[pair] = _paired_state(pair, plan, values, reference_values.get(pair.table, {}))
    metrics: dict[Analyzer, Metric] = {
        **{analyzer: Metric(analyzer, value) for analyzer, value in plan.schema_metrics.items()},
        **{analyzer: Metric(analyzer, problem=why) for analyzer, why in plan.refused.items()},
    }
    states: dict[Analyzer, State] = {}
    for analyzer, state in results.items():
        if isinstance(state, Problem):
            metrics[analyzer] = Metric(analyzer, problem=state)
        else:
            states[analyzer] = state
            metrics[analyzer] = metric_of(analyzer, state)
    return Measurement(metrics, states)


def _scan_state(analyzer: Any, values: Values, schema: Schema) -> State | Problem:
    results = [_value(values, expr) for expr in analyzer.on(schema).aggregate_exprs(schema)]
    for result in results:
        if isinstance(result, Problem):
            return result
    try:
        state: State = analyzer.state(results, schema)
    except AssayError as error:
        return Problem(error.code, str(error))
    return state


def _paired_state(
    pair: PairedAnalyzer, plan: Plan, values: Values, reference_values: Values
) -> State | Problem:
    """Create the state of a comparison from the states of both tables."""
    ours = _scan_state(pair.ours, values, plan.schema)
    theirs = _scan_state(pair.theirs, reference_values, plan.reference_schemas[pair.table])
    if isinstance(ours, Problem):
        return ours
    if isinstance(theirs, Problem):
        return replace(theirs, reason=f"in {pair.table!r}: {theirs.reason}")
    try:
        return pair.state_of(ours, theirs)
    except AssayError as error:
        return Problem(error.code, str(error))


def _value(values: Values, expr: AggregateExpr) -> Any:
    return values.get(expr, Problem("not_computed", "it was not computed"))
