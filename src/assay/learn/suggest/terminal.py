"""Suggestions in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.constraint import Level
from assay.checks.formatting import one_line, visible

if TYPE_CHECKING:
    from assay.learn.suggest.suggestion import Suggestion, Suggestions

__all__ = ["print_suggestions"]


def print_suggestions(suggestions: Suggestions, out: Console) -> None:
    """Print those of each column together, then what was tried and did not hold."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for heading in ("suggested", "because"):
        table.add_column(heading, overflow="fold")
    table.add_column("held", justify="right")
    for columns in dict.fromkeys(each.columns for each in suggestions):
        table.add_row("", Text(visible(", ".join(columns)), style="bold"))
        for each in suggestions:
            if each.columns == columns:
                _add(table, each)
    out.print(table)
    out.print(_summary(suggestions))


def _add(table: Table, each: Suggestion) -> None:
    error = each.level is Level.ERROR
    mark = Text("✓", style="green") if error else Text("!", style="yellow")
    coverage = "" if each.coverage is None else f"{100 * each.coverage:.4g} %"
    code = one_line(each.constraint.python)
    shown = code if len(code) <= 200 else code[:199] + "…"
    table.add_row(mark, Text(shown), Text(one_line(each.evidence), style="dim"), coverage)


def _summary(suggestions: Suggestions) -> str:
    errors = len(suggestions.errors)
    said = f"{errors} to demand, {len(suggestions) - errors} to warn of"
    tried = len(suggestions.rejected)
    return f"\n[bold]{said}[/]" + (f", {tried} did not hold on unseen rows" if tried else "")
