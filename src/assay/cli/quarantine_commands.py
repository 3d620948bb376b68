"""`assay quarantine`: list, show, release and reject held batches."""

from __future__ import annotations

import math

from rich.table import Table as Grid
from rich.text import Text

from assay.checks.formatting import format_value, percent, visible, whole_seconds
from assay.cli.gate_options import DecisionOptions
from assay.cli.options import OutputOptions, PrintOptions
from assay.cli.output import print_json, stdout
from assay.cli.stores import dataset_names, open_existing_store, require_dataset
from assay.cli.verdict_commands import (
    author_of,
    batch_of_run,
    print_line,
    print_recorded,
    verdict_of_run,
)
from assay.gate.gate import Gate
from assay.gate.quarantine import Inspection, Quarantine
from assay.learn.fingerprint.column_stats import ColumnStats

__all__ = ["list_batches", "reject", "release", "show"]

_ABSENT = "–"
#: characters of the most frequent value that are shown
_MAX_VALUE = 30


def list_batches(dataset: str | None, output: OutputOptions, location: str | None) -> None:
    """Print the held batches that are neither released nor rejected."""
    store = open_existing_store(location)
    names = dataset_names(store) if dataset is None else [require_dataset(store, dataset)]
    held_batches = [held for name in names for held in Quarantine(name, store).waiting()]
    if output.json:
        print_json(
            [
                {"dataset": held.batch.dataset, "batch": held.batch.key, "reason": held.reason}
                for held in held_batches
            ]
        )
        return
    if not held_batches:
        print_line(output, "No batch is held.")
        return
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for title in ("batch", "time", "problems", "reason"):
        grid.add_column(title, justify="right" if title == "problems" else "left", overflow="fold")
    for held in held_batches:
        grid.add_row(
            Text(f"{visible(held.batch.dataset)}/{visible(held.batch.key)}", style="bold"),
            f"{held.batch.time:%Y-%m-%d %H:%M}",
            f"{len(held.problems):,}",
            Text(held.reason),
        )
    stdout(output).print(grid)


def show(run: str, output: OutputOptions, location: str | None) -> None:
    """Print the findings of a held batch, and its columns compared with the previous batch."""
    store = open_existing_store(location)
    dataset, key = batch_of_run(store, run)
    columns = _compare_columns(Quarantine(dataset, store).inspect(key))
    if output.json:
        print_json({"dataset": dataset, "batch": key, "columns": columns})
        return
    print_recorded(verdict_of_run(store, run), store, output, max_findings=1)
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for title in ("column", "nulls before", "now", "distinct before", "now"):
        justify = "left" if title == "column" else "right"
        grid.add_column(title, justify=justify, overflow="fold")  # type: ignore[arg-type]
    grid.add_column("mean or most frequent before", overflow="fold")
    grid.add_column("now", overflow="fold")
    for row in columns:
        grid.add_row(*(Text(visible(str(cell))) for cell in row.values()))
    out = stdout(output)
    out.print()
    out.print(grid)


def release(run: str, output: PrintOptions, decision: DecisionOptions) -> None:
    """Accept a held batch."""
    store = open_existing_store(decision.store)
    dataset, key = batch_of_run(store, run)
    Gate(dataset, store).release(key, author=author_of(decision.author), reason=decision.reason)
    print_line(output, f"{visible(run)} is released: it is part of the dataset and its history.")


def reject(run: str, output: PrintOptions, decision: DecisionOptions) -> None:
    """Reject a held batch for good."""
    store = open_existing_store(decision.store)
    dataset, key = batch_of_run(store, run)
    Gate(dataset, store).reject(key, author=author_of(decision.author), reason=decision.reason)
    print_line(output, f"{visible(run)} is rejected.")


def _compare_columns(inspection: Inspection) -> list[dict[str, object]]:
    columns_before = {} if inspection.before is None else inspection.before.columns
    rows: list[dict[str, object]] = []
    for name in dict.fromkeys([*columns_before, *inspection.now.columns]):
        before, now = columns_before.get(name), inspection.now.columns.get(name)
        rows.append({
            "column": name,
            "nulls_then": _null_share(before), "nulls_now": _null_share(now),
            "distinct_then": _distinct_count(before), "distinct_now": _distinct_count(now),
            "then": _typical_value(before), "now": _typical_value(now),
        })  # fmt: skip
    return rows


def _null_share(column: ColumnStats | None) -> str:
    if column is None or not column.n_rows:
        return _ABSENT
    return percent(column.n_rows - column.n_values, column.n_rows)


def _distinct_count(column: ColumnStats | None) -> str:
    number = math.nan if column is None else column.n_distinct
    return _ABSENT if math.isnan(number) else f"{number:,.0f}"


def _typical_value(column: ColumnStats | None) -> str:
    """Return the mean of numbers, or the most frequent value."""
    if column is None:
        return _ABSENT
    if column.kind == "numeric":
        return _ABSENT if math.isnan(column.mean) else format_value(column.mean)
    most_frequent = max(column.value_counts, key=column.value_counts.__getitem__, default=_ABSENT)
    return whole_seconds(most_frequent)[:_MAX_VALUE]
