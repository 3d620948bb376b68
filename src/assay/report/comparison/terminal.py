"""Print a comparison in a terminal: the problems first, then a line for each column."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.formatting import visible
from assay.gate.compare.row_matches import ROW_LABELS, RowMatches
from assay.report.comparison.column_comparison import ColumnComparison
from assay.report.comparison.table_comparison import TableComparison
from assay.report.number_format import counted
from assay.store.verdict import Decision

__all__ = ["print_comparison"]

_STYLES = {Decision.ACCEPT: "green", Decision.WARN: "yellow", Decision.HOLD: "bold red"}
_SIGNS = {Decision.ACCEPT: " ", Decision.WARN: "!", Decision.HOLD: "✗"}
_MAX_PROBLEMS, _MAX_COLUMNS = 12, 30
#: columns whose changed rows are shown, and rows of each
_MAX_CHANGED, _MAX_ROWS = 6, 3


def print_comparison(comparison: TableComparison, out: Console) -> None:
    """Print the outcome, the problems, the matched rows and the columns."""
    style = _STYLES[comparison.decision]
    context = f"        {comparison.compared_with}"
    head = ((comparison.outcome, style), f"  {visible(comparison.new.name)}", (context, "dim"))
    out.print(Text.assemble(*head), soft_wrap=True)
    if comparison.problems:
        _print_problems(comparison, out)
    for observation in comparison.observations:
        out.print(Text(f"  ·  {visible(str(observation))}", style="dim"))
    if comparison.rows is not None:
        _print_rows(comparison.rows, out)
    _print_columns(comparison.columns, out)
    if comparison.would_hold:
        out.print("\nA gate would hold this table.", style="bold")


def _print_problems(comparison: TableComparison, out: Console) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", min_width=3, style="dim")
    grid.add_column(overflow="fold", max_width=30)
    grid.add_column(overflow="fold")
    problems = comparison.problems
    for number, problem in enumerate(problems[:_MAX_PROBLEMS], 1):
        style = _STYLES[problem.level]
        grid.add_row(str(number), Text(problem.subject, style=style), Text(visible(problem.cause)))
    out.print()
    out.print(grid)
    if len(problems) > _MAX_PROBLEMS:
        out.print(f"     and {counted(len(problems) - _MAX_PROBLEMS, 'more problem')}", style="dim")


def _print_rows(rows: RowMatches, out: Console) -> None:
    key = ", ".join(map(visible, rows.key))
    out.print(Text.assemble((f"\nRows by {key}", "bold"), f"  {rows}"), soft_wrap=True)
    if not rows.examples:
        return
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=3)
    for _ in range(3):
        grid.add_column(overflow="fold")
    n_columns = 0
    for name, examples in rows.examples.items():
        n_columns += name not in ROW_LABELS
        if name not in ROW_LABELS and n_columns > _MAX_CHANGED:
            continue
        label = ROW_LABELS.get(name) or visible(name)
        for row in examples[:_MAX_ROWS]:
            grid.add_row(" ", Text(label, style="yellow"), Text(row.key_text), Text(row.change))
            label = ""
    out.print(grid)


def _print_columns(columns: Sequence[ColumnComparison], out: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("", "column", "old", "new"):
        table.add_column(title, overflow="fold")
    for column in columns[:_MAX_COLUMNS]:
        style = _STYLES[column.level] if column.level is not Decision.ACCEPT else ""
        old, new = (
            "-" if summary is None else str(summary) for summary in (column.old, column.new)
        )
        sign = Text(_SIGNS[column.level], style=style)
        table.add_row(sign, Text(visible(column.name), style=style or "bold"), Text(old), Text(new))
    out.print()
    out.print(table)
    n_more = len(columns) - _MAX_COLUMNS
    if n_more > 0:
        out.print(f"and {counted(n_more, 'more column')} (--json and --html have all)", style="dim")
