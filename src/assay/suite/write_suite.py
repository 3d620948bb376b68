"""Write suites as YAML: a new file, or additions to a file that people have written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import chain

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall, calls_of
from assay.checks.codegen.yaml_values import flow
from assay.checks.constraint import Constraint
from assay.checks.constraint_method import constraint_methods
from assay.errors import AssayError, CheckError, SuiteError
from assay.suite.read_suite import read
from assay.suite.settings import DetectorSettings, GateSettings
from assay.suite.suite import VERSION, Suite
from assay.suite.target import Target
from assay.suite.yaml_document import Listing, Node, Problems, Scalar, Table, parse

__all__ = ["extend_yaml", "to_yaml"]


def to_yaml(suite: Suite) -> str:
    """Return the whole suite as YAML."""
    lines = [f"version: {VERSION}", f"dataset: {flow(suite.dataset)}"]
    if suite.checks:
        entries = chain.from_iterable(_check(check) for check in suite.checks)
        lines += ["checks:", *(f"  {line}" for line in entries)]
    if suite.gate != GateSettings():
        lines.append(f"gate: {_gate(suite.gate)}")
    if suite.notify:
        lines += ["notify:", *(f"  - {_target(target)}" for target in suite.notify)]
    return "\n".join([*lines, ""])


def extend_yaml(text: str, name: str, suite: Suite) -> str:
    """Return the text with the missing parts of the suite added, and nothing else changed."""
    there = read(text, name, variables=False)
    _require_compatible(there, suite, name, gated="gate" in _root(text))
    after = text
    for check in suite.checks:
        after = _with_check(after, name, check)
    if suite.gate not in {there.gate, GateSettings()}:
        after = _appended(after, (), [f"gate: {_gate(suite.gate)}"])
    targets = [target for target in suite.notify if target not in there.notify]
    if targets and not there.notify and "notify" not in _root(after):
        after = _appended(after, (), ["notify:", *(f"  - {_target(target)}" for target in targets)])
    elif targets:
        after = _appended(after, ("notify",), [f"- {_target(target)}" for target in targets])
    _require_there(read(after, name, variables=False), suite, name)
    return after


def _with_check(text: str, name: str, check: Check) -> str:
    there = read(text, name, variables=False)
    at = next((n for n, other in enumerate(there.checks) if other.name == check.name), None)
    if at is None:
        if "checks" in _root(text):
            return _appended(text, ("checks",), list(_check(check)))
        return _appended(text, (), ["checks:", *(f"  {line}" for line in _check(check))])
    calls = list(_missing(check, there.checks[at]))
    if not calls:
        return text
    _require_scope(calls, check, there.checks[at], name)
    lines = [call.yaml for call in calls]
    if "constraints" in _root(text, ("checks", at)):
        return _appended(text, ("checks", at, "constraints"), lines)
    return _appended(text, ("checks", at), ["constraints:", *(f"  {line}" for line in lines)])


def _missing(check: Check, existing: Check) -> Iterator[ConstraintCall]:
    """Yield the calls that the existing check lacks, with the level and scope of `check`."""
    there = {_unnumbered(constraint) for constraint in existing.constraints}
    grown = Check(check.name, check.level, on=check.on)
    for call in _calls(check):
        before = len(grown.constraints)
        grown = call.add_to(grown)
        if {_unnumbered(constraint) for constraint in grown.constraints[before:]} <= there:
            continue
        arguments = dict(call.arguments)
        if check.level != existing.level and arguments.get("level") is None:
            arguments["level"] = check.level
        changes_scope = check.on not in {None, existing.on}
        if _takes_scope(call) and changes_scope and arguments.get("on") is None:
            arguments["on"] = check.on
        yield ConstraintCall(call.method, tuple(arguments.items()))


def _takes_scope(call: ConstraintCall) -> bool:
    method = constraint_methods().get(call.method)
    return method is None or "on" not in method.refused


def _require_scope(
    calls: Iterable[ConstraintCall], check: Check, existing: Check, name: str
) -> None:
    """Refuse constraints without a scope for a check in which they would get one."""
    if check.on is not None or existing.on is None:
        return
    for call in calls:
        if _takes_scope(call) and dict(call.arguments).get("on") is None:
            raise SuiteError.other_scope(name, check.name, call.method, str(existing.on))


def _unnumbered(constraint: Constraint) -> Constraint:
    """Return the constraint without the number that was added to its id."""
    head, mark, number = constraint.id.rpartition(" #")
    return replace(constraint, id=head) if mark and number.isdigit() else constraint


def _require_compatible(there: Suite, suite: Suite, name: str, *, gated: bool) -> None:
    if there.dataset != suite.dataset:
        raise SuiteError(
            f"{name}: the file is the suite of {there.dataset!r}, not of {suite.dataset!r}."
        )
    if gated and suite.gate not in {there.gate, GateSettings()}:
        raise SuiteError(
            f"{name}: the file's gate is {_gate(there.gate)}, not {_gate(suite.gate)}; what is"
            " there is not changed: edit the file."
        )


def _require_there(after: Suite, suite: Suite, name: str) -> None:
    """Raise `SuiteError` if a part of the suite is missing after the addition."""
    checks = {check.name: check for check in after.checks}
    complete = all(not list(_missing(check, checks[check.name])) for check in suite.checks)
    gated = suite.gate in {after.gate, GateSettings()}
    if not complete or not gated or not set(suite.notify) <= set(after.notify):
        raise SuiteError(f"{name}: this file cannot be added to; write another one.")


def _check(check: Check) -> Iterator[str]:
    yield f"- name: {flow(check.name)}"
    if check.level != Check("x").level:
        yield f"  level: {check.level.value}"
    if check.on is not None:
        yield f'  "on": {check.on}'
    for at, call in enumerate(_calls(check)):
        if not at:
            yield "  constraints:"
        yield f"    {_entry(call, check)}"


def _calls(check: Check) -> tuple[ConstraintCall, ...]:
    calls = calls_of(check)
    for call in calls:
        _entry(call, check)  # raises if YAML cannot hold an argument
    return calls


def _entry(call: ConstraintCall, check: Check) -> str:
    try:
        return call.yaml
    except AssayError as error:
        raise CheckError(f"{check.name}: {call.method}: {error}") from error


def _gate(settings: GateSettings) -> str:
    default = GateSettings()
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    changed = {name: value for name, value in values.items() if value != getattr(default, name)}
    if isinstance(settings.detector, DetectorSettings):
        changed["detector"] = settings.detector.changed
    return flow(changed)


def _target(target: Target) -> str:
    return f"{target.kind}: {flow(target.url)}"


def _node(text: str, path: Iterable[str | int]) -> Node:
    node = parse(text, Problems(""))
    for step in path:
        if isinstance(node, Table):
            node = node.get(str(step))
        elif isinstance(node, Listing):
            node = node.items[int(step)]
    assert node is not None
    return node


def _root(text: str, path: Iterable[str | int] = ()) -> set[str]:
    node = _node(text, path)
    return {key.value for key, _ in node.entries} if isinstance(node, Table) else set()


def _appended(text: str, path: Iterable[str | int], lines: list[str]) -> str:
    """Return the text with lines added to a list or a mapping, in its own block or flow style."""
    node = _node(text, path)
    assert not isinstance(node, Scalar)
    children = node.items if isinstance(node, Listing) else [entry for _, entry in node.entries]
    if node.flow:
        addition = _in_flow(lines)
        if not children:
            at = node.place.start + 1
            return f"{text[:at]}{addition}{text[at:]}"
        at = children[-1].place.end
        return f"{text[:at]}, {addition}{text[at:]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * (node.place.column - 1)
    end = node.place.end
    if text[end - 1] != "\n":
        line_end = text.find("\n", end)
        end = len(text) if line_end < 0 else line_end + 1
    lead = "" if text[:end].endswith("\n") else newline
    added = "".join(f"{indent}{line}{newline}" for line in lines)
    return f"{text[:end]}{lead}{added}{text[end:]}"


def _in_flow(lines: list[str]) -> str:
    """Return lines of block style as entries within brackets or braces."""
    match parse("\n".join(lines), Problems("")):
        case Listing(items):
            return ", ".join(flow(_plain(entry)) for entry in items)
        case Table(((key, value),)):
            return f"{flow(key.value)}: {flow(_plain(value))}"
        case _:
            raise AssertionError(lines)


def _plain(node: Node) -> object:
    match node:
        case Scalar(value):
            return value
        case Listing(items):
            return [_plain(entry) for entry in items]
        case Table(entries):
            return {key.value: _plain(entry) for key, entry in entries}
