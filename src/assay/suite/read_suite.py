"""Read suites from YAML, and report all problems of a file at once, with their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import methods
from assay.checks.constraint import Level
from assay.checks.constraint_options import On
from assay.checks.known_names import suggest_method
from assay.errors import AssayError, nearest
from assay.learn.novelty.method_names import Aggregation, Distance
from assay.suite.form import form
from assay.suite.settings import DETECTORS, LISTS, DetectorSettings, GateSettings, budget_text
from assay.suite.shape import (
    BOOLEAN,
    NAMES,
    NOTHING,
    NUMBER,
    TEXT,
    WHOLE,
    Shape,
    choice,
    describe_node,
    read_fields,
    unknown,
)
from assay.suite.suite import VERSION, Suite
from assay.suite.target import Target, notifier_kinds
from assay.suite.yaml_document import Listing, Node, Problems, Scalar, Table, parse

__all__ = ["GATE", "read"]

_KEYS = ("version", "dataset", "checks", "gate", "notify")


def read(text: str, name: str, *, variables: bool = True) -> Suite:
    """Return the suite in a text. Messages call the text by `name`."""
    problems = Problems(name)
    root = parse(text, problems)
    if isinstance(root, Table):
        suite = _suite(root, problems, variables=variables)
    elif root is not None:
        problems.add(root.place, f"invalid suite: expected a mapping with {', '.join(_KEYS)}.")
    problems.raise_if_any()
    return suite


def _suite(root: Table, problems: Problems, *, variables: bool) -> Suite:
    for key, node in root.entries:
        if key.value not in _KEYS:
            problems.add(key.place, unknown("a suite has no", key.value, _KEYS))
        elif key.value != "notify":
            _refuse_variables(node, problems)
    _version(root, problems)
    dataset = _required_text(root, "dataset", "a suite", problems)
    checks = _checks(root.get("checks"), problems)
    gate = _gate(root.get("gate"), problems)
    notify = _notify(root.get("notify"), problems, variables=variables)
    if len(problems):
        return Suite("?")
    return Suite(dataset, checks, gate, notify)


def _version(root: Table, problems: Problems) -> None:
    node = root.get("version")
    if node is None:
        problems.add(root.place, f"a suite needs a version: add the line version: {VERSION}.")
    elif not isinstance(node, Scalar) or type(node.value) is not int or node.value < 1:
        problems.add(node.place, f"expected version: {VERSION}, got {describe_node(node)}.")
    elif node.value > VERSION:
        problems.add(
            node.place,
            f"unknown version: expected {VERSION}, got {node.value}. A newer Assay wrote the suite:"
            " upgrade this one.",
        )


def _required_text(table: Table, name: str, of: str, problems: Problems) -> str:
    node = table.get(name)
    if node is None:
        problems.add(table.place, f"{of} needs a {name}.")
        return "?"
    text = TEXT.read(node, problems)
    if text is NOTHING:
        return "?"
    if not text.strip():
        problems.add(node.place, f"{of} needs a {name}, got {describe_node(node)}.")
        return "?"
    return str(text)


def _items(node: Node | None, what: str, problems: Problems) -> tuple[Node, ...]:
    if node is None:
        return ()
    if isinstance(node, Listing):
        return node.items
    problems.add(node.place, f"invalid {what}: expected a list, got {describe_node(node)}.")
    return ()


def _checks(node: Node | None, problems: Problems) -> tuple[Check, ...]:
    checks: dict[str, Check] = {}
    for entry in _items(node, "checks", problems):
        if not isinstance(entry, Table):
            problems.add(
                entry.place,
                f"invalid check: expected a name and constraints, got {describe_node(entry)}.",
            )
            continue
        check = _check(entry, problems)
        if check.name in checks and check.name != "?":
            problems.add(entry.place, f"two checks are called {check.name!r}.")
        checks[check.name] = check
    return tuple(checks.values())


_CHECK: Mapping[str, Shape] = {
    "level": choice(*(level.value for level in Level)),
    "on": choice(*get_args(On)),
}


def _check(table: Table, problems: Problems) -> Check:
    legal = {"name", "constraints", *_CHECK}
    for key, _ in table.entries:
        if key.value not in legal:
            problems.add(key.place, unknown("a check has no", key.value, sorted(legal)))
    name = _required_text(table, "name", "a check", problems)
    entries = tuple(entry for entry in table.entries if entry[0].value in _CHECK)
    settings = read_fields(Table(entries, table.place, table.flow), _CHECK, problems, "a check")
    check = Check(name, Level(settings.get("level", "error")), on=settings.get("on"))
    for entry in _items(table.get("constraints"), "constraints", problems):
        check = _add_constraint(check, entry, problems)
    return check


def _add_constraint(check: Check, entry: Node, problems: Problems) -> Check:
    """Return the check with a constraint added, or unchanged if the entry is invalid."""
    if not isinstance(entry, Table) or len(entry.entries) != 1:
        first = entry.entries[0][0].value if isinstance(entry, Table) and entry.entries else None
        hint = f"; indent the arguments of {first} below it" if first in methods() else ""
        problems.add(
            entry.place,
            "invalid constraint: expected one name with its arguments, such as `is_complete: id`,"
            f" got {describe_node(entry)}{hint}.",
        )
        return check
    ((key, arguments),) = entry.entries
    if key.value not in methods():
        problems.add(key.place, _unknown_constraint(key.value))
        return check
    call = form(key.value).read(arguments, problems)
    if call is None:
        return check
    try:
        return call.add_to(check)
    except (AssayError, TypeError, ValueError) as error:
        why = str(error).removeprefix(f"{check.name}: ").removesuffix(".")
        problems.add(key.place, f"{why}.")
        return check


def _unknown_constraint(name: str) -> str:
    likely = suggest_method(name, methods())
    hint = f"did you mean {likely.partition('(')[0]!r}?" if likely else "docs/suites.md lists all."
    return f"unknown constraint {name!r}; {hint}"


def _budget(node: Node, problems: Problems) -> Any:
    if isinstance(node, Scalar) and isinstance(node.value, str | float):
        try:
            return budget_text(node.value)
        except AssayError as error:
            problems.add(node.place, str(error))
            return NOTHING
    problems.add(
        node.place, f"expected a share of batches such as 1/200, got {describe_node(node)}."
    )
    return NOTHING


def _detector(node: Node, problems: Problems) -> Any:
    if not isinstance(node, Table):
        return TEXT.read(node, problems)
    before = len(problems)
    values = read_fields(node, _DETECTOR, problems, "a detector")
    if len(problems) > before:
        return NOTHING
    try:
        return DetectorSettings(**values)
    except AssayError as error:
        problems.add(node.place, str(error))
        return NOTHING


#: the parameters of the detector of novelty
_DETECTOR: Mapping[str, Shape] = {
    "method": choice(*DETECTORS),
    "features": choice("assay", "paper"),
    "neighbours": Shape(WHOLE.words, {"type": "integer", "minimum": 1}, WHOLE.read),
    "distance": choice(*get_args(Distance)),
    "aggregation": choice(*get_args(Aggregation)),
    "contamination": Shape(
        NUMBER.words, {"type": "number", "minimum": 0, "exclusiveMaximum": 1}, NUMBER.read
    ),
}
_DETECTOR_TABLE = {
    "type": "object",
    "properties": {name: dict(shape.schema) for name, shape in _DETECTOR.items()},
    "additionalProperties": False,
}

#: the settings of the gate
GATE: Mapping[str, Shape] = {
    "budget": Shape(
        "a share of batches",
        {
            "anyOf": [
                {"type": "string", "pattern": r"^[0-9]+/[0-9]+$"},
                {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "exclusiveMaximum": 1,
                    "deprecated": True,
                },
            ]
        },
        _budget,
    ),
    "on_error": choice("hold", "warn"),
    "closed": BOOLEAN,  # its name in version 0.1
    "season": Shape(WHOLE.words, {"type": "integer", "minimum": 2}, WHOLE.read),
    "private": NAMES,
    "patterns": TEXT,
    "detector": Shape(
        TEXT.words, {"anyOf": [{"enum": list(DETECTORS)}, _DETECTOR_TABLE]}, _detector
    ),
    "owner": TEXT,
    "tags": NAMES,
    "description": TEXT,
    "share_false": Shape(
        NUMBER.words,
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        NUMBER.read,
    ),
    "judges": NAMES,
    "columns": NAMES,
    "exclude": NAMES,
    "metrics": NAMES,
    "by": TEXT,
}


def _gate(node: Node | None, problems: Problems) -> GateSettings:
    if node is None:
        return GateSettings()
    if not isinstance(node, Table):
        problems.add(
            node.place, f"invalid gate: expected {', '.join(GATE)}, got {describe_node(node)}."
        )
        return GateSettings()
    settings = read_fields(node, GATE, problems, "gate")
    for name in LISTS:
        if isinstance(settings.get(name), str):
            settings[name] = [settings[name]]
    if "closed" in settings:
        settings.setdefault("on_error", "hold" if settings.pop("closed") else "warn")
    try:
        return GateSettings(**settings)
    except AssayError as error:
        problems.add(node.place, str(error))
        return GateSettings()


def _notify(node: Node | None, problems: Problems, *, variables: bool) -> tuple[Target, ...]:
    """Read the targets of notices. Addresses may be secrets: no message contains them."""
    kinds = notifier_kinds()
    targets: list[Target] = []
    if node is not None and not isinstance(node, Listing):
        problems.add(node.place, "invalid notify: expected a list.")
        return ()
    for entry in node.items if node else ():
        if not isinstance(entry, Table) or len(entry.entries) != 1:
            problems.add(
                entry.place, "invalid notify: expected {webhook: address} or {slack: address}."
            )
            continue
        ((key, address),) = entry.entries
        if key.value not in kinds:
            shown = repr(key.value) if key.value.isidentifier() else "(not shown)"
            likely = nearest(key.value, kinds)
            hint = f"did you mean {likely!r}?" if likely else f"there are: {', '.join(kinds)}."
            problems.add(key.place, f"unknown kind of notice {shown}; {hint}")
        elif not isinstance(address, Scalar) or not isinstance(address.value, str):
            problems.add(address.place, f"invalid {key.value}: expected an address as text.")
        else:
            try:
                target = Target(key.value, address.value)
                if variables:
                    target.address()
                targets.append(target)
            except AssayError as error:
                problems.add(address.place, str(error))
    return tuple(targets)


def _refuse_variables(node: Node, problems: Problems) -> None:
    for scalar in _scalars(node):
        if "${env:" in scalar.text:
            problems.add(
                scalar.place,
                f"{describe_node(scalar)}: environment variables are allowed under notify only, so"
                " that checks are the same wherever they run.",
            )


def _scalars(node: Node) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case Listing(items):
            for entry in items:
                yield from _scalars(entry)
        case Table(entries):
            for _, entry in entries:
                yield from _scalars(entry)
