"""Tables of what was measured, and goals that it is held to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.support.timing import Measured

__all__ = ["Goal", "conclude", "console", "show"]


@dataclass(frozen=True)
class Goal:
    """A ratio that must not be exceeded."""

    text: str
    ratio: float
    at_most: float

    @property
    def met(self) -> bool:
        """Whether it is reached, to the two decimals that are shown."""
        return round(self.ratio, 2) <= self.at_most

    def __str__(self) -> str:
        return f"{self.text}: {self.ratio:.2f}, goal {self.at_most:.2f}"


def console() -> Console:
    """As wide as the tables need where the output is no terminal."""
    found = Console()
    return found if found.is_terminal else Console(width=120)


def show(
    out: Console,
    title: str,
    measured: Iterable[Measured],
    against: Measured,
    limit: Measured | None = None,
) -> None:
    """One line each: CPU seconds warm and cold, seconds, jobs, ratios."""
    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    table.add_column("")
    ratios = [f"of {against.name}", *(["of DuckDB"] if limit else [])]
    for heading in ("CPU s", "wall s", "jobs", *ratios, "first CPU s"):
        table.add_column(heading, justify="right")
    for each in measured:
        table.add_row(
            each.name,
            f"{each.cpu:.2f}",
            f"{each.wall:.2f}",
            "" if each.jobs is None else f"{each.jobs}",
            f"{each.cpu / against.cpu:.2f}",
            *([f"{each.cpu / limit.cpu:.1f}"] if limit else []),
            f"{each.first:.1f}",
        )
    out.print(table)


def conclude(out: Console, goals: Sequence[Goal], *, check: bool) -> int:
    """Say which goals are met; with `check`, the exit status 1 if one is not."""
    missed = [goal for goal in goals if not goal.met]
    for goal in goals:
        out.print(f"{'met   ' if goal.met else 'missed'}  {goal}", highlight=False)
    if check and missed:
        said = "; ".join(str(goal) for goal in missed)
        out.print(f"missed: {said}", highlight=False, soft_wrap=True)
        return 1
    return 0
