"""`assay limits`: show, approve, mute and export the limits of a dataset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.table import Table as Grid
from rich.text import Text

from assay.checks.formatting import counted_batches, visible
from assay.cli.gate_options import DecisionOptions
from assay.cli.limits_app import BoundsOptions, LimitsOptions, TargetOptions
from assay.cli.options import OutputOptions, PrintOptions
from assay.cli.output import print_json, stdout
from assay.cli.stores import open_existing_store, require_dataset
from assay.cli.verdict_commands import author_of, print_line
from assay.errors import CheckError
from assay.gate.context import BatchContext, load_context
from assay.gate.gate import Gate
from assay.gate.mutes import Mute, load_mutes
from assay.gate.mutes import mute as save_mute
from assay.gate.mutes import unmute as remove_mute
from assay.io.atomic_write import write_atomically
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.metric_format import format_range
from assay.learn.limits.approved_limits import approve as approve_limits
from assay.learn.limits.approved_limits import withdraw
from assay.learn.limits.as_checks import to_python, to_yaml
from assay.learn.limits.column_limits import series
from assay.learn.limits.metric_limit import Constraint
from assay.learn.limits.table_limits import TableLimits
from assay.report.number_format import one_in
from assay.store import Batch, Store
from assay.suite import Suite

__all__ = ["approve", "export", "mute", "relearn", "set_bounds", "show", "unmute"]

_TABLE = "the table"
_WRITERS = {".yaml": to_yaml, ".yml": to_yaml, ".py": to_python}


def show(
    dataset: str,
    output: OutputOptions,
    options: LimitsOptions,
    *,
    columns: Sequence[str] | None,
    warnings: bool,
) -> None:
    """Print a row for each limit on the next batch."""
    store = open_existing_store(options.store)
    context = _context(store, dataset, options)
    limits = context.limits["sensitive" if warnings else "strict"]
    rows = [row for row in _rows(limits, context) if not columns or row["column"] in columns]
    mutes = load_mutes(store, dataset)
    if output.json:
        document = {
            "dataset": dataset,
            "batches": limits.batches,
            "approved_by": limits.by,
            "promised_false_hold_rate": float(context.budget.total),
            "limits_widened_by": context.calibration.factor,
            "track_record": context.track_record.to_dict(),
            "limits": rows,
            "mutes": [asdict(entry) for entry in mutes],
        }
        print_json(document)
        return
    out = stdout(output)
    out.print(_summary(dataset, limits), markup=False, soft_wrap=True)
    if context.track_record.unreviewed < context.track_record.alarms:
        measured = context.track_record.measured(float(context.budget.total))
        out.print(f"measured: {measured}", markup=False, soft_wrap=True)
    if context.calibration.factor > 1:
        out.print(f"recalibrated: {context.calibration}", markup=False, soft_wrap=True)
    if rows:
        grid = Grid(box=None, pad_edge=False, header_style="dim")
        for title in ("column", "metric", "expected", "learned from", "false alarms"):
            grid.add_column(title, overflow="fold")
        for row in rows:
            cells = (row["column"] or _TABLE, row["label"], row["expected"], row["origin"])
            rate = one_in(float(str(row["false_alarm_rate"])))
            grid.add_row(*(Text(visible(str(cell))) for cell in (*cells, rate)))
        out.print(grid)
    for entry in mutes:
        out.print(f"muted: {entry}", markup=False, soft_wrap=True)


def approve(
    dataset: str,
    output: PrintOptions,
    options: LimitsOptions,
    author: str | None,
    without: Sequence[str],
    bounds: Sequence[str],
) -> None:
    """Store the limits that hold a batch, with a person's changes."""
    store = open_existing_store(options.store)
    limits = _context(store, dataset, options).limits["strict"]
    for target in without:
        limits = limits.without(*_target(target, "--without"))
    for text in bounds:
        limits = limits.with_bounds(*_bounds(text))
    approve_limits(store, limits, author_of(author))
    number = sum(len(column.constraints) for column in limits)
    noun = "limit is" if number == 1 else "limits are"
    print_line(output, f"{number:,} {noun} approved for {visible(dataset)}.")


def set_bounds(
    dataset: str,
    metric: str,
    output: PrintOptions,
    options: LimitsOptions,
    bounds: BoundsOptions,
) -> None:
    """Change one limit, and store all limits that hold a batch."""
    column = bounds.column
    if bounds.at_least is None and bounds.at_most is None:
        raise CheckError("a limit needs --at-least, --at-most or both, got none of them.")
    low = -math.inf if bounds.at_least is None else bounds.at_least
    high = math.inf if bounds.at_most is None else bounds.at_most
    store = open_existing_store(options.store)
    limits = _context(store, dataset, options).limits["strict"]
    approve_limits(store, limits.with_bounds(column, metric, low, high), author_of(bounds.author))
    label = metrics.label(metric)
    subject = label if column is None else f"{label} of {visible(column)}"
    expected = format_range(metric, low, high)
    print_line(output, f"{visible(dataset)}: {subject} is now expected to be {expected}.")


