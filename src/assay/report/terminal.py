"""Print verdicts in a terminal: the problems and their causes first, evidence on request."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.formatting import visible
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.gate.verdict import Verdict
from assay.report.number_format import counted, false_alarms
from assay.store.verdict import Decision

__all__ = ["print_evidence", "print_verdict"]

_STYLES = {Decision.ACCEPT: "green", Decision.WARN: "yellow", Decision.HOLD: "bold red"}
#: The number of columns between the name of the batch and the batches it was compared with.
_GAP = "        "


def print_verdict(
    verdict: Verdict, out: Console, *, max_problems: int = 12, store: str | None = None
) -> None:
    """Print the decision on a batch and its problems, with the commands for what to do next.

    Parameters
    ----------
    verdict
        The verdict of a gate.
    out
        The console to print on.
    max_problems
        Number of problems to print; the others are counted.
    store
        The store to name in the commands for what to do next, if they need it.
    """
    style = _STYLES[verdict.decision]
    name = f"{visible(verdict.batch.dataset)} {visible(verdict.batch.key)}"
    again = ", the same as before" if verdict.again else ""
    context = f"{_GAP}{verdict.compared_with}{again}".rstrip()
    head = Text.assemble((verdict.outcome, style), f"  {name}", (context, "dim"))
    is_short = verdict.decision is Decision.WARN and len(verdict.problems) == 1
    if is_short and not verdict.is_first:
        # a warning needs no action, and so no more than a line
        problem = Text(str(verdict.problems[0]))
        out.print(Text.assemble((verdict.outcome, style), f"  {name}  ", problem), soft_wrap=True)
    else:
        out.print(head, soft_wrap=True)
        _print_problems(verdict.problems, out, max_problems)
    _print_observations(verdict, out)
    if not verdict.accepted:
        _print_next_steps(verdict, out, "" if store is None else f" --store {shlex.quote(store)}")


def print_evidence(verdict: Verdict, out: Console, *, max_findings: int | None = None) -> None:
    """Print each problem with its findings: reason, false alarms, segment, and SQL.

    Parameters
    ----------
    verdict
        The verdict of a gate.
    out
        The console to print on.
    max_findings
        Number of findings to print for each problem; None prints all.
    """
    for number, problem in enumerate(verdict.problems, 1):
        out.print()
        out.print(_problem_grid([(number, problem)]))
        grid = Table.grid(padding=(0, 1))
        grid.add_column(style="dim", min_width=13)
        grid.add_column(overflow="fold")
        shown: set[str] = set()
        for finding in problem.findings[:max_findings]:
            for label, text in _evidence_lines(finding, problem):
                if text not in shown:
                    shown.add(text)
                    grid.add_row(f"     {label}", Text(visible(text)))
        n_more = len(problem.findings[len(problem.findings[:max_findings]) :])
        if n_more:
            grid.add_row("     more", Text(counted(n_more, "more finding"), style="dim"))
        out.print(grid)
    if verdict.observations:
        out.print()
        _print_observations(verdict, out)


def _print_problems(problems: Sequence[Problem], out: Console, max_problems: int) -> None:
    if not problems:
        return
    out.print()
    out.print(_problem_grid(enumerate(problems[:max_problems], 1)))
    n_more = len(problems) - max_problems
    if n_more > 0:
        out.print(f"     and {counted(n_more, 'more problem')}", style="dim")


def _problem_grid(numbered: Iterable[tuple[int, Problem]]) -> Table:
    """Return a row for each problem: its number, its columns and its cause."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", min_width=3, style="dim")
    grid.add_column(overflow="fold", max_width=30)
    grid.add_column(overflow="fold")
    for number, problem in numbered:
        style = _STYLES[problem.level]
        since = "" if problem.since is None else f"  since {visible(problem.since)}"
        cause = Text.assemble(problem.cause, (since, "dim"))
        grid.add_row(str(number), Text(problem.subject, style=style), cause)
    return grid


def _print_observations(verdict: Verdict, out: Console) -> None:
    """Print a line for each observation. Its further lines begin where its text begins."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", min_width=3, style="dim")
    grid.add_column(overflow="fold", style="dim")
    for observation in verdict.observations:
        grid.add_row("·", Text(str(observation)))
    if verdict.observations:
        out.print(grid)


def _print_next_steps(verdict: Verdict, out: Console, option: str) -> None:
    run = shlex.quote(visible(f"{verdict.batch.dataset}/{verdict.batch.key}"))
    steps = {
        "Rows and evidence:": f"assay explain {run}{option}",
        "Release it:": f'assay release {run}{option} --reason "…"',
        "Reject it:": f'assay reject {run}{option} --reason "…"',
    }
    width = max(map(len, steps))
    out.print()
    for label, command in steps.items():
        out.print(Text(f"  {label:<{width}}   {command}", style="dim"), soft_wrap=True)


def _evidence_lines(finding: Finding, problem: Problem) -> list[tuple[str, str]]:
    lines: list[tuple[str, str | None]] = [(finding.judge, problem.reason_of(finding))]
    if finding.alarm and finding.false_alarm_rate:
        lines.append(("rate", false_alarms(finding.false_alarm_rate)))
    lines += [
        ("since", finding.since),
        ("where", finding.where),
        ("SQL", finding.sql if finding.alarm else None),
    ]
    return [(label, text) for label, text in lines if text]
