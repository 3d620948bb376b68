"""A demand written down: a method of `Check` and its arguments, as Python and as YAML.

>>> call = ConstraintCall.of("has_completeness", "email", at_least=0.9)
>>> print(call.python)
.has_completeness("email", at_least=0.9)
>>> print(call.yaml)
- has_completeness: {column: email, at_least: 0.9}
>>> print(ConstraintCall.of("is_complete", "id", "name").yaml)
- is_complete: [id, name]
>>> call.add_to(Check("orders")).constraints[0].name
'has_completeness(email)'
>>> for each in calls_of(Check("orders").is_unique("id").warn()):
...     print(each.python)
.is_unique("id", level="warning")
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache
from typing import Any

from assay.checks.builder import CheckBuilder, is_constraint_method, names
from assay.checks.check import Check
from assay.checks.codegen.yaml_values import flow, span
from assay.checks.pattern import Pattern
from assay.deprecation import warn_renamed
from assay.errors import CheckError, nearest

__all__ = ["ConstraintCall", "calls_of", "methods", "signature"]


@dataclass(frozen=True)
class ConstraintCall:
    """A method and its arguments by name, those that are given one by one as a list."""

    method: str
    arguments: tuple[tuple[str, Any], ...]

    @staticmethod
    def of(method: str, *args: Any, **kwargs: Any) -> ConstraintCall:
        """The demand that ``check.method(*args, **kwargs)`` makes."""
        takes = signature(method)
        flat: dict[str, Any] = {}
        for name, value in takes.bind(*args, **kwargs).arguments.items():
            match takes.parameters[name].kind:
                case inspect.Parameter.VAR_POSITIONAL:
                    flat[name] = names(value)
                case inspect.Parameter.VAR_KEYWORD:
                    flat |= value
                case _:
                    flat[name] = value
        return ConstraintCall(method, tuple(flat.items()))

    def add_to(self, check: Check) -> Check:
        """Return the check with this constraint added."""
        named: dict[str, Any] = dict(self.arguments)
        args: list[Any] = []
        for name, parameter in self._parameters.items():
            if parameter.kind == parameter.POSITIONAL_ONLY:
                args.append(named.pop(name))
            elif parameter.kind == parameter.VAR_POSITIONAL:
                args += named.pop(name, ())
        grown: Check = getattr(check, self.method)(*args, **named)
        return grown

    def on(self, check: Check) -> Check:
        """Deprecated name of `add_to`."""
        warn_renamed("ConstraintCall.on", "ConstraintCall.add_to")
        return self.add_to(check)

    @property
    def python(self) -> str:
        """The call, beginning with its dot."""
        named: dict[str, Any] = dict(self.arguments)
        args: list[str] = []
        for name, parameter in self._parameters.items():
            if parameter.kind == parameter.VAR_POSITIONAL:
                args += map(_literal, named.pop(name, ()))
            elif parameter.kind == parameter.KEYWORD_ONLY or name not in named:
                break  # what follows a gap is told by its name
            else:
                args.append(_literal(named.pop(name)))
        args += [f"{name}={_literal(value)}" for name, value in named.items()]
        return f".{self.method}({', '.join(args)})"

    @property
    def yaml(self) -> str:
        """An entry of a list in YAML; where there is but one argument and it is first, bare."""
        given = {name: value for name, value in self.arguments if value is not None}
        first, parameter = next(iter(self._parameters.items()))
        if parameter.kind == parameter.VAR_POSITIONAL and len(given.get(first, ())) == 1:
            (given[first],) = given[first]
        alone = set(given) == {first} and not isinstance(given[first], Mapping)
        return f"- {self.method}: {flow(given[first] if alone else given)}"

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return signature(self.method).parameters


def calls_of(check: Check) -> tuple[ConstraintCall, ...]:
    """The demands that a check is made of, each with how much it matters and what to do."""
    made = tuple(ConstraintCall.of(method, *args, **named) for method, args, named in check.calls)
    again = Check(check.name, check.level)
    for each in made:
        again = each.add_to(again)
    if again != check:
        raise CheckError(
            f"{check.name}: some of its constraints were not added by its methods, and cannot"
            " be written down."
        )
    return made


@cache
def methods() -> tuple[str, ...]:
    """The names of all demands."""
    every = inspect.getmembers(Check, inspect.isfunction)
    return tuple(
        n for n, made in every if is_constraint_method(n, made) and n not in vars(CheckBuilder)
    )


@cache
def signature(method: str) -> inspect.Signature:
    """What a demand takes."""
    if method not in methods():
        likely = nearest(method, methods())
        hint = f"; did you mean {likely!r}?" if likely else "."
        raise CheckError(f"there is no constraint {method!r}{hint}")
    whole = inspect.signature(getattr(Check, method))
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def _literal(value: Any) -> str:
    """The value as Python reads it; strings in double quotes."""
    match value:
        case Enum():
            return _literal(value.value)
        case str():
            return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
        case timedelta():
            return f"timedelta({', '.join(f'{k}={v}' for k, v in span(value).items())})"
        case datetime() | date():
            return repr(value).removeprefix("datetime.")
        case Pattern():
            return _literal(str(value))
        case list():
            return f"[{', '.join(map(_literal, value))}]"
        case tuple():
            inner = ", ".join(map(_literal, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case _:
            return repr(value)
