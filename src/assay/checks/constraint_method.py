"""Declare the methods of `Check` that add constraints, in a registry.

Suites, their JSON Schema, code generation, the stub file and the documentation read the registry.
None of them inspects error messages or the text of annotations.

>>> from assay import Check
>>> constraint_methods()["has_size"].bounds
'required'
>>> Check("orders").has_size(500)
Traceback (most recent call last):
    ...
assay.errors.ArgumentError: orders: has_size takes bounds by name: has_size(equals=500).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import wraps
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_type_hints, overload

from assay.checks.assertions.bounds import Bounds
from assay.checks.constraint_options import Options
from assay.checks.known_names import suggest_argument
from assay.checks.parameter_docs import complete_docstring
from assay.errors import ArgumentError
from assay.text import count_noun

if TYPE_CHECKING:
    from assay.checks.builder import CheckBuilder

__all__ = ["BoundsRule", "Call", "ConstraintMethod", "constraint_method", "constraint_methods"]

F = TypeVar("F", bound=Callable[..., Any])

#: How a constraint is judged.
#: ``"required"``: the caller gives at least one bound.
#: ``"optional"``: the method has a bound of its own, such as ``equals=1.0``.
#: ``"function"``: the metric has several values, and only ``satisfies=`` can judge them.
BoundsRule = Literal["required", "optional", "function"]

_POSITIONAL = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
_METHODS: dict[str, ConstraintMethod] = {}


class Call(NamedTuple):
    """A call of a constraint method, recorded so that the check can be written as code."""

    method: str
    args: tuple[Any, ...]
    named: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintMethod:
    """A method of `Check` that adds constraints.

    Attributes
    ----------
    function
        The method as it is written; its name is the name in Python and in YAML.
    signature
        Its parameters without ``self``; the common options are listed one by one.
    bounds
        How the constraint is judged.
    default
        Bounds that apply where the caller gives none.
    extra_bounds
        Arguments that serve as bounds besides those of `Bounds`.
    needs_columns
        True if a parameter that takes columns one by one needs at least one.
    about_schema
        True if the constraint reads the schema only, and therefore selects no rows.
    refused
        Arguments of other methods that this one refuses, each with what to do instead.
    formula
        The metric in a few words or symbols. `help` shows it in the notes.
    docs
        Texts of parameters that several methods of a module share.
    """

    function: Callable[..., Any]
    signature: inspect.Signature
    bounds: BoundsRule = "required"
    default: Mapping[str, Any] = field(default_factory=dict)
    extra_bounds: tuple[str, ...] = ()
    needs_columns: bool = True
    about_schema: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)
    formula: str = "rows that pass / rows"
    docs: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the method, in Python and in YAML."""
        return self.function.__name__

    @property
    def hints(self) -> dict[str, Any]:
        """The type of each parameter."""
        hints = {**get_type_hints(self.function), **get_type_hints(Options)}
        return {name: hints[name] for name in self.signature.parameters}

    @property
    def columns(self) -> str | None:
        """Name of the parameter that takes columns one by one, if there is one."""
        parameters = self.signature.parameters.values()
        return next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)

    @property
    def required_bounds(self) -> tuple[str, ...]:
        """The bounds, if a call must have at least one. Empty if bounds are optional."""
        if self.bounds != "required":
            return ()
        names = {*Bounds.__annotations__, *self.extra_bounds}
        return tuple(name for name in self.signature.parameters if name in names)

    @property
    def _positional(self) -> tuple[str, ...]:
        parameters = self.signature.parameters.values()
        return tuple(p.name for p in parameters if p.kind in _POSITIONAL)

    def require_arguments(self, check: str, args: tuple[Any, ...], named: Iterable[str]) -> None:
        """Raise `ArgumentError` if the signature does not have these arguments."""
        parameters = self.signature.parameters
        for name in named:
            if name in self.refused:
                raise ArgumentError(f"{check}: {self.name} takes no {name}=: {self.refused[name]}")
            if name not in parameters:
                meant = suggest_argument(name, parameters)
                listed = f". It has: {', '.join(parameters)}."
                hint = listed if meant is None else f"; did you mean {meant!r}?"
                raise ArgumentError(f"{check}: {self.name} has no argument {name!r}{hint}")
        limit = len(self._positional)
        if self.columns is None and len(args) > limit:
            raise ArgumentError(f"{check}: {self.name} {self._explain_surplus(limit, args)}")
        try:
            self.signature.bind(*args, **dict.fromkeys(named))
        except TypeError as error:
            raise ArgumentError(f"{check}: {self.name}: {error}.") from None

    def _explain_surplus(self, limit: int, args: tuple[Any, ...]) -> str:
        """Say how the first argument beyond the positional ones is written."""
        is_bound = isinstance(args[limit], int | float | Decimal | date | timedelta)
        if "equals" not in self.signature.parameters or not is_bound:
            named = [name for name in self.signature.parameters if name not in self._positional]
            return (
                f"takes {count_noun(limit, 'argument')} without a name, got {len(args)}."
                f" Name the others: {', '.join(named)}."
            )
        written = [*map(repr, args[:limit]), f"equals={args[limit]!r}"]
        return f"takes bounds by name: {self.name}({', '.join(written)})."


