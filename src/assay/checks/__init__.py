"""Checks: constraints on data, their evaluation and the results."""

from assay.checks.applicability import Applicability
from assay.checks.assertions.bounds import Assertion
from assay.checks.check import Check
from assay.checks.constraint import Constraint, Level
from assay.checks.evaluation import evaluate, verify
from assay.checks.result import ConstraintResult, Outcome, Result, Status

__all__ = [
    "Applicability",
    "Assertion",
    "Check",
    "Constraint",
    "ConstraintResult",
    "Level",
    "Outcome",
    "Result",
    "Status",
    "evaluate",
    "verify",
]
