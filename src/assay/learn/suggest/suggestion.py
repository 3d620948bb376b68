"""A suggested constraint and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.deprecation import warn_renamed

__all__ = ["Suggestion"]


@dataclass(frozen=True)
class Suggestion:
    """A constraint that a rule derives from a profile.

    `evidence` is a sentence that says what speaks for it; `confidence` how sure the rule is that it
    holds for the rows to come; `coverage` the share of held-out rows that it held for (1.0 or 0.0
    where it is not about rows), None as long as nobody tried it.
    """

    rule: str
    columns: tuple[str, ...]
    constraint: ConstraintCall
    evidence: str
    confidence: float
    level: Level = Level.ERROR
    coverage: float | None = None

    @property
    def python(self) -> str:
        """The call that adds this constraint to a check."""
        return self.constraint.python + (".warn()" if self.level is Level.WARNING else "")

    @property
    def yaml(self) -> str:
        """The same as an entry of a suite."""
        if self.level is Level.ERROR:
            return self.constraint.yaml
        return ConstraintCall(
            self.constraint.method, (*self.constraint.arguments, ("level", "warning"))
        ).yaml

    def add_to(self, check: Check) -> Check:
        """Return the check with this constraint added."""
        grown = self.constraint.add_to(check)
        return grown.warn() if self.level is Level.WARNING else grown

    @property
    def demand(self) -> ConstraintCall:
        """Deprecated name of `constraint`."""
        warn_renamed("Suggestion.demand", "Suggestion.constraint")
        return self.constraint

    def on(self, check: Check) -> Check:
        """Deprecated name of `add_to`."""
        warn_renamed("Suggestion.on", "Suggestion.add_to")
        return self.add_to(check)

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
