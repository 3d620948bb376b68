"""What was suggested for a table, as checks that run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.checks.check import Check
from assay.checks.constraint import Level
from assay.checks.spelling import flow
from assay.checks.wording import one_line
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
            grown = each.on(grown)
        return grown

    def to_python(self, name: str = "suggested") -> str:
        """The check as code that runs, each demand under its evidence."""
        lines = [
            f"    {line}"
            for each in self.kept
            for line in (f"# {one_line(each.evidence)}", each.python)
        ]
        needs = ["from assay import Check"]
        code = "\n".join(lines)
        if "timedelta(" in code:
            needs.insert(0, "from datetime import timedelta\n")
        variable = name if name.isidentifier() else "suggested"
        start = f"{variable} = (\n    Check({json.dumps(name, ensure_ascii=False)})"
        return "\n".join([*needs, "", start, *([code] if lines else []), ")", ""])

    def to_yaml(self, name: str = "suggested") -> str:
        """The check as a suite of the dataset of this name."""
        lines = [
            "version: 1",
            f"dataset: {flow(name)}",
            "checks:",
            f"  - name: {flow(name)}",
            "    constraints:" if self.kept else "    constraints: []",
        ]
        for each in self.kept:
            lines += [f"      # {one_line(each.evidence)}", f"      {each.yaml}"]
        return "\n".join([*lines, ""])

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
