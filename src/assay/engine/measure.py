"""Measure a DataFrame: the plan's jobs side by side, states from them, metrics from those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import Summary
from assay.analyzers.leaf import Leaf
from assay.analyzers.metric import Problem
from assay.analyzers.naive_bayes import NaiveBayes
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.engine.failure import problem_of, quiet
from assay.engine.frame import buffer_limit, is_columnar, schema_of, unambiguous
from assay.engine.jobs import side_by_side
from assay.engine.measurement import Measurement, Metric, metric_of
from assay.engine.models import models
from assay.engine.plan import Modelling, Plan, Tabulation, plan
from assay.engine.resolve import unresolved
from assay.engine.scan import Segment, Values, first_problem, scan_jobs
from assay.engine.tables import FrequencyTable, tables
from assay.errors import AssayError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["measure", "measure_planned", "measured_values", "plan_for", "unmeasured"]

Tables = dict[Segment, FrequencyTable]
Models = Mapping[Segment, State]


@overload
def measure(
    df: DataFrame, analyzers: Iterable[Analyzer], by: None = None, *, reread: bool | None = None
) -> Measurement: ...
@overload
def measure(
    df: DataFrame, analyzers: Iterable[Analyzer], by: Sequence[str], *, reread: bool | None = None
) -> Mapping[Segment, Measurement]: ...
def measure(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: Sequence[str] | None = None,
    *,
    reread: bool | None = None,
) -> Measurement | Mapping[Segment, Measurement]:
    """The states and metrics of a DataFrame, in the smallest number of passes over it.

    With `by`, those of every segment (combination of values of these columns), in the same number
    of passes. `reread=False` forbids reading the data twice even where it is wide: everything then
    rides on one pass. Left open, only columnar files (Parquet, ORC) are read column by column.

    What cannot be measured is in the result with its reason; it never stops the rest.
    """
    asked = list(dict.fromkeys(analyzers))
    try:
        prepared = plan_for(df, asked, by or (), reread=reread)
    except AssayError:
        raise
    except Exception as error:  # a closed session cannot even tell the schema
        failed = unmeasured(asked, error)
        return failed if by is None else {(): failed}
    measured = measure_planned(df, prepared)
    return measured[()] if by is None else measured


def unmeasured(analyzers: Iterable[Analyzer], error: Exception) -> Measurement:
    """The measurement of a frame that could not be read at all."""
    problem = problem_of(error)
    return Measurement({each: Metric(each, problem=problem) for each in analyzers}, {})


def plan_for(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: Sequence[str] = (),
    *,
    reread: bool | None = None,
    hide: bool = False,
) -> Plan:
    """The plan for a DataFrame: what its session can do, and what Spark does not understand."""
    schema = schema_of(df)
    frame = unambiguous(df, schema)
    asked = list(dict.fromkeys(analyzers))
    limit = buffer_limit(df)
    draft = plan(asked, schema, by=by, buffers=limit)
    wrong = unresolved(frame, [each for each in asked if each not in draft.refused], schema)
    if reread is None:
        reread = not _matters(draft) or is_columnar(df)
    good = [each for each in asked if each not in wrong and each not in draft.refused]
    final = plan(good, schema, by=by, buffers=limit, reread=reread, hide=hide)
    return replace(final, refused={**draft.refused, **wrong})


def _matters(draft: Plan) -> bool:
    """Whether there is a choice to read the data once or several times."""
    several = len(draft.scans) > 1 and not draft.by
    return several or any(each.singles for each in draft.tabulations)


def measure_planned(
    df: DataFrame, prepared: Plan, keep: str | None = None
) -> dict[Segment, Measurement]:
    """Carry a plan out: a measurement of every segment, of the whole under the empty one.

    `keep` is a path under which tables of frequencies are written, to be remembered.
    """
    df = unambiguous(df, prepared.schema)
    scans = scan_jobs(df, prepared)
    tabulations = [_tabulation_job(df, each, prepared, keep) for each in prepared.tabulations]
    modellings = [_modelling_job(df, each, prepared) for each in prepared.modellings]
    # of three kinds, but run as one list: all of them at once
    jobs: list[Callable[[], Any]] = [*scans, *tabulations, *modellings]
    outcomes = side_by_side(jobs, df.sparkSession)
    scanned, rest = outcomes[: len(scans)], outcomes[len(scans) :]
    tabled, modelled = rest[: len(tabulations)], rest[len(tabulations) :]
    values: dict[Segment, Values] = {}
    everywhere: Values = {}
    for outcome in scanned:
        for segment, found in outcome.items():
            if prepared.by and not segment:
                everywhere |= found  # a job that failed says so for every segment
            else:
                values.setdefault(segment, {}).update(found)
    segments = dict.fromkeys([*values, *(s for t in rest if isinstance(t, dict) for s in t)])
    if not prepared.by or (not segments and (everywhere or prepared.refused)):
        segments = {(): None}
    return {
        segment: _measurement(
            prepared, values.get(segment, {}) | everywhere, segment, tabled, modelled
        )
        for segment in segments
    }


def measured_values(prepared: Plan, values: Values, without: Problem) -> Measurement:
    """What the leaves of a plan came to; `without` is why there are neither tables nor models."""
    tabled, modelled = ([without] * len(of) for of in (prepared.tabulations, prepared.modellings))
    return _measurement(prepared, values, (), tabled, modelled)


def _measurement(
    prepared: Plan,
    values: Values,
    segment: Segment,
    tabled: Sequence[Tables | Problem],
    modelled: Sequence[Models | Problem],
) -> Measurement:
    states: dict[Analyzer, State] = {}
    metrics: dict[Analyzer, Metric] = {
        **{each: Metric(each, value) for each, value in prepared.answered.items()},
        **{each: Metric(each, problem=why) for each, why in prepared.refused.items()},
    }
    for analyzer in prepared.scanned:
        found = _state(analyzer, values, prepared.schema)
        if isinstance(found, Problem):
            metrics[analyzer] = Metric(analyzer, problem=found)
        else:
            states[analyzer] = found
    for tabulation, outcome in zip(prepared.tabulations, tabled, strict=True):
        readers = (*tabulation.analyzers, *(reader for reader, _ in tabulation.margins))
        if isinstance(outcome, Problem):
            metrics |= {reader: Metric(reader, problem=outcome) for reader in readers}
        else:
            table = _with_margins(tabulation, outcome.get(segment), segment, tabled)
            if isinstance(table, Problem):
                metrics |= {reader: Metric(reader, problem=table) for reader in readers}
            else:
                states |= _tables(tabulation, table)
    for modelling, model in zip(prepared.modellings, modelled, strict=True):
        if isinstance(model, Problem):
            metrics |= {each: Metric(each, problem=model) for each in modelling.analyzers}
        else:  # where there is no row at all, there is no segment
            state = model.get(segment, NaiveBayes.identity())
            states |= dict.fromkeys(modelling.analyzers, state)
    metrics |= {analyzer: metric_of(analyzer, state) for analyzer, state in states.items()}
    return Measurement(metrics, states)


def _state(analyzer: Any, values: Values, schema: Schema) -> State | Problem:
    found = [_value(values, leaf) for leaf in analyzer.on(schema).leaves(schema)]
    problem = first_problem(found)
    if problem is not None:
        return problem
    try:
        state: State = analyzer.state(found, schema)
    except AssayError as error:
        return Problem(error.code, str(error))
    return state


def _value(values: Values, leaf: Leaf) -> Any:
    return values.get(leaf, Problem("not_computed", "it was not computed"))


def _tables(tabulation: Tabulation, table: FrequencyTable | None) -> dict[Analyzer, State]:
    if table is None:  # there is no row at all
        keys, needs = tabulation.grouping.keys, tabulation.needs
        table = FrequencyTable(keys, known=Summary(), needs=needs)
    states: dict[Analyzer, State] = dict.fromkeys(tabulation.analyzers, table)
    for reader, position in tabulation.margins:
        states[reader] = _margin(table, position)
    return states


def _with_margins(
    tabulation: Tabulation,
    table: FrequencyTable | None,
    segment: Segment,
    tabled: Sequence[Tables | Problem],
) -> FrequencyTable | Problem | None:
    """A table that knows its margins, if they were counted on their own."""
    if table is None or table.known is None or not tabulation.singles:
        return table
    found = [tabled[at] for at in tabulation.singles]
    problem = first_problem(found)
    if problem is not None:
        return problem
    alone = [each[segment].known for each in found if not isinstance(each, Problem)]
    known = table.known.with_margins([each or Summary() for each in alone])
    return replace(table, known=known, needs=replace(tabulation.needs, marginals=True))


def _margin(table: FrequencyTable, position: int) -> FrequencyTable:
    """The table of one key, whose summary the wider table has given already."""
    known = table.known.marginal(position) if table.known and not table.empty else Summary()
    return replace(table.margin(position), known=known)


def _tabulation_job(
    df: DataFrame, tabulation: Tabulation, prepared: Plan, keep: str | None
) -> Callable[[], Tables | Problem]:
    def run() -> Tables | Problem:
        try:
            with quiet():
                path = keep if tabulation.analyzers else None  # nobody remembers a mere margin
                return tables(df, tabulation.grouping, tabulation.needs, prepared.by, path)
        except Exception as error:  # whatever it is, it is this grouping's answer
            return problem_of(error)

    return run


def _modelling_job(
    df: DataFrame, modelling: Modelling, prepared: Plan
) -> Callable[[], Models | Problem]:
    def run() -> Models | Problem:
        try:
            with quiet():
                return models(df, modelling.task, prepared.by)
        except Exception as error:  # whatever it is, it is this model's answer
            return problem_of(error)

    return run
