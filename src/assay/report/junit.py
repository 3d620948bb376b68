"""A result as JUnit's XML, which build servers read: a test a constraint.

Broken demands are failures, what could not be evaluated are errors, and a history that is too short
skips. A warning passes, and says what it found in its output.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, tostring

from assay.checks.constraint import Level
from assay.checks.formatting import format_value, visible
from assay.checks.result import ConstraintResult, Outcome, Result
from assay.gate.finding import JUDGE_ORDER
from assay.gate.verdict import Verdict
from assay.store.verdict import Decision

__all__ = ["fate", "to_junit", "verdict_junit"]

#: characters that XML has no way to write, beyond those that nobody sees anyway
_UNWRITABLE = re.compile("[\ufffe\uffff]")


def fate(each: ConstraintResult) -> str:
    """What a test of it comes to: passed, warned, failure, error or skipped."""
    match each.outcome:
        case Outcome.PASSED:
            return "passed"
        case Outcome.FAILED:
            return "failure" if each.level is Level.ERROR else "warned"
        case Outcome.NOT_EVALUATED:
            return "error" if each.serious else "skipped"


def to_junit(result: Result, name: str = "assay") -> str:
    """The result as an XML document: a suite a check, a case a constraint."""
    root = Element("testsuites", {"name": _text(name), **_counts(result.results)})
    for check in dict.fromkeys(each.check for each in result):
        cases = tuple(each for each in result if each.check == check)
        suite = SubElement(root, "testsuite", {"name": _text(check), **_counts(cases)})
        for each in cases:
            _case(suite, each)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def verdict_junit(verdict: Verdict) -> str:
    """A verdict as an XML document: a case a judge, which fails for what holds the batch."""
    name = _text(f"{verdict.batch.dataset} {verdict.batch.key}")
    held = {each.judge for each in verdict.findings if each.level is Decision.HOLD}
    counts = {"tests": str(len(JUDGE_ORDER)), "failures": str(len(held)), "errors": "0"}
    root = Element("testsuites", {"name": name, **counts, "time": "0"})
    suite = SubElement(root, "testsuite", {"name": name, **counts, "time": "0"})
    for judge in JUDGE_ORDER:
        case = SubElement(suite, "testcase", {"classname": name, "name": judge, "time": "0"})
        own = [each for each in verdict.findings if each.judge == judge]
        told = "\n".join(_text(f"{each.level.value}: {each}") for each in own)
        if judge in held:
            worst = _text(str(own[0]))
            SubElement(case, "failure", {"type": "held", "message": worst}).text = told
        elif told:
            SubElement(case, "system-out").text = told
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _counts(cases: tuple[ConstraintResult, ...]) -> dict[str, str]:
    fates = [fate(each) for each in cases]
    return {
        "tests": str(len(fates)),
        "failures": str(fates.count("failure")),
        "errors": str(fates.count("error")),
        "skipped": str(fates.count("skipped")),
        "time": "0",
    }


def _case(suite: Element, each: ConstraintResult) -> None:
    case = SubElement(
        suite,
        "testcase",
        {"classname": _text(each.check), "name": _text(each.constraint.id), "time": "0"},
    )
    properties = SubElement(case, "properties")
    told = {
        "level": each.level.value,
        "metric": each.constraint.metric,
        "demanded": each.expected_text,
        "found": format_value(each.value),
    }
    for name, value in told.items():
        SubElement(properties, "property", {"name": name, "value": _text(value)})
    message = _text(each.message)
    match fate(each):
        case "failure":
            SubElement(case, "failure", {"type": "failed", "message": message}).text = message
        case "error":
            code = "error" if each.problem is None else each.problem.code
            SubElement(case, "error", {"type": code, "message": message}).text = message
        case "skipped":
            SubElement(case, "skipped", {"message": message})
        case "warned":
            SubElement(case, "system-out").text = f"warning: {message}"
        case _:
            pass


def _text(text: str) -> str:
    """Text that XML can hold."""
    return _UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))
