"""How a check grows: every demand adds constraints to a copy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import Any, NamedTuple, Self

from assay.analyzers.analyzer import Analyzer, SchemaAnalyzer
from assay.analyzers.counting import Compliance, PatternMatch
from assay.analyzers.custom import CustomAggregate, CustomSql
from assay.analyzers.extremes import MaxLength, MinLength
from assay.analyzers.literal import render_name
from assay.analyzers.matches import AggregateMatch
from assay.analyzers.structure import TableSchemaMatch
from assay.checks.assertions.bounds import Assertion, Bounds
from assay.checks.constraint import AnyAssertion, Constraint, Level
from assay.checks.formatting import one_line
from assay.checks.sql import stated
from assay.errors import AssayError, CheckError

__all__ = [
    "Call",
    "CheckBuilder",
    "Columns",
    "Options",
    "Verbatim",
    "is_constraint_method",
    "names",
]

#: a column's name, or several
Columns = str | Sequence[str]

#: what a null may be to an analyzer
_NULLS: dict[type[Analyzer], tuple[str, ...]] = {
    Compliance: ("ignore", "fail"),
    MinLength: ("ignore", "empty"),
    MaxLength: ("ignore", "empty"),
    PatternMatch: ("ignore", "empty", "fail", "skip"),
}


#: analyzers that select no rows
_WHOLE = (SchemaAnalyzer, CustomSql, CustomAggregate, AggregateMatch, TableSchemaMatch)


class Options(Bounds, total=False):
    """What every demand takes: bounds, and which rows, how much it matters, what to do."""

    where: str | None
    level: str
    hint: str
    id: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """An argument that is shown as it is, on one line, not as a column's name."""

    text: str

    def __str__(self) -> str:
        return one_line(str(self.text))


class Call(NamedTuple):
    """A demand as it was made: a method, and what it was given."""

    method: str
    args: tuple[Any, ...]
    named: Mapping[str, Any]


@dataclass(frozen=True)
class CheckBuilder:
    """A named list of constraints with a level.

    `calls` are the demands that they came from, so that a check can be written down; two checks of
    the same constraints are equal however they were made.
    """

    name: str
    level: Level = Level.ERROR
    constraints: tuple[Constraint, ...] = ()
    recent: int = field(default=0, compare=False, repr=False)
    calls: tuple[Call, ...] = field(default=(), compare=False, repr=False)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, made in list(vars(cls).items()):
            if is_constraint_method(name, made):
                setattr(cls, name, _recorded(name, made))

    def __post_init__(self) -> None:
        if not str(self.name).strip():
            raise CheckError("a check needs a name.")
        object.__setattr__(self, "level", Level(self.level))

    def warn(self) -> Self:
        """The latest demand only warns."""
        return self._latest(level=Level.WARNING)

    def hint(self, text: str) -> Self:
        """What to do when the latest demand is broken."""
        return self._latest(hint=text)

    def _add(
        self,
        kind: str,
        analyzer: Callable[..., Analyzer],
        arguments: Sequence[Any],
        options: Options,
        *,
        shown: Iterable[object] | None = None,
        requires: Iterable[tuple[str, frozenset[str]]] = (),
        several: bool = False,
        subject: str = "",
        otherwise: AnyAssertion | None = None,
        **default: Any,
    ) -> Self:
        """One more constraint, on what the analyzer of these arguments finds.

        Its name shows the arguments unless others are given to be `shown`; `default` is the bound
        where the user gives none. A metric of `several` values has no bounds but a function; what
        is judged `otherwise` has none at all. `subject` is what messages call the metric.
        """
        given: dict[str, Any] = {name: each for name, each in options.items() if each is not None}
        where, level = given.pop("where", None), given.pop("level", self.level)
        hint, own_id = str(given.pop("hint", "")), str(given.pop("id", ""))
        name = f"{kind}({_argument(arguments if shown is None else tuple(shown))})"
        try:
            if several and set(given) != {"satisfies"}:
                raise CheckError("several values are judged by satisfies=… alone")
            if otherwise is not None and given:
                raise CheckError(f"{next(iter(given))} is a bound, and it is judged otherwise")
            constraint = Constraint(
                name,
                _made(analyzer, arguments, where),
                otherwise or Assertion.of(**(given or default)),
                Level(level),
                hint,
                own_id,
                tuple(requires),
                subject,
            )
        except (AssayError, TypeError, ValueError) as error:
            why = str(error).removesuffix(".")
            raise CheckError(f"{self.name}: {name}: {why}.") from error
        return self._with(constraint, own_id)

    def _with(self, constraint: Constraint, own_id: str = "") -> Self:
        """One more constraint, told apart from the others by its id."""
        taken = {each.id: each.name for each in self.constraints}
        if own_id in taken:
            raise CheckError(
                f"{self.name}: {constraint.name}: the id {own_id!r} is taken by {taken[own_id]};"
                " an id names one constraint."
            )
        if constraint.id in taken:
            numbered = (f"{constraint.id} #{n}" for n in range(2, len(taken) + 3))
            constraint = replace(constraint, id=next(i for i in numbered if i not in taken))
        return replace(self, constraints=(*self.constraints, constraint), recent=1)

    def _together(self, *steps: Callable[[Self], Self]) -> Self:
        """Several constraints as one demand, so that `.warn()` after it means all of them."""
        grown = self
        for step in steps:
            grown = step(grown)
        return replace(grown, recent=len(grown.constraints) - len(self.constraints))

    def _latest(self, **changes: Any) -> Self:
        if not self.recent:
            raise CheckError(f"{self.name}: there is no constraint yet that this could apply to.")
        at = len(self.constraints) - self.recent
        latest = tuple(replace(each, **changes) for each in self.constraints[at:])
        calls = self.calls
        if calls:
            last = calls[-1]
            calls = (*calls[:-1], last._replace(named={**last.named, **changes}))
        return replace(self, constraints=self.constraints[:at] + latest, calls=calls)


