"""`assay store info`, `prune`, `vacuum` and `export`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.checks.formatting import count_noun, counted_batches, visible
from assay.cli.options import OutputOptions, PrintOptions
from assay.cli.output import note, print_json, stdout
from assay.cli.stores import dataset_names, open_existing_store, require_dataset
from assay.cli.verdict_commands import print_line
from assay.errors import StoreError
from assay.gate.history import WINDOW
from assay.gate.stored_verdicts import recorded_verdict
from assay.io.row_files import require_row_format, write_rows
from assay.store import Selection, Store
from assay.store.maintenance import StoreOnDisk, count_datasets
from assay.store.maintenance import prune as prune_dataset
from assay.store.metric_records import history
from assay.store.migrations import MIGRATIONS
from assay.version import __version__

__all__ = ["export", "info", "prune", "vacuum"]

_METRIC_COLUMNS = ("dataset", "batch", "time", "metric", "number", "value", "problem")
_VERDICT_COLUMNS = ("dataset", "batch", "time", "decision", "problems", "reason", "author", "mark")
#: names of units of 1,000 bytes
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
#: removed batches that are named; the others are counted
_MAX_NAMED = 10


def info(output: OutputOptions, location: str | None) -> None:
    """Print the version, the size, and a line for each dataset."""
    store = open_existing_store(location)
    sizes = count_datasets(store)
    size_bytes = store.size_bytes if isinstance(store, StoreOnDisk) else None
    if output.json:
        datasets = [
            {
                "dataset": size.dataset, "accepted": size.accepted, "held": size.held,
                "rejected": size.rejected, "verdicts": size.verdicts,
                "first": size.first and size.first.isoformat(),
                "last": size.last and size.last.isoformat(),
            }
            for size in sizes
        ]  # fmt: skip
        print_json({
            "store": _name(store), "version": len(MIGRATIONS), "assay": __version__,
            "bytes": size_bytes, "datasets": datasets,
        })  # fmt: skip
        return
    out = stdout(output)
    out.print(Text.assemble((visible(_name(store)), "bold"), f"  version {len(MIGRATIONS)}"))
    size_text = "" if size_bytes is None else f"{_format_bytes(size_bytes)}, "
    out.print(f"{size_text}{count_noun(len(sizes), 'dataset', 'datasets')}\n")
    grid = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("dataset", "accepted", "held", "rejected", "verdicts", "first", "last"):
        is_text = title in ("dataset", "first", "last")
        grid.add_column(title, justify="left" if is_text else "right", overflow="fold")
    for size in sizes:
        grid.add_row(
            Text(visible(size.dataset), style="bold"),
            *(f"{n:,}" for n in (size.accepted, size.held, size.rejected, size.verdicts)),
            *("" if time is None else f"{time:%Y-%m-%d %H:%M}" for time in (size.first, size.last)),
        )
    if sizes:
        out.print(grid)


def prune(
    output: OutputOptions,
    location: str | None,
    datasets: list[str] | None,
    *,
    keep: int | None,
    before: datetime | None,
    dry_run: bool,
) -> None:
    """Remove old batches of datasets and list them."""
    store = open_existing_store(location)
    if keep is not None and keep < WINDOW:
        note(output, f"A gate learns from up to {WINDOW} batches; fewer make its limits wider.")
    time = None if before is None else before.replace(tzinfo=before.tzinfo or UTC)
    pruned = [
        prune_dataset(store, name, keep=keep, before=time, dry_run=dry_run)
        for name in _names(store, datasets)
    ]
    if output.json:
        print_json([
            {
                "dataset": result.dataset,
                "batches": [batch.key for batch in result.batches],
                "verdicts": result.n_verdicts,
                "dry_run": dry_run,
            }
            for result in pruned
        ])  # fmt: skip
        return
    out = stdout(output)
    verb = "would be removed" if dry_run else "removed"
    for result in pruned:
        n_verdicts = count_noun(result.n_verdicts, "verdict", "verdicts")
        counted = f"{counted_batches(len(result.batches))} and {n_verdicts} {verb}"
        out.print(f"{visible(result.dataset)}: {counted}.", markup=False)
        for batch in result.batches[:_MAX_NAMED]:
            line = f"  {visible(batch.key)}  {batch.time:%Y-%m-%d %H:%M}  {batch.status.value}"
            out.print(Text(line, style="dim"))
        n_more = len(result.batches) - _MAX_NAMED
        if n_more > 0:
            out.print(f"  and {n_more:,} more", style="dim")


def vacuum(output: PrintOptions, location: str | None) -> None:
    """Free space and print how much."""
    store = open_existing_store(location)
    if not isinstance(store, StoreOnDisk):
        raise StoreError(f"the store {_name(store)} cannot be vacuumed: it has no files.")
    before = store.size_bytes
    n_deleted = store.vacuum()
    freed = max(0, before - store.size_bytes)
    deleted = count_noun(n_deleted, "frequency table", "frequency tables")
    print_line(output, f"{_format_bytes(freed)} freed, {deleted} deleted.")


def export(
    output: PrintOptions,
    location: str | None,
    datasets: list[str] | None,
    *,
    path: Path,
    verdicts: bool,
) -> None:
    """Write one row for each metric or verdict."""
    require_row_format(path)
    store = open_existing_store(location)
    names = _names(store, datasets)
    make_rows, columns = (
        (_verdict_rows, _VERDICT_COLUMNS) if verdicts else (_metric_rows, _METRIC_COLUMNS)
    )
    rows = [row for name in names for row in make_rows(store, name)]
    write_rows(path, columns, rows)
    noun = ("verdict", "verdicts") if verdicts else ("metric", "metrics")
    print_line(output, f"{count_noun(len(rows), *noun)} written to {path}.")


def _metric_rows(store: Store, dataset: str) -> Iterator[dict[str, Any]]:
    for record in history(store, Selection(dataset)).to_dicts():
        value = record["value"]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        yield {
            "dataset": record["dataset"],
            "batch": record["key"],
            "time": record["time"],
            "metric": record["analyzer"],
            "number": float(value) if is_number else None,
            "value": None if value is None else json.dumps(value, ensure_ascii=False),
            "problem": record["problem"],
        }


def _verdict_rows(store: Store, dataset: str) -> Iterator[dict[str, Any]]:
    marks = {mark.key: mark for mark in store.marks(Selection(dataset))}
    for record in store.verdicts(Selection(dataset)):
        problems = recorded_verdict(store, record).problems
        mark = marks.get(record.key)
        yield {
            "dataset": dataset,
            "batch": record.key,
            "time": record.time.isoformat(),
            "decision": record.decision.value,
            "problems": len(problems),
            "reason": str(problems[0]) if problems else None,
            "author": None if mark is None else mark.author,
            "mark": None if mark is None else mark.kind.value,
        }


def _names(store: Store, datasets: list[str] | None) -> list[str]:
    if not datasets:
        return dataset_names(store)
    return [require_dataset(store, name) for name in datasets]


def _name(store: Store) -> str:
    return str(getattr(store, "name", type(store).__name__))


def _format_bytes(number: int) -> str:
    """Return a number of bytes in a unit that people read.

    >>> _format_bytes(512), _format_bytes(1_250_000)
    ('512 bytes', '1.2 MB')
    """
    size, unit = float(number), _UNITS[0]
    for unit in _UNITS:
        if size < 1000 or unit == _UNITS[-1]:
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == _UNITS[0] else f"{size:.1f} {unit}"
