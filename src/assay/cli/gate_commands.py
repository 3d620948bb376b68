"""`assay gate`, `backfill` and `backtest`: judge batches, record them, replay them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from assay.checks.formatting import counted_batches, visible
from assay.cli.exits import Exit
from assay.cli.options import (
    BackfillOptions,
    BacktestOptions,
    FailOn,
    FileOptions,
    FolderArguments,
    GateArguments,
    GateOptions,
    OutputOptions,
    ResultOptions,
    SparkOptions,
    TableOptions,
)
from assay.cli.output import note, print_json, progress, stdout
from assay.cli.spark import spark_session
from assay.cli.stores import open_or_create_store
from assay.cli.table import command_table
from assay.engine.failure import one_line, problem_of
from assay.engine.frame import schema_of
from assay.engine.plan import plan_for
from assay.errors import SourceError
from assay.gate.backfill import backfill_measured
from assay.gate.backtest import Backtest, replay
from assay.gate.gate import Gate
from assay.gate.history import load_last_schema
from assay.gate.measure_files import measure_files
from assay.gate.verdict import Verdict
from assay.io.atomic_write import write_atomically
from assay.io.batch_files import (
    BatchFile,
    batch_files,
    dialect_of_file,
    read_batch_file,
    time_in_name,
)
from assay.io.file_format import NotATable, ReadOptions
from assay.io.formats import all_formats, format_by_name
from assay.report.junit import verdict_junit
from assay.report.notify import notice_of, notify_once
from assay.report.terminal import print_verdict
from assay.store import MemoryStore, Store
from assay.store.verdict import Decision
from assay.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["backfill", "backtest", "submit"]

_STYLES = {Decision.ACCEPT: "green", Decision.WARN: "yellow", Decision.HOLD: "bold red"}


def submit(
    arguments: GateArguments,
    table: TableOptions,
    result: ResultOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: GateOptions,
) -> None:
    """Judge a batch; the exit code is 4 if it is held."""
    store = open_or_create_store(options.store)
    gate = _create_gate(arguments.dataset, store, options)
    time = _batch_time(options.time, arguments.batch, table.source)
    with spark_session(spark_options, output) as spark:
        batch = _read_batch(spark, gate, table, output)
        if options.plan and not isinstance(batch, NotATable):
            _print_plan(gate, batch, output)
            return
        with progress(output, "Judging …"):
            if isinstance(batch, NotATable):
                verdict = gate.refuse(arguments.batch, f"{batch}.", time=time)
            else:
                path = Path(table.source) if _is_batch_file(table) else None
                dialect = None if path is None else dialect_of_file(path, table.reading)
                verdict = gate.submit(batch, arguments.batch, time=time, dialect=dialect)
                verdict = _explain(gate, batch, verdict, output)
    if options.suite is not None:
        _notify(verdict, gate.store, Suite.read(options.suite), output)
    if result.junit is not None:
        write_atomically(result.junit, verdict_junit(verdict))
    if output.json:
        print_json(verdict.to_dict())
    else:
        print_verdict(verdict, stdout(output))
    raise typer.Exit(_exit_code(verdict, result.fail_on))


def backfill(
    arguments: FolderArguments,
    files: FileOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: BackfillOptions,
) -> None:
    """Record the files of a folder as history without judging them."""
    gate = _create_gate(arguments.dataset, open_or_create_store(options.store), options)
    reading = _reading(files)
    batches = _batch_files(arguments.folder)
    reading_text = f"Reading {counted_batches(len(batches))} …"
    with spark_session(spark_options, output) as spark, progress(output, reading_text):
        results = measure_files(gate.spec, spark, batches, reading, will_be_stored=True)
        measured = backfill_measured(gate.spec, results)
    unreadable = {
        batch.batch.key: batch.unreadable for batch in measured if batch.unreadable is not None
    }
    n_recorded = len(batches) - len(unreadable)
    if output.json:
        print_json({"dataset": arguments.dataset, "batches": n_recorded, "unreadable": unreadable})
        return
    out = stdout(output)
    recorded = f"{counted_batches(n_recorded)} of {visible(arguments.dataset)} recorded."
    out.print(recorded, markup=False)
    for key, reason in unreadable.items():
        out.print(f"  {visible(key)} is left out: {reason}", markup=False)


def backtest(
    arguments: FolderArguments,
    files: FileOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: BacktestOptions,
) -> None:
    """Replay the files of a folder and print which batches would have been held."""
    gate = _create_gate(arguments.dataset, MemoryStore(), options)
    reading = _reading(files)
    batches = _batch_files(arguments.folder)
    with spark_session(spark_options, output) as spark:
        with progress(output, f"Reading {counted_batches(len(batches))} …"):
            measured = measure_files(gate.spec, spark, batches, reading)
        with progress(output, "Judging …"):
            review = (lambda _: True) if options.release else None
            result = replay(gate.spec, measured, review)
    if output.json:
        print_json({"dataset": arguments.dataset, "batches": result.to_dicts()})
    else:
        _print_backtest(result, stdout(output))


def _create_gate(
    dataset: str, store: Store, options: GateOptions | BackfillOptions | BacktestOptions
) -> Gate:
    suite = () if options.suite is None else Suite.read(options.suite)
    if isinstance(options, BackfillOptions):
        return Gate(dataset, store, suite)
    patterns = None if options.index is None else str(options.index)
    return Gate(dataset, store, suite, budget=options.budget, patterns=patterns)


def _batch_time(stated: datetime | None, key: str, source: str) -> datetime | None:
    """Return the time that the user states, else the one in the key or in the file's name."""
    if stated is not None:
        return stated.replace(tzinfo=stated.tzinfo or UTC)
    return time_in_name(key) or time_in_name(Path(source).name)


