"""Group alarms with one cause into a problem.

One event is one problem. If rows are missing, the sums and distances of all columns change as
well. These findings are evidence of the problem with the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.checks.formatting import visible
from assay.gate.causes.cause import CauseCode, priority
from assay.gate.causes.column_change import Comparison
from assay.gate.diagnose.leading_events import BREAK_RELATIONS, LeadingEvents, ProblemKey
from assay.gate.diagnose.subjects import ROW_CAUSES, cause_code
from assay.gate.finding import Finding, worst_first
from assay.gate.problem import Problem
from assay.store.verdict import Decision

__all__ = ["capitalized", "group_findings"]

#: columns that a sentence names
_MAX_COLUMNS_NAMED = 5


def group_findings(
    alarms: Iterable[Finding], compared: Comparison | None = None
) -> tuple[Problem, ...]:
    """Group alarms whose causes are known into problems, the worst first."""
    alarms = list(alarms)
    events = LeadingEvents.of(alarms, compared)
    groups: dict[ProblemKey, list[Finding]] = {}
    for finding in worst_first(alarms):
        groups.setdefault(events.key_of(finding), []).append(finding)
    problems = [_to_problem(group) for group in groups.values()]
    return tuple(sorted(problems, key=_problem_order))


def _to_problem(findings: Sequence[Finding]) -> Problem:
    follow = [finding for finding in findings if _follows(finding, findings)]
    direct = [finding for finding in findings if finding not in follow]
    lead = min(direct, key=_rank)
    ordered = (lead, *(finding for finding in direct if finding is not lead), *follow)
    code = cause_code(lead)
    columns = tuple(dict.fromkeys(name for finding in (lead, *direct) for name in finding.columns))
    about_table = code in ROW_CAUSES or code in (CauseCode.REDELIVERED, CauseCode.COLUMNS_SHIFTED)
    return Problem(
        cause_code=str(code),
        cause=_sentence(lead, code, columns, direct),
        columns=() if about_table else columns,
        level=worst_first(findings)[0].level,
        findings=ordered,
    )


def _follows(finding: Finding, findings: Sequence[Finding]) -> bool:
    """Return whether a broken relation follows from the changed values of a column."""
    return finding.judge == "relations" and any(
        other.judge != "relations" and cause_code(other) in BREAK_RELATIONS for other in findings
    )


def _rank(finding: Finding) -> tuple[bool, int, bool, bool]:
    """Order findings by cause. A harmless change of type, such as of whole numbers, comes last.

    Findings of segments come before others with the same cause, since they name the segment.
    Findings about the table come before those about columns if the cause is about the rows.
    """
    code = cause_code(finding)
    is_harmless = code == CauseCode.TYPE_CHANGED and finding.level is Decision.WARN
    is_consequence = code in ROW_CAUSES and finding.column is not None
    return is_harmless, priority(code), finding.judge != "segments", is_consequence


def _sentence(lead: Finding, code: str, columns: Sequence[str], findings: Sequence[Finding]) -> str:
    """Return the cause in words, and the first check that fails for it."""
    if code in (CauseCode.COLUMN_GONE, CauseCode.COLUMN_NEW) and len(columns) > 1:
        state = "gone" if code == CauseCode.COLUMN_GONE else "new"
        n_more = len(columns) - _MAX_COLUMNS_NAMED
        names = ", ".join(map(visible, columns[:_MAX_COLUMNS_NAMED]))
        more = f" and {n_more:,} more" if n_more > 0 else ""
        return f"{len(columns):,} columns are {state}: {names}{more}."
    checks = [finding for finding in findings if finding.judge == "checks"]
    if not checks or (lead.judge == "checks" and lead.cause is None):
        return capitalized(lead.reason) if lead.cause is None else lead.cause
    cause = capitalized(lead.reason) if lead.cause is None else lead.cause
    return f"{cause} {capitalized(checks[0].reason)}"


def _problem_order(problem: Problem) -> tuple[bool, int, float]:
    return not problem.holds, priority(problem.cause_code), -problem.severity


def capitalized(text: str) -> str:
    """Return a sentence with a capital; a first word that is code, such as ``f(x)``, stays."""
    first_word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first_word.isalpha() else text
