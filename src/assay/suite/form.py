"""The arguments of each constraint in YAML, derived from the registry of constraint methods."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint_method import ConstraintMethod, constraint_methods
from assay.suite.shape import Shape, describe_node, read_fields
from assay.suite.shape_by_type import shape_of
from assay.suite.yaml_document import Node, Problems, Scalar, Table

__all__ = ["Form", "form", "forms"]

#: arguments that are functions, or whole samples: they stay in Python
_PYTHON_ONLY = frozenset({"satisfies", "classifier", "sample"})


@dataclass(frozen=True)
class Form:
    """The arguments of a constraint in YAML.

    Attributes
    ----------
    method
        The constraint method.
    shapes
        The shape of each argument.
    required
        The arguments that must be given.
    lead
        The argument that may stand alone, without its name.
    """

    method: ConstraintMethod
    shapes: Mapping[str, Shape]
    required: tuple[str, ...]
    lead: str | None

    def read(self, node: Node, problems: Problems) -> ConstraintCall | None:
        """Return the call with these arguments; None, with `problems`, if they are invalid."""
        before = len(problems)
        name = self.method.name
        match node:
            case Table():
                arguments = self._read_arguments(node, problems)
            case Scalar(None):
                arguments = {}
            case _ if self.lead is None:
                problems.add(
                    node.place, f"{name} takes arguments by name, got {describe_node(node)}."
                )
                return None
            case _:
                arguments = {self.lead: self.shapes[self.lead].read(node, problems)}
        missing = [argument for argument in self.required if argument not in arguments]
        if len(problems) == before and missing:
            problems.add(node.place, f"{name} needs {' and '.join(missing)}.")
        if len(problems) > before:
            return None
        columns = self.method.columns
        if columns is not None and isinstance(arguments.get(columns), str):
            arguments[columns] = [arguments[columns]]
        return ConstraintCall(name, tuple(arguments.items()))

    def _read_arguments(self, table: Table, problems: Problems) -> dict[str, Any]:
        entries = []
        for key, node in table.entries:
            if key.value in _PYTHON_ONLY and key.value in self.method.signature.parameters:
                problems.add(key.place, f"{key.value} takes a function, which stays in Python.")
            else:
                entries.append((key, node))
        readable = Table(tuple(entries), table.place, table.flow)
        return read_fields(readable, self.shapes, problems, self.method.name)

    @property
    def needed(self) -> tuple[str, ...]:
        """The required arguments, and the columns if at least one is needed."""
        columns = self.method.columns
        if columns is None or not self.method.needs_columns:
            return self.required
        return (*self.required, columns)

    @property
    def bounds(self) -> tuple[str, ...]:
        """The bounds, if at least one is required. Empty if the method has its own bound."""
        return tuple(name for name in self.method.required_bounds if name in self.shapes)


@cache
def form(name: str) -> Form:
    """Return the form of a constraint, by the name of its method."""
    method = constraint_methods()[name]
    parameters = method.signature.parameters
    kinds = inspect.Parameter
    required = tuple(
        parameter.name
        for parameter in parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not kinds.VAR_POSITIONAL
    )
    shapes = {
        argument: shape_of(argument, hint)
        for argument, hint in method.hints.items()
        if argument not in _PYTHON_ONLY
    }
    first = next(iter(parameters.values()))
    by_name = first.kind is kinds.KEYWORD_ONLY
    is_mapping = shapes[first.name].schema.get("type") == "object"
    return Form(method, shapes, required, None if by_name or is_mapping else first.name)


@cache
def forms() -> tuple[Form, ...]:
    """Return the forms of all constraints that YAML can hold: functions stay in Python."""
    return tuple(
        form(name)
        for name, method in sorted(constraint_methods().items())
        if method.bounds != "function"
    )
