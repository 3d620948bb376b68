"""Build checks: every constraint method adds constraints to a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

from assay.analyzers.analyzer import Analyzer, SchemaAnalyzer
from assay.analyzers.counting import Compliance, PatternMatch
from assay.analyzers.custom import CustomAggregate, CustomSql
from assay.analyzers.extremes import MaxLength, MinLength
from assay.analyzers.literal import render_name
from assay.analyzers.matches import AggregateMatch
from assay.analyzers.structure import TableSchemaMatch
from assay.checks.assertions.bounds import Assertion
from assay.checks.constraint import AnyAssertion, Constraint, Level, require_scope
from assay.checks.constraint_method import Call, constraint_methods, method_metadata
from assay.checks.constraint_options import On, Options
from assay.checks.formatting import one_line
from assay.checks.known_names import explain_unknown_method
from assay.checks.sql import require_predicate
from assay.errors import AssayError, CheckError, UnknownMethodError, require_name

__all__ = ["CheckBuilder", "Columns", "Details", "Verbatim", "column_names"]

#: a column's name, or several
Columns = str | Sequence[str]

#: legal values of ``nulls`` per analyzer
_NULLS: dict[type[Analyzer], tuple[str, ...]] = {
    Compliance: ("ignore", "fail"),
    MinLength: ("ignore", "empty"),
    MaxLength: ("ignore", "empty"),
    PatternMatch: ("ignore", "empty", "fail", "skip"),
}

#: analyzers that select no rows
_WITHOUT_WHERE = (SchemaAnalyzer, CustomSql, CustomAggregate, AggregateMatch, TableSchemaMatch)


@dataclass(frozen=True, slots=True)
class Verbatim:
    """An argument that a constraint's name shows as it is, and not as a column's name."""

    text: str

    def __str__(self) -> str:
        return one_line(str(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Properties that only some constraints have.

    Attributes
    ----------
    requires
        Types that columns must have beyond what the analyzer requires.
    subject
        Name of the metric in messages, if the analyzer's key is too technical.
    assertion
        Judges the metric instead of bounds.
    bounds_on
        Makes the assertion from the bounds, if they are not on the metric itself.
    """

    requires: tuple[tuple[str, frozenset[str]], ...] = ()
    subject: str = ""
    assertion: AnyAssertion | None = None
    bounds_on: Callable[[Assertion], AnyAssertion] | None = None

    def assert_on(self, bounds: Mapping[str, Any]) -> AnyAssertion:
        """Return the assertion of a constraint with these bounds."""
        if self.assertion is not None:
            return self.assertion
        assertion = Assertion.of(**bounds)
        return assertion if self.bounds_on is None else self.bounds_on(assertion)


_NO_DETAILS = Details()


