"""What a verification came to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from assay.analyzers.metric import Problem, Value, plain
from assay.analyzers.schema import Schema
from assay.checks.assertions.anomaly import NOT_ENOUGH
from assay.checks.assertions.expectation import Expectation
from assay.checks.assertions.learned_pattern import NO_PATTERN
from assay.checks.constraint import Constraint, Level
from assay.checks.failing_rows import failing_rows, missing_rows, split_rows
from assay.checks.formatting import format_value, one_line, visible
from assay.engine.measurement import Measurement
from assay.engine.plan import Plan
from assay.engine.reference_tables import ReferenceTables
from assay.engine.session import active_session
from assay.errors import CheckError, VerificationError, nearest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["NOT_SERIOUS", "VERSION", "ConstraintResult", "Outcome", "Result", "Status"]

#: codes of problems that never stop a batch: history or states that the dataset cannot have yet
NOT_SERIOUS = frozenset(
    {NOT_ENOUGH, NO_PATTERN, "not_incremental", "no_past_states", "no_judged_batch"}
)

#: the version of a result as JSON; more fields do not change it
VERSION = 1


class Outcome(StrEnum):
    """What became of one constraint."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_EVALUATED = "not evaluated"


class Status(StrEnum):
    """What became of all of them, the worst first."""

    FAILED = "failed"
    NOT_EVALUATED = "not evaluated"
    WARNING = "warning"
    PASSED = "passed"


@dataclass(frozen=True)
class ConstraintResult:
    """One constraint's outcome, with the value found whether it passed or not."""

    check: str
    constraint: Constraint
    outcome: Outcome
    value: Value | None = None
    problem: Problem | None = None
    detail: str = ""
    expected: Expectation | None = None
    #: what tells which rows broke it, where that is not known until it is judged
    by_row: Constraint | None = None

    @property
    def expected_text(self) -> str:
        """What the metric had to be: the bounds, or the range that history gave."""
        if self.expected is None:
            return str(self.constraint.assertion)
        return f"in [{format_value(self.expected.low)}, {format_value(self.expected.high)}]"

    @property
    def level(self) -> Level:
        """How much it matters."""
        return self.constraint.level

    @property
    def serious(self) -> bool:
        """Whether it may stop a batch.

        A constraint that lacks history, or states that merge, never stops a batch.
        """
        excused = self.problem is not None and self.problem.code in NOT_SERIOUS
        return self.level is Level.ERROR and not excused

    @property
    def message(self) -> str:
        """A sentence: what was demanded, what was found."""
        name, metric = visible(self.constraint.name), one_line(self.constraint.metric)
        if self.problem is not None:
            undefined = f"{metric} is " if self.problem.code == "undefined" else ""
            return f"{name} could not be evaluated: {undefined}{_sentence(str(self.problem))}"
        wanted = f"expected {self.expected_text}"
        if self.expected is not None:
            wanted = f"expected {self.expected_text}: {self.expected.reason}"
        found = f"{metric} is {format_value(self.value)}, {wanted}."
        if self.outcome is Outcome.PASSED:
            return f"{name} holds: {found}"
        more = [_sentence(each) for each in (self.detail, self.constraint.hint) if each]
        return " ".join([f"{name} does not hold: {found}", *more])

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "check": self.check,
            "constraint": self.constraint.name,
            "id": self.constraint.id,
            "level": self.level.value,
            "outcome": self.outcome.value,
            "metric": self.constraint.analyzer.key,
            "where": self.constraint.analyzer.where,
            "assertion": str(self.constraint.assertion),
            "expected": self.expected and [plain(self.expected.low), plain(self.expected.high)],
            "reason": self.expected and self.expected.reason,
            "confidence": self.expected and self.expected.confidence,
            "value": plain(self.value),
            "problem": self.problem and {"code": self.problem.code, "reason": self.problem.reason},
            "detail": self.detail,
            "hint": self.constraint.hint,
            "message": self.message,
        }


