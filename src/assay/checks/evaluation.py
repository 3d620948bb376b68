"""Evaluate checks: measure all analyzers in one plan, and judge every constraint."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.analyzers.structure import SchemaMatch, TableSchemaMatch
from assay.checks.arguments import require_checks, require_count
from assay.checks.assertions.anomaly import AnomalyAssertion, History, to_number
from assay.checks.assertions.bounds import Assertion
from assay.checks.assertions.distance import DistanceAssertion
from assay.checks.assertions.expectation import Expectation
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.check import Check
from assay.checks.constraint import Constraint
from assay.checks.formatting import format_value, one_line
from assay.checks.pattern_evaluation import judge_learned_pattern, judge_proportion
from assay.checks.privacy import private_roots, withhold_values
from assay.checks.result import ConstraintResult, Outcome, Result
from assay.checks.row_counts import count_failing_rows
from assay.deprecation import renamed_arguments
from assay.engine.frame import names_of, require_frame, schema_of
from assay.engine.measure import failed_measurement, measure_planned
from assay.engine.measurement import Measurement, Metric
from assay.engine.plan import Plan, plan_for
from assay.engine.reference_tables import ReferenceTables, require_reference_tables
from assay.errors import CheckError, require_instance

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["evaluate", "verify"]


@dataclass(frozen=True)
class _Schemas:
    """The schema of the verified table, and those of the tables that it is compared with."""

    ours: Schema | None
    theirs: Mapping[str, Schema] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema | None, plan: Plan | None) -> _Schemas:
        return cls(schema, {} if plan is None else plan.reference_schemas)


@renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
def verify(
    df: DataFrame,
    *checks: Check | Iterable[Check],
    reference_tables: ReferenceTables | None = None,
    allow_multiple_reads: bool | None = None,
    examples: int = 0,
    private: str | Iterable[str] = (),
) -> Result:
    """Evaluate checks on a DataFrame, in the smallest number of passes over it.

    Parameters
    ----------
    df
        The rows.
    *checks
        Checks, or lists of checks. At least one is needed.
    reference_tables
        The tables that checks name, such as ``{"customers": customers}``.
    allow_multiple_reads
        True if the rows may be read more than once. If omitted, the plan decides by the format of
        the files.
    examples
        The number of example values for each failed constraint. They need one more pass over the
        rows, and none if no constraint fails. See `Result.examples`.
    private
        Columns whose values are not shown. Their constraints have counts and shares. A metric that
        may contain values, such as a minimum, is judged and not shown.

    Returns
    -------
    Result
        One result for every constraint.

    Raises
    ------
    CheckError
        If an argument is invalid, or no check is given. Nothing else is raised: a constraint that
        cannot be evaluated has a problem, and the others are judged.

    Examples
    --------
    >>> from assay import Check
    >>> orders = spark.createDataFrame([(1, 20.0), (2, None)], "id int, amount double")
    >>> print(verify(orders, Check("orders").is_unique("id").is_complete("amount")))
    failed: 1 passed, 1 failed
      orders: is_complete(amount) failed: expected 100 %, actual 50 % (1 of 2 rows fails).
    """
    require_frame(df)
    require_reference_tables(reference_tables)
    require_count("examples", examples)
    distinct_checks = require_checks(checks)
    if not distinct_checks:
        raise CheckError.unexpected("no check is given", "at least one Check", checks)
    private = names_of(private)
    constraints = [c for check in distinct_checks for c in check.constraints]
    schema, problems = _find_problems(df, constraints)
    analyzers = [c.analyzer for c in constraints if c not in problems]
    plan = None
    if schema is None:
        measured = Measurement({}, {})
    else:
        try:
            plan = plan_for(
                df,
                analyzers,
                allow_multiple_reads=allow_multiple_reads,
                reference_tables=reference_tables,
            )
            measured = measure_planned(
                df, plan, reference_tables=reference_tables, private_columns=private
            )[()]
        except Exception as error:  # the session may break between the schema and the plan
            measured = failed_measurement(analyzers, error)
    judge = _Judge(measured, _Schemas.of(schema, plan), None)
    results = tuple(
        judge.judge(check.name, constraint, problems.get(constraint))
        for check in distinct_checks
        for constraint in check.constraints
    )
    result = Result(results, measured, plan, df, schema, reference_tables or {})
    return _protect(result, private).examples(examples)


@renamed_arguments(others="reference_tables")
def evaluate(
    measurement: Measurement,
    *checks: Check | Iterable[Check],
    history: History | None = None,
    plan: Plan | None = None,
    df: DataFrame | None = None,
    schema: Schema | None = None,
    reference_tables: ReferenceTables | None = None,
    private: str | Iterable[str] = (),
) -> Result:
    """Evaluate checks on metrics that were measured, stored or merged before. Runs no Spark job.

    Parameters
    ----------
    measurement
        The metrics and states. A constraint whose metric is missing is not evaluated.
    *checks
        Checks, or lists of checks.
    history
        The earlier batches, which `has_no_anomalies` needs.
    plan
        The plan that measured the metrics.
    df
        The measured rows. With them, the result can return the failing rows.
    schema
        The schema of the rows.
    reference_tables
        The tables that the rows were compared with.
    private
        Columns whose values are not shown, if the schema is given. See `verify`.

    Returns
    -------
    Result
        One result for every constraint.

    Raises
    ------
    CheckError
        If an argument is not a measurement or a check.

    Examples
    --------
    >>> from assay import Check, measure
    >>> from assay.analyzers import Mean
    >>> measured = measure(spark.range(4), [Mean("id")])
    >>> print(evaluate(measured, Check("ids").has_mean("id", at_least=2)))
    failed: 1 failed
      ids: has_mean(id) failed: expected at least 2, actual 1.5.
    """
    remedy = "measure(df, analyzers) returns one."
    require_instance(measurement, Measurement, "invalid measurement", "a Measurement", remedy)
    not_measured = Problem("not_measured", "it was not measured")
    judge = _Judge(measurement, _Schemas.of(schema, plan), history)
    results = []
    for check in require_checks(checks):
        for constraint in check.constraints:
            problem = constraint.problem(schema) if schema is not None else None
            if problem is None and constraint.analyzer not in measurement.metrics:
                problem = not_measured
            results.append(judge.judge(check.name, constraint, problem))
    result = Result(tuple(results), measurement, plan, df, schema, reference_tables or {})
    return _protect(result, names_of(private))


def _protect(result: Result, private: Iterable[str]) -> Result:
    """Return the result without values of private columns."""
    if result.schema is None:
        return result
    roots = private_roots(private, result.schema)
    results = (withhold_values(r, result.schema, roots) for r in result.results)
    return replace(result, results=tuple(results), private=roots)


def _find_problems(
    df: DataFrame, constraints: list[Constraint]
) -> tuple[Schema | None, dict[Constraint, Problem]]:
    """Return the schema, and the constraints that cannot be evaluated on it."""
    from assay.engine.failure import problem_of

    try:
        schema = schema_of(df)
    except Exception as error:  # a closed session does not even have the schema
        return None, dict.fromkeys(constraints, problem_of(error))
    problems = {constraint: constraint.problem(schema) for constraint in constraints}
    return schema, {c: problem for c, problem in problems.items() if problem is not None}


@dataclass(frozen=True)
class _Judge:
    """Judges constraints by their metrics."""

    measured: Measurement
    schemas: _Schemas
    history: History | None

    def judge(
        self, check: str, constraint: Constraint, problem: Problem | None
    ) -> ConstraintResult:
        """Return the result of a constraint; of the `problem`, if there is one."""
        if problem is None:
            metric = self.measured[constraint.analyzer]
            problem = metric.problem
        if problem is not None:
            return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=problem)
        state = self.measured.states.get(constraint.analyzer)
        match constraint.assertion:
            case AnomalyAssertion() as anomaly:
                return self._compare_with_history(check, constraint, anomaly, metric)
            case ProportionTest() as proportion_test:
                return judge_proportion(check, constraint, proportion_test, state)
            case LearnedPatternAssertion() as learned:
                return judge_learned_pattern(
                    check, constraint, learned, self.measured, self.history
                )
            case DistanceAssertion() as distance:
                value = distance.measure(constraint.analyzer, state, self.history)
                if isinstance(value, Problem):
                    return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=value)
                measured = Metric(constraint.analyzer, value)
                return self._compare_with_bounds(check, constraint, distance.bounds, measured)
            case Assertion() as assertion:
                return self._compare_with_bounds(check, constraint, assertion, metric)

    def _compare_with_bounds(
        self, check: str, constraint: Constraint, assertion: Assertion, metric: Metric
    ) -> ConstraintResult:
        try:
            holds = assertion.holds(metric.value)
        except Exception as error:  # a function of the user, or a bound of another type
            value = format_value(metric.value)
            reason = (
                f"the function given failed for {value}: {type(error).__name__}: {error}"
                if assertion.satisfies
                else f"expected a bound of the metric's type, such as {value},"
                f" got {assertion.describe()}"
            )
            problem = Problem("assertion_failed", reason)
            return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, metric.value, problem)
        return ConstraintResult(
            check,
            constraint,
            Outcome.PASSED if holds else Outcome.FAILED,
            metric.value,
            detail="" if holds else self._differences(constraint.analyzer),
            counts=count_failing_rows(constraint, self.measured.states.get(constraint.analyzer)),
        )

    def _differences(self, analyzer: Analyzer) -> str:
        """Return how a schema differs from the expected one."""
        ours, theirs = self.schemas.ours, self.schemas.theirs
        if ours is None:
            return ""
        match analyzer:
            case SchemaMatch():
                return "; ".join(analyzer.differences(ours))
            case TableSchemaMatch() if analyzer.table in theirs:
                return "; ".join(analyzer.differences(ours, theirs[analyzer.table]))
            case _:
                return ""

    def _compare_with_history(
        self, check: str, constraint: Constraint, assertion: AnomalyAssertion, metric: Metric
    ) -> ConstraintResult:
        value = to_number(metric.value)
        try:
            expected = assertion.expectation(constraint.analyzer, self.history)
        except Exception as error:  # a detector of the user
            reason = one_line(f"{assertion.detector} failed: {type(error).__name__}: {error}")
            expected = Problem("detector_failed", reason)
        if isinstance(expected, Expectation) and math.isnan(value):
            shown = format_value(metric.value)
            expected = Problem("no_number", f"{shown} is not a number, and cannot be compared")
        if isinstance(expected, Problem):
            return ConstraintResult(
                check, constraint, Outcome.NOT_EVALUATED, metric.value, expected
            )
        outcome = Outcome.PASSED if expected.holds(value) else Outcome.FAILED
        return ConstraintResult(check, constraint, outcome, metric.value, expected=expected)
