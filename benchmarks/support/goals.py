"""Goals: limits that the measured values must keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

__all__ = ["Goal", "report_goals"]


@dataclass(frozen=True, kw_only=True)
class Goal:
    """An upper or lower limit of a measured value.

    The value counts as it is shown, rounded to `decimals` places.
    """

    name: str
    actual: float
    at_most: float | None = None
    at_least: float | None = None
    decimals: int = 2
    unit: str = ""

    @property
    def met(self) -> bool:
        """True if the value keeps its limits."""
        shown = round(self.actual, self.decimals)
        return (self.at_most is None or shown <= self.at_most) and (
            self.at_least is None or shown >= self.at_least
        )

    def __str__(self) -> str:
        limits = [("at most", self.at_most), ("at least", self.at_least)]
        goal = ", ".join(f"{word} {self._format(v)}" for word, v in limits if v is not None)
        return f"{self.name}: {self._format(self.actual)} (goal: {goal})"

    def _format(self, value: float) -> str:
        return f"{value:,.{self.decimals}f}{self.unit}"


def report_goals(out: Console, goals: Sequence[Goal], *, check: bool) -> int:
    """Print which goals are met, the missed ones last, and return the exit status.

    Returns
    -------
    int
        1 if `check` is true and a goal is missed, otherwise 0.
    """
    missed = [goal for goal in goals if not goal.met]
    for goal in goals:
        out.print(f"{'met   ' if goal.met else 'missed'}  {goal}", highlight=False, soft_wrap=True)
    if missed:
        names = "; ".join(str(goal) for goal in missed)
        out.print(
            f"{len(missed)} of {len(goals)} goals missed: {names}", highlight=False, soft_wrap=True
        )
    return 1 if check and missed else 0
