"""Print a verification's result as a table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from assay.checks.constraint import Level
from assay.checks.formatting import count_noun, one_line, visible

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
    """Print one row per constraint, grouped by check, and a line with the status.

    Parameters
    ----------
    result
        The result.
    console
        The console of rich to print to; standard output if omitted.
    """
    out = console or Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("", "constraint", "expected", "actual"):
        table.add_column(title, overflow="fold")
    for check in dict.fromkeys(constraint_result.check for constraint_result in result):
        table.add_row("", Text(visible(check), style="bold"), "", "")
        for constraint_result in result:
            if constraint_result.check == check:
                _add_row(table, constraint_result)
    out.print(table)
    out.print(_summary(result))


def _add_row(table: Table, result: ConstraintResult) -> None:
    outcome = result.outcome.value
    if outcome == "failed" and result.level is Level.WARNING:
        outcome = "warned"
    mark, style = _MARKS[outcome]
    actual = Text(result.actual_text, style=style)
    reason = result.detail if result.expected is None else result.expected.reason
    for text in (reason, result.constraint.hint):
        if text and outcome != "passed":
            actual.append(f"\n{one_line(text)}", style="dim")
    where = result.constraint.analyzer.where
    name = Text(visible(result.constraint.name))
    if where:
        name.append(f" where {one_line(where)}", style="dim")
    table.add_row(Text(mark, style=style), name, Text(result.expected_text), actual)


def _summary(result: Result) -> str:
    passes = ""
    if result.passes is not None:
        passes = f", {count_noun(result.passes, 'pass', 'passes')} over the data"
    if result.example_passes:
        passes += f" ({result.example_passes} for examples)"
    if result.example_problem is not None:
        passes += f"\nno examples: {escape(one_line(str(result.example_problem)))}"
    status = result.status.value
    return f"\n[bold {_STATUS[status]}]{status.upper()}[/]  {escape(result.summary)}{passes}"
