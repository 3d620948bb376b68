"""Measure a DataFrame: the plan's jobs side by side, states from them, metrics from those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.comparison import KeyedAnalyzer, PairedAnalyzer
from assay.analyzers.frequencies import Summary
from assay.analyzers.leaf import Leaf
from assay.analyzers.metric import Problem
from assay.analyzers.naive_bayes import NaiveBayes
from assay.analyzers.sample import Sampled
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.engine.comparisons import Compared, comparison_job
from assay.engine.failure import problem_of, telling
from assay.engine.frame import buffer_limit, is_columnar, schema_of, unambiguous
from assay.engine.jobs import side_by_side
from assay.engine.measurement import Measurement, Metric, metric_of
from assay.engine.models import models
from assay.engine.others import Others, examined, unresolved_there
from assay.engine.plan import Plan, Scan, Tabulation, plan
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
    reread: bool | None = None,
    others: Others | None = None,
) -> Measurement: ...
@overload
def measure(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: Sequence[str],
    *,
    reread: bool | None = None,
    others: Others | None = None,
) -> Mapping[Segment, Measurement]: ...
def measure(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: Sequence[str] | None = None,
    *,
    reread: bool | None = None,
    others: Others | None = None,
) -> Measurement | Mapping[Segment, Measurement]:
    """The states and metrics of a DataFrame, in the smallest number of passes over it.

    With `by`, those of every segment (combination of values of these columns), all scanned in one
    query. `reread=False` forbids reading the data twice even where it is wide: everything then
    rides on one pass. Left open, only columnar files (Parquet, ORC) are read column by column.
    `others` are the tables that comparisons name.

    What cannot be measured is in the result with its reason; it never stops the rest.
    """
    asked = list(dict.fromkeys(analyzers))
    try:
        prepared = plan_for(df, asked, by or (), reread=reread, others=others)
    except AssayError:
        raise
    except Exception as error:  # a closed session cannot even tell the schema
        failed = unmeasured(asked, error)
        return failed if by is None else {(): failed}
    measured = measure_planned(df, prepared, others=others)
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
    others: Others | None = None,
) -> Plan:
    """The plan for a DataFrame: what its session can do, and what Spark does not understand."""
    schema, tables = schema_of(df), examined(df, others)
    frame = unambiguous(df, schema)
    asked = list(dict.fromkeys(analyzers))
    limit = buffer_limit(df)
    draft = plan(asked, schema, by=by, buffers=limit, others=tables)
    sound = [each for each in asked if each not in draft.refused]
    wrong = {**unresolved_there(others, sound, tables), **unresolved(frame, sound, schema)}
    if reread is None:
        reread = not _matters(draft) or is_columnar(df)
    good = [each for each in asked if each not in wrong and each not in draft.refused]
    final = plan(good, schema, by=by, buffers=limit, reread=reread, hide=hide, others=tables)
    return replace(final, refused={**draft.refused, **wrong})


def _matters(draft: Plan) -> bool:
    """Whether there is a choice to read the data once or several times."""
    several = len(draft.scans) > 1 or (draft.by and any(map(_is_mixed, draft.scans)))
    return several or any(each.singles for each in draft.tabulations)


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
    df: DataFrame, prepared: Plan, keep: str | None = None, others: Others | None = None
) -> dict[Segment, Measurement]:
    """Carry a plan out: a measurement of every segment, of the whole under the empty one.

    `keep` is a path under which tables of frequencies are written, to be remembered. `others` are
    the tables that the plan knows by name.
    """
    df = unambiguous(df, prepared.schema)
    tables = {
        name: unambiguous(others[name], schema)
        for name, schema in prepared.others.items()
        if others is not None
    }
    beside = [
        (name, job)
        for name, plan in prepared.beside.items()
        for job in scan_jobs(tables[name], plan)
    ]
    # of several kinds, but run as one list: all of them at once
    kinds: list[list[Callable[[], Any]]] = [
        [*scan_jobs(df, prepared)],
        [_tabulation_job(df, each, prepared, keep) for each in prepared.tabulations],
        [telling(partial(models, df, each.task, prepared.by)) for each in prepared.modellings],
        [comparison_job(df, tables, each, prepared) for each in prepared.comparisons],
        [
            telling(partial(samples, df, each.grouping, each.size, prepared.by))
            for each in prepared.samplings
        ],
        [job for _, job in beside],
    ]
    outcomes = iter(side_by_side([job for jobs in kinds for job in jobs], df.sparkSession))
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
    """What the leaves of a plan came to; `without` is why there is nothing that takes a shuffle."""
    tabled, modelled, sampled = (
        [without] * len(of)
        for of in (prepared.tabulations, prepared.modellings, prepared.samplings)
    )
    return _measurement(prepared, values, (), _Found(tabled, modelled, sampled=sampled))


def _measurement(prepared: Plan, values: Values, segment: Segment, found: _Found) -> Measurement:
    states: dict[Analyzer, State] = {}
    metrics: dict[Analyzer, Metric] = {
        **{each: Metric(each, value) for each, value in prepared.answered.items()},
        **{each: Metric(each, problem=why) for each, why in prepared.refused.items()},
    }
    compared = zip(prepared.comparisons, found.compared, strict=True)
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
    for tabulation, outcome in zip(prepared.tabulations, found.tabled, strict=True):
        readers = (*tabulation.analyzers, *(reader for reader, _ in tabulation.margins))
        if isinstance(outcome, Problem):
            metrics |= {reader: Metric(reader, problem=outcome) for reader in readers}
        else:
            table = _with_margins(tabulation, outcome.get(segment), segment, found.tabled)
            if isinstance(table, Problem):
                metrics |= {reader: Metric(reader, problem=table) for reader in readers}
            else:
                states |= _tables(tabulation, table)
    for modelling, model in zip(prepared.modellings, found.modelled, strict=True):
        if isinstance(model, Problem):
            metrics |= {each: Metric(each, problem=model) for each in modelling.analyzers}
        else:  # where there is no row at all, there is no segment
            learnt = model.get(segment, NaiveBayes.identity())
            states |= dict.fromkeys(modelling.analyzers, learnt)
    for sampling, sample in zip(prepared.samplings, found.sampled, strict=True):
        if isinstance(sample, Problem):
            metrics |= {each: Metric(each, problem=sample) for each in sampling.analyzers}
        else:
            drawn = sample.get(segment, Sampled.identity())
            states |= {each: drawn.cut(each.k) for each in sampling.analyzers}
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


def _compared(
    analyzer: KeyedAnalyzer, outcome: Compared | Problem, segment: Segment
) -> State | Problem:
    if isinstance(outcome, Problem):
        return outcome
    return analyzer.state(*outcome.get(segment, (0, 0)))


def _paired(
    pair: PairedAnalyzer, prepared: Plan, values: Values, theirs: Mapping[str, Values]
) -> State | Problem:
    """The state of two aggregates, each of which is one leaf."""
    there = theirs.get(pair.table, {})
    schema, other = prepared.schema, prepared.others[pair.table]
    (here_leaf,), (there_leaf,) = pair.ours.on(schema).leaves(schema), pair.theirs.leaves(other)
    ours, found = _value(values, here_leaf), _value(there, there_leaf)
    if isinstance(ours, Problem):
        return ours
    if isinstance(found, Problem):
        return Problem(found.code, f"in {pair.table!r}: {found.reason}")
    try:
        return pair.state(ours, found)
    except AssayError as error:
        return Problem(error.code, str(error))


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
    path = keep if tabulation.analyzers else None  # nobody remembers a mere margin
    return telling(lambda: tables(df, tabulation.grouping, tabulation.needs, prepared.by, path))