@dataclass(frozen=True, repr=False)
class CheckBuilder:
    """A named list of constraints, with a level and a scope that they share.

    `calls` records the calls that added the constraints, so that the check can be written as code.
    Two checks with the same constraints are equal, whatever calls added them.
    """

    name: str
    level: Level = Level.ERROR
    constraints: tuple[Constraint, ...] = ()
    recent: int = field(default=0, compare=False)
    calls: tuple[Call, ...] = field(default=(), compare=False)
    on: On | None = field(default=None, kw_only=True)
    row_filter: str | None = field(default=None, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        require_name(self.name, "check")
        object.__setattr__(self, "level", Level(self.level))
        require_scope(self.on)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Suggest the method that has another name in other tools."""
            if name.startswith("_"):
                raise AttributeError(name)
            raise UnknownMethodError(explain_unknown_method(name, constraint_methods()))

    def warn(self) -> Self:
        """Give the constraints of the latest call the level ``warning``.

        Examples
        --------
        >>> from assay import Check
        >>> Check("orders").is_complete("id").warn().constraints[0].level.value
        'warning'
        """
        return self._change_latest(level=Level.WARNING)

    def hint(self, text: str) -> Self:
        """Say what to do if a constraint of the latest call fails.

        Parameters
        ----------
        text
            A sentence that results show with the failure.

        Examples
        --------
        >>> from assay import Check
        >>> Check("orders").is_complete("id").hint("Ask the shop.").constraints[0].hint
        'Ask the shop.'
        """
        return self._change_latest(hint=text)

    def where(self, condition: str | None) -> Self:
        """Select the rows that all following constraints read.

        Parameters
        ----------
        condition
            SQL condition. Each following constraint reads only rows for which it is true, and for
            which its own ``where`` is true. None ends the selection.

        Notes
        -----
        Constraints on the schema, such as `has_column`, ignore the condition. Methods that take an
        analyzer refuse it: the analyzer has a ``where`` of its own.

        Examples
        --------
        >>> from assay import Check
        >>> paid = Check("orders").where("status = 'paid'").is_complete("amount")
        >>> print(paid.constraints[0])
        is_complete(amount) where status = 'paid': expected 100 %
        """
        if condition is not None:
            require_predicate(condition)
        return replace(self, row_filter=condition, recent=0)

    def _add(
        self,
        method: str,
        analyzer: Callable[..., Analyzer],
        arguments: Sequence[Any],
        options: Options,
        *,
        shown: Iterable[object] | None = None,
        details: Details = _NO_DETAILS,
    ) -> Self:
        """Add one constraint on the metric of an analyzer.

        Its name shows the analyzer's arguments unless others are `shown`.
        """
        metadata = method_metadata(method)
        bounds: dict[str, Any] = {name: v for name, v in options.items() if v is not None}
        where, level = bounds.pop("where", None), bounds.pop("level", self.level)
        hint, own_id = str(bounds.pop("hint", "")), str(bounds.pop("id", ""))
        on = bounds.pop("on", self.on)
        name = f"{method}({_show_arguments(arguments if shown is None else tuple(shown))})"
        try:
            if metadata.bounds == "function" and set(bounds) != {"satisfies"}:
                raise CheckError(
                    "the metric has several values: expected satisfies=… as the only bound"
                )
            if details.assertion is not None and bounds:
                raise CheckError(
                    f"it is judged by a test: expected no bounds, got {next(iter(bounds))}"
                )
            constraint = Constraint(
                name,
                _create_analyzer(analyzer, arguments, where),
                details.assert_on(bounds or metadata.default),
                Level(level),
                hint,
                own_id,
                details.requires,
                details.subject,
                on,
            )
            if constraint.is_share and isinstance(constraint.assertion, Assertion):
                constraint.assertion.require_share()
        except (AssayError, TypeError, ValueError) as error:
            reason = str(error)
            stop = "" if reason.endswith((".", "?")) else "."
            raise CheckError(f"{self.name}: {name}: {reason}{stop}") from error
        return self._append(constraint, own_id)

    def _append(self, constraint: Constraint, own_id: str = "") -> Self:
        """Add a constraint, with a number behind its id if another one has the same id."""
        names = {existing.id: existing.name for existing in self.constraints}
        if own_id in names:
            raise CheckError(
                f"{self.name}: {constraint.name}: the id {own_id!r} is taken by {names[own_id]}."
                " Choose another id."
            )
        if constraint.id in names:
            numbered = (f"{constraint.id} #{n}" for n in range(2, len(names) + 3))
            constraint = replace(constraint, id=next(i for i in numbered if i not in names))
        return replace(self, constraints=(*self.constraints, constraint), recent=1)

    def _add_all(self, *steps: Callable[[Self], Self]) -> Self:
        """Add several constraints in one call, so that `warn` and `hint` change all of them."""
        grown = self
        for step in steps:
            grown = step(grown)
        return replace(grown, recent=len(grown.constraints) - len(self.constraints))

    def _change_latest(self, **changes: Any) -> Self:
        if not self.recent:
            raise CheckError(
                f"{self.name}: no constraint was added yet. Add one before warn() or hint()."
            )
        start = len(self.constraints) - self.recent
        latest = tuple(replace(constraint, **changes) for constraint in self.constraints[start:])
        calls = self.calls
        if calls:
            last = calls[-1]
            calls = (*calls[:-1], last._replace(named={**last.named, **changes}))
        return replace(self, constraints=self.constraints[:start] + latest, calls=calls)


def column_names(columns: Iterable[Columns]) -> tuple[str, ...]:
    """Return one flat tuple of names that were given one by one or in lists.

    >>> column_names(["id", ["date", "shop"]])
    ('id', 'date', 'shop')
    """
    return tuple(
        name
        for entry in columns
        for name in (entry if isinstance(entry, list | tuple) else (entry,))
    )


def _create_analyzer(
    make: Callable[..., Analyzer], arguments: Sequence[Any], where: Any
) -> Analyzer:
    """Create the analyzer, and raise `CheckError` if an argument is invalid."""
    analyzer = make(*arguments, where=None if where is None else require_predicate(where))
    if where is not None and isinstance(analyzer, _WITHOUT_WHERE):
        raise CheckError(f"{type(analyzer).__name__} takes no `where`")
    for parameter in fields(analyzer):
        value = getattr(analyzer, parameter.name)
        if parameter.metadata.get("column"):
            columns = value if isinstance(value, tuple) else (value,)
            if not columns and columns != parameter.default:
                raise CheckError.unexpected("invalid columns", "at least one column", columns)
            invalid = [column for column in columns if not isinstance(column, str)]
            if invalid:
                raise CheckError.unexpected("invalid name of a column", "text", invalid[0])
        elif parameter.name == "nulls" and value not in _NULLS.get(type(analyzer), (value,)):
            legal = " or ".join(map(repr, _NULLS[type(analyzer)]))
            raise CheckError.unexpected("invalid nulls", legal, value)
    return analyzer


def _show_arguments(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_show_arguments, value))
    return render_name(value) if isinstance(value, str) else str(value)
