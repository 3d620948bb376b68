"""A suggested constraint and its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.codegen.listing import python_of, yaml_of
from assay.checks.constraint import Level
from assay.deprecation import warn_renamed
from assay.learn.profile.profile import Profile

__all__ = ["Suggestion", "Suggestions"]


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
    def holds(self) -> bool:
        """Whether the constraint held for all rows that it was evaluated on."""
        return self.coverage == 1.0

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


@dataclass(frozen=True)
class Suggestions(Sequence[Suggestion]):
    """Suggestions that held on rows that they did not come from; `rejected` are those that did not.

    `profile` is what they were drawn from.
    """

    kept: tuple[Suggestion, ...]
    rejected: tuple[Suggestion, ...] = ()
    profile: Profile | None = field(default=None, repr=False)

    def __getitem__(self, at: Any) -> Any:
        return self.kept[at]

    def __len__(self) -> int:
        return len(self.kept)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.kept)

    @property
    def errors(self) -> tuple[Suggestion, ...]:
        """Those that are demanded with certainty."""
        return tuple(each for each in self.kept if each.level is Level.ERROR)

    def check(self, name: str = "suggested") -> Check:
        """All of them as one check."""
        grown = Check(name)
        for each in self.kept:
            grown = each.add_to(grown)
        return grown

    def to_python(self, name: str = "suggested") -> str:
        """The check as code that runs, each demand under its evidence."""
        return python_of(name, ((each.evidence, each.python) for each in self.kept))

    def to_yaml(self, name: str = "suggested") -> str:
        """The check as a suite of the dataset of this name."""
        return yaml_of(name, ((each.evidence, each.yaml) for each in self.kept))

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "suggestions": [each.to_dict() for each in self.kept],
            "rejected": [each.to_dict() for each in self.rejected],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def show(self, width: int | None = None) -> None:
        """Print them, column by column."""
        from rich.console import Console

        from assay.learn.suggest.terminal import print_suggestions

        print_suggestions(self, Console(highlight=False, width=width))
