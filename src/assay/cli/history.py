"""`assay history`: how a dataset's metrics went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.analyzers.analyzer import Analyzer, parse_key
from assay.checks.assertions.anomaly import number
from assay.checks.formatting import format_value, visible
from assay.cli.options import Output
from assay.cli.output import answer, console
from assay.cli.store import datasets_of, existing, known
from assay.errors import KeySyntaxError, StoreError, nearest
from assay.store import RecordedMetric, Selection, Store
from assay.store.history import Records, excluded_batches

__all__ = ["run", "sparkline"]

_BARS = "▁▂▃▄▅▆▇█"
#: of more metrics, those that never changed are only counted
_MANY = 30


def run(
    dataset: str | None,
    output: Output,
    *,
    store: Path | None,
    metrics: list[str] | None,
    last: int,
) -> None:
    """Tell the history of a dataset, or which there are."""
    if store is None:
        raise StoreError("history is read from a store: give its directory by --store.")
    memory = existing(store)
    if dataset is None:
        _datasets(memory, output)
        return
    known(memory, dataset, store)
    found = _latest(memory, dataset, last)
    if metrics:
        asked = [_meant(each, found) for each in metrics]
        found = [each for each in found if each.metric.analyzer in asked]
    if output.json:
        answer(Records(tuple(found)).to_dicts())
    elif metrics:
        _batches(found, excluded_batches(memory, dataset), console(output))
    else:
        _print(dataset, found, excluded_batches(memory, dataset), console(output))


def sparkline(values: Sequence[float]) -> str:
    """A bar for each value between the least and the greatest; a dot where there is none.

    >>> sparkline([1.0, 2.0, 9.0, math.nan, 5.0]), sparkline([3.0, 3.0])
    ('▁▂█·▅', '▄▄')
    """
    real = [each for each in values if math.isfinite(each)]
    low, high = (min(real), max(real)) if real else (0.0, 0.0)

    def bar(value: float) -> str:
        if not math.isfinite(value):
            return "·"
        if high == low:
            return _BARS[3]
        return _BARS[round((value - low) / (high - low) * (len(_BARS) - 1))]

    return "".join(map(bar, values))


def _latest(store: Store, dataset: str, last: int) -> list[RecordedMetric]:
    batches = store.batches(Selection(dataset))[-last:]
    keys = {each.key for each in batches}
    since = batches[0].time if batches else None
    found = store.metrics(Selection(dataset, since=since))
    return [each for each in found if each.batch.key in keys]


def _meant(key: str, found: Sequence[RecordedMetric]) -> Analyzer:
    """The metric of this key, if it was remembered."""
    keys = {each.metric.analyzer.key: each.metric.analyzer for each in found}
    if key in keys:
        return keys[key]
    try:
        meant = parse_key(key)
    except KeySyntaxError:
        meant = None
    if meant is not None and meant in keys.values():
        return meant
    guess = nearest(key, keys)
    hint = f"; did you mean {guess!r}?" if guess else "."
    raise StoreError(f"no metric {key!r} is remembered{hint}")


def _datasets(store: Store, output: Output) -> None:
    rows = []
    for name in datasets_of(store):
        batches = store.batches(Selection(name))
        ends = (batches[0].time, batches[-1].time) if batches else (None, None)
        rows.append((name, len(batches), *ends, len(excluded_batches(store, name))))
    if output.json:
        names = ("dataset", "batches", "first", "last", "left_out")
        answer([dict(zip(names, row, strict=True)) for row in rows])
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("dataset", "batches", "first", "last", "left out"):
        table.add_column(title, justify="right" if title == "batches" else "left")
    for name, n, first, latest, out in rows:
        table.add_row(
            Text(visible(name), style="bold"),
            f"{n:,}",
            *("" if each is None else f"{each:%Y-%m-%d %H:%M}" for each in (first, latest)),
            str(out or ""),
        )
    console(output).print(table if rows else "The store has no datasets.")


def _print(dataset: str, found: list[RecordedMetric], out: frozenset[str], to: Console) -> None:
    """A line a metric."""
    series: dict[Analyzer, list[RecordedMetric]] = {}
    for each in found:
        series.setdefault(each.metric.analyzer, []).append(each)
    batches = list(dict.fromkeys(each.batch for each in found))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("metric", overflow="fold")
    table.add_column(f"{len(batches)} batches", no_wrap=True)
    for title in ("least", "greatest", "latest"):
        table.add_column(title, justify="right")
    same = 0
    for analyzer, recorded in series.items():
        by_batch = {each.batch: number(each.metric.value) for each in recorded}
        values = [by_batch.get(batch, math.nan) for batch in batches]
        real = [each for each in values if math.isfinite(each)]
        if len(series) > _MANY and len(real) == len(values) and min(real) == max(real):
            same += 1
        elif real:
            ends = (min(real), max(real), values[-1])
            table.add_row(
                Text(visible(analyzer.key)),
                sparkline(values),
                *(format_value(_brief(n)) for n in ends),
            )
    if batches:
        first, latest = batches[0], batches[-1]
        said = f"  {visible(first.key)} … {visible(latest.key)}"
        held = sum(each.key in out for each in batches)
        to.print(Text.assemble((visible(dataset), "bold"), said))
        to.print(table)
        if same:
            to.print(f"\n{same:,} more were the same in each (--metric, --json).", style="dim")
        if held:
            to.print(f"\n{held} of them were held or marked bad, and teach nothing.", style="dim")


def _batches(found: list[RecordedMetric], out: frozenset[str], to: Console) -> None:
    """A line a batch."""
    values = [number(each.metric.value) for each in found]
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("batch", overflow="fold")
    table.add_column("time")
    table.add_column("metric", overflow="fold")
    table.add_column("value", justify="right")
    table.add_column("")
    most = max((abs(each) for each in values if math.isfinite(each)), default=0.0)
    for each, value in zip(found, values, strict=True):
        metric = each.metric
        said = str(metric.problem) if metric.problem is not None else format_value(metric.value)
        bar = "█" * round(20 * abs(value) / most) if most and math.isfinite(value) else ""
        table.add_row(
            Text(visible(each.batch.key)),
            f"{each.batch.time:%Y-%m-%d %H:%M}",
            Text(visible(metric.analyzer.key)),
            Text(visible(said)),
            bar + ("  left out" if each.batch.key in out else ""),
        )
    to.print(table)


def _brief(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
