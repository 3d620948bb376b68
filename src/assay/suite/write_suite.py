"""Suites as YAML: anew, or added to a file that people have written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import chain

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall, calls_of
from assay.checks.codegen.yaml_values import flow
from assay.checks.constraint import Constraint
from assay.errors import AssayError, CheckError, SuiteError
from assay.suite.read_suite import read
from assay.suite.settings import GateSettings
from assay.suite.suite import VERSION, Suite
from assay.suite.target import Target
from assay.suite.yaml_document import Listing, Node, Problems, Scalar, Table, parse

__all__ = ["extended", "written"]


def written(suite: Suite) -> str:
    """The whole suite."""
    lines = [f"version: {VERSION}", f"dataset: {flow(suite.dataset)}"]
    if suite.checks:
        entries = chain.from_iterable(_check(each) for each in suite.checks)
        lines += ["checks:", *(f"  {line}" for line in entries)]
    if suite.gate != GateSettings():
        lines.append(f"gate: {_gate(suite.gate)}")
    if suite.notify:
        lines += ["notify:", *(f"  - {_target(each)}" for each in suite.notify)]
    return "\n".join([*lines, ""])


def extended(text: str, name: str, suite: Suite) -> str:
    """The text with what it lacks of the suite; all that was there stays as it was."""
    there = read(text, name, variables=False)
    _require_alike(there, suite, name, gated="gate" in _root(text))
    after = text
    for check in suite.checks:
        after = _with_check(after, name, check)
    if suite.gate not in {there.gate, GateSettings()}:
        after = _appended(after, (), [f"gate: {_gate(suite.gate)}"])
    targets = [each for each in suite.notify if each not in there.notify]
    if targets and not there.notify and "notify" not in _root(after):
        after = _appended(after, (), ["notify:", *(f"  - {_target(each)}" for each in targets)])
    elif targets:
        after = _appended(after, ("notify",), [f"- {_target(each)}" for each in targets])
    _require_there(read(after, name, variables=False), suite, name)
    return after


def _with_check(text: str, name: str, check: Check) -> str:
    there = read(text, name, variables=False)
    at = next((n for n, each in enumerate(there.checks) if each.name == check.name), None)
    if at is None:
        if "checks" in _root(text):
            return _appended(text, ("checks",), list(_check(check)))
        return _appended(text, (), ["checks:", *(f"  {line}" for line in _check(check))])
    lines = [each.yaml for each in _missing(check, there.checks[at])]
    if not lines:
        return text
    if "constraints" in _root(text, ("checks", at)):
        return _appended(text, ("checks", at, "constraints"), lines)
    return _appended(text, ("checks", at), ["constraints:", *(f"  {line}" for line in lines)])


def _missing(check: Check, known: Check) -> Iterator[ConstraintCall]:
    """The demands of a check that another of its name lacks, as that other would make them."""
    there = {_unnumbered(each) for each in known.constraints}
    grown = Check(check.name, check.level, on=check.on)
    for call in _calls(check):
        before = len(grown.constraints)
        grown = call.add_to(grown)
        if {_unnumbered(each) for each in grown.constraints[before:]} <= there:
            continue
        arguments = dict(call.arguments)
        if check.level != known.level and arguments.get("level") is None:
            arguments["level"] = check.level
        if check.on not in {None, known.on} and arguments.get("on") is None:
            arguments["on"] = check.on
        yield ConstraintCall(call.method, tuple(arguments.items()))


def _unnumbered(constraint: Constraint) -> Constraint:
    """A constraint without the number that tells it from one of the same name."""
    head, mark, number = constraint.id.rpartition(" #")
    return replace(constraint, id=head) if mark and number.isdigit() else constraint


def _require_alike(there: Suite, suite: Suite, name: str, *, gated: bool) -> None:
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
    """Complain if what was to be added did not arrive: nothing is lost without a word."""
    found = {each.name: each for each in after.checks}
    arrived = all(not list(_missing(each, found[each.name])) for each in suite.checks)
    gated = suite.gate in {after.gate, GateSettings()}
    if not arrived or not gated or not set(suite.notify) <= set(after.notify):
        raise SuiteError(f"{name}: this file cannot be added to; write another one.")


def _check(check: Check) -> Iterator[str]:
    yield f"- name: {flow(check.name)}"
    if check.level != Check("x").level:
        yield f"  level: {check.level.value}"
    if check.on is not None:
        yield f'  "on": {check.on}'
    for at, each in enumerate(_calls(check)):
        if not at:
            yield "  constraints:"
        yield f"    {_entry(each, check)}"


def _calls(check: Check) -> tuple[ConstraintCall, ...]:
    made = calls_of(check)
    for each in made:
        _entry(each, check)
    return made


def _entry(call: ConstraintCall, check: Check) -> str:
    try:
        return call.yaml
    except AssayError as error:
        raise CheckError(f"{check.name}: {call.method}: {error}") from error


def _gate(settings: GateSettings) -> str:
    usual = GateSettings()
    told = {each.name: getattr(settings, each.name) for each in fields(settings)}
    changed = {name: value for name, value in told.items() if value != getattr(usual, name)}
    if "budget" in changed:
        changed["budget"] = str(settings.budget)
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
    """The text with more at the end of a list or a mapping, in the manner in which it stands."""
    node = _node(text, path)
    assert not isinstance(node, Scalar)
    children = node.items if isinstance(node, Listing) else [each for _, each in node.entries]
    if node.flow:
        more = _in_flow(lines)
        if not children:
            at = node.place.start + 1
            return f"{text[:at]}{more}{text[at:]}"
        at = children[-1].place.end
        return f"{text[:at]}, {more}{text[at:]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * (node.place.column - 1)
    end = node.place.end
    if text[end - 1] != "\n":
        found = text.find("\n", end)
        end = len(text) if found < 0 else found + 1
    lead = "" if text[:end].endswith("\n") else newline
    added = "".join(f"{indent}{line}{newline}" for line in lines)
    return f"{text[:end]}{lead}{added}{text[end:]}"


def _in_flow(lines: list[str]) -> str:
    """Lines of block style as entries within brackets or braces."""
    match parse("\n".join(lines), Problems("")):
        case Listing(items):
            return ", ".join(flow(_plain(each)) for each in items)
        case Table(((key, value),)):
            return f"{flow(key.value)}: {flow(_plain(value))}"
        case _:
            raise AssertionError(lines)


def _plain(node: Node) -> object:
    match node:
        case Scalar(value):
            return value
        case Listing(items):
            return [_plain(each) for each in items]
        case Table(entries):
            return {key.value: _plain(each) for key, each in entries}
