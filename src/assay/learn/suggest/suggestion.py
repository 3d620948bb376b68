"""Suggested constraints: what to require, why, and how well it held on unseen rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.codegen.listing import python_of, yaml_of
from assay.checks.constraint import Level
from assay.deprecation import warn_renamed
from assay.html.has_page import HasPage
from assay.html.page import HtmlPage
from assay.html_table import html_table
from assay.learn.profile.profile import Profile
from assay.text import count_noun, visible

__all__ = ["Suggestion", "Suggestions"]


@dataclass(frozen=True, repr=False)
class Suggestion:
    """A constraint that a rule derives from a profile.

    Parameters
    ----------
    rule
        The name of the rule.
    columns
        The columns that the constraint is about.
    constraint
        The call of a check's method that adds the constraint.
    evidence
        A sentence that says what supports the constraint.
    confidence
        How sure the rule is that the constraint holds for later rows, from 0 to 1.
    level
        Severity of a violation: error or warning.
    coverage
        The share of the tested rows for which the constraint held, as it was measured. For
        constraints that are not about single rows, it is the share of folds in which they held. It
        is None before the test.
    held
        True if the constraint held for the tested rows together; None before the test.
    folds
        In how many folds of the tested rows it held, and their number; None if it was not tested in
        folds.
    is_share
        True if `coverage` is a share of rows.
    """

    rule: str
    columns: tuple[str, ...]
    constraint: ConstraintCall
    evidence: str
    confidence: float
    level: Level = Level.ERROR
    coverage: float | None = None
    held: bool | None = None
    folds: tuple[int, int] | None = None
    is_share: bool = True

    def __repr__(self) -> str:
        return visible(f"Suggestion({self.python}: {self.evidence})")

    def _repr_html_(self) -> str:
        return html_table(_HEADINGS, [_html_row(self)], caption=self.rule)

    @property
    def holds(self) -> bool:
        """True if the constraint held for the tested rows together."""
        return self.coverage == 1.0 if self.held is None else self.held

    @property
    def held_text(self) -> str:
        """The share of rows for which it held, or the number of folds, in words."""
        if self.folds is not None and not self.is_share:
            held, total = self.folds
            return f"{held} of {total} folds"
        if self.coverage is None:
            return ""
        # only all rows are 100 %
        shown = f"{100 * self.coverage:.4g}"
        return f"{'99.99' if shown == '100' and self.coverage < 1 else shown} %"

    @property
    def python(self) -> str:
        """The Python call that adds this constraint to a check."""
        return self.constraint.python + (".warn()" if self.level is Level.WARNING else "")

    @property
    def yaml(self) -> str:
        """The constraint as an entry of a suite's YAML file."""
        if self.level is Level.ERROR:
            return self.constraint.yaml
        return ConstraintCall(
            self.constraint.method, (*self.constraint.arguments, ("level", "warning"))
        ).yaml

    def add_to(self, check: Check) -> Check:
        """Return the check with this constraint added."""
        extended = self.constraint.add_to(check)
        return extended.warn() if self.level is Level.WARNING else extended

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
        """Return the suggestion as JSON can hold it."""
        return {
            "rule": self.rule,
            "columns": list(self.columns),
            "level": self.level.value,
            "evidence": self.evidence,
            "confidence": round(self.confidence, 4),
            "coverage": self.coverage,
            "held": self.held,
            "folds": self.folds,
            "python": self.python,
            "yaml": self.yaml,
        }


@dataclass(frozen=True, repr=False)
class Suggestions(Sequence[Suggestion], HasPage):
    """Suggestions that held on rows from which they were not derived.

    Parameters
    ----------
    kept
        The suggestions that held. They are also the items of this sequence.
    rejected
        Those that did not hold.
    profile
        The profile from which they were derived.
    """

    kept: tuple[Suggestion, ...]
    rejected: tuple[Suggestion, ...] = ()
    profile: Profile | None = None

    def __getitem__(self, index: Any) -> Any:
        return self.kept[index]

    def __len__(self) -> int:
        return len(self.kept)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.kept)

    def __repr__(self) -> str:
        errors = len(self.errors)
        counts = f"{count_noun(errors, 'constraint')}, {count_noun(len(self) - errors, 'warning')}"
        return f"Suggestions({counts}, {len(self.rejected):,} rejected)"

    @property
    def page(self) -> HtmlPage:
        """The page of the suggestions as a value."""
        from assay.learn.suggest.page import suggestions_page

        return suggestions_page(self)

    @property
    def errors(self) -> tuple[Suggestion, ...]:
        """The suggestions whose violation is an error."""
        return tuple(suggestion for suggestion in self.kept if suggestion.level is Level.ERROR)

    def check(self, name: str = "suggested") -> Check:
        """Return all suggestions as one check."""
        check = Check(name)
        for suggestion in self.kept:
            check = suggestion.add_to(check)
        return check

    def to_python(self, name: str = "suggested") -> str:
        """Return the check as Python code, with the evidence as comments."""
        return python_of(
            name, ((suggestion.evidence, suggestion.python) for suggestion in self.kept)
        )

    def to_yaml(self, name: str = "suggested") -> str:
        """Return the check as the suite of a dataset, with the evidence as comments."""
        return yaml_of(name, ((suggestion.evidence, suggestion.yaml) for suggestion in self.kept))

    def to_dict(self) -> dict[str, Any]:
        """Return the suggestions as JSON can hold them."""
        return {
            "suggestions": [suggestion.to_dict() for suggestion in self.kept],
            "rejected": [suggestion.to_dict() for suggestion in self.rejected],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Return the suggestions as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def show(self, width: int | None = None) -> None:
        """Print the suggestions, grouped by column.

        Parameters
        ----------
        width
            The number of characters of a line; by default the width of the terminal.
        """
        from rich.console import Console

        from assay.learn.suggest.terminal import print_suggestions

        print_suggestions(self, Console(highlight=False, width=width))


_HEADINGS = ("columns", "constraint", "because", "held")


def _html_row(suggestion: Suggestion) -> tuple[str, str, str, str]:
    return (
        ", ".join(suggestion.columns),
        suggestion.python,
        suggestion.evidence,
        suggestion.held_text,
    )
