"""`assay status`: all datasets with verdict, age, held batches and owner."""

from __future__ import annotations

from datetime import timedelta

from rich.table import Table
from rich.text import Text

from assay.checks.formatting import count_noun, visible
from assay.cli.options import OutputOptions
from assay.cli.output import print_json, stdout
from assay.cli.stores import open_existing_store
from assay.gate.status import DatasetStatus, dataset_statuses
from assay.store.verdict import Decision

__all__ = ["format_age", "run"]

_STYLES = {Decision.ACCEPT: "green", Decision.WARN: "yellow", Decision.HOLD: "bold red"}
_COLUMNS = ("dataset", "verdict", "batch", "age", "batches", "held", "owner", "tags")
_NUMBERS = ("age", "batches", "held")


def run(output: OutputOptions, location: str | None, tags: list[str] | None) -> None:
    """Print one line for each dataset; those with held batches first."""
    states = dataset_statuses(open_existing_store(location), tags or ())
    if output.json:
        print_json([state.to_dict() for state in states])
        return
    out = stdout(output)
    if not states:
        out.print("The store has no datasets with these tags." if tags else "No datasets.")
        return
    grid = Table(box=None, pad_edge=False, header_style="dim")
    for title in _COLUMNS:
        justify = "right" if title in _NUMBERS else "left"
        grid.add_column(title, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for state in states:
        grid.add_row(*_cells(state))
    out.print(grid)
    n_held = sum(state.held for state in states)
    waiting = f"{count_noun(n_held, 'batch waits', 'batches wait')} for a decision"
    out.print(f"\n{count_noun(len(states), 'dataset', 'datasets')}; {waiting}.", style="dim")


def format_age(age: timedelta) -> str:
    """Return an age in its largest unit.

    >>> format_age(timedelta(days=3, hours=2)), format_age(timedelta(minutes=90))
    ('3 days', '1 hour')
    >>> format_age(timedelta(seconds=-5))
    'now'
    """
    seconds = age.total_seconds()
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return count_noun(int(seconds // length), unit, f"{unit}s")
    return "now"


def _cells(state: DatasetStatus) -> list[str | Text]:
    verdict, age = state.verdict, state.age()
    decision = Text("–") if verdict is None else Text(verdict.decision.value)
    if verdict is not None:
        decision.stylize(_STYLES[verdict.decision])
    return [
        Text(visible(state.dataset), style="bold"),
        decision,
        Text("" if verdict is None else visible(verdict.key)),
        "" if age is None else format_age(age),
        f"{state.batches:,}",
        f"{state.held:,}" if state.held else "",
        Text(visible(state.info.owner or "")),
        Text(visible(", ".join(state.info.tags))),
    ]
