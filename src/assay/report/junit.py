"""Write results and verdicts as JUnit XML, which build servers read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

from assay.checks.constraint import Level
from assay.checks.formatting import visible
from assay.checks.result import ConstraintResult, Outcome, Result
from assay.errors import require_instance
from assay.gate.finding import JUDGE_ORDER
from assay.gate.problem import Problem
from assay.gate.verdict import Verdict

__all__ = ["CaseOutcome", "case_outcome", "to_junit", "verdict_junit"]

#: The outcome of a test case in a JUnit file.
CaseOutcome = Literal["passed", "warned", "failure", "error", "skipped"]

#: characters that XML cannot contain and `visible` does not replace
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def case_outcome(result: ConstraintResult) -> CaseOutcome:
    """Return the outcome of the test case of a constraint.

    A failed constraint of level warning passes with a warning. A constraint whose history is too
    short is skipped.
    """
    match result.outcome:
        case Outcome.PASSED:
            return "passed"
        case Outcome.FAILED:
            return "failure" if result.level is Level.ERROR else "warned"
        case Outcome.NOT_EVALUATED:
            return "error" if result.serious else "skipped"


def to_junit(result: Result, name: str = "assay") -> str:
    """Return a result as an XML document: one test suite per check, one case per constraint.

    Parameters
    ----------
    result
        The result of `verify`.
    name
        Name of the outermost test suite.

    Raises
    ------
    CheckError
        If `result` is not a result.
    """
    require_instance(result, Result, "invalid result", "a Result, as verify() returns it")
    root = Element("testsuites", {"name": _text(name), **_counts(result.results)})
    for check in dict.fromkeys(constraint.check for constraint in result):
        constraints = tuple(constraint for constraint in result if constraint.check == check)
        suite = SubElement(root, "testsuite", {"name": _text(check), **_counts(constraints)})
        for constraint in constraints:
            _add_case(suite, constraint)
    return _document(root)


def verdict_junit(verdict: Verdict) -> str:
    """Return a verdict as an XML document: one test case per judge.

    A problem that holds the batch is one failure, of the judge with the leading finding. The other
    judges that noticed it list their findings as output.
    """
    name = _text(f"{verdict.batch.dataset} {verdict.batch.key}")
    failed = {_leading_judge(problem) for problem in verdict.problems if problem.holds}
    judges = dict.fromkeys((*JUDGE_ORDER, *(finding.judge for finding in verdict.findings)))
    counts = {"tests": str(len(judges)), "failures": str(len(failed)), "errors": "0"}
    root = Element("testsuites", {"name": name, **counts, "time": "0"})
    suite = SubElement(root, "testsuite", {"name": name, **counts, "time": "0"})
    for judge in judges:
        case = SubElement(suite, "testcase", {"classname": name, "name": _text(judge), "time": "0"})
        problems = [p for p in verdict.problems if any(f.judge == judge for f in p.findings)]
        lines = "\n".join(map(_text, _lines_of(verdict, problems, judge)))
        if judge in failed:
            held = [p for p in problems if p.holds and _leading_judge(p) == judge]
            message = _text(" ".join(map(str, held)))
            SubElement(case, "failure", {"type": "held", "message": message}).text = lines
        elif lines:
            SubElement(case, "system-out").text = lines
    return _document(root)


def _leading_judge(problem: Problem) -> str:
    """Return the judge of the finding that says most about a problem."""
    return problem.findings[0].judge


def _lines_of(verdict: Verdict, problems: Sequence[Problem], judge: str) -> Iterator[str]:
    """Return each problem with the findings of a judge below it, then the judge's observations."""
    for problem in problems:
        yield f"{problem.level.value}: {problem}"
        yield from (f"  {finding}" for finding in problem.findings if finding.judge == judge)
    for observation in verdict.observations:
        if observation.judge == judge:
            yield f"{observation.level.value}: {observation}"


def _counts(constraints: tuple[ConstraintResult, ...]) -> dict[str, str]:
    outcomes = [case_outcome(constraint) for constraint in constraints]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped")),
        "time": "0",
    }


def _add_case(suite: Element, result: ConstraintResult) -> None:
    case = SubElement(
        suite,
        "testcase",
        {"classname": _text(result.check), "name": _text(result.constraint.id), "time": "0"},
    )
    properties = SubElement(case, "properties")
    values = {
        "level": result.level.value,
        "metric": result.constraint.metric,
        "expected": result.expected_text,
        "actual": "-" if result.problem is not None else result.actual_text,
    }
    for name, value in values.items():
        SubElement(properties, "property", {"name": name, "value": _text(value)})
    message = _text(result.message)
    match case_outcome(result):
        case "failure":
            SubElement(case, "failure", {"type": "failed", "message": message}).text = message
        case "error":
            code = "error" if result.problem is None else result.problem.code
            SubElement(case, "error", {"type": code, "message": message}).text = message
        case "skipped":
            SubElement(case, "skipped", {"message": message})
        case "warned":
            SubElement(case, "system-out").text = f"warning: {message}"
        case "passed":
            pass


def _document(root: Element) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _text(text: str) -> str:
    """Replace characters that XML cannot contain."""
    return _NOT_IN_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", visible(text))
