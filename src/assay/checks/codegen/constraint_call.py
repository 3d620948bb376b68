"""Write a constraint as a method call in Python and as an entry in YAML, and read it back.

>>> call = ConstraintCall.of("has_completeness", "email", at_least=0.9)
>>> print(call.python)
.has_completeness("email", at_least=0.9)
>>> print(call.yaml)
- has_completeness: {column: email, at_least: 0.9}
>>> print(ConstraintCall.of("is_complete", "id", "name").yaml)
- is_complete: [id, name]
>>> call.add_to(Check("orders")).constraints[0].name
'has_completeness(email)'
>>> for call in calls_of(Check("orders").is_unique("id").warn()):
...     print(call.python)
.is_unique("id", level="warning")
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any

from assay.checks.builder import column_names
from assay.checks.check import Check
from assay.checks.codegen.yaml_values import flow, span
from assay.checks.constraint_method import constraint_methods
from assay.checks.pattern import Pattern
from assay.deprecation import warn_renamed
from assay.errors import CheckError, did_you_mean

__all__ = ["ConstraintCall", "calls_of", "methods", "signature"]


@dataclass(frozen=True)
class ConstraintCall:
    """A call of a constraint method.

    Attributes
    ----------
    method
        Name of the method.
    arguments
        Names and values. Columns that are given one by one are one list.
    """

    method: str
    arguments: tuple[tuple[str, Any], ...]

    @staticmethod
    def of(method: str, *args: Any, **kwargs: Any) -> ConstraintCall:
        """Return the call ``check.method(*args, **kwargs)``."""
        parameters = signature(method)
        arguments: dict[str, Any] = {}
        for name, value in parameters.bind(*args, **kwargs).arguments.items():
            several = parameters.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            arguments[name] = column_names(value) if several else value
        return ConstraintCall(method, tuple(arguments.items()))

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
        """The call in Python, beginning with its dot."""
        named: dict[str, Any] = dict(self.arguments)
        args: list[str] = []
        for name, parameter in self._parameters.items():
            if parameter.kind == parameter.VAR_POSITIONAL:
                args += map(_to_python, named.pop(name, ()))
            elif parameter.kind == parameter.KEYWORD_ONLY or name not in named:
                break  # arguments behind a missing one are given by name
            else:
                args.append(_to_python(named.pop(name)))
        args += [f"{name}={_to_python(value)}" for name, value in named.items()]
        return f".{self.method}({', '.join(args)})"

    @property
    def yaml(self) -> str:
        """The call as an entry of a YAML list; or the first argument alone."""
        arguments = {name: value for name, value in self.arguments if value is not None}
        first, parameter = next(iter(self._parameters.items()))
        several = parameter.kind == parameter.VAR_POSITIONAL
        if several and len(arguments.get(first, ())) == 1:
            (arguments[first],) = arguments[first]
        alone = set(arguments) == {first} and parameter.kind != parameter.KEYWORD_ONLY
        alone = alone and not isinstance(arguments[first], Mapping)
        return f"- {self.method}: {flow(arguments[first] if alone else arguments)}"

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return signature(self.method).parameters


def calls_of(check: Check) -> tuple[ConstraintCall, ...]:
    """Return the calls that add the constraints of a check, with their levels and hints.

    Raises
    ------
    CheckError
        If a constraint was added without a constraint method, and cannot be written.
    """
    calls = tuple(ConstraintCall.of(method, *args, **named) for method, args, named in check.calls)
    rebuilt = Check(check.name, check.level, on=check.on)
    for call in calls:
        rebuilt = call.add_to(rebuilt)
    if rebuilt != check:
        raise CheckError(
            f"{check.name}: some of its constraints were not added by its methods, and cannot"
            " be written down."
        )
    return calls


def methods() -> tuple[str, ...]:
    """Return the names of all constraint methods, sorted."""
    return tuple(sorted(constraint_methods()))


def signature(method: str) -> inspect.Signature:
    """Return the parameters of a constraint method, without ``self``."""
    if method not in constraint_methods():
        raise CheckError(f"unknown constraint {method!r}{did_you_mean(method, methods())}")
    return constraint_methods()[method].signature


def _to_python(value: Any) -> str:
    """Return the value as a Python expression, with strings in double quotes."""
    match value:
        case Enum():
            return _to_python(value.value)
        case str():
            return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
        case timedelta():
            return f"timedelta({', '.join(f'{k}={v}' for k, v in span(value).items())})"
        case datetime() | date():
            return repr(value).removeprefix("datetime.")
        case Pattern():
            return _to_python(str(value))
        case list():
            return f"[{', '.join(map(_to_python, value))}]"
        case tuple():
            inner = ", ".join(map(_to_python, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case _:
            return repr(value)
