"""Measure a DataFrame: the plan's jobs side by side, states from them, metrics from those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.comparison import KeyedAnalyzer, PairedAnalyzer
from assay.analyzers.frequencies import Summary
from assay.analyzers.metric import Problem
from assay.analyzers.naive_bayes import NaiveBayes
from assay.analyzers.sample import Sampled
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.deprecation import renamed_arguments
from assay.engine.comparisons import Compared, comparison_job
from assay.engine.failure import capture_failure, problem_of
from assay.engine.frame import buffer_limit, is_columnar, schema_of, unambiguous
from assay.engine.jobs import run_concurrently
from assay.engine.measurement import Measurement, Metric, metric_of
from assay.engine.models import models
from assay.engine.plan import FrequencyPass, Plan, Scan, plan
from assay.engine.reference_tables import ReferenceTables, examined, unresolved_there
from assay.engine.resolve import unresolved
from assay.engine.samples import samples
from assay.engine.scan import Segment, Values, first_problem, scan_jobs
from assay.engine.tables import FrequencyTable, tables
from assay.errors import AssayError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["measure", "measure_planned", "measured_values", "plan_for", "unmeasured"]

Tables = dict[Segment, FrequencyTable]
Models = Mapping[Segment, State]
Samples = Mapping[Segment, Sampled]


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
    by: Sequence[str],
    *,
    allow_multiple_reads: bool | None = None,
    reference_tables: ReferenceTables | None = None,
) -> Mapping[Segment, Measurement]: ...
@renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
def measure(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: Sequence[str] | None = None,
    *,
    allow_multiple_reads: bool | None = None,
    reference_tables: ReferenceTables | None = None,
) -> Measurement | Mapping[Segment, Measurement]:
    """The states and metrics of a DataFrame, in the smallest number of passes over it.

    Parameters
    ----------
    df
        The table.
    analyzers
        What to measure.
    by
        Columns that split the table into segments. The result then has a measurement for each
        combination of their values.
    allow_multiple_reads
        Whether columns may be read in several passes, which is faster for wide columnar files.
        ``False`` computes everything in one pass. By default, only columnar files (Parquet, ORC)
        are read several times.
    reference_tables
        DataFrames by the names that comparisons give them.

    Returns
    -------
    Measurement, or mapping from segment to Measurement
        A state and a metric for each analyzer. An analyzer that cannot be measured has the
        reason instead, and the other analyzers are measured.
    """
    asked = list(dict.fromkeys(analyzers))
    try:
        prepared = plan_for(
            df,
            asked,
            by or (),
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
        )
    except AssayError:
        raise
    except Exception as error:  # a closed session cannot even tell the schema
        failed = unmeasured(asked, error)
        return failed if by is None else {(): failed}
    measured = measure_planned(df, prepared, reference_tables=reference_tables)
    return measured[()] if by is None else measured


def unmeasured(analyzers: Iterable[Analyzer], error: Exception) -> Measurement:
    """The measurement of a frame that could not be read at all."""
    problem = problem_of(error)
    return Measurement({each: Metric(each, problem=problem) for each in analyzers}, {})


@renamed_arguments(reread="allow_multiple_reads", others="reference_tables", hide="hash_values")
def plan_for(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: Sequence[str] = (),
    *,
    allow_multiple_reads: bool | None = None,
    hash_values: bool = False,
    reference_tables: ReferenceTables | None = None,
) -> Plan:
    """The plan for a DataFrame: what its session can do, and what Spark does not understand."""
    schema, tables = schema_of(df), examined(df, reference_tables)
    frame = unambiguous(df, schema)
    asked = list(dict.fromkeys(analyzers))
    limit = buffer_limit(df)
    draft = plan(asked, schema, by=by, buffers=limit, reference_tables=tables)
    sound = [each for each in asked if each not in draft.refused]
    wrong = {
        **unresolved_there(reference_tables, sound, tables),
        **unresolved(frame, sound, schema),
    }
    if allow_multiple_reads is None:
        allow_multiple_reads = not _matters(draft) or is_columnar(df)
    good = [each for each in asked if each not in wrong and each not in draft.refused]
    final = plan(
        good,
        schema,
        by=by,
        buffers=limit,
        allow_multiple_reads=allow_multiple_reads,
        hash_values=hash_values,
        reference_tables=tables,
    )
    return replace(final, refused={**draft.refused, **wrong})


def _matters(draft: Plan) -> bool:
    """Whether there is a choice to read the data once or several times."""
    several = len(draft.scans) > 1 or (draft.by and any(map(_is_mixed, draft.scans)))
    return several or any(each.singles for each in draft.frequency_passes)


def _is_mixed(scan: Scan) -> bool:
    return bool(scan.plain and scan.sketches)


@dataclass(frozen=True)
class _Found:
    """What the jobs of a plan gave beside the aggregates of each segment."""

    tabled: Sequence[Tables | Problem]
    modelled: Sequence[Models | Problem] = ()
    compared: Sequence[Compared | Problem] = ()
    sampled: Sequence[Samples | Problem] = ()
    #: aggregates of the other tables
    theirs: Mapping[str, Values] = field(default_factory=dict)


def measure_planned(
    df: DataFrame,
    prepared: Plan,
    keep: str | None = None,
    reference_tables: ReferenceTables | None = None,
) -> dict[Segment, Measurement]:
    """Carry a plan out: a measurement of every segment, of the whole under the empty one.

    `keep` is a path under which frequency tables are written, so that they can be stored.
    `reference_tables` are DataFrames by the names that the plan uses.
    """
    df = unambiguous(df, prepared.schema)
    tables = {
        name: unambiguous(reference_tables[name], schema)
        for name, schema in prepared.reference_tables.items()
        if reference_tables is not None
    }
    beside = [
        (name, job)
        for name, plan in prepared.beside.items()
        for job in scan_jobs(tables[name], plan)
    ]
    # of several kinds, but run as one list: all of them at once
    kinds: list[list[Callable[[], Any]]] = [
        [*scan_jobs(df, prepared)],
        [_tabulation_job(df, each, prepared, keep) for each in prepared.frequency_passes],
        [
            capture_failure(partial(models, df, each.task, prepared.by))
            for each in prepared.model_passes
        ],
        [comparison_job(df, tables, each, prepared) for each in prepared.comparison_passes],
        [
            capture_failure(partial(samples, df, each.grouping, each.size, prepared.by))
            for each in prepared.sample_passes
        ],
        [job for _, job in beside],
    ]
    outcomes = iter(run_concurrently([job for jobs in kinds for job in jobs], df.sparkSession))
    scanned, tabled, modelled, compared, sampled, scanned_there = (
        [next(outcomes) for _ in jobs] for jobs in kinds
    )
    values: dict[Segment, Values] = {}
    everywhere: Values = {}
    for outcome in scanned:
        for segment, found in outcome.items():
            if prepared.by and not segment:
                everywhere |= found  # a job that failed says so for every segment
            else:
                values.setdefault(segment, {}).update(found)
    theirs: dict[str, Values] = {}
    for (name, _), outcome in zip(beside, scanned_there, strict=True):
        theirs.setdefault(name, {}).update(outcome[()])
    others_of = [*tabled, *modelled, *compared, *sampled]
    known_of = [each for each in others_of if not isinstance(each, Problem)]
    segments = dict.fromkeys([*values, *(segment for each in known_of for segment in each)])
    failed = everywhere or prepared.refused or len(known_of) < len(others_of)
    if not prepared.by or (not segments and failed):
        segments = {(): None}
    beyond = _Found(tabled, modelled, compared, sampled, theirs)
    return {
        segment: _measurement(prepared, values.get(segment, {}) | everywhere, segment, beyond)
        for segment in segments
    }


def measured_values(prepared: Plan, values: Values, without: Problem) -> Measurement:
    """What the exprs of a plan came to; `without` is why there is nothing that takes a shuffle."""
    tabled, modelled, sampled = (
        [without] * len(of)
        for of in (prepared.frequency_passes, prepared.model_passes, prepared.sample_passes)
    )
    return _measurement(prepared, values, (), _Found(tabled, modelled, sampled=sampled))


def _measurement(prepared: Plan, values: Values, segment: Segment, found: _Found) -> Measurement:
    states: dict[Analyzer, State] = {}
    metrics: dict[Analyzer, Metric] = {
        **{each: Metric(each, value) for each, value in prepared.answered.items()},
        **{each: Metric(each, problem=why) for each, why in prepared.refused.items()},
    }
    compared = zip(prepared.comparison_passes, found.compared, strict=True)
    known: dict[Analyzer, State | Problem] = {
        **{each: _state(each, values, prepared.schema) for each in prepared.scanned},
        **{each.analyzer: _compared(each.analyzer, at, segment) for each, at in compared},
        **{each: _paired(each, prepared, values, found.theirs) for each in prepared.pairs},
    }
    for analyzer, state in known.items():
        if isinstance(state, Problem):
            metrics[analyzer] = Metric(analyzer, problem=state)
        else:
            states[analyzer] = state
    for frequency_pass, outcome in zip(prepared.frequency_passes, found.tabled, strict=True):
        readers = (*frequency_pass.analyzers, *(reader for reader, _ in frequency_pass.margins))
        if isinstance(outcome, Problem):
            metrics |= {reader: Metric(reader, problem=outcome) for reader in readers}
        else:
            table = _with_margins(frequency_pass, outcome.get(segment), segment, found.tabled)
            if isinstance(table, Problem):
                metrics |= {reader: Metric(reader, problem=table) for reader in readers}
            else:
                states |= _tables(frequency_pass, table)
    for model_pass, model in zip(prepared.model_passes, found.modelled, strict=True):
        if isinstance(model, Problem):
            metrics |= {each: Metric(each, problem=model) for each in model_pass.analyzers}
        else:  # where there is no row at all, there is no segment
            learnt = model.get(segment, NaiveBayes.identity())
            states |= dict.fromkeys(model_pass.analyzers, learnt)
    for sample_pass, sample in zip(prepared.sample_passes, found.sampled, strict=True):
        if isinstance(sample, Problem):
            metrics |= {each: Metric(each, problem=sample) for each in sample_pass.analyzers}
        else:
            drawn = sample.get(segment, Sampled.identity())
            states |= {each: drawn.cut(each.k) for each in sample_pass.analyzers}
    metrics |= {analyzer: metric_of(analyzer, state) for analyzer, state in states.items()}
    return Measurement(metrics, states)


def _state(analyzer: Any, values: Values, schema: Schema) -> State | Problem:
    found = [_value(values, expr) for expr in analyzer.on(schema).aggregate_exprs(schema)]
    problem = first_problem(found)
    if problem is not None:
        return problem
    try:
        state: State = analyzer.state(found, schema)
    except AssayError as error:
        return Problem(error.code, str(error))
    return state


def _compared(
    analyzer: KeyedAnalyzer, outcome: Compared | Problem, segment: Segment
) -> State | Problem:
    if isinstance(outcome, Problem):
        return outcome
    return analyzer.state(*outcome.get(segment, (0, 0)))


def _paired(
    pair: PairedAnalyzer, prepared: Plan, values: Values, theirs: Mapping[str, Values]
) -> State | Problem:
    """The state of two aggregates, each of which is one expr."""
    there = theirs.get(pair.table, {})
    schema, other = prepared.schema, prepared.reference_tables[pair.table]
    (here_leaf,), (there_leaf,) = (
        pair.ours.on(schema).aggregate_exprs(schema),
        pair.theirs.aggregate_exprs(other),
    )
    ours, found = _value(values, here_leaf), _value(there, there_leaf)
    if isinstance(ours, Problem):
        return ours
    if isinstance(found, Problem):
        return Problem(found.code, f"in {pair.table!r}: {found.reason}")
    try:
        return pair.state(ours, found)
    except AssayError as error:
        return Problem(error.code, str(error))


def _value(values: Values, expr: AggregateExpr) -> Any:
    return values.get(expr, Problem("not_computed", "it was not computed"))


def _tables(frequency_pass: FrequencyPass, table: FrequencyTable | None) -> dict[Analyzer, State]:
    if table is None:  # there is no row at all
        keys, needs = frequency_pass.grouping.keys, frequency_pass.needs
        table = FrequencyTable(keys, known=Summary(), needs=needs)
    states: dict[Analyzer, State] = dict.fromkeys(frequency_pass.analyzers, table)
    for reader, position in frequency_pass.margins:
        states[reader] = _margin(table, position)
    return states


def _with_margins(
    frequency_pass: FrequencyPass,
    table: FrequencyTable | None,
    segment: Segment,
    tabled: Sequence[Tables | Problem],
) -> FrequencyTable | Problem | None:
    """A table that knows its margins, if they were counted on their own."""
    if table is None or table.known is None or not frequency_pass.singles:
        return table
    found = [tabled[at] for at in frequency_pass.singles]
    problem = first_problem(found)
    if problem is not None:
        return problem
    alone = [each[segment].known for each in found if not isinstance(each, Problem)]
    known = table.known.with_margins([each or Summary() for each in alone])
    return replace(table, known=known, needs=replace(frequency_pass.needs, marginals=True))


def _margin(table: FrequencyTable, position: int) -> FrequencyTable:
    """The table of one key, whose summary the wider table has given already."""
    known = table.known.marginal(position) if table.known and not table.empty else Summary()
    return replace(table.margin(position), known=known)


def _tabulation_job(
    df: DataFrame, frequency_pass: FrequencyPass, prepared: Plan, keep: str | None
) -> Callable[[], Tables | Problem]:
    path = keep if frequency_pass.analyzers else None  # nobody remembers a mere margin
    return capture_failure(
        lambda: tables(df, frequency_pass.grouping, frequency_pass.needs, prepared.by, path)
    )
