"""`assay check`: a table against its suite, or all that is odd about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.checks import Check, Level, Outcome, Result, Status, evaluate, verify
from assay.checks.terminal import print_result
from assay.cli.exits import Exit
from assay.cli.options import FailOn, Judging, Output, Session, Table
from assay.cli.output import answer, console, working
from assay.cli.overview import overview, print_overview
from assay.cli.session import started
from assay.cli.store import existing, name_of
from assay.cli.table import command_table
from assay.dataset.batch_history import BatchHistory
from assay.engine.measure import plan_for
from assay.errors import CheckError
from assay.io.atomic_write import write_atomically
from assay.io.locations import locate_table
from assay.learn.profile import profile_plan
from assay.report.junit import to_junit
from assay.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assay.store import Store

__all__ = ["code_of", "judged", "run"]

#: rows whose types are enough for a plan
_ROWS = 1000


def run(
    options: Table,
    judging: Judging,
    output: Output,
    session: Session,
    *,
    suite: Path | None,
    store: Path | None,
    dataset: str | None,
    plan: bool,
) -> None:
    """Check it."""
    if judging.junit is not None and suite is None:
        raise CheckError("--junit: a report is of a suite's checks; give its --suite.")
    checks = None if suite is None else Suite.read(suite).checks
    source = locate_table(options.source, options.reading)
    memory = None if store is None else existing(store)
    name = dataset or name_of(options.source)
    with started(session, output, source) as spark:
        if checks is not None:
            found = command_table(spark, options, output, sample_rows=_ROWS if plan else None).df
            if plan:
                asked = [each.analyzer for check in checks for each in check.constraints]
                console(output).print(str(plan_for(found, asked)), markup=False, soft_wrap=True)
                return
            with working(output, "Checking …"):
                result = verify(found, *checks)
            if memory is not None:
                result = _remembered(result, checks, memory, name)
            judged(options.source, result, judging, output)
            return
        _look(spark, options, judging, output, memory=memory, name=name, plan=plan)


def judged(source: str, result: Result, judging: Judging, output: Output) -> None:
    """Tell a result, and end with its code."""
    if judging.junit is not None:
        write_atomically(judging.junit, to_junit(result, name=source))
    if output.json:
        answer({"source": source, **result.to_dict()})
    else:
        print_result(result, console(output))
    raise typer.Exit(code_of(result, judging.fail_on))


def code_of(result: Result, fail_on: FailOn) -> Exit:
    """The exit code of a result.

    With `--fail-on warning` what only warns counts as well; with `never` no outcome counts.
    """
    if fail_on is FailOn.NEVER:
        return Exit.CLEAN
    if fail_on is FailOn.WARNING and any(
        each.outcome is Outcome.FAILED and each.level is Level.WARNING for each in result
    ):
        return Exit.FAILED
    codes = {Status.FAILED: Exit.FAILED, Status.NOT_EVALUATED: Exit.NOT_EVALUATED}
    return codes.get(result.status, Exit.CLEAN)


def _remembered(result: Result, checks: tuple[Check, ...], store: Store, name: str) -> Result:
    """The same result, with what needs a history judged by that of the store."""
    from assay.store import Batch

    return evaluate(
        result.measurement,
        *checks,
        history=BatchHistory(store, Batch(name, "now")),
        plan=result.plan,
        df=result.df,
        schema=result.schema,
    )


def _look(
    spark: SparkSession,
    options: Table,
    judging: Judging,
    output: Output,
    *,
    memory: Store | None,
    name: str,
    plan: bool,
) -> None:
    found = command_table(spark, options, output, sample_rows=_ROWS if plan else None)
    if plan:
        out = console(output)
        out.print(str(profile_plan(found.df)), markup=False, soft_wrap=True)
        out.print("and a second pass that looks closer where that pays; then one for likely keys")
        return
    with working(output, "Reading …"):
        seen = overview(found, memory, name)
    if output.json:
        answer({"source": options.source, **seen.to_dict()})
    else:
        print_overview(options.source, seen, console(output))
    odd = seen.remarks or seen.unusual
    raise typer.Exit(Exit.FAILED if odd and judging.fail_on is FailOn.WARNING else Exit.CLEAN)
