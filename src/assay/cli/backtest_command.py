"""`assay backtest`: replay past batches, and list which would have been held."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from assay.checks.formatting import count_noun, counted_batches, visible
from assay.cli.batches import find_batches_of, measure_batches
from assay.cli.gate_options import BacktestOptions, BatchesArguments
from assay.cli.gates import create_gate
from assay.cli.options import OutputOptions, PageOptions, SparkOptions
from assay.cli.output import note, print_json, stdout
from assay.cli.page import write_page
from assay.cli.progress import progress
from assay.cli.reading_options import FileOptions
from assay.cli.spark import spark_session
from assay.gate.backtest import Backtest, replay
from assay.gate.backtest.review import ReviewPolicy, review_of
from assay.store import MemoryStore
from assay.store.verdict import Decision

__all__ = ["run"]

#: consecutive holds of one alarm from which on they may be a lasting change
_MIN_LASTING_HOLDS = 3
_STYLES = {Decision.ACCEPT: "green", Decision.WARN: "yellow", Decision.HOLD: "bold red"}


def run(
    arguments: BatchesArguments,
    files: FileOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: BacktestOptions,
    page: PageOptions,
) -> None:
    """Replay the batches and print the alarms."""
    policy = _policy(options, output)
    gate = create_gate(arguments.dataset, MemoryStore(), options)
    located = find_batches_of(arguments, files)
    with spark_session(spark_options, output) as spark:
        measured = measure_batches(spark, gate, arguments, files, output, located=located)
        with progress(output, f"Judging {counted_batches(len(measured))}") as report:
            result = replay(
                gate.spec, measured, policy, inspect=lambda _, batch: report(batch.batch.key)
            )
    write_page(result, page, output)
    if output.json:
        print_json({
            "dataset": arguments.dataset,
            "batches": result.to_dicts(),
            "alarms": [alarm.to_dict() for alarm in result.runs],
            "review": policy,
            "released": list(result.released),
        })  # fmt: skip
    else:
        _print_backtest(result, policy, stdout(output))


def _policy(options: BacktestOptions, output: OutputOptions) -> str:
    """Return the name of the review policy. `--release` is the old spelling of one."""
    if options.release:
        note(output, "--release is deprecated: use --review release.")
    default = ReviewPolicy.RELEASE if options.release else ReviewPolicy.NONE
    policy = options.review or default.value
    review_of(policy)  # an unknown policy is an error before Spark starts
    return policy


def _print_backtest(result: Backtest, policy: str, out: Console) -> None:
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for title in ("batch", "batches", "decision", "problems", "reason"):
        is_number = title in ("batches", "problems")
        grid.add_column(title, justify="right" if is_number else "left", overflow="fold")
    for alarm in result.runs:
        grid.add_row(
            Text(visible(alarm.name)),
            f"{len(alarm):,}",
            Text(alarm.decision.value, style=_STYLES[alarm.decision]),
            f"{alarm.n_problems:,}",
            Text(str(alarm.problem)),
        )
    if grid.row_count:
        out.print(grid)
        out.print()
    counts = ", ".join(f"{number:,} {decision.value}" for decision, number in result.counts.items())
    n_alarms = count_noun(len(result.runs), "alarm", "alarms")
    out.print(f"{counted_batches(len(result))}: {counts}. {n_alarms}.")
    if policy != ReviewPolicy.NONE:
        out.print(result.review_effect)
    elif any(
        len(alarm) >= _MIN_LASTING_HOLDS and alarm.decision is Decision.HOLD
        for alarm in result.runs
    ):
        out.print("Was a run of holds a lasting change? --review release accepts it.", style="dim")
