"""`assay gate`, `backfill` and `backtest`: batches before their dataset's gate."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from assay.checks.formatting import visible
from assay.cli.exits import Exit
from assay.cli.options import FailOn, Files, Judging, Output, Session, Table
from assay.cli.output import answer, console, note, working
from assay.cli.session import started
from assay.cli.table import command_table
from assay.engine.failure import one_line, problem_of
from assay.engine.frame import schema_of
from assay.engine.measure import plan_for
from assay.errors import SourceError, StoreError
from assay.gate.backtest import Backtest, replay
from assay.gate.files import deliveries_in
from assay.gate.gate import Gate
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
from assay.report.dedup import notice_of, notify_once
from assay.report.junit import verdict_junit
from assay.report.terminal import print_verdict
from assay.store import EmbeddedStore, MemoryStore, Store
from assay.store.verdict import Decision
from assay.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["backfill", "backtest", "gate_of", "submit"]

_STYLES = {Decision.ACCEPT: "green", Decision.WARN: "yellow", Decision.HOLD: "bold red"}


def gate_of(
    dataset: str,
    store: Store,
    suite: Path | None,
    budget: str | None = None,
    index: Path | None = None,
) -> Gate:
    """The gate of a dataset, as its suite has it."""
    found = () if suite is None else Suite.read(suite)
    patterns = None if index is None else str(index)
    return Gate(dataset, store, found, budget=budget, patterns=patterns)


def submit(
    dataset: str,
    table: Table,
    judging: Judging,
    output: Output,
    session: Session,
    *,
    batch: str,
    store: Path | None,
    suite: Path | None,
    time: datetime | None,
    budget: str | None,
    index: Path | None,
    plan: bool,
) -> None:
    """Judge a batch; the exit code is 4 where it is held."""
    gate = gate_of(dataset, _store(store), suite, budget, index)
    said = None if time is None else time.replace(tzinfo=time.tzinfo or UTC)
    moment = said or time_in_name(batch) or time_in_name(Path(table.source).name)
    with started(session, output) as spark:
        found = _read(spark, gate, table, output)
        if plan and not isinstance(found, NotATable):
            constraints = (each for check in gate.checks for each in check.constraints)
            demanded = [own for each in constraints for own in each.analyzers]
            asked = [*demanded, *gate.analyzers(schema_of(found))]
            console(output).print(str(plan_for(found, asked)), markup=False, soft_wrap=True)
            return
        with working(output, "Judging …"):
            if isinstance(found, NotATable):
                verdict = gate.refuse(batch, f"{found}.", time=moment)
            else:
                path = Path(table.source) if _is_file(table) else None
                writing = None if path is None else dialect_of_file(path, table.reading)
                verdict = gate.submit(found, batch, time=moment, writing=writing)
                verdict = _explained(gate, found, verdict, output)
    if suite is not None:
        _tell(verdict, gate.store, Suite.read(suite), output)
    if judging.junit is not None:
        write_atomically(judging.junit, verdict_junit(verdict))
    if output.json:
        answer(verdict.to_dict())
    else:
        print_verdict(verdict, console(output))
    raise typer.Exit(_code(verdict, judging.fail_on))


def backfill(
    dataset: str,
    folder: Path,
    options: Files,
    output: Output,
    session: Session,
    *,
    store: Path | None,
    suite: Path | None,
) -> None:
    """Remember the files of a folder as history, without judging them."""
    gate = gate_of(dataset, _store(store), suite)
    reading = _reading(options)
    files = _files(folder)
    with started(session, output) as spark, working(output, f"Reading {len(files)} batches …"):
        found = gate.remember(deliveries_in(gate, spark, files, reading, keep=True))
    odd = [each for each in found if each.unreadable]
    if output.json:
        unreadable = {each.batch.key: each.unreadable for each in odd}
        answer({"dataset": dataset, "batches": len(files) - len(odd), "unreadable": unreadable})
        return
    out = console(output)
    out.print(
        f"{len(files) - len(odd)} batches of {visible(dataset)} are remembered.", markup=False
    )
    for each in odd:
        out.print(f"  {visible(each.batch.key)} is left out: {each.unreadable}", markup=False)


def backtest(
    dataset: str,
    folder: Path,
    options: Files,
    output: Output,
    session: Session,
    *,
    suite: Path | None,
    budget: str | None,
    index: Path | None,
    release: bool,
) -> None:
    """Replay the files of a folder: what would have been held, and why."""
    gate = gate_of(dataset, MemoryStore(), suite, budget, index)
    reading = _reading(options)
    files = _files(folder)
    with started(session, output) as spark:
        with working(output, f"Reading {len(files)} batches …"):
            deliveries = deliveries_in(gate, spark, files, reading)
        with working(output, "Judging …"):
            found = replay(gate, deliveries, (lambda _: True) if release else None)
    if output.json:
        answer({"dataset": dataset, "batches": found.to_dicts()})
    else:
        _print(found, console(output))


def _store(folder: Path | None) -> Store:
    if folder is None:
        raise StoreError("a gate remembers: give the directory of its store by --store.")
    return EmbeddedStore(folder)


def _reading(options: Files) -> ReadOptions:
    reading = options.reading
    if not _is_known(reading.format):
        known = ", ".join(each.name for each in all_formats() if each.extensions)
        raise SourceError(f"--format: files of a folder are {known}, not {reading.format}.")
    return reading


def _files(folder: Path) -> list[BatchFile]:
    files = batch_files(folder)
    if not files:
        raise SourceError.unreadable(str(folder), "it has no files: a batch is a file.")
    return files


def _read(spark: SparkSession, gate: Gate, table: Table, output: Output) -> DataFrame | NotATable:
    """The batch: a file in the types that its dataset has had, else whatever Spark reads."""
    if _is_file(table):
        before = gate.columns()
        types = {} if before is None else dict(before.types)
        found = read_batch_file(spark, Path(table.source), types, table.reading)
        if isinstance(found, NotATable):
            return found
        for sentence in found.notes:
            note(output, f"{table.source}: {sentence}")
        return found.df
    return command_table(spark, table, output).df


def _is_file(table: Table) -> bool:
    return _is_known(table.reading.format) and Path(table.source).is_file()


def _is_known(name: str | None) -> bool:
    """Return whether files of a format can be batches: it is detected, or has extensions."""
    if name is None:
        return True
    known = format_by_name(name)
    return known is not None and bool(known.extensions)


def _explained(gate: Gate, df: DataFrame, verdict: Verdict, output: Output) -> Verdict:
    """A held batch with where it deviates; what is decided stands, should that not be found."""
    if verdict.accepted:
        return verdict
    try:
        return gate.explain(df, verdict)
    except Exception as error:  # it reads the batch again, and the verdict is remembered already
        reason = one_line(problem_of(error).reason)
        note(output, f"where the deviations sit is not known: {visible(reason)}")
        return verdict


def _tell(verdict: Verdict, store: Store, suite: Suite, output: Output) -> None:
    for sent in notify_once(store, notice_of(verdict, store), suite.notify):
        if sent.word not in ("sent", "sent before", "not needed"):
            note(output, f"{sent.target}: {sent.word}")


def _code(verdict: Verdict, fail_on: FailOn) -> Exit:
    if fail_on is FailOn.NEVER:
        return Exit.CLEAN
    if verdict.decision is Decision.HOLD:
        return Exit.HELD
    warned = verdict.decision is Decision.WARN
    return Exit.FAILED if warned and fail_on is FailOn.WARNING else Exit.CLEAN


def _print(found: Backtest, out: Console) -> None:
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for title in ("batch", "decision", "findings", "reason"):
        grid.add_column(title, justify="right" if title == "findings" else "left", overflow="fold")
    for each in found:
        if each.alarms:
            grid.add_row(
                Text(visible(each.batch.key)),
                Text(each.decision.value, style=_STYLES[each.decision]),
                str(len(each.alarms)),
                Text(str(each.alarms[0])),
            )
    if grid.row_count:
        out.print(grid)
    counts = ", ".join(f"{n} {each.value}" for each, n in found.counts.items())
    out.print(f"\n{len(found)} batches: {counts}.")
