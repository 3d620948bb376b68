"""A verdict as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.formatting import visible
from assay.gate.finding import Finding
from assay.gate.verdict import Verdict
from assay.store.verdict import Decision

__all__ = ["print_findings", "print_verdict"]

_SIGNS = {
    Decision.ACCEPT: ("✓", "green"),
    Decision.WARN: ("!", "yellow"),
    Decision.HOLD: ("✗", "bold red"),
}
_WORDS = {
    Decision.ACCEPT: "ACCEPTED",
    Decision.WARN: "ACCEPTED, WITH A WARNING",
    Decision.HOLD: "HELD",
}
#: of the names of judges
_WIDTH = 8
#: what speaks for a finding, and what it is called
_DETAILS = {"likely": "cause", "since": "since", "where": "where", "see": "sql"}


def print_verdict(verdict: Verdict, out: Console, *, most: int = 12) -> None:
    """What becomes of a batch, and why: of each column the worst, and so many columns."""
    sign, style = _SIGNS[verdict.decision]
    name = f"{visible(verdict.batch.dataset)} {visible(verdict.batch.key)}"
    again = "  (judged before, and the same)" if verdict.again else ""
    out.print(Text.assemble((f"{sign} {_WORDS[verdict.decision]}", style), f"  {name}{again}"))
    print_findings(verdict.alarms, out, most=most, each=1)
    for each in verdict.findings:
        if not each.alarm:
            out.print(Text(f"  · {each}", style="dim"))
    spent = f", these findings spend {verdict.false_alarm_rate:.2g}" if verdict.alarms else ""
    said = f"Budget: {verdict.budget:.2g} false alarms a batch{spent}. {verdict.track_record}."
    out.print(Text(said, style="dim"))


def print_findings(
    findings: Sequence[Finding], out: Console, *, most: int | None = None, each: int | None = None
) -> None:
    """Findings by column, with what speaks for them; of so many columns, so many of each."""
    about: dict[str, list[Finding]] = {}
    for finding in findings:
        about.setdefault(finding.column or finding.reason, []).append(finding)
    grid = Table.grid(padding=(0, 1))
    for style in ("", "dim", ""):
        grid.add_column(style=style, overflow="fold")
    groups = list(about.values())
    for own in groups[:most]:
        said: set[str] = set()
        told = own[:each]
        for finding in told:
            _add(grid, finding, [finding, *own[len(told) :]], said)
        rest = len(own) - len(told)
        if rest:
            grid.add_row(
                "", f"{'also':>{_WIDTH}}", Text(f"{_counted(rest, 'finding')} more about it", "dim")
            )
    if groups:
        out.print(grid)
    if groups[len(groups[:most]) :]:
        more = _counted(len(groups) - len(groups[:most]), "column")
        out.print(f"  and of {more} more.", style="dim")


def _add(grid: Table, finding: Finding, known: Sequence[Finding], said: set[str]) -> None:
    """One finding, with what it or those that are left out know; nothing is said twice."""
    sign, style = _SIGNS[finding.level] if finding.alarm else ("·", "dim")
    grid.add_row(Text(f"  {sign}", style=style), f"{finding.judge:<{_WIDTH}}", Text(str(finding)))
    for word, name in _DETAILS.items():
        text = next((found for each in known if (found := getattr(each, name))), None)
        if text and text not in said:
            said.add(text)
            grid.add_row("", f"{word:>{_WIDTH}}", Text(visible(text)))


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
