"""Aggregates that the user writes in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.analyzer import ScanAnalyzer
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.errors import InvalidValueError, StateError

__all__ = ["CustomAggregate", "CustomSql", "Opaque", "Parts"]

_NO_VALUES = Undefined("the expression is null")
Merge = Literal["sum", "min", "max"]
_MERGES: Mapping[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "min": min,
    "max": max,
}


@dataclass(frozen=True, slots=True)
class Opaque(State):
    """A value that cannot be merged with another."""

    kind: ClassVar[str] = "opaque"
    value: Any
    empty: bool = False

    @classmethod
    def identity(cls) -> Opaque:
        """Return the state of no rows."""
        return cls(None, empty=True)

    def __add__(self, other: Opaque) -> Opaque:
        if self.empty or other.empty:
            return other if self.empty else self
        raise StateError.not_mergeable("CustomSql", "write it as a CustomAggregate of parts")

    def metric(self) -> Value | Undefined:
        """Return the value."""
        value: Value | None = self.value
        return _NO_VALUES if value is None else value


@dataclass(frozen=True, slots=True)
class Parts(State):
    """Named numbers, each with the function that merges it."""

    kind: ClassVar[str] = "parts"
    parts: tuple[tuple[str, str, Any], ...]

    @classmethod
    def identity(cls) -> Parts:
        """Return the state of no rows."""
        return cls(())

    def __add__(self, other: Parts) -> Parts:
        if not self.parts or not other.parts:
            return self if self.parts else other
        pairs = zip(self.parts, other.parts, strict=True)
        return Parts(tuple((name, how, _merge(how, a, b)) for (name, how, a), (_, _, b) in pairs))

    def metric(self) -> Value | Undefined:
        """Return the parts by name."""
        values = {name: value for name, _, value in self.parts if value is not None}
        return values or _NO_VALUES


@dataclass(frozen=True)
class CustomSql(ScanAnalyzer[Opaque]):
    """Compute any aggregate expression of Spark SQL.

    Parameters
    ----------
    expression
        The expression, such as ``"max(a) - avg(b)"``. It contains its own selection: `where` is not
        allowed.

    Notes
    -----
    It shares the scan with other analyzers. Its states cannot be merged; `CustomAggregate` has
    parts that can. Undefined if the expression is null.

    Examples
    --------
    >>> CustomSql("max(a) - avg(b)").key
    "CustomSql('max(a) - avg(b)')"
    """

    incremental: ClassVar[bool] = False

    expression: str

    @property
    def aggregates(self) -> tuple[str, ...]:
        """The expression."""
        return (self.expression,)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the expression."""
        if self.where is not None:
            raise InvalidValueError(
                "CustomSql takes no `where`: write the selection into the expression."
            )
        sql = schema.resolved(self.expression)
        return (AggregateExpr(f"({sql}\n)", schema.mentioned(self.expression), 4),)

    def state(self, values: Sequence[Any], schema: Schema) -> Opaque:
        """Create the state from the value."""
        return Opaque(values[0])


@dataclass(frozen=True)
class CustomAggregate(ScanAnalyzer[Parts]):
    """Compute aggregates of Spark SQL whose states can be merged.

    Parameters
    ----------
    name
        A name for the metric.
    parts
        The name, the expression and the merge function (``sum``, ``min`` or ``max``) of each part.
    formula
        A function that computes the metric from the parts, which it gets as keyword arguments. By
        default, the metric is a mapping of the parts.

    Notes
    -----
    Selections are part of the expressions: `where` is not allowed. With a formula, the metric is
    undefined if a part is null.

    Examples
    --------
    >>> spread = CustomAggregate(
    ...     "spread", [("low", "min(x)", "min"), ("high", "max(x)", "max")],
    ...     formula=lambda low, high: high - low)
    >>> spread.key
    "CustomAggregate('spread', [['low', 'min(x)', 'min'], ['high', 'max(x)', 'max']])"
    """

    name: str
    parts: tuple[tuple[str, str, Merge], ...]
    formula: Callable[..., Value] | None = field(
        default=None, repr=False, metadata={"callable": True}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "parts", tuple(tuple(part) for part in self.parts))
        for part in self.parts:
            if part[2] not in _MERGES:
                raise InvalidValueError.unexpected(
                    "invalid part", "(name, expression, 'sum', 'min' or 'max')", part
                )

    @property
    def aggregates(self) -> tuple[str, ...]:
        """The expressions of the parts."""
        return tuple(sql for _, sql, _ in self.parts)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the expressions of the parts."""
        if self.where is not None:
            raise InvalidValueError(
                "CustomAggregate takes no `where`: write it into the expressions."
            )
        return tuple(
            AggregateExpr(f"({schema.resolved(sql)}\n)", schema.mentioned(sql), 4)
            for _, sql, _ in self.parts
        )

    def state(self, values: Sequence[Any], schema: Schema) -> Parts:
        """Create the state from the values of the parts."""
        return Parts(
            tuple((name, how, v) for (name, _, how), v in zip(self.parts, values, strict=True))
        )

    def metric(self, state: Parts) -> Value | Undefined:
        """Apply the formula to the parts."""
        parts = state.metric()
        if self.formula is None or not isinstance(parts, Mapping):
            return parts
        if len(parts) < len(self.parts):
            return Undefined("a part has no value")
        return self.formula(**parts)


def _merge(how: str, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return _MERGES[how](a, b)
