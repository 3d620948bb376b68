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
_FALSE_HOLDS = "false holds per 100"
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
    is_reviewed = any(_is_reviewed(state) for state in states)
    for title in (*_COLUMNS, _FALSE_HOLDS) if is_reviewed else _COLUMNS:
        justify = "right" if title in _NUMBERS else "left"
        grid.add_column(title, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for state in states:
        grid.add_row(*_cells(state), *([_false_holds(state)] if is_reviewed else []))
    out.print(grid)
    n_held = sum(state.held for state in states)
    waiting = f"{count_noun(n_held, 'batch waits', 'batches wait')} for a decision"
    out.print(f"\n{count_noun(len(states), 'dataset', 'datasets')}; {waiting}.", style="dim")
    for state in states:
        if state.calibration.factor > 1:
            out.print(f"{visible(state.dataset)}: {state.calibration}.", markup=False)


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


def _is_reviewed(state: DatasetStatus) -> bool:
    return state.track_record.unreviewed < state.track_record.alarms


def _false_holds(state: DatasetStatus) -> str:
    """Return the measured and the promised rate; nothing if no alarm was reviewed."""
    rate, promised = state.track_record.false_hold_rate, state.promised
    if rate is None or promised is None or not _is_reviewed(state):
        return ""
    return f"{100 * rate:.2g} of {100 * promised:.2g} promised"


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
