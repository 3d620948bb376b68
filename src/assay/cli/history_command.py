"""`assay history`: show a dataset's metrics batch by batch."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.analyzers import Checksum
from assay.analyzers.analyzer import Analyzer, parse_key
from assay.checks.assertions.anomaly import to_number
from assay.checks.formatting import count_noun, counted_batches, format_value, visible
from assay.cli.options import OutputOptions
from assay.cli.output import print_json, stdout
from assay.cli.stores import dataset_names, open_existing_store, require_dataset
from assay.errors import KeySyntaxError, StoreError, nearest
from assay.store import BatchStatus, RecordedMetric, Selection, Store
from assay.store.metric_records import Records

__all__ = ["run", "sparkline"]

_BARS = "▁▂▃▄▅▆▇█"
#: with more metrics than these, metrics that never changed are only counted
_MAX_CONSTANT_METRICS = 30
_BAR_WIDTH = 20


def run(
    dataset: str | None,
    output: OutputOptions,
    *,
    store: str | None,
    metrics: list[str] | None,
    last: int,
) -> None:
    """Print the metrics of a dataset, or list the datasets of the store."""
    opened = open_existing_store(store)
    if dataset is None:
        _print_datasets(opened, output)
        return
    require_dataset(opened, dataset)
    recorded = _latest(opened, dataset, last)
    if metrics:
        analyzers = [_find_metric(key, recorded) for key in metrics]
        recorded = [record for record in recorded if record.metric.analyzer in analyzers]
    if output.json:
        print_json(Records(tuple(recorded)).to_dicts())
    elif metrics:
        _print_batches(recorded, _excluded_keys(opened, dataset), stdout(output))
    else:
        _print_metrics(dataset, recorded, _excluded_keys(opened, dataset), stdout(output))


def sparkline(values: Sequence[float]) -> str:
    """Draw each value as a bar between the smallest and the largest; NaN is a dot.

    >>> sparkline([1.0, 2.0, 9.0, math.nan, 5.0]), sparkline([3.0, 3.0])
    ('▁▂█·▅', '▄▄')
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)

    def bar(value: float) -> str:
        if not math.isfinite(value):
            return "·"
        if high == low:
            return _BARS[3]
        return _BARS[round((value - low) / (high - low) * (len(_BARS) - 1))]

    return "".join(map(bar, values))


def _excluded_keys(store: Store, dataset: str) -> frozenset[str]:
    """Return the keys of batches that nothing is learned from: in quarantine, or marked bad."""
    batches = store.batches(Selection(dataset, status=tuple(BatchStatus)))
    learnable = {batch.key for batch in store.batches(Selection(dataset, learnable=True))}
    return frozenset(batch.key for batch in batches if batch.key not in learnable)


def _latest(store: Store, dataset: str, last: int) -> list[RecordedMetric]:
    batches = store.batches(Selection(dataset))[-last:]
    keys = {batch.key for batch in batches}
    since = batches[0].time if batches else None
    recorded = store.metrics(Selection(dataset, since=since))
    return [record for record in recorded if record.batch.key in keys]


def _find_metric(key: str, recorded: Sequence[RecordedMetric]) -> Analyzer:
    """Return the recorded analyzer with a key, however its arguments are written."""
    analyzers = {record.metric.analyzer.key: record.metric.analyzer for record in recorded}
    if key in analyzers:
        return analyzers[key]
    try:
        parsed = parse_key(key)
    except KeySyntaxError:
        parsed = None
    if parsed is not None and parsed in analyzers.values():
        return parsed
    guess = nearest(key, analyzers)
    hint = f" Did you mean {guess!r}?" if guess else ""
    raise StoreError(f"no metric {key!r} is recorded.{hint}")


