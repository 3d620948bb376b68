"""How a check grows: every demand adds constraints to a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.literal import render_name
from assay.checks.assertion import Assertion, Bounds
from assay.checks.constraint import Constraint, Level
from assay.errors import CheckError

__all__ = ["Building", "Options", "Verbatim"]


class Options(Bounds, total=False):
    """What every demand takes: bounds, and which rows, how much it matters, what to do."""

    where: str | None
    level: str
    hint: str
    id: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """An argument that is shown as it is, not as a column's name."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Building:
    """A named list of constraints with a level."""

    name: str
    level: Level = Level.ERROR
    constraints: tuple[Constraint, ...] = ()
    recent: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "level", Level(self.level))
        except ValueError as error:
            raise CheckError(f"a level is 'error' or 'warning', not {self.level!r}.") from error

    def demand(
        self,
        kind: str,
        shown: Iterable[object],
        analyzer: Analyzer,
        options: Options,
        requires: Iterable[tuple[str, frozenset[str]]] = (),
        **default: Any,
    ) -> Self:
        """One more constraint; `default` is the bound where the user gives none."""
        given = dict(options)
        level = str(given.pop("level", self.level))
        hint, own_id = str(given.pop("hint", "")), str(given.pop("id", ""))
        given.pop("where", None)
        arguments = ", ".join(_argument(each) for each in shown)
        name = f"{kind}({arguments})"
        try:
            constraint = Constraint(
                name,
                analyzer,
                Assertion.of(**(given or default)),
                Level(level),
                hint,
                own_id,
                tuple(requires),
            )
        except (CheckError, ValueError) as error:
            raise CheckError(f"{self.name}: {name}: {error}") from error
        taken = {each.id for each in self.constraints}
        if not own_id and constraint.id in taken:
            number = next(
                n for n in range(2, len(taken) + 3) if f"{constraint.id} #{n}" not in taken
            )
            constraint = replace(constraint, id=f"{constraint.id} #{number}")
        elif constraint.id in taken:
            raise CheckError(f"{self.name}: two constraints have the id {constraint.id!r}.")
        return replace(self, constraints=(*self.constraints, constraint), recent=1)

    def together(self, *steps: Callable[[Self], Self]) -> Self:
        """Several constraints as one demand, so that `.warn()` after it means all of them."""
        grown = self
        for step in steps:
            grown = step(grown)
        return replace(grown, recent=len(grown.constraints) - len(self.constraints))

    def _latest(self, **changes: Any) -> Self:
        if not self.recent:
            raise CheckError(f"{self.name}: there is no constraint yet that this could apply to.")
        at = len(self.constraints) - self.recent
        latest = tuple(replace(each, **changes) for each in self.constraints[at:])
        return replace(self, constraints=self.constraints[:at] + latest)

    def warn(self) -> Self:
        """The latest demand only warns."""
        return self._latest(level=Level.WARNING)

    def hint(self, text: str) -> Self:
        """What to do when the latest demand is broken."""
        return self._latest(hint=text)


def _argument(value: object) -> str:
    return render_name(value) if isinstance(value, str) else str(value)