def is_constraint_method(name: str, made: object) -> bool:
    """Whether a method of a check's returns a longer one."""
    if name.startswith("_") or not inspect.isfunction(made):
        return False
    return inspect.get_annotations(made).get("return") == "Self"


def _recorded(name: str, made: Callable[..., Any]) -> Callable[..., Any]:
    """The method, which notes down its call.

    What is wholly another demand is noted as that one; what is made of several, by its own name.
    """

    @wraps(made)
    def demand(self: CheckBuilder, *args: Any, **named: Any) -> CheckBuilder:
        call = Call(name, tuple(map(_kept, args)), {n: _kept(each) for n, each in named.items()})
        grown: CheckBuilder = made(self, *call.args, **call.named)
        inner = grown.calls[len(self.calls) :]
        return replace(grown, calls=(*self.calls, *(inner if len(inner) == 1 else (call,))))

    return demand


def _kept(value: object) -> object:
    """What can be read again, and does not change when its owner changes it."""
    return list(value) if isinstance(value, Iterator | list) else value


def names(columns: Iterable[Columns]) -> tuple[str, ...]:
    """Names that were given one by one, or in lists."""
    return tuple(
        name for each in columns for name in (each if isinstance(each, list | tuple) else (each,))
    )


def _made(make: Callable[..., Analyzer], arguments: Sequence[Any], where: Any) -> Analyzer:
    """The analyzer, if what it was made of can be meant."""
    analyzer = make(*arguments, where=None if where is None else stated(where))
    if where is not None and isinstance(analyzer, _WHOLE):
        raise CheckError(f"{type(analyzer).__name__} takes no `where`")
    for each in fields(analyzer):
        value = getattr(analyzer, each.name)
        if each.metadata.get("column"):
            columns = value if isinstance(value, tuple) else (value,)
            if not columns and columns != each.default:
                raise CheckError("at least one column is needed")
            wrong = [column for column in columns if not isinstance(column, str)]
            if wrong:
                raise CheckError(f"a column's name is text, not {wrong[0]!r}")
        elif each.name == "nulls" and value not in _NULLS.get(type(analyzer), (value,)):
            legal = " or ".join(map(repr, _NULLS[type(analyzer)]))
            raise CheckError(f"nulls is {legal}, not {value!r}")
    return analyzer


def _argument(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_argument, value))
    return render_name(value) if isinstance(value, str) else str(value)
