"""Derive the shape of an argument from its type in the signature.

Detectors and learners are written by name with their parameters: ``{OnlineNormal: {upper: 4}}``. A
new detector needs no entry here.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime, timedelta
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from assay.analyzers.analyzer import Analyzer, parse_key
from assay.checks.assertions.expectation import Detector
from assay.checks.assertions.learned_pattern import PatternLearner
from assay.checks.constraint import Level
from assay.checks.pattern import Pattern
from assay.learn import anomaly
from assay.plugins import load_plugins
from assay.suite.shape import (
    BOOLEAN,
    MOMENT,
    NAMES,
    NOTHING,
    NUMBER,
    SPAN,
    TEXT,
    VALUE,
    WHOLE,
    Shape,
    choice,
    describe_node,
    listing,
    maybe,
    pairs,
    read_fields,
    text_as,
    unknown,
)
from assay.suite.yaml_document import Node, Problems, Scalar, Table

__all__ = ["detectors", "learners", "parameters", "required_of", "shape_of"]


def shape_of(name: str, hint: Any) -> Shape:
    """Return the shape of an argument by its type."""
    if name == "level":
        return choice(*(level.value for level in Level))
    args = [arg for arg in get_args(hint) if arg is not types.NoneType]
    if get_origin(hint) in {Union, types.UnionType}:
        if len(args) < len(get_args(hint)):
            return maybe(shape_of(name, Union[tuple(args)] if len(args) > 1 else args[0]))  # noqa: UP007
        if set(args) == {str, Sequence[str]}:
            return NAMES
        if set(args) == {str, Pattern}:
            return TEXT
    if get_origin(hint) is Literal:
        return choice(*args)
    if get_origin(hint) is tuple and args[-1] is not Ellipsis:
        return listing(shape_of(name, args[0]), size=len(args), make=tuple)
    if get_origin(hint) in {tuple, Sequence, Iterable}:
        return listing(shape_of(name, args[0]), make=tuple if get_origin(hint) is tuple else list)
    if get_origin(hint) is Mapping:
        return pairs(shape_of(name, args[1]))
    return _SHAPES[hint]


def _named(what: str, words: str, makers: Callable[[], Mapping[str, Callable[..., Any]]]) -> Shape:
    """Return the shape of a name, or a mapping of it to parameters.

    `makers` returns the functions that create the values, by name.
    """

    def read(node: Node, problems: Problems) -> Any:
        match node:
            case Scalar(str() as name):
                key, table = node, Table((), node.place, flow=True)
            case Table(((key, Table() as table),)):
                name = key.value
            case Table(((key, Scalar(None)),)):
                name, table = key.value, Table((), key.place, flow=True)
            case _:
                problems.add(node.place, f"expected {words}, got {describe_node(node)}.")
                return NOTHING
        known_makers = makers()
        if name == "ByCallable":
            problems.add(key.place, "ByCallable holds a function, which stays in Python.")
            return NOTHING
        if name not in known_makers:
            problems.add(key.place, unknown(f"unknown {what}", name, sorted(known_makers)))
            return NOTHING
        before = len(problems)
        arguments = read_fields(table, parameters(known_makers[name]), problems, name)
        if len(problems) > before:
            return NOTHING
        try:
            return known_makers[name](**arguments)
        except (TypeError, ValueError) as error:
            why = str(error).removesuffix(".").replace(f"{name}.__init__() ", "")
            problems.add(key.place, f"{name}: {why}.")
            return NOTHING

    return Shape(words, {"$ref": f"#/$defs/{what}"}, read)


def detectors() -> Mapping[str, type[Any]]:
    """Return the detectors that a suite can name."""
    registered = [d for d in anomaly.DETECTORS if d is not anomaly.ByCallable]
    plugins = {name: d for name, d in load_plugins("assay.detectors") if isinstance(d, type)}
    return {detector.__name__: detector for detector in registered} | plugins


def learners() -> Mapping[str, Callable[..., Any]]:
    """Return the learners that a suite can name. Creating one imports NumPy."""
    return {"Patterns": _patterns}


def _patterns() -> PatternLearner:
    from assay.learn.patterns import Patterns

    return Patterns()


def parameters(maker: Any) -> dict[str, Shape]:
    """Return the shapes of a detector's parameters."""
    if not isinstance(maker, type):
        return {}
    hints = get_type_hints(maker)
    return {f.name: shape_of(f.name, hints[f.name]) for f in fields(maker) if f.init}


def required_of(maker: Any) -> list[str]:
    """Return the names of a detector's required parameters."""
    if not isinstance(maker, type):
        return []
    return [parameter.name for parameter in fields(maker) if parameter.default is MISSING]


DETECTOR = _named("detector", "a detector such as {OnlineNormal: {upper: 4}}", detectors)
LEARNER = _named("learner", "a learner such as Patterns", learners)
_SHAPES: dict[Any, Shape] = {
    str: TEXT,
    float: NUMBER,
    int: WHOLE,
    bool: BOOLEAN,
    Any: VALUE,
    timedelta: SPAN,
    datetime: MOMENT,
    Analyzer: text_as("an analyzer", parse_key, {"$ref": "#/$defs/analyzer"}),
    Detector: DETECTOR,
    PatternLearner: LEARNER,
}
