"""A verdict as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from assay.checks.wording import visible
from assay.gate.finding import Finding
from assay.gate.verdict import Verdict
from assay.store.verdict import Decision

__all__ = ["print_finding", "print_verdict"]

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


def print_verdict(verdict: Verdict, out: Console, *, most: int = 12) -> None:
    """What becomes of a batch, and why: the worst first, and so many of them."""
    sign, style = _SIGNS[verdict.decision]
    name = f"{visible(verdict.batch.dataset)} {visible(verdict.batch.key)}"
    again = "  (judged before, and the same)" if verdict.again else ""
    out.print(Text.assemble((f"{sign} {_WORDS[verdict.decision]}", style), f"  {name}{again}"))
    told = _told(verdict.alarms)
    for each in told[:most]:
        print_finding(each, out)
    rest = len(verdict.alarms) - len(told[:most])
    if rest > 0:
        out.print(f"  and {rest} findings more.", style="dim")
    for each in verdict.findings:
        if not each.alarm:
            out.print(Text(f"  · {each}", style="dim"))
    spent = f", these findings spend {verdict.spent:.2g}" if verdict.alarms else ""
    said = f"Budget: {verdict.budget:.2g} false alarms a batch{spent}. {verdict.record}."
    out.print(Text(said, style="dim"))


def _told(alarms: Sequence[Finding]) -> list[Finding]:
    """The worst of each column first, then what else there is about it."""
    first: dict[str | None, Finding] = {}
    for each in alarms:
        first.setdefault(each.column if each.column else each.reason, each)
    rest = [each for each in alarms if each not in first.values()]
    return [*first.values(), *rest]


def print_finding(finding: Finding, out: Console) -> None:
    """One finding, and what speaks for it."""
    sign, style = _SIGNS[finding.level]
    out.print(Text.assemble((f"  {sign} ", style), (f"{finding.judge:<8} ", "dim"), str(finding)))
    for word, text in (
        ("likely", finding.cause),
        ("since", finding.since),
        ("where", finding.where),
        ("see", finding.reproduce),
    ):
        if text:
            out.print(Text.assemble((f"{'':13}{word:<7}", "dim"), visible(text)))