def constraint_methods() -> Mapping[str, ConstraintMethod]:
    """Return all constraint methods by name, in the order of their declaration.

    Examples
    --------
    >>> constraint_methods()["has_histogram"].bounds
    'function'
    """
    import_module("assay.checks.check")  # declares the methods
    return MappingProxyType(_METHODS)


def method_metadata(name: str) -> ConstraintMethod:
    """Return the metadata of a method that has been declared."""
    return _METHODS[name]


@overload
def constraint_method(function: F, /) -> F: ...


@overload
def constraint_method(
    *,
    bounds: BoundsRule = ...,
    default: Mapping[str, Any] | None = ...,
    extra_bounds: tuple[str, ...] = ...,
    needs_columns: bool = ...,
    about_schema: bool = ...,
    refused: Mapping[str, str] | None = ...,
    formula: str = ...,
    docs: Mapping[str, str] | None = ...,
) -> Callable[[F], F]: ...


def constraint_method(function: F | None = None, /, **metadata: Any) -> F | Callable[[F], F]:
    """Declare a method that adds constraints to a check.

    The method gets its whole signature and docstring, with the common `Options` one by one. Every
    call is recorded, so that the check can be written as Python and as YAML.

    Parameters
    ----------
    function
        The method, where the decorator is used without arguments.
    **metadata
        Attributes of `ConstraintMethod`. `default` makes bounds optional.
    """
    if function is None:
        return lambda method: _declare(method, metadata)
    return _declare(function, metadata)


def _declare(function: F, metadata: dict[str, Any]) -> F:
    if "default" in metadata:
        metadata.setdefault("bounds", "optional")
    with_self = _whole_signature(function)
    signature = with_self.replace(parameters=list(with_self.parameters.values())[1:])
    method = ConstraintMethod(function=function, signature=signature, **metadata)
    _METHODS[method.name] = method
    recorded: Any = _record_calls(method)
    recorded.__signature__ = with_self
    recorded.__doc__ = complete_docstring(
        function.__doc__ or "", signature, formula=method.formula, docs=method.docs
    )
    declared: F = recorded
    return declared


class _Annotation(str):
    """The text of an annotation, which `help` shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _whole_signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature with the common options listed one by one."""
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=_Annotation(parameter.annotation))
        if parameter.annotation is not parameter.empty
        else parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    if len(parameters) < len(signature.parameters):
        parameters += [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=_Annotation(_optional(hint)),
            )
            for name, hint in _option_annotations()
        ]
    return signature.replace(
        parameters=parameters, return_annotation=_Annotation(signature.return_annotation)
    )


def _option_annotations() -> Iterator[tuple[str, str]]:
    for base in (Bounds, Options):
        for name, hint in base.__annotations__.items():
            if base is Bounds or name not in Bounds.__annotations__:
                yield name, getattr(hint, "__forward_arg__", str(hint))


def _optional(hint: str) -> str:
    return hint if hint == "Any" or hint.endswith("| None") else f"{hint} | None"


def _record_calls(method: ConstraintMethod) -> Callable[..., Any]:
    """Return the method with its arguments checked, and its call recorded.

    A method that only calls another one is recorded as that one. A method that adds several
    constraints is recorded by its own name.
    """

    @wraps(method.function)
    def add_constraint(check: CheckBuilder, *args: Any, **named: Any) -> CheckBuilder:
        method.require_arguments(check.name, args, named)
        if check.row_filter is not None and not method.about_schema:
            named["where"] = _both(check.row_filter, named.get("where"))
            if "where" not in method.signature.parameters:
                raise ArgumentError(
                    f"{check.name}: Check.where() does not apply to {method.name}: write the"
                    " condition in its analyzer, or add this constraint before .where()."
                )
        args = tuple(map(_keep, args))
        named = {name: _keep(argument) for name, argument in named.items()}
        grown: CheckBuilder = method.function(replace(check, row_filter=None), *args, **named)
        inner = grown.calls[len(check.calls) :]
        calls = inner if len(inner) == 1 else (Call(method.name, args, named),)
        return replace(grown, row_filter=check.row_filter, calls=(*check.calls, *calls))

    return add_constraint


def _both(first: str, second: str | None) -> str:
    return first if second is None else f"({first}) AND ({second})"


def _keep(argument: object) -> object:
    """Return an argument that can be read again and does not change with its owner."""
    return list(argument) if isinstance(argument, Iterator | list) else argument
