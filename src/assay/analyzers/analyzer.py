"""The base classes of analyzers. An analyzer is a value that describes what to measure.

An analyzer works in three steps, *prepare → merge → present*. It lists the aggregates that Spark
has to compute, creates a `State` from their results, and computes its metric from a state. States
can be merged before the last step. The analyzer itself runs nothing. Its `key` names it in stores
and reports, and can be parsed:

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
from assay.analyzers.row_predicate import RowPredicate
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.errors import AssayError, KeySyntaxError
from assay.plugins import load_plugins

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

#: metadata of a field that holds the name of a column
COLUMN = {"column": True}
#: metadata of a field that holds one or several names of columns
COLUMNS = {"column": True, "several": True}
#: metadata of a field without a default that keys show by name, such as one after a list of columns
NAMED = {"named": True}

_REGISTRY: dict[str, type[Analyzer]] = {}
S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class Analyzer(ABC):
    """Describe what to measure.

    Parameters
    ----------
    where
        A condition in Spark SQL. Only rows that fulfil it are measured.
    """

    where: str | None = field(default=None, kw_only=True)

    #: whether states of disjoint rows can be merged; if not, the metric needs all rows at once
    incremental: ClassVar[bool] = True
    #: whether the state or the metric may contain values of the analyzer's columns
    exposes_values: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__name__.startswith("_") and not cls.__dict__.get("abstract", False):
            _REGISTRY[cls.__name__] = cls

    def __post_init__(self) -> None:
        for argument in _arguments(type(self)):
            value = getattr(self, argument.name)
            if isinstance(value, list):
                object.__setattr__(self, argument.name, tuple(value))
            elif argument.metadata.get("several") and isinstance(value, str):
                object.__setattr__(self, argument.name, (value,))
        if self.where is not None:
            object.__setattr__(self, "where", self.where.strip())

    @property
    def key(self) -> str:
        """The stable name, such as ``Mean(amount) where paid``; `parse_key` is the inverse."""
        texts: list[str] = []
        for argument in _arguments(type(self)):
            value = getattr(self, argument.name)
            if argument.metadata.get("column"):
                names = (value,) if isinstance(value, str) else value
                texts.extend(render_name(name) for name in names)
            elif _is_positional(argument):
                texts.append(render(value))
            elif argument.default is MISSING or value != argument.default:
                texts.append(f"{argument.name}={render(value)}")
        suffix = f" where {self.where}" if self.where is not None else ""
        return f"{type(self).__name__}({', '.join(texts)}){suffix}"

    def __str__(self) -> str:
        return self.key

    @property
    def predicates(self) -> tuple[str, ...]:
        """SQL conditions that the user wrote. They are resolved before a query runs."""
        return () if self.where is None else (self.where,)

    @property
    def expressions(self) -> tuple[str, ...]:
        """SQL expressions over single rows that the user wrote."""
        return ()

    @property
    def aggregates(self) -> tuple[str, ...]:
        """SQL aggregates that the user wrote."""
        return ()

    def on(self, schema: Schema) -> Self:
        """Return the analyzer with unambiguous names of columns in its selection."""
        return self if self.where is None else replace(self, where=schema.resolved(self.where))

    @property
    def has_user_sql(self) -> bool:
        """True if it contains SQL or a pattern of the user, which may fail on a row."""
        return bool(self.predicates or self.expressions or self.aggregates)

    @abstractmethod
    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""

    def row_predicate(self, schema: Schema) -> RowPredicate | None:
        """Return how single rows change the metric, or None if no single row does.

        A constraint uses it to find its failing rows. The selection `where` is not part of it.
        """
        return None

    def exposed_columns(self, schema: Schema) -> frozenset[str]:
        """Return the columns whose values the state or the metric may contain.

        A gate stores no such state of a private column. Counts, ratios, sums, moments, hashes and
        sketches of hashes contain no values. Minima, quantiles, samples and frequencies do.

        Parameters
        ----------
        schema
            The schema of the table.

        Returns
        -------
        frozenset of str
            Names of top-level columns. It is empty if the class sets ``exposes_values = False``.
            Otherwise it has the columns of the analyzer's arguments and SQL, or all columns if
            the analyzer names none.
        """
        if not self.exposes_values:
            return frozenset()
        names: list[str] = []
        for argument in _arguments(type(self)):
            if argument.metadata.get("column"):
                value = getattr(self, argument.name)
                names += (value,) if isinstance(value, str) else value
        try:
            columns = {schema.column(name).root for name in names}
        except AssayError:  # a name is unknown or ambiguous: nothing can be measured
            return frozenset(schema.names)
        for sql in (*self.expressions, *self.aggregates):
            columns |= schema.possibly_mentioned(sql)
        return frozenset(columns if names or columns else schema.names)


@dataclass(frozen=True)
class ScanAnalyzer(Analyzer, Generic[S]):
    """An analyzer whose state comes from aggregates over all rows.

    The aggregates of all analyzers are computed together, and equal ones only once.
    """

    abstract: ClassVar[bool] = True

    @abstractmethod
    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the aggregates that `state` needs."""

    @abstractmethod
    def state(self, values: Sequence[Any], schema: Schema) -> S:
        """Create the state from the results of `aggregate_exprs`, in their order."""

    def metric(self, state: S) -> Value | Undefined:
        """Compute the metric from a state."""
        return state.metric()

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        self.on(schema).aggregate_exprs(schema)

    def exposed_columns(self, schema: Schema) -> frozenset[str]:
        """Return the columns that the aggregates read, without those of the selection."""
        if not self.exposes_values:
            return frozenset()
        try:
            exprs = replace(self, where=None).aggregate_exprs(schema)
        except (AssayError, ValueError):  # it cannot be measured on this schema
            return super().exposed_columns(schema)
        columns: set[str] = set()
        for expr in exprs:
            columns |= set(expr.columns) or schema.possibly_mentioned(expr.sql)
        for sql in (*self.expressions, *self.aggregates):
            columns |= schema.possibly_mentioned(sql)
        return frozenset(columns)