@dataclass(frozen=True)
class Result:
    """All outcomes, the metrics behind them, and the rows that broke something."""

    results: tuple[ConstraintResult, ...]
    measurement: Measurement
    plan: Plan | None = field(repr=False)
    df: DataFrame | None = field(repr=False, compare=False)
    schema: Schema | None = field(repr=False)
    reference_tables: ReferenceTables = field(default_factory=dict, repr=False, compare=False)

    def __iter__(self) -> Iterator[ConstraintResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def status(self) -> Status:
        """The worst of all outcomes; a warning is never worse than *warning*."""
        errors = {each.outcome for each in self.results if each.serious}
        warnings = {each.outcome for each in self.results if not each.serious}
        if Outcome.FAILED in errors:
            return Status.FAILED
        if Outcome.NOT_EVALUATED in errors:
            return Status.NOT_EVALUATED
        return Status.WARNING if warnings - {Outcome.PASSED} else Status.PASSED

    @property
    def passed(self) -> bool:
        """Whether nothing worse than a warning came up."""
        return self.status in {Status.PASSED, Status.WARNING}

    def failures(self) -> tuple[ConstraintResult, ...]:
        """What failed, errors first."""
        failed = [each for each in self.results if each.outcome is Outcome.FAILED]
        return tuple(sorted(failed, key=lambda each: each.level is Level.WARNING))

    def raise_for_failure(self) -> None:
        """Raise `VerificationError` if an error-level constraint failed or was not evaluated."""
        if self.passed:
            return
        bad = [each for each in self.results if each.serious and each.outcome is not Outcome.PASSED]
        lines = "\n".join(f"  {visible(each.check)}: {each.message}" for each in bad)
        raise VerificationError(f"{len(bad)} of {len(self)} constraints are not met:\n{lines}")

    def failing(self, constraint: str | Constraint | ConstraintResult) -> DataFrame:
        """The rows that break one constraint, by its id or name: all of them, lazily."""
        wanted = self._evaluated(constraint)
        return failing_rows(self.frame, self._schema(), wanted, self.reference_tables)

    def missing(self, constraint: str | Constraint | ConstraintResult) -> DataFrame:
        """The rows of the other table that have no partner here: all of them, lazily.

        For `agrees_with`, whose `failing` rows are those here that have no partner there.
        """
        wanted = self._evaluated(constraint)
        return missing_rows(self.frame, self._schema(), wanted, self.reference_tables)

    def split(
        self, *, column: str = "broken", warnings: bool = False
    ) -> tuple[DataFrame, DataFrame]:
        """The good rows and the bad ones, lazily.

        Bad rows have one more column with the ids of the failed constraints that they broke.
        Those that only warn count with ``warnings=True``; those that passed (99 % is enough where
        95 % are demanded) or could not be evaluated make no row bad.
        """
        failed = [
            each.by_row or each.constraint
            for each in self.results
            if each.outcome is Outcome.FAILED and (warnings or each.level is Level.ERROR)
        ]
        return split_rows(self.frame, self._schema(), failed, column, self.reference_tables)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; `version` is that of this form."""
        return {
            "version": VERSION,
            "status": self.status.value,
            "passes": None if self.plan is None else self.plan.passes,
            "results": [each.to_dict() for each in self.results],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_dataframe(self, spark: SparkSession | None = None) -> DataFrame:
        """A row a constraint, as a DataFrame; values as JSON text, null where there is none."""
        session = spark or (active_session() if self.df is None else self.df.sparkSession)
        if session is None:
            raise CheckError("there is no Spark session to make a DataFrame with; give one.")
        fields = ("check", "constraint", "id", "level", "outcome", "metric", "assertion")
        rows = [
            (*(each[name] for name in fields), _json(each["value"]), each["message"])
            for each in map(ConstraintResult.to_dict, self.results)
        ]
        columns = ", ".join(f"`{name}` string" for name in (*fields, "value", "message"))
        return session.createDataFrame(rows, columns)

    def show(self) -> None:
        """Print a table of all outcomes."""
        from assay.checks.terminal import print_result

        print_result(self)

    @property
    def frame(self) -> DataFrame:
        """The rows that were judged."""
        if self.df is None:
            raise CheckError("this was judged from what is remembered, and rows are not.")
        return self.df

    def _schema(self) -> Schema:
        if self.schema is None:
            raise CheckError("the DataFrame could not be read, and so its rows are not known.")
        return self.schema

    def _evaluated(self, constraint: str | Constraint | ConstraintResult) -> Constraint:
        """The constraint that is meant, if anything is known of its rows."""
        wanted = self._find(constraint)
        for each in self.results:
            unknown = each.problem is not None and each.problem.code != "undefined"
            if unknown and each.constraint == wanted:
                raise CheckError(f"no row is known to break it: {each.message}")
            if each.by_row is not None and each.constraint == wanted:
                return each.by_row
        return wanted

    def _find(self, wanted: str | Constraint | ConstraintResult) -> Constraint:
        if isinstance(wanted, ConstraintResult):
            return wanted.constraint
        if isinstance(wanted, Constraint):
            return wanted
        known = [each.constraint for each in self.results]
        found = [each for each in known if each.id == wanted]
        found = found or [each for each in known if each.name == wanted]
        meant = {(each.analyzer, each.assertion) for each in found}
        if len(meant) > 1:
            raise CheckError(
                f"{len(meant)} constraints are called {wanted!r}; give the id of one, or itself."
            )
        if found:
            return found[0]
        guess = nearest(wanted, {each.id for each in known})
        raise CheckError(
            f"no constraint is called {wanted!r}" + (f"; did you mean {guess!r}?" if guess else ".")
        )


def _sentence(text: str) -> str:
    """On one line, with an end."""
    line = one_line(text)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
