"""Constraints: an analyzer, what its metric must be, and how much it matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.comparison import refusal
from assay.analyzers.frequencies import Uniqueness
from assay.analyzers.metric import Problem
from assay.analyzers.sample import Sample
from assay.analyzers.schema import Schema
from assay.checks.assertions.anomaly import AnomalyAssertion
from assay.checks.assertions.bounds import Assertion
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.formatting import one_line
from assay.errors import AssayError, CheckError

__all__ = ["AnyAssertion", "Constraint", "Level"]

#: what a metric must be: within bounds, or what was seen before lets one expect
AnyAssertion = Assertion | AnomalyAssertion | ProportionTest | LearnedPatternAssertion


class Level(StrEnum):
    """How much a broken constraint matters."""

    ERROR = "error"
    WARNING = "warning"

    @classmethod
    def _missing_(cls, value: object) -> Level | None:
        raise CheckError(f"a level is 'error' or 'warning', not {value!r}.")


@dataclass(frozen=True)
class Constraint:
    """An assertion on a metric.

    `name` is what the user wrote (``is_complete(title)``); `id` names it in stores and beside
    failing rows, and stays when bounds or the check's name change. `requires` are types that
    columns must have beyond what the analyzer itself asks for. `subject` is what its metric is
    called where the analyzer's key would tell nobody anything.
    """

    name: str
    analyzer: Analyzer
    assertion: AnyAssertion
    level: Level = Level.ERROR
    hint: str = ""
    id: str = ""
    requires: tuple[tuple[str, frozenset[str]], ...] = ()
    subject: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            where = f" where {one_line(self.analyzer.where)}" if self.analyzer.where else ""
            object.__setattr__(self, "id", f"{self.name}{where}")

    @property
    def analyzers(self) -> tuple[Analyzer, ...]:
        """What is measured of a batch for it, and remembered."""
        if isinstance(self.assertion, LearnedPatternAssertion) and isinstance(
            self.analyzer, Sample
        ):
            return self.analyzer, self.assertion.beside(self.analyzer)
        return (self.analyzer,)

    @property
    def holds_for_whole(self) -> bool:
        """Whether a gate also evaluates it on the whole dataset.

        Keys must be unique across batches. Bounds on sizes or sums describe one batch.
        """
        if isinstance(self.assertion, AnomalyAssertion):
            return self.assertion.scope == "whole"
        return isinstance(self.analyzer, Uniqueness)

    def problem(
        self, schema: Schema, reference_tables: Mapping[str, Schema] | None = None
    ) -> Problem | None:
        """Why it cannot be evaluated on such a table beside such others, as far as schemas tell."""
        try:
            for column, families in self.requires:
                schema.column(column).require(families, self.name.partition("(")[0])
            return refusal(self.analyzer, schema, reference_tables)
        except AssayError as error:
            return Problem(error.code, str(error))
        except Exception as error:  # an analyzer of the user's own
            return Problem("bad_argument", f"{type(error).__name__}: {error}")

    def __str__(self) -> str:
        return f"{self.metric} {self.assertion}"

    @property
    def metric(self) -> str:
        """What its metric is called."""
        return self.subject or str(self.analyzer)