@dataclass(frozen=True)
class SchemaAnalyzer(Analyzer):
    """An analyzer that needs only the schema. It runs no Spark job and has no state."""

    abstract: ClassVar[bool] = True
    incremental: ClassVar[bool] = False
    exposes_values: ClassVar[bool] = False

    @abstractmethod
    def value(self, schema: Schema) -> Value:
        """Compute the metric."""

    def check(self, schema: Schema) -> None:
        """Accept every schema: a missing column is a result, not an error."""


def registry() -> dict[str, type[Analyzer]]:
    """Return all classes of analyzers by name, those of installed packages included."""
    load_plugins("assay.analyzers")
    return dict(_REGISTRY)


def parse_key(key: str) -> Analyzer:
    """Return the analyzer of a key.

    A class that is not known yet is looked up in the entry points ``assay.analyzers`` of the
    installed packages.

    Parameters
    ----------
    key
        The key, as `Analyzer.key` writes it.

    Raises
    ------
    KeySyntaxError
        If the key cannot be parsed, or no such analyzer exists.

    Examples
    --------
    >>> from assay.analyzers import Mean
    >>> parse_key("Mean(amount) where paid") == Mean("amount", where="paid")
    True
    """
    try:
        return _read_key(key)
    except (ValueError, TypeError) as error:
        raise KeySyntaxError.of(key, str(error), tuple(_REGISTRY)) from error


def _read_key(key: str) -> Analyzer:
    reader = Reader(key)
    kind, name = reader.next()
    if kind == "word" and name not in _REGISTRY:
        load_plugins("assay.analyzers")  # importing a class registers it
    analyzer_class = _REGISTRY.get(name)
    if kind != "word" or analyzer_class is None:
        raise ValueError(f"unknown analyzer {name!r}")
    reader.expect("(")
    arguments = _read_arguments(reader, analyzer_class)
    suffix = reader.unread()
    where = re.fullmatch(r"\s+where\s(.+)", suffix, re.DOTALL)
    if where is None and suffix.strip():
        raise ValueError(f"unexpected {suffix!r} after the arguments")
    if where is not None:
        arguments["where"] = where.group(1)
    return analyzer_class(**arguments)


def _read_arguments(reader: Reader, analyzer_class: type[Analyzer]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for argument in _arguments(analyzer_class):
        is_column = argument.metadata.get("column")
        if not is_column and not _is_positional(argument):
            continue
        if argument.metadata.get("several"):
            names = []
            while reader.peek()[1] != ")" and not _is_option(reader):
                names.append(reader.name())
                _skip_comma(reader)
            arguments[argument.name] = tuple(names)
        else:
            arguments[argument.name] = reader.name() if is_column else reader.value()
            _skip_comma(reader)
    while reader.peek()[1] != ")":
        option = reader.name()
        reader.expect("=")
        arguments[option] = reader.value()
        _skip_comma(reader)
    reader.expect(")")
    return arguments


def _is_option(reader: Reader) -> bool:
    """Return whether the next argument is written as ``name=value``."""
    position = reader.at
    reader.next()
    is_option = reader.peek()[1] == "="
    reader.at = position
    return is_option


def _skip_comma(reader: Reader) -> None:
    if reader.peek()[1] == ",":
        reader.expect(",")


def _is_positional(argument: Field[Any]) -> bool:
    return argument.default is MISSING and not argument.metadata.get("named")


def _arguments(analyzer_class: type[Analyzer]) -> list[Field[Any]]:
    return [
        argument
        for argument in fields(analyzer_class)
        if argument.name != "where" and not argument.metadata.get("callable")
    ]