def _print_datasets(store: Store, output: OutputOptions) -> None:
    rows = []
    for name in dataset_names(store):
        batches = store.batches(Selection(name))
        times = (batches[0].time, batches[-1].time) if batches else (None, None)
        rows.append((name, len(batches), *times, len(_excluded_keys(store, name))))
    if output.json:
        names = ("dataset", "batches", "first", "last", "left_out")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("dataset", "batches", "first", "last", "excluded"):
        table.add_column(title, justify="right" if title == "batches" else "left")
    for name, n_batches, first, latest, n_excluded in rows:
        table.add_row(
            Text(visible(name), style="bold"),
            f"{n_batches:,}",
            *("" if time is None else f"{time:%Y-%m-%d %H:%M}" for time in (first, latest)),
            f"{n_excluded:,}" if n_excluded else "",
        )
    stdout(output).print(table if rows else "The store has no datasets.")


def _print_metrics(
    dataset: str, recorded: list[RecordedMetric], excluded: frozenset[str], out: Console
) -> None:
    """Print one line per metric."""
    by_analyzer: dict[Analyzer, list[RecordedMetric]] = {}
    for record in recorded:
        by_analyzer.setdefault(record.metric.analyzer, []).append(record)
    batches = list(dict.fromkeys(record.batch for record in recorded))
    if not batches:
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("metric", overflow="fold")
    table.add_column(counted_batches(len(batches)), no_wrap=True)
    for title in ("lowest", "highest", "latest"):
        table.add_column(title, justify="right")
    n_constant = n_checksums = 0
    for analyzer, records in by_analyzer.items():
        by_batch = {record.batch: to_number(record.metric.value) for record in records}
        values = [by_batch.get(batch, math.nan) for batch in batches]
        finite = [value for value in values if math.isfinite(value)]
        is_constant = len(finite) == len(values) and min(finite) == max(finite)
        if isinstance(analyzer, Checksum):  # its value means nothing to people
            n_checksums += 1
        elif is_constant and len(by_analyzer) > _MAX_CONSTANT_METRICS:
            n_constant += 1
        elif finite:
            numbers = (min(finite), max(finite), values[-1])
            table.add_row(
                Text(visible(analyzer.key)),
                sparkline(values),
                *(format_value(_whole_or_float(value)) for value in numbers),
            )
    first, latest = batches[0], batches[-1]
    keys = f"  {visible(first.key)} … {visible(latest.key)}"
    out.print(Text.assemble((visible(dataset), "bold"), keys))
    out.print(table)
    hidden = [
        *([count_noun(n_constant, "constant metric")] if n_constant else ()),
        *([count_noun(n_checksums, "checksum")] if n_checksums else ()),
    ]
    if hidden:
        listed = " and ".join(hidden)
        out.print(f"\nNot shown: {listed} (--metric or --json shows them).", style="dim")
    n_excluded = sum(batch.key in excluded for batch in batches)
    if n_excluded:
        verb = "is" if n_excluded == 1 else "are"
        out.print(
            f"\n{counted_batches(n_excluded)} {verb} held or marked bad, and excluded from"
            " learning.",
            style="dim",
        )


def _print_batches(recorded: list[RecordedMetric], excluded: frozenset[str], out: Console) -> None:
    """Print one line per batch and metric."""
    values = [to_number(record.metric.value) for record in recorded]
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("batch", overflow="fold")
    table.add_column("time")
    table.add_column("metric", overflow="fold")
    table.add_column("value", justify="right")
    table.add_column("")
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    for record, value in zip(recorded, values, strict=True):
        metric = record.metric
        shown = format_value(metric.value) if metric.problem is None else str(metric.problem)
        has_bar = largest and math.isfinite(value)
        bar = "█" * round(_BAR_WIDTH * abs(value) / largest) if has_bar else ""
        table.add_row(
            Text(visible(record.batch.key)),
            f"{record.batch.time:%Y-%m-%d %H:%M}",
            Text(visible(metric.analyzer.key)),
            Text(visible(shown)),
            bar + ("  excluded" if record.batch.key in excluded else ""),
        )
    out.print(table)


def _whole_or_float(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
