"""A demand written down: a method of `Check` and its arguments, as Python and as YAML.

>>> demand = Demand.of("has_completeness", "email", at_least=0.9)
>>> print(demand.python)
.has_completeness("email", at_least=0.9)
>>> print(demand.yaml)
- has_completeness: {"column": "email", "at_least": 0.9}
>>> Demand.read({"is_complete": {"columns": ["id", "name"]}}).python
'.is_complete("id", "name")'
>>> demand.on(Check("orders")).constraints[0].name
'has_completeness(email)'
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from assay.checks.building import Options
from assay.checks.check import Check
from assay.checks.pattern import Pattern
from assay.errors import CheckError, nearest

__all__ = ["Demand"]

_SPANS = ("days", "hours", "minutes", "seconds")


@dataclass(frozen=True)
class Demand:
    """A method and its arguments by name, those that are given one by one as a list."""

    method: str
    arguments: tuple[tuple[str, Any], ...]

    @staticmethod
    def of(method: str, *args: Any, **kwargs: Any) -> Demand:
        """The demand that ``check.method(*args, **kwargs)`` makes."""
        bound = _signature(method).bind(*args, **kwargs)
        flat = {
            name: value for name, value in bound.arguments.items() if name not in {"options"}
        } | dict(bound.arguments.get("options", {}))
        return Demand(method, tuple(flat.items()))

    @staticmethod
    def read(document: object) -> Demand:
        """The inverse of `yaml`, once a parser of YAML has read it."""
        if not isinstance(document, Mapping) or len(document) != 1:
            raise CheckError(f"a demand is one name with its arguments, not {document!r}.")
        ((method, arguments),) = document.items()
        known = {*_signature(method).parameters, *Options.__annotations__} - {"options"}
        named: dict[str, Any] = dict(arguments or {})
        for name in named:
            if name not in known:
                raise CheckError(f"{method} has no argument {name!r}{_or(name, known)}.")
        return Demand(method, tuple((name, _value(each)) for name, each in named.items()))

    def on(self, check: Check) -> Check:
        """The check with this demand."""
        named = dict(self.arguments)
        args = [item for name in self._several for item in named.pop(name, ())]
        grown: Check = getattr(check, self.method)(*args, **named)
        return grown

    @property
    def python(self) -> str:
        """The call, beginning with its dot."""
        args: list[str] = []
        for name, value in self.arguments:
            parameter = self._parameters.get(name)
            if parameter is not None and parameter.kind == parameter.VAR_POSITIONAL:
                args += map(_literal, value)
            elif parameter is not None and parameter.kind == parameter.POSITIONAL_OR_KEYWORD:
                args.append(_literal(value))
            else:
                args.append(f"{name}={_literal(value)}")
        return f".{self.method}({', '.join(args)})"

    @property
    def yaml(self) -> str:
        """An entry of a list in YAML; what it holds is JSON, which YAML understands."""
        held = json.dumps({n: _plain(v) for n, v in self.arguments}, ensure_ascii=False)
        # YAML ends lines at signs that JSON leaves as they are
        plain = (c if c.isprintable() or ord(c) > 0xFFFF else f"\\u{ord(c):04x}" for c in held)
        return f"- {self.method}: {''.join(plain)}"

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return _signature(self.method).parameters

    @property
    def _several(self) -> list[str]:
        return [n for n, p in self._parameters.items() if p.kind == p.VAR_POSITIONAL]


@cache
def _signature(method: str) -> inspect.Signature:
    made = getattr(Check, method, None)
    if made is None or method.startswith("_") or not _makes_a_demand(made):
        known = [n for n in dir(Check) if n[0] != "_" and _makes_a_demand(getattr(Check, n))]
        raise CheckError(f"there is no demand {method!r}{_or(method, known)}.")
    signature = inspect.signature(made)
    own = [each for name, each in signature.parameters.items() if name != "self"]
    return signature.replace(parameters=own)


def _or(name: str, known: Collection[str]) -> str:
    likely = nearest(name, sorted(known))
    return f"; did you mean {likely!r}?" if likely else ""


def _makes_a_demand(made: Any) -> bool:
    return callable(made) and "options" in inspect.signature(made).parameters


def _literal(value: Any) -> str:
    """The value as Python reads it; strings in double quotes."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
        case timedelta():
            return f"timedelta({', '.join(f'{k}={v}' for k, v in _span(value).items())})"
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


def _plain(value: Any) -> Any:
    match value:
        case timedelta():
            return _span(value)
        case date():
            return value.isoformat()
        case Decimal() | Pattern():
            return str(value)
        case tuple() | list():
            return [_plain(each) for each in value]
        case _ if callable(value):
            raise CheckError("a function cannot be written in YAML; use bounds.")
        case _ if hasattr(value, "learn"):
            raise CheckError("a learner cannot be written in YAML; write what it has learned.")
        case _:
            return value


def _value(value: Any) -> Any:
    if isinstance(value, Mapping) and value and set(value) <= set(_SPANS):
        return timedelta(**value)
    return value


def _span(value: timedelta) -> dict[str, int | float]:
    seconds = value.total_seconds() - value.days * 86400
    parts: dict[str, int | float] = {"days": value.days}
    if seconds:
        parts["seconds"] = int(seconds) if seconds == int(seconds) else seconds
    return {unit: n for unit, n in parts.items() if n} or {"days": 0}
