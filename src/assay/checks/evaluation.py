"""Verify a DataFrame: the checks' analyzers in one plan, an outcome for every constraint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.analyzers.structure import SchemaMatch, TableSchemaMatch
from assay.checks.assertions.anomaly import AnomalyAssertion, History, number
from assay.checks.assertions.bounds import Assertion
from assay.checks.assertions.expectation import Expectation
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.check import Check
from assay.checks.constraint import Constraint
from assay.checks.formatting import format_value, one_line
from assay.checks.pattern_evaluation import homogeneity, learned
from assay.checks.result import ConstraintResult, Outcome, Result
from assay.deprecation import renamed_arguments
from assay.engine.frame import schema_of
from assay.engine.measure import failed_measurement, measure_planned
from assay.engine.measurement import Measurement, Metric
from assay.engine.plan import Plan, plan_for
from assay.engine.reference_tables import ReferenceTables, require_reference_tables
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["evaluate", "verify"]

#: the schema of the verified table, and those of the others
_Seen = tuple[Schema | None, Mapping[str, Schema]]


@renamed_arguments(others="reference_tables", reread="allow_multiple_reads")
def verify(
    df: DataFrame,
    *checks: Check,
    reference_tables: ReferenceTables | None = None,
    allow_multiple_reads: bool | None = None,
) -> Result:
    """Evaluate checks on a DataFrame, in the smallest number of passes over it.

    `reference_tables` are the tables that checks name, such as ``{"customers": customers}``.

    Never raises for what is wrong with a constraint or with the data: every constraint has an
    outcome, and one that could not be evaluated says why while the others are judged.
    """
    _require_frame(df)
    require_reference_tables(reference_tables)
    asked_of = _distinct(checks)
    constraints = [each for check in asked_of for each in check.constraints]
    schema, problems = _examined(df, constraints)
    asked = [each.analyzer for each in constraints if each not in problems]
    plan = None
    if schema is None:
        measured = Measurement({}, {})
    else:
        try:
            plan = plan_for(
                df,
                asked,
                allow_multiple_reads=allow_multiple_reads,
                reference_tables=reference_tables,
            )
            measured = measure_planned(df, plan, reference_tables=reference_tables)[()]
        except Exception as error:  # the session broke between the schema and the plan
            measured = failed_measurement(asked, error)
    judged = tuple(
        _judged(check.name, each, problems.get(each), measured, _seen(schema, plan), None)
        for check in asked_of
        for each in check.constraints
    )
    return Result(judged, measured, plan, df, schema, reference_tables or {})


@renamed_arguments(others="reference_tables")
def evaluate(
    measurement: Measurement,
    *checks: Check,
    history: History | None = None,
    plan: Plan | None = None,
    df: DataFrame | None = None,
    schema: Schema | None = None,
    reference_tables: ReferenceTables | None = None,
) -> Result:
    """Evaluate checks on what was measured, remembered or merged before: no Spark job.

    What was not measured cannot be evaluated, and says so. `history` is the past against which
    `has_no_anomalies` is judged. With the DataFrame, and the others that it was compared with, the
    result knows its failing rows.
    """
    unknown = Problem("not_measured", "it was not measured")
    judged = []
    for check in _distinct(checks):
        for each in check.constraints:
            problem = each.problem(schema) if schema is not None else None
            if problem is None and each.analyzer not in measurement.metrics:
                problem = unknown
            seen = _seen(schema, plan)
            judged.append(_judged(check.name, each, problem, measurement, seen, history))
    return Result(tuple(judged), measurement, plan, df, schema, reference_tables or {})


def _require_frame(df: object) -> None:
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        package = type(df).__module__.partition(".")[0]
        raise CheckError(f"verify takes Spark's DataFrame, not {package}.{type(df).__name__}.")


def _distinct(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    for check in checks:
        if not isinstance(check, Check):
            raise CheckError(f"verify takes checks, not {check!r}.")
    return tuple(dict.fromkeys(checks))


def _examined(
    df: DataFrame, constraints: list[Constraint]
) -> tuple[Schema | None, dict[Constraint, Problem]]:
    """The schema, and the constraints that cannot be evaluated on it."""
    from assay.engine.failure import problem_of

    try:
        schema = schema_of(df)
    except Exception as error:  # a closed session cannot even tell the schema
        return None, dict.fromkeys(constraints, problem_of(error))
    problems = {each: each.problem(schema) for each in constraints}
    return schema, {each: why for each, why in problems.items() if why is not None}


def _judged(
    check: str,
    constraint: Constraint,
    problem: Problem | None,
    measured: Measurement,
    seen: _Seen,
    history: History | None,
) -> ConstraintResult:
    if problem is None:
        metric = measured[constraint.analyzer]
        problem = metric.problem
    if problem is not None:
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=problem)
    state = measured.states.get(constraint.analyzer)
    match constraint.assertion:
        case AnomalyAssertion() as unremarkable:
            return _compared(check, constraint, unremarkable, metric, history)
        case ProportionTest() as homogeneous:
            return homogeneity(check, constraint, homogeneous, state)
        case LearnedPatternAssertion() as before:
            return learned(check, constraint, before, measured, history)
        case Assertion() as assertion:
            return _bounded(check, constraint, assertion, metric, seen)


def _bounded(
    check: str, constraint: Constraint, assertion: Assertion, metric: Metric, seen: _Seen
) -> ConstraintResult:
    """A metric beside its bounds."""
    try:
        holds = assertion.holds(metric.value)
    except Exception as error:  # the user's own function, or a bound of another type
        judge = "the function given" if assertion.satisfies else "the bound given"
        reason = (
            f"{judge} cannot judge {format_value(metric.value)}: {type(error).__name__}: {error}"
        )
        problem = Problem("assertion_failed", reason)
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, metric.value, problem)
    outcome = Outcome.PASSED if holds else Outcome.FAILED
    detail = "" if holds else _detail(constraint.analyzer, seen)
    return ConstraintResult(check, constraint, outcome, metric.value, detail=detail)


def _seen(schema: Schema | None, plan: Plan | None) -> _Seen:
    return schema, {} if plan is None else plan.reference_schemas


def _detail(analyzer: Analyzer, seen: _Seen) -> str:
    """What a schema is like where it is not as demanded."""
    schema, reference_tables = seen
    if schema is None:
        return ""
    match analyzer:
        case SchemaMatch():
            return "; ".join(analyzer.differences(schema))
        case TableSchemaMatch() if analyzer.table in reference_tables:
            return "; ".join(analyzer.differences(schema, reference_tables[analyzer.table]))
        case _:
            return ""


def _compared(
    check: str,
    constraint: Constraint,
    assertion: AnomalyAssertion,
    metric: Metric,
    history: History | None,
) -> ConstraintResult:
    """A metric beside what its history lets one expect."""
    value = number(metric.value)
    try:
        expected = assertion.expectation(constraint.analyzer, history)
    except Exception as error:  # a detector of the user's own
        reason = one_line(f"{assertion.detector} failed: {type(error).__name__}: {error}")
        expected = Problem("detector_failed", reason)
    if isinstance(expected, Expectation) and math.isnan(value):
        expected = Problem("no_number", f"{format_value(metric.value)} is no number to compare")
    if isinstance(expected, Problem):
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, metric.value, expected)
    outcome = Outcome.PASSED if expected.holds(value) else Outcome.FAILED
    return ConstraintResult(check, constraint, outcome, metric.value, expected=expected)
