"""What was suggested for a table, as checks that run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.checks.check import Check
from assay.checks.codegen.listing import python_of, yaml_of
from assay.checks.constraint import Level
from assay.learn.profile.profile import Profile
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["Suggestions"]


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
