"""The forms of demands: what each takes, from what its signature says.

Nothing is listed here: a new method of `Check` is known to suites by itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

from assay.checks.assertions.bounds import Bounds
from assay.checks.builder import Options
from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall, methods, signature
from assay.errors import CheckError
from assay.suite.shape import Shape, described, fields_of
from assay.suite.shape_by_type import shape_of
from assay.suite.yaml_document import Node, Problems, Scalar, Table

__all__ = ["Form", "form", "forms"]

#: arguments that are functions, or whole samples: they stay in Python
_PYTHON = frozenset({"satisfies", "classifier", "sample"})


@dataclass(frozen=True)
class Form:
    """What a demand takes: shapes by name, those it needs, and the one that may stand alone.

    `several` are columns that Python takes one by one.
    """

    method: str
    shapes: Mapping[str, Shape]
    required: tuple[str, ...]
    lead: str | None
    several: str | None
    python: frozenset[str]

    def read(self, node: Node, problems: Problems) -> ConstraintCall | None:
        """The demand of these arguments; None, with reasons in `problems`, if they are wrong."""
        before = len(problems)
        match node:
            case Table():
                found = self._arguments(node, problems)
            case Scalar(None):
                found = {}
            case _ if self.lead is None:
                problems.add(
                    node.place, f"{self.method} takes arguments by name, not {described(node)}."
                )
                return None
            case _:
                found = {self.lead: self.shapes[self.lead].read(node, problems)}
        missing = [name for name in self.required if name not in found]
        if len(problems) == before and missing:
            problems.add(node.place, f"{self.method} needs {' and '.join(missing)}.")
        if len(problems) > before:
            return None
        if self.several is not None and isinstance(found.get(self.several), str):
            found[self.several] = [found[self.several]]
        return ConstraintCall(self.method, tuple(found.items()))

    def _arguments(self, table: Table, problems: Problems) -> dict[str, Any]:
        told = []
        for key, node in table.entries:
            if key.value in self.python:
                problems.add(key.place, f"{key.value} takes a function, which stays in Python.")
            else:
                told.append((key, node))
        written = Table(tuple(told), table.place, table.flow)
        return fields_of(written, self.shapes, problems, self.method)

    @property
    def needed(self) -> tuple[str, ...]:
        """What it needs, the columns that it takes one by one included where it needs some."""
        some = self.several is not None and "at least one column" in self._refusal(several=False)
        return (*self.required, str(self.several)) if some else self.required

    @property
    def bounded(self) -> tuple[str, ...]:
        """The arguments of which it needs one: bounds, where it has none of its own."""
        if "a bound is missing" not in self._refusal():
            return ()
        bounds = {*Bounds.__annotations__, "f1", "precision", "recall"}
        return tuple(name for name in self.shapes if name in bounds)

    @property
    def writable(self) -> bool:
        """Whether a suite can say it: what only a function can judge stays in Python."""
        return "satisfies=… alone" not in self._refusal()

    def _refusal(self, *, several: bool = True) -> str:
        """What `Check` says to the least that could be given."""
        least: dict[str, Any] = {}
        for name in self.required:
            example = self.shapes[name].example
            least[name] = name if isinstance(example, str) else example
        if self.several is not None and several:
            least[self.several] = [self.several]
        elif self.several is not None:
            least["at_least"] = 0
        try:
            ConstraintCall(self.method, tuple(least.items())).add_to(Check("example"))
        except CheckError as error:
            return str(error)
        return ""


@cache
def form(method: str) -> Form:
    """The form of a demand, by its method's name."""
    takes = signature(method).parameters
    hints = get_type_hints(getattr(Check, method))
    known = {name: hints[name] for name in takes if name != "options"}
    known |= get_type_hints(Options) if "options" in takes else {}
    kinds = inspect.Parameter
    required = tuple(
        name
        for name, each in takes.items()
        if each.default is each.empty and each.kind not in {kinds.VAR_KEYWORD, kinds.VAR_POSITIONAL}
    )
    shapes = {name: shape_of(name, hint) for name, hint in known.items() if name not in _PYTHON}
    first = next(iter(takes))
    by_name = takes[first].kind in {kinds.KEYWORD_ONLY, kinds.VAR_KEYWORD}
    lead = None if by_name or shapes[first].schema.get("type") == "object" else first
    several = next((n for n, each in takes.items() if each.kind == kinds.VAR_POSITIONAL), None)
    return Form(method, shapes, required, lead, several, _PYTHON & known.keys())


@cache
def forms() -> tuple[Form, ...]:
    """The forms of all demands that a suite can say."""
    return tuple(each for each in map(form, methods()) if each.writable)
