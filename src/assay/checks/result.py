"""Results of a verification: one per constraint, and all of them together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.checks.arguments import require_count
from assay.checks.constraint import Constraint, Level
from assay.checks.constraint_result import (
    NOT_SERIOUS,
    ConstraintResult,
    Outcome,
    Status,
    worst_status,
)
from assay.checks.examples import FailingRows, read_failing_rows, shown_columns
from assay.checks.failing_rows import failing_rows, judges_rows, missing_rows, split_rows
from assay.checks.formatting import count_noun, visible
from assay.checks.privacy import without_quotes
from assay.checks.row_counts import RowCounts
from assay.deprecation import renamed_arguments
from assay.engine.failure import problem_of
from assay.engine.measurement import Measurement
from assay.engine.plan import Plan
from assay.engine.reference_tables import ReferenceTables
from assay.engine.session import active_session
from assay.errors import CheckError, VerificationError, did_you_mean
from assay.html.has_page import HasPage
from assay.html.page import HtmlPage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["NOT_SERIOUS", "VERSION", "ConstraintResult", "Outcome", "Result", "RowCounts", "Status"]

#: the version of a result as JSON; additional fields do not change it
VERSION = 1


@dataclass(frozen=True, repr=False)
class Result(HasPage):
    """The results of all constraints, the metrics behind them, and the failing rows.

    Attributes
    ----------
    results
        One result per constraint, in the order of the checks.
    measurement
        The metrics and states that were measured.
    plan
        The measurement; None if the metrics came from a store.
    df
        The verified rows; None if the metrics came from a store.
    schema
        The schema of the verified rows.
    reference_tables
        The tables that the rows were compared with.
    private
        Columns whose values are not shown.
    example_passes
        The number of passes that read examples: 0 or 1.
    example_problem
        Why the examples could not be read.
    """

    results: tuple[ConstraintResult, ...]
    measurement: Measurement
    plan: Plan | None
    df: DataFrame | None = field(compare=False)
    schema: Schema | None
    reference_tables: ReferenceTables = field(default_factory=dict, compare=False)
    private: frozenset[str] = frozenset()
    example_passes: int = 0
    example_problem: Problem | None = None

    def __iter__(self) -> Iterator[ConstraintResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def status(self) -> Status:
        """The worst outcome. A constraint of level ``warning`` causes ``warning`` at most."""
        return worst_status(self.results)

    @property
    def passed(self) -> bool:
        """True if the status is ``passed`` or ``warning``."""
        return self.status in {Status.PASSED, Status.WARNING}

    def failures(self) -> tuple[ConstraintResult, ...]:
        """Return the failed constraints, errors first."""
        failed = [result for result in self.results if result.outcome is Outcome.FAILED]
        return tuple(sorted(failed, key=lambda result: result.level is Level.WARNING))

    def raise_for_failure(self) -> None:
        """Raise `VerificationError` if a constraint of level ``error`` did not pass.

        Raises
        ------
        VerificationError
            With one line per constraint that failed or could not be evaluated.
        """
        if self.passed:
            return
        bad = [r for r in self.results if r.serious and r.outcome is not Outcome.PASSED]
        lines = "\n".join(f"  {visible(result.check)}: {result.message}" for result in bad)
        raise VerificationError(
            f"{len(bad):,} of {count_noun(len(self), 'constraint')} did not pass:\n{lines}"
        )

    def failing(self, constraint: str | Constraint | ConstraintResult) -> DataFrame:
        """Return all rows that fail one constraint, as a lazy DataFrame.

        Parameters
        ----------
        constraint
            The id or name of the constraint, the constraint or its result.

        Raises
        ------
        CheckError
            If the constraint is unknown, or no single row fails it. A mean, for example, is
            about the rows as a whole.
        """
        evaluated = self._require_evaluated(constraint)
        return failing_rows(self.frame, self._require_schema(), evaluated, self.reference_tables)

    def missing(self, constraint: str | Constraint | ConstraintResult) -> DataFrame:
        """Return all rows of the other table without a partner here, as a lazy DataFrame.

        It applies to `agrees_with`, whose `failing` rows are those of this table without a partner
        in the other one.

        Parameters
        ----------
        constraint
            The id or name of the constraint, the constraint or its result.
        """
        evaluated = self._require_evaluated(constraint)
        return missing_rows(self.frame, self._require_schema(), evaluated, self.reference_tables)

    def examples(self, number: int = 5) -> Result:
        """Return the result with example values of the rows that fail.

        Parameters
        ----------
        number
            The number of values for each failed constraint; 0 for no examples.

        Notes
        -----
        One pass over the rows reads the examples of all failed constraints, with one shuffle of
        their distinct values. Nothing is read if no failed constraint has values to show.
        Constraints on private columns have counts and no examples; see `verify`.

        Examples
        --------
        ``verify(orders, check).examples(3).show()``
        """
        require_count("number of examples", number)
        schema = self.schema
        if self.df is None or schema is None or not number:
            return self
        columns = {}
        for result in self.failures():
            constraint = result.by_row or result.constraint
            if judges_rows(constraint, schema, self.reference_tables):
                shown = shown_columns(constraint, schema, self.private)
                if shown or result.counts is None:
                    columns[constraint] = shown
        if not columns:
            return self
        try:
            rows = read_failing_rows(
                self.df, schema, columns, number, self.reference_tables, private=self.private
            )
        except Exception as error:  # a query of Spark may fail for many reasons
            return replace(self, example_problem=without_quotes(problem_of(error), self.private))
        results = tuple(_with_examples(result, rows) for result in self.results)
        return replace(self, results=results, example_passes=1)

    @renamed_arguments(column="error_column")
    def split(
        self,
        *,
        warnings: bool = False,
        error_column: str = "errors",
        warning_column: str = "warnings",
    ) -> tuple[DataFrame, DataFrame]:
        """Return the good rows and the bad rows, as lazy DataFrames.

        A row is bad if it fails a failed constraint of level ``error``. Bad rows get two columns
        with the ids of the failed constraints that they fail: `errors` and `warnings`. Good rows
        get the column `warnings` if a constraint of level ``warning`` judges single rows.

        Parameters
        ----------
        warnings
            True if rows that only fail constraints of level ``warning`` are bad.
        error_column, warning_column
            Names of the new columns.

        Notes
        -----
        A constraint that passed makes no row bad, even if some rows fail it: 99 % is enough where
        95 % are required. Nor does a constraint that could not be evaluated.
        """
        if error_column == warning_column:
            raise CheckError.unexpected(
                "invalid names of columns", "two names", (error_column, warning_column)
            )
        warned = [result for result in self.results if self._warns_about_rows(result)]
        failed = {
            error_column: [r for r in self.failures() if r.level is Level.ERROR],
            warning_column: [r for r in warned if r.outcome is Outcome.FAILED],
        }
        good, bad = split_rows(
            self.frame,
            self._require_schema(),
            {name: [r.by_row or r.constraint for r in rs] for name, rs in failed.items()},
            set(failed) if warnings else {error_column},
            self.reference_tables,
        )
        if warnings or not warned:
            good = good.drop(warning_column)
        return good.drop(error_column), bad

    def _warns_about_rows(self, result: ConstraintResult) -> bool:
        if result.level is Level.ERROR:
            return False
        if result.problem is not None and result.problem.code != "undefined":
            return False
        constraint = result.by_row or result.constraint
        return judges_rows(constraint, self._require_schema(), self.reference_tables)

    @property
    def passes(self) -> int | None:
        """The number of passes over the rows; None if the metrics came from a store."""
        return None if self.plan is None else self.plan.passes + self.example_passes

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values that JSON can hold; `version` is the format's version."""
        return {
            "version": VERSION,
            "status": self.status.value,
            "passes": self.passes,
            "example_passes": self.example_passes,
            "results": [result.to_dict() for result in self.results],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the result as JSON.

        Parameters
        ----------
        indent
            Spaces per level; None for one line.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_dataframe(self, spark: SparkSession | None = None) -> DataFrame:
        """Return one row per constraint as a DataFrame.

        Parameters
        ----------
        spark
            The session to create it with; the session of the verified rows if omitted.

        Notes
        -----
        The column ``value`` holds the metric as JSON; it is null if the metric is missing.
        """
        session = spark or (active_session() if self.df is None else self.df.sparkSession)
        if session is None:
            raise CheckError("no Spark session is active. Pass one: spark=….")
        names = ("check", "constraint", "id", "level", "outcome", "metric", "assertion")
        rows = [
            (*(entry[name] for name in names), _to_json(entry["value"]), entry["message"])
            for entry in map(ConstraintResult.to_dict, self.results)
        ]
        columns = ", ".join(f"`{name}` string" for name in (*names, "value", "message"))
        return session.createDataFrame(rows, columns)

    def show(self) -> None:
        """Print a table with one row per constraint."""
        from assay.checks.terminal import print_result

        print_result(self)

    def __repr__(self) -> str:
        return f"Result({self.status.value}: {self.summary})"

    def __str__(self) -> str:
        bad = [result for result in self.results if result.outcome is not Outcome.PASSED]
        lines = [f"  {visible(result.check)}: {result.message}" for result in bad]
        return "\n".join([f"{self.status.value}: {self.summary}", *lines])

    @property
    def page(self) -> HtmlPage:
        """The page of the result as a value."""
        from assay.checks.result_page import result_page

        return result_page(self)

    @property
    def summary(self) -> str:
        """The number of constraints with each outcome, such as ``3 passed, 1 failed``."""
        counts: dict[str, int] = {}
        for result in self.results:
            counts[result.outcome.value] = counts.get(result.outcome.value, 0) + 1
        listed = ", ".join(f"{number:,} {outcome}" for outcome, number in counts.items())
        return listed or "no constraints"

    @property
    def frame(self) -> DataFrame:
        """The verified rows."""
        if self.df is None:
            raise CheckError(
                "the rows are not available: the metrics came from a store, without rows."
            )
        return self.df

    def _require_schema(self) -> Schema:
        if self.schema is None:
            raise CheckError("the rows are not available: the DataFrame could not be read.")
        return self.schema

    def _require_evaluated(self, constraint: str | Constraint | ConstraintResult) -> Constraint:
        """Return the constraint that finds the failing rows; raise if it was not evaluated."""
        wanted = self._find(constraint)
        for result in self.results:
            if result.constraint != wanted:
                continue
            if result.problem is not None and result.problem.code != "undefined":
                raise CheckError(f"the failing rows are not known: {result.message}")
            if result.by_row is not None:
                return result.by_row
        return wanted

    def _find(self, wanted: str | Constraint | ConstraintResult) -> Constraint:
        if isinstance(wanted, ConstraintResult):
            return wanted.constraint
        if isinstance(wanted, Constraint):
            return wanted
        constraints = [result.constraint for result in self.results]
        matches = [constraint for constraint in constraints if constraint.id == wanted]
        matches = matches or [c for c in constraints if c.name == wanted]
        distinct = {(constraint.analyzer, constraint.assertion) for constraint in matches}
        if len(distinct) > 1:
            what = f"{len(distinct)} constraints are called {wanted!r}"
            raise CheckError(f"{what}: expected one. Pass its id or the constraint.")
        if matches:
            return matches[0]
        hint = did_you_mean(wanted, {constraint.id for constraint in constraints})
        raise CheckError(f"no constraint is called {wanted!r}{hint}")


def _to_json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _with_examples(
    result: ConstraintResult, rows: Mapping[Constraint, FailingRows]
) -> ConstraintResult:
    failing = rows.get(result.by_row or result.constraint)
    if failing is None or result.outcome is not Outcome.FAILED:
        return replace(result, examples=None)
    counts = result.counts or RowCounts(failing.number, None)
    return replace(result, counts=counts, examples=failing.examples)
