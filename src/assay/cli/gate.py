"""`assay gate`, `backfill` and `backtest`: batches before their dataset's gate."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from assay.checks.wording import visible
from assay.cli.exits import Exit
from assay.cli.options import FailOn, Files, Judging, Output, Session, Table
from assay.cli.output import answer, console, note, working
from assay.cli.session import started
from assay.cli.table import with_types
from assay.engine.failure import one_line, problem_of
from assay.engine.frame import schema_of
from assay.engine.measure import plan_for
from assay.engine.sniff import NotATable, Reading
from assay.errors import SourceError, StoreError
from assay.files import replaced
from assay.gate.backtest import Backtest, replay
from assay.gate.files import File, deliveries_in, files_in, read_file, time_in, writing_of
from assay.gate.gate import Gate
from assay.gate.verdict import Verdict
from assay.report.junit import verdict_junit
from assay.report.once import notice_of, notify_once
from assay.report.terminal import print_verdict
from assay.store import EmbeddedStore, MemoryStore, Store
from assay.store.verdict import Decision
from assay.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["backfill", "backtest", "gate_of", "submit"]

#: formats that a file's first bytes tell
_SNIFFED = (None, "csv", "json", "parquet", "orc")
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
    moment = said or time_in(batch) or time_in(Path(table.source).name)
    with started(session, output) as spark:
        found = _read(spark, gate, table, output)
        if plan and not isinstance(found, NotATable):
            constraints = (each for check in gate.checks for each in check.constraints)
            demanded = [own for each in constraints for own in each.analyzers]
            asked = [*demanded, *gate.asked(schema_of(found))]
            console(output).print(str(plan_for(found, asked)), markup=False, soft_wrap=True)
            return
        with working(output, "Judging …"):
            if isinstance(found, NotATable):
                verdict = gate.refuse(batch, f"{found}.", time=moment)
            else:
                path = Path(table.source) if _is_file(table) else None
                writing = None if path is None else writing_of(path, table.reading)
                verdict = gate.submit(found, batch, time=moment, writing=writing)
                verdict = _explained(gate, found, verdict, output)
    if suite is not None:
        _tell(verdict, gate.store, Suite.read(suite), output)
    if judging.junit is not None:
        replaced(judging.junit, verdict_junit(verdict))
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


def _reading(options: Files) -> Reading:
    reading = options.reading
    if reading.format not in _SNIFFED:
        known = ", ".join(each for each in _SNIFFED if each)
        raise SourceError(f"--format: files of a folder are {known}, not {reading.format}.")
    return reading


def _files(folder: Path) -> list[File]:
    files = files_in(folder)
    if not files:
        raise SourceError.unreadable(str(folder), "it has no files: a batch is a file.")
    return files


def _read(spark: SparkSession, gate: Gate, table: Table, output: Output) -> DataFrame | NotATable:
    """The batch: a file in the types that its dataset has had, else whatever Spark reads."""
    if _is_file(table):
        before = gate.columns()
        types = {} if before is None else dict(before.types)
        return read_file(spark, Path(table.source), types, table.reading)
    return with_types(spark, table, output, rows=None).df


def _is_file(table: Table) -> bool:
    return table.reading.format in _SNIFFED and Path(table.source).is_file()


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
