"""Judge the whole dataset: which constraints apply to it, and which problems are not failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.checks.check import Check
from assay.checks.evaluation import evaluate
from assay.checks.result import ConstraintResult, Result
from assay.dataset.batch_history import BatchHistory
from assay.engine.measurement import Measurement
from assay.store.protocol import Scope

__all__ = ["analyzers_of", "checks_for", "evaluate_whole"]

#: problems that no batch can repair, so that they are not failures of the whole dataset
_NOT_EVALUATED = {
    "no_state": Problem("no_past_states", "some batches were measured before it was added"),
    "columns_changed": Problem("no_past_states", "some batches have other columns or types"),
    "kinds_differ": Problem("no_past_states", "some batches were stored in another way"),
    "values_hashed": Problem("no_past_states", "the store has only hashes of past values"),
    "no_history": Problem("no_judged_batch", "anomalies are judged when a batch is appended"),
}


def checks_for(checks: Sequence[Check], scope: Scope, *, gate: bool = False) -> list[Check]:
    """Return the checks with only the constraints on a batch, or on the whole dataset."""
    return [
        replace(
            check, constraints=tuple(c for c in check.constraints if scope in c.scopes(gate=gate))
        )
        for check in checks
    ]


def analyzers_of(checks: Sequence[Check]) -> list[Analyzer]:
    """Return the analyzers that the checks need, each once."""
    constraints = [constraint for check in checks for constraint in check.constraints]
    return list(dict.fromkeys(a for constraint in constraints for a in constraint.analyzers))


def evaluate_whole(
    measurement: Measurement, checks: Sequence[Check], history: BatchHistory | None = None
) -> Result:
    """Evaluate checks, which `checks_for` returned, on the whole dataset.

    A constraint without states of past batches, or an anomaly check without a batch to judge, is
    not evaluated.
    """
    result = evaluate(measurement, *checks, history=history)
    return replace(result, results=tuple(map(_without_failure, result.results)))


def _without_failure(result: ConstraintResult) -> ConstraintResult:
    if result.problem is None or result.problem.code not in _NOT_EVALUATED:
        return result
    return replace(result, problem=_NOT_EVALUATED[result.problem.code])
