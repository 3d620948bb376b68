"""`assay check`: verify a table against a suite, or list what is odd about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from assay.checks import Check, Level, Outcome, Result, Status, evaluate, verify
from assay.checks.result_page import result_page
from assay.checks.terminal import print_result
from assay.cli.exits import Exit
from assay.cli.options import (
    CheckOptions,
    FailOn,
    OutputOptions,
    PageOptions,
    ResultOptions,
    SparkOptions,
)
from assay.cli.output import note, print_json, stdout
from assay.cli.page import write_page
from assay.cli.progress import count_rows, progress
from assay.cli.reading_options import TableOptions
from assay.cli.spark import spark_session
from assay.cli.stores import open_existing_store, table_name
from assay.cli.table import PLAN_ROWS, command_table
from assay.cli.table_overview import create_overview, print_overview
from assay.cli.write_failing_rows import RowTarget, write_failing_rows
from assay.dataset.batch_history import BatchHistory
from assay.engine.plan import plan_for
from assay.errors import CheckError
from assay.io.atomic_write import write_atomically
from assay.io.locations import locate_table
from assay.learn.profile import profile_plan
from assay.report.junit import to_junit
from assay.store import Batch
from assay.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assay.store import Store

__all__ = ["count_checked_rows", "exit_code", "print_and_exit", "run"]


def run(
    table: TableOptions,
    result_options: ResultOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: CheckOptions,
    page: PageOptions,
) -> None:
    """Check a table against its suite; without a suite, give an overview."""
    _require_suite(result_options, options)
    suite = None if options.suite is None else Suite.read(options.suite)
    target = None if options.failing_rows is None else RowTarget.parse(options.failing_rows)
    source = locate_table(table.source, table.reading)
    store = None if options.store is None else open_existing_store(options.store)
    dataset = options.dataset or table_name(table.source)
    with spark_session(spark_options, output, source) as spark:
        if options.plan:
            _print_plan(spark, table, output, None if suite is None else suite.checks)
        elif suite is None:
            _show_overview(spark, table, (result_options, output, page), (store, dataset))
        else:
            df = command_table(spark, table, output).df
            with progress(output, "Checking …") as report:
                result = verify(df, *suite.checks, private=suite.gate.private)
                report(count_checked_rows(result))
            if store is not None:
                result = _evaluate_with_history(result, suite, store, dataset)
            with progress(output, "Reading failing rows …"):
                result = result.examples(options.examples)
                if target is not None:
                    write_failing_rows(result, target)
                    note(output, f"The failing rows are in {target.name}.")
            if page.html is not None:
                title = f"Assay: verification of {table.source}"
                write_page(result_page(result, title), page, output)
            print_and_exit(table.source, result, result_options, output)


def _require_suite(result_options: ResultOptions, options: CheckOptions) -> None:
    for name, value in (("junit", result_options.junit), ("failing-rows", options.failing_rows)):
        if value is not None and options.suite is None:
            raise CheckError(f"--{name} needs the results of a suite: give --suite too.")


def print_and_exit(
    source: str, result: Result, options: ResultOptions, output: OutputOptions
) -> None:
    """Print a result, write its JUnit report, and exit with its code."""
    if options.junit is not None:
        write_atomically(options.junit, to_junit(result, name=source))
    if output.json:
        print_json({"source": source, **result.to_dict()})
    else:
        print_result(result, stdout(output))
    raise typer.Exit(exit_code(result, options.fail_on))


def count_checked_rows(result: Result) -> str:
    """Return the number of rows that a result is about, in words; "" if it is not known."""
    totals = (one.counts.total for one in result if one.counts is not None)
    return count_rows(max(filter(None, totals), default=None))


def exit_code(result: Result, fail_on: FailOn) -> Exit:
    """Return the exit code of a result."""
    if fail_on is FailOn.NEVER:
        return Exit.CLEAN
    if fail_on is FailOn.WARNING and any(
        constraint.outcome is Outcome.FAILED and constraint.level is Level.WARNING
        for constraint in result
    ):
        return Exit.FAILED
    codes = {Status.FAILED: Exit.FAILED, Status.NOT_EVALUATED: Exit.NOT_EVALUATED}
    return codes.get(result.status, Exit.CLEAN)


def _print_plan(
    spark: SparkSession,
    table: TableOptions,
    output: OutputOptions,
    checks: tuple[Check, ...] | None,
) -> None:
    df = command_table(spark, table, output, sample_rows=PLAN_ROWS).df
    out = stdout(output)
    if checks is None:
        out.print(str(profile_plan(df)), markup=False, soft_wrap=True)
        out.print(
            "Then a second pass over columns that need a closer look, and one for likely keys."
        )
        return
    analyzers = [constraint.analyzer for check in checks for constraint in check.constraints]
    out.print(str(plan_for(df, analyzers)), markup=False, soft_wrap=True)


def _evaluate_with_history(result: Result, suite: Suite, store: Store, dataset: str) -> Result:
    """Evaluate constraints that need a history by the batches of the store."""
    return evaluate(
        result.measurement,
        *suite.checks,
        private=suite.gate.private,
        history=BatchHistory(store, Batch(dataset, "now")),
        plan=result.plan,
        df=result.df,
        schema=result.schema,
    )


def _show_overview(
    spark: SparkSession,
    table: TableOptions,
    printing: tuple[ResultOptions, OutputOptions, PageOptions],
    history: tuple[Store | None, str],
) -> None:
    options, output, page = printing
    opened = command_table(spark, table, output)
    with progress(output, "Reading …") as report:
        overview = create_overview(opened, *history)
        report(count_rows(overview.profile.rows))
    write_page(overview, page, output)
    if output.json:
        print_json({"source": table.source, **overview.to_dict()})
    else:
        print_overview(table.source, overview, stdout(output))
    is_odd = overview.remarks or overview.unusual
    raise typer.Exit(Exit.FAILED if is_odd and options.fail_on is FailOn.WARNING else Exit.CLEAN)
