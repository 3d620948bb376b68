"""Analyzers: what can be measured, as values.

An analyzer is *prepare → merge → present*: it says what Spark has to compute, makes a `State` of
the result, and reads its metric off any state of that kind, merged or not. It computes nothing
itself. Its `key` names it in stores and reports, and reads back:

>>> from assay.analyzers import Completeness
>>> Completeness("email", where="country = 'DE'").key
"Completeness(email) where country = 'DE'"
>>> parse_key("Completeness(`e-mail`)") == Completeness("e-mail")
True
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.literal import Reader, render, render_name
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.errors import KeySyntaxError

__all__ = [
    "COLUMN",
    "COLUMNS",
    "NAMED",
    "Analyzer",
    "ScanAnalyzer",
    "SchemaAnalyzer",
    "parse_key",
    "registry",
]

#: marks a field that holds a column's name
COLUMN = {"column": True}
#: marks a field that holds the names of several columns, or of one
COLUMNS = {"column": True, "several": True}
#: marks a field that keys show by its name though it has no default, as after a list of columns
NAMED = {"named": True}

_REGISTRY: dict[str, type[Analyzer]] = {}
S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class Analyzer(ABC):
    """What to measure. `where` selects the rows (a predicate of Spark SQL)."""

    where: str | None = field(default=None, kw_only=True)

    #: whether states of disjoint data add up; if not, the metric must be computed anew
    incremental: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__name__.startswith("_") and not cls.__dict__.get("abstract", False):
            _REGISTRY[cls.__name__] = cls

    def __post_init__(self) -> None:
        for each in _arguments(type(self)):
            value = getattr(self, each.name)
            if isinstance(value, list):
                object.__setattr__(self, each.name, tuple(value))
            elif each.metadata.get("several") and isinstance(value, str):
                object.__setattr__(self, each.name, (value,))
        if self.where is not None:
            object.__setattr__(self, "where", self.where.strip())

    @property
    def key(self) -> str:
        """The stable name: ``Mean(amount) where paid``."""
        shown: list[str] = []
        for each in _arguments(type(self)):
            value = getattr(self, each.name)
            if each.metadata.get("column"):
                names = (value,) if isinstance(value, str) else value
                shown.extend(render_name(name) for name in names)
            elif _positional(each):
                shown.append(render(value))
            elif each.default is MISSING or value != each.default:
                shown.append(f"{each.name}={render(value)}")
        suffix = f" where {self.where}" if self.where is not None else ""
        return f"{type(self).__name__}({', '.join(shown)}){suffix}"

    def __str__(self) -> str:
        return self.key

    @property
    def predicates(self) -> tuple[str, ...]:
        """The conditions that the user wrote; they are resolved before anything runs."""
        return () if self.where is None else (self.where,)

    @property
    def expressions(self) -> tuple[str, ...]:
        """Other SQL over single rows that the user wrote."""
        return ()

    @property
    def aggregates(self) -> tuple[str, ...]:
        """SQL over all rows that the user wrote."""
        return ()

    def on(self, schema: Schema) -> Self:
        """Itself, with a selection that names columns as SQL can tell them apart."""
        return self if self.where is None else replace(self, where=schema.resolved(self.where))

    @property
    def written(self) -> bool:
        """Whether it holds SQL or a pattern of the user's, which may fail on some row."""
        return bool(self.predicates or self.expressions or self.aggregates)

    @abstractmethod
    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""


@dataclass(frozen=True)
class ScanAnalyzer(Analyzer, Generic[S]):
    """An analyzer whose state comes from aggregates over all rows, shared with others."""

    abstract: ClassVar[bool] = True

    @abstractmethod
    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """The aggregates that the state is made of."""

    @abstractmethod
    def state(self, values: Sequence[Any], schema: Schema) -> S:
        """The state, from the exprs' results in their order."""

    def metric(self, state: S) -> Value | Undefined:
        """What the state says to this analyzer's question."""
        return state.metric()

    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""
        self.on(schema).aggregate_exprs(schema)


@dataclass(frozen=True)
class SchemaAnalyzer(Analyzer):
    """An analyzer that only needs the schema: no job, no state."""

    abstract: ClassVar[bool] = True
    incremental: ClassVar[bool] = False

    @abstractmethod
    def value(self, schema: Schema) -> Value:
        """The answer."""

    def check(self, schema: Schema) -> None:
        """Nothing can be wrong: a missing column is an answer too."""


def registry() -> dict[str, type[Analyzer]]:
    """All analyzers there are, by name; the laws are tested over it."""
    return dict(_REGISTRY)


def parse_key(key: str) -> Analyzer:
    """The analyzer of this key."""
    try:
        return _read_key(key)
    except (ValueError, TypeError) as error:
        raise KeySyntaxError.of(key, str(error), tuple(_REGISTRY)) from error


def _read_key(key: str) -> Analyzer:
    reader = Reader(key)
    kind, name = reader.next()
    known = _REGISTRY.get(name)
    if kind != "word" or known is None:
        raise ValueError(f"there is no analyzer {name!r}")
    reader.expect("(")
    arguments = _read_arguments(reader, known)
    rest = reader.rest()
    where = re.fullmatch(r"\s+where\s(.+)", rest, re.DOTALL)
    if where is None and rest.strip():
        raise ValueError(f"unexpected {rest!r} after the arguments")
    if where is not None:
        arguments["where"] = where.group(1)
    return known(**arguments)


def _read_arguments(reader: Reader, known: type[Analyzer]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    positional = [f for f in _arguments(known) if f.metadata.get("column") or _positional(f)]
    for each in positional:
        if each.metadata.get("several"):
            names = []
            while reader.peek()[1] != ")" and not _is_option(reader):
                names.append(reader.name())
                _comma(reader)
            arguments[each.name] = tuple(names)
        else:
            arguments[each.name] = reader.name() if each.metadata.get("column") else reader.value()
            _comma(reader)
    while reader.peek()[1] != ")":
        option = reader.name()
        reader.expect("=")
        arguments[option] = reader.value()
        _comma(reader)
    reader.expect(")")
    return arguments


def _is_option(reader: Reader) -> bool:
    at = reader.at
    reader.next()
    option = reader.peek()[1] == "="
    reader.at = at
    return option


def _comma(reader: Reader) -> None:
    if reader.peek()[1] == ",":
        reader.expect(",")


def _positional(argument: Field[Any]) -> bool:
    return argument.default is MISSING and not argument.metadata.get("named")


def _arguments(kind: type[Analyzer]) -> list[Field[Any]]:
    return [f for f in fields(kind) if f.name != "where" and not f.metadata.get("callable")]
