"""`assay gate`: judge a batch, and accept or hold it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import typer

from assay.checks.formatting import visible
from assay.cli.delivery import batch_time, find_delivery, open_delivery
from assay.cli.exits import Exit
from assay.cli.gate_options import GateArguments, GateOptions
from assay.cli.gates import create_gate
from assay.cli.options import FailOn, OutputOptions, ResultOptions, SparkOptions
from assay.cli.output import note, print_json, stdout
from assay.cli.progress import count_rows, progress
from assay.cli.reading_options import TableOptions
from assay.cli.spark import spark_session
from assay.cli.stores import open_or_create_store
from assay.engine.failure import one_line, problem_of
from assay.engine.frame import schema_of
from assay.engine.plan import plan_for
from assay.gate.gate import Gate
from assay.gate.history import load_last_schema
from assay.gate.verdict import Verdict
from assay.io.atomic_write import write_atomically
from assay.io.file_format import NotATable
from assay.report.junit import verdict_junit
from assay.report.notify import notice_of, notify_once
from assay.report.terminal import print_verdict
from assay.store import Store
from assay.store.postgres import without_password
from assay.store.verdict import Decision
from assay.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["run"]


def run(
    arguments: GateArguments,
    table: TableOptions,
    result: ResultOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: GateOptions,
) -> None:
    """Judge a batch; the exit code is 4 if it is held."""
    store = open_or_create_store(options.store)
    gate = create_gate(arguments.dataset, store, options)
    located = find_delivery(arguments, table)
    schema = load_last_schema(store, gate.dataset)
    types = {} if schema is None else schema.known_types
    with spark_session(spark_options, output) as spark:
        delivery = open_delivery(spark, arguments, table, output, located=located, types=types)
        if options.plan and not isinstance(delivery.df, NotATable):
            _print_plan(gate, delivery.df, output)
            return
        time = batch_time(options.time, delivery.key, table.source)
        with progress(output, f"Judging {visible(delivery.key)}") as report:
            if isinstance(delivery.df, NotATable):
                verdict = gate.refuse(delivery.key, f"{delivery.df}.", time=time)
            else:
                verdict = gate.submit(
                    delivery.df, delivery.key, time=time, dialect=delivery.dialect
                )
                report(count_rows(verdict.row_count))
                verdict = _explain(gate, delivery.df, verdict, output)
    if options.suite is not None:
        _notify(verdict, gate.store, Suite.read(options.suite), output)
    if result.junit is not None:
        write_atomically(result.junit, verdict_junit(verdict))
    if output.json:
        print_json(verdict.to_dict())
    else:
        print_verdict(verdict, stdout(output), store=_store_to_name(options.store))
    raise typer.Exit(_exit_code(verdict, result.fail_on))


def _print_plan(gate: Gate, df: DataFrame, output: OutputOptions) -> None:
    plan = plan_for(df, gate.spec.analyzers(schema_of(df)))
    stdout(output).print(str(plan), markup=False, soft_wrap=True)


def _store_to_name(location: str | None) -> str | None:
    """Return the store that the next commands must name, without a password."""
    if location is None or location == os.environ.get("ASSAY_STORE"):
        return None
    return without_password(location)


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
