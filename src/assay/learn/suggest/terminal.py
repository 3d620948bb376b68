"""Print suggestions in a terminal, grouped by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.constraint import Level
from assay.checks.formatting import count_noun, one_line, visible

if TYPE_CHECKING:
    from assay.learn.suggest.suggestion import Suggestion, Suggestions

__all__ = ["print_suggestions"]

#: characters of a constraint to show; lists of categories can be longer
_MAX_CODE_LENGTH = 200


def print_suggestions(suggestions: Suggestions, out: Console) -> None:
    """Print suggestions with their evidence, and how many were rejected."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for heading in ("suggested", "because"):
        table.add_column(heading, overflow="fold")
    table.add_column("held", justify="right")
    for columns in dict.fromkeys(suggestion.columns for suggestion in suggestions):
        table.add_row("", Text(visible(", ".join(columns)), style="bold"))
        for suggestion in suggestions:
            if suggestion.columns == columns:
                _add_row(table, suggestion)
    out.print(table)
    out.print(_summary(suggestions))


def _add_row(table: Table, suggestion: Suggestion) -> None:
    is_error = suggestion.level is Level.ERROR
    mark = Text("✓", style="green") if is_error else Text("!", style="yellow")
    code = one_line(suggestion.constraint.python)
    if len(code) > _MAX_CODE_LENGTH:
        code = code[: _MAX_CODE_LENGTH - 1] + "…"
    evidence = Text(one_line(suggestion.evidence), style="dim")
    table.add_row(mark, Text(code), evidence, suggestion.held_text)


def _summary(suggestions: Suggestions) -> str:
    errors = len(suggestions.errors)
    warnings = len(suggestions) - errors
    summary = f"\n[bold]{count_noun(errors, 'constraint')}, {count_noun(warnings, 'warning')}[/]"
    rejected = len(suggestions.rejected)
    return summary + (f", {rejected} did not hold on unseen rows" if rejected else "")
