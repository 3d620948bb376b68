"""A verification's result in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from assay.checks.constraint import Level
from assay.checks.formatting import format_value, one_line, visible

if TYPE_CHECKING:
    from assay.checks.result import ConstraintResult, Result

__all__ = ["print_result"]

_MARKS = {
    "passed": ("✓", "green"),
    "failed": ("✗", "bold red"),
    "warned": ("!", "yellow"),
    "not evaluated": ("?", "magenta"),
}
_STATUS = {"passed": "green", "warning": "yellow", "failed": "red", "not evaluated": "magenta"}


def print_result(result: Result, console: Console | None = None) -> None:
    """Print a row a constraint, check by check as they were declared, and a line that sums up."""
    out = console or Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("", "constraint", "expected", "actual"):
        table.add_column(title, overflow="fold")
    for check in dict.fromkeys(each.check for each in result):
        table.add_row("", Text(visible(check), style="bold"), "", "")
        for each in result:
            if each.check == check:
                _add(table, each)
    out.print(table)
    out.print(_summary(result))


def _add(table: Table, each: ConstraintResult) -> None:
    outcome = each.outcome.value
    if outcome == "failed" and each.level is Level.WARNING:
        outcome = "warned"
    mark, style = _MARKS[outcome]
    found = Text(
        one_line(str(each.problem)) if each.problem else format_value(each.value), style=style
    )
    reason = each.detail if each.expected is None else each.expected.reason
    for more in (reason, each.constraint.hint):
        if more and outcome != "passed":
            found.append(f"\n{one_line(more)}", style="dim")
    where = each.constraint.analyzer.where
    name = Text(visible(each.constraint.name))
    if where:
        name.append(f" where {one_line(where)}", style="dim")
    table.add_row(Text(mark, style=style), name, Text(each.expected_text), found)


def _summary(result: Result) -> str:
    counts: dict[str, int] = {}
    for each in result:
        counts[each.outcome.value] = counts.get(each.outcome.value, 0) + 1
    listed = ", ".join(f"{n} {outcome}" for outcome, n in counts.items()) or "no constraints"
    passes = ""
    if result.plan is not None:
        number = result.plan.passes
        passes = f", {number} {'pass' if number == 1 else 'passes'} over the data"
    status = result.status.value
    return f"\n[bold {_STATUS[status]}]{status.upper()}[/]  {escape(listed)}{passes}"
