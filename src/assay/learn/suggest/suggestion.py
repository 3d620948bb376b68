"""A suggested constraint: what to demand, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level

__all__ = ["Suggestion"]


@dataclass(frozen=True)
class Suggestion:
    """A demand that a rule draws from a profile.

    `evidence` is a sentence that says what speaks for it; `confidence` how sure the rule is that it
    holds for the rows to come; `coverage` the share of held-out rows that it held for (1.0 or 0.0
    where it is not about rows), None as long as nobody tried it.
    """

    rule: str
    columns: tuple[str, ...]
    demand: ConstraintCall
    evidence: str
    confidence: float
    level: Level = Level.ERROR
    coverage: float | None = None

    @property
    def python(self) -> str:
        """The call that makes this demand of a check."""
        return self.demand.python + (".warn()" if self.level is Level.WARNING else "")

    @property
    def yaml(self) -> str:
        """The same as an entry of a suite."""
        if self.level is Level.ERROR:
            return self.demand.yaml
        return ConstraintCall(
            self.demand.method, (*self.demand.arguments, ("level", "warning"))
        ).yaml

    def on(self, check: Check) -> Check:
        """The check with this demand."""
        grown = self.demand.on(check)
        return grown.warn() if self.level is Level.WARNING else grown

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "rule": self.rule,
            "columns": list(self.columns),
            "level": self.level.value,
            "evidence": self.evidence,
            "confidence": round(self.confidence, 4),
            "coverage": self.coverage,
            "python": self.python,
            "yaml": self.yaml,
        }