def _print_plan(gate: Gate, df: DataFrame, output: OutputOptions) -> None:
    plan = plan_for(df, gate.spec.analyzers(schema_of(df)))
    stdout(output).print(str(plan), markup=False, soft_wrap=True)


def _reading(options: FileOptions) -> ReadOptions:
    reading = options.reading
    if not _is_batch_format(reading.format):
        names = ", ".join(
            file_format.name for file_format in all_formats() if file_format.extensions
        )
        raise SourceError(f"--format: expected one of {names}, got {reading.format}.")
    return reading


def _batch_files(folder: Path) -> list[BatchFile]:
    files = batch_files(folder)
    if not files:
        raise SourceError.unreadable(
            str(folder), "the folder has no files: expected one file per batch."
        )
    return files


def _read_batch(
    spark: SparkSession, gate: Gate, table: TableOptions, output: OutputOptions
) -> DataFrame | NotATable:
    """Read a file with the column types of its dataset, and anything else as Spark reads it."""
    if not _is_batch_file(table):
        return command_table(spark, table, output).df
    schema = load_last_schema(gate.store, gate.dataset)
    types = {} if schema is None else dict(schema.types)
    opened = read_batch_file(spark, Path(table.source), types, table.reading)
    if isinstance(opened, NotATable):
        return opened
    for sentence in opened.notes:
        note(output, f"{table.source}: {sentence}")
    return opened.df


def _is_batch_file(table: TableOptions) -> bool:
    return _is_batch_format(table.reading.format) and Path(table.source).is_file()


def _is_batch_format(name: str | None) -> bool:
    """Return whether files of a format can be batches: it is detected, or has extensions."""
    if name is None:
        return True
    file_format = format_by_name(name)
    return file_format is not None and bool(file_format.extensions)


def _explain(gate: Gate, df: DataFrame, verdict: Verdict, output: OutputOptions) -> Verdict:
    """Add to a held batch which rows deviate; the decision stands if that fails."""
    if verdict.accepted:
        return verdict
    try:
        return gate.explain(df, verdict)
    except Exception as error:  # Spark reads the batch again and can raise anything; it is reported
        reason = one_line(problem_of(error).reason)
        note(output, f"the deviating rows could not be located: {visible(reason)}")
        return verdict


def _notify(verdict: Verdict, store: Store, suite: Suite, output: OutputOptions) -> None:
    for sent in notify_once(store, notice_of(verdict, store), suite.notify):
        if sent.word not in ("sent", "sent before", "not needed"):
            note(output, f"{sent.target}: {sent.word}")


def _exit_code(verdict: Verdict, fail_on: FailOn) -> Exit:
    if fail_on is FailOn.NEVER:
        return Exit.CLEAN
    if verdict.decision is Decision.HOLD:
        return Exit.HELD
    warned = verdict.decision is Decision.WARN
    return Exit.FAILED if warned and fail_on is FailOn.WARNING else Exit.CLEAN


def _print_backtest(result: Backtest, out: Console) -> None:
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for title in ("batch", "decision", "problems", "reason"):
        grid.add_column(title, justify="right" if title == "problems" else "left", overflow="fold")
    for replayed in result:
        if replayed.problems:
            grid.add_row(
                Text(visible(replayed.batch.key)),
                Text(replayed.decision.value, style=_STYLES[replayed.decision]),
                f"{len(replayed.problems):,}",
                Text(str(replayed.problems[0])),
            )
    if grid.row_count:
        out.print(grid)
    counts = ", ".join(f"{number:,} {decision.value}" for decision, number in result.counts.items())
    out.print(f"\n{counted_batches(len(result))}: {counts}.")
