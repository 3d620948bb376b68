"""Compare a table with another one, which has a name until a DataFrame is given for it.

An analyzer holds no data. It names the other table, and the caller of `measure` gives the
DataFrame. The other table may change while this one does not, so states cannot be merged.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.analyzers.aggregate_expr import reads
from assay.analyzers.analyzer import Analyzer, ScanAnalyzer
from assay.analyzers.custom import Opaque
from assay.analyzers.hashing import key_of
from assay.analyzers.metric import Problem, Undefined, Value
from assay.analyzers.schema import GROUPABLE, NUMERIC, TEMPORAL, Column, Schema
from assay.analyzers.state import State
from assay.errors import AssayError, InvalidValueError, UnknownTableError, WrongTypeError

__all__ = [
    "ComparisonAnalyzer",
    "Counterparts",
    "KeyedAnalyzer",
    "PairedAnalyzer",
    "Sides",
    "counterparts",
    "of_table",
    "refusal",
    "texts",
]

_WHOLE = Problem(
    "no_segments", "it compares two tables as a whole and cannot be measured for segments"
)


@dataclass(frozen=True, slots=True)
class Counterparts:
    """A column, and the column of the other table that it is compared with."""

    ours: Column
    theirs: Column

    @property
    def sql(self) -> tuple[str, str]:
        """SQL for both, which is equal if and only if the values are equal."""
        return key_of(self.ours), key_of(self.theirs)


@dataclass(frozen=True, slots=True)
class Sides:
    """The keys and the compared columns of both tables.

    `reads` are the top-level columns of our table that are read, those of the selection included.
    """

    table: str
    keys: tuple[Counterparts, ...]
    columns: tuple[Counterparts, ...] = ()
    reads: tuple[str, ...] = ()

    @property
    def pairs(self) -> tuple[Counterparts, ...]:
        """Keys and compared columns."""
        return self.keys + self.columns

    def __str__(self) -> str:
        ours, theirs = (_listed(side) for side in zip(*map(_names, self.pairs), strict=True))
        return f"{ours} with {theirs} of {self.table}"


@dataclass(frozen=True)
class ComparisonAnalyzer(Analyzer):
    """The base class of analyzers of two tables."""

    abstract: ClassVar[bool] = True
    incremental: ClassVar[bool] = False
    #: whether it can be measured for each segment
    segments: ClassVar[bool] = False

    if TYPE_CHECKING:  # each subclass has this field, at any position

        @property
        def table(self) -> str:
            """The name of the other table."""

    def __post_init__(self) -> None:
        super().__post_init__()
        name: object = self.table
        if not isinstance(name, str) or not name.strip():
            raise InvalidValueError.unexpected(
                "invalid name of a table", "text, such as 'customers'", name
            )

    @abstractmethod
    def against(self, schema: Schema, other: Schema) -> object:
        """Raise an error if two tables of these schemas cannot be compared."""


@dataclass(frozen=True)
class _Counted(ComparisonAnalyzer):
    """The base class of comparisons whose state is one value of each table."""

    def state(self, ours: Any, theirs: Any) -> Opaque:
        """Create the state from both values."""
        return Opaque((ours, theirs))

    def metric(self, state: Opaque) -> Value | Undefined:
        """Compute the metric from both values."""
        ours, theirs = state.value
        return self.compared(ours, theirs)

    @abstractmethod
    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """Compute the metric from both values."""


@dataclass(frozen=True)
class KeyedAnalyzer(_Counted):
    """The base class of analyzers that look up each key in the other table.

    They need a pass over both tables. It counts the matches and how many there could be.
    """

    abstract: ClassVar[bool] = True
    #: the noun of the reason why a metric is undefined
    subject: ClassVar[str] = "keys"

    #: whether rows of both tables must match; otherwise only ours must refer to the other table
    symmetric: ClassVar[bool] = False

    @abstractmethod
    def sides(self, schema: Schema, other: Schema) -> Sides:
        """Return the keys and the compared columns of both tables."""

    def against(self, schema: Schema, other: Schema) -> Sides:
        """Return both sides; raise an error if the tables cannot be compared."""
        return self.on(schema).sides(schema, other)

    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """Return ``matches / possible matches``."""
        return ours / theirs if theirs else Undefined(f"it has no {self.subject}")

    def _reads(self, schema: Schema, pairs: Iterable[Counterparts]) -> tuple[str, ...]:
        return reads(schema, self.where, *(pair.ours for pair in pairs))


@dataclass(frozen=True)
class PairedAnalyzer(_Counted):
    """The base class of analyzers that compare one aggregate of each table."""

    abstract: ClassVar[bool] = True

    @property
    @abstractmethod
    def ours(self) -> ScanAnalyzer[Any]:
        """The analyzer of this table."""

    @property
    @abstractmethod
    def theirs(self) -> ScanAnalyzer[Any]:
        """The analyzer of the other table."""

    def state_of(self, ours: State, theirs: State) -> Opaque:
        """Create the state from the states of both tables."""
        return self.state(_value_of(ours), _value_of(theirs))

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        self.ours.check(schema)

    def against(self, schema: Schema, other: Schema) -> None:
        """Raise an error if two tables of these schemas cannot be compared."""
        self.ours.check(schema)
        of_table(self.table, lambda: self.theirs.check(other))


def _value_of(state: State) -> Any:
    return state.value if isinstance(state, Opaque) else state.metric()


def refusal(
    analyzer: Analyzer,
    schema: Schema,
    tables: Mapping[str, Schema | Problem] | None = None,
    *,
    segmented: bool = False,
) -> Problem | None:
    """Return the problem of an analyzer that cannot be measured, as far as schemas show it.

    Parameters
    ----------
    analyzer
        The analyzer.
    schema
        The schema of the table.
    tables
        The schemas of the other tables, or why one cannot be read. Without them, only this table is
        checked.
    segmented
        True if the table is split into segments.
    """
    try:
        analyzer.check(schema)
        if tables is None or not isinstance(analyzer, ComparisonAnalyzer):
            return None
        other = tables.get(analyzer.table)
        if other is None:
            raise UnknownTableError.of(analyzer.table, tuple(tables))
        if isinstance(other, Problem):
            return other
        analyzer.against(schema, other)
        return _WHOLE if segmented and not analyzer.segments else None
    except AssayError as error:
        return Problem(error.code, str(error))
    except ValueError as error:
        return Problem("bad_argument", str(error))


def counterparts(
    schema: Schema, other: Schema, ours: str, theirs: str, table: str, analyzer: str
) -> Counterparts:
    """Return two columns that can be compared; raise an error that names the table otherwise."""
    here = schema.column(ours).require(GROUPABLE, analyzer)
    there = of_table(table, lambda: other.column(theirs).require(GROUPABLE, analyzer))
    if not _comparable(here.family, there.family):
        theirs = f"{there.name!r} in {table!r}"
        raise WrongTypeError.unlike(here.name, here.type, theirs, there.type)
    return Counterparts(here, there)


def of_table(table: str, look: Callable[[], Any]) -> Any:
    """Call a function, and name the other table in its errors."""
    try:
        return look()
    except AssayError as error:
        raise type(error)(f"in {table!r}: {error}") from error


def texts(names: Any, what: str) -> tuple[str, ...]:
    """Return one or several names as a tuple."""
    several = (names,) if isinstance(names, str) else tuple(names)
    wrong = [name for name in several if not isinstance(name, str)]
    if wrong:
        raise InvalidValueError.unexpected(f"invalid name of {what}", "text", wrong[0])
    return several


def _comparable(ours: str, theirs: str) -> bool:
    """Return whether values of two families can be equal without reading text as numbers."""
    kinds = {ours, theirs}
    return len(kinds) == 1 or kinds <= NUMERIC or kinds <= TEMPORAL or "void" in kinds


def _names(pair: Counterparts) -> tuple[str, str]:
    return pair.ours.name, pair.theirs.name


def _listed(names: Iterable[str]) -> str:
    several = tuple(names)
    more = f", … {len(several) - 6} more" if several[6:] else ""
    return ", ".join(several[:6]) + more