def relearn(dataset: str, output: PrintOptions, location: str | None) -> None:
    """Withdraw approved limits."""
    store = open_existing_store(location)
    withdraw(store, require_dataset(store, dataset))
    print_line(output, f"The limits of {visible(dataset)} are learned again for each batch.")


def mute(
    dataset: str, output: PrintOptions, target: TargetOptions, decision: DecisionOptions
) -> None:
    """Mute alarms about a dataset."""
    store = open_existing_store(decision.store)
    added = Mute(
        column=target.column,
        metric=target.metric,
        judge=target.judge,
        author=author_of(decision.author),
        reason=decision.reason,
    )
    save_mute(store, require_dataset(store, dataset), added)
    print_line(output, f"Muted for {visible(dataset)}: {added}")


def unmute(dataset: str, output: PrintOptions, target: TargetOptions, location: str | None) -> None:
    """Remove a mute."""
    store = open_existing_store(location)
    dataset = require_dataset(store, dataset)
    remove_mute(store, dataset, column=target.column, metric=target.metric, judge=target.judge)
    print_line(output, f"No longer muted for {visible(dataset)}.")


def export(dataset: str, output: PrintOptions, options: LimitsOptions, path: Path) -> None:
    """Write the limits as a check."""
    if path.suffix not in _WRITERS:
        raise CheckError(f"--write: expected a .yaml or .py file, got {path.name!r}.")
    store = open_existing_store(options.store)
    limits = _context(store, dataset, options).limits["strict"]
    try:
        write_atomically(path, _WRITERS[path.suffix](limits, name=dataset))
    except OSError as error:
        raise CheckError(f"--write: {path} cannot be written: {error.strerror}.") from error
    print_line(output, f"The limits are in {path}.")


def _context(store: Store, dataset: str, options: LimitsOptions) -> BatchContext:
    """Load what the gate would know about a batch that arrives now."""
    suite = () if options.suite is None else Suite.read(options.suite)
    gate = Gate(require_dataset(store, dataset), store, suite, budget=options.budget)
    spec, batch = gate.spec, Batch(dataset, "next batch", datetime.now(UTC))
    return load_context(store, batch, spec.settings, spec.budget, spec.load_index)


def _summary(dataset: str, limits: TableLimits) -> str:
    name, origin = visible(dataset), f"learned from {counted_batches(limits.batches)}"
    if not any(column.constraints for column in limits):
        return f"{name}: no limits yet, {origin}. They need 8 batches."
    if limits.by is not None:
        return f"{name}: limits approved by {visible(limits.by)}, {origin}"
    return f"{name}: limits {origin}"


def _rows(limits: TableLimits, context: BatchContext) -> list[dict[str, object]]:
    """Return a row for each limit, with its bounds for the next batch."""
    history = context.history.metrics
    names = [name for name in limits.columns if name is not None]
    # Every column has the row count as a metric.
    longest = max(names, key=lambda name: len(history.of(name)), default=None)
    rows: list[dict[str, object]] = []
    for column in limits:
        name = longest if column.column is None else column.column
        values = () if name is None else history.of(name)
        for limit in column.constraints:
            low, high = limit.limits(series(values, limit.metric))
            rows.append({
                "column": column.column, "metric": limit.metric,
                "label": metrics.label(limit.metric), "low": low, "high": high,
                "expected": limit.between(low, high), "origin": _origin(limit),
                "false_alarm_rate": limit.interval.rate,
            })  # fmt: skip
    return rows


def _origin(limit: Constraint) -> str:
    if limit.interval.inequality == "stated":
        return "set by a person"
    if limit.constant:
        return f"{counted_batches(limit.batches)}, all the same"
    return counted_batches(limit.batches)


def _target(text: str, option: str) -> tuple[str | None, str]:
    """Split COLUMN:METRIC. Column names may contain colons."""
    column, colon, metric = text.rpartition(":")
    if not colon or not metric:
        raise typer.BadParameter(f"expected COLUMN:METRIC, got {text!r}.", param_hint=option)
    return column or None, metric


def _bounds(text: str) -> tuple[str | None, str, float, float]:
    target, _, ends = text.rpartition("=")
    low, dots, high = ends.partition("..")
    try:
        bounds = float(low or -math.inf), float(high or math.inf)
    except ValueError:
        dots = ""
    if not dots:
        message = f"expected COLUMN:METRIC=LOW..HIGH, got {text!r}."
        raise typer.BadParameter(message, param_hint="--set")
    return *_target(target, "--set"), *bounds
