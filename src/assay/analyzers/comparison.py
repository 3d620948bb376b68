"""A table beside another one, which is known by a name until somebody gives it.

An analyzer holds no data: it says ``"customers"``, and whoever measures says which DataFrame that
is. What the other table has can change while ours does not, so that no state of a comparison adds
up with another: none is incremental.
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
from assay.errors import AssayError, UnknownTableError, WrongTypeError

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

_WHOLE = Problem("no_segments", "it compares two tables as a whole, and knows no segments of them")


@dataclass(frozen=True, slots=True)
class Counterparts:
    """A column of ours, and the one of the other table that it is compared with."""

    ours: Column
    theirs: Column

    @property
    def sql(self) -> tuple[str, str]:
        """Both as expressions that are equal exactly where the values are."""
        return key_of(self.ours), key_of(self.theirs)


@dataclass(frozen=True, slots=True)
class Sides:
    """What of both tables is compared: keys, and columns beside the keys."""

    table: str
    keys: tuple[Counterparts, ...]
    columns: tuple[Counterparts, ...] = ()
    #: the top-level columns of ours that are read, those of the selection too
    reads: tuple[str, ...] = ()

    @property
    def pairs(self) -> tuple[Counterparts, ...]:
        """Keys and columns."""
        return self.keys + self.columns

    def __str__(self) -> str:
        ours, theirs = (_listed(side) for side in zip(*map(_names, self.pairs), strict=True))
        return f"{ours} with {theirs} of {self.table}"


@dataclass(frozen=True)
class ComparisonAnalyzer(Analyzer):
    """An analyzer of two tables."""

    abstract: ClassVar[bool] = True
    incremental: ClassVar[bool] = False
    #: whether it is known of each segment of our table too
    segments: ClassVar[bool] = False

    if TYPE_CHECKING:  # a field of each, wherever it stands among the arguments

        @property
        def table(self) -> str:
            """The name of the other table."""

    def __post_init__(self) -> None:
        super().__post_init__()
        name: object = self.table
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"a table is named by text, not {name!r}")

    @abstractmethod
    def against(self, schema: Schema, other: Schema) -> object:
        """Raise the reason why two such tables cannot be compared, if there is one."""


@dataclass(frozen=True)
class _Counted(ComparisonAnalyzer):
    """A comparison of two values that were found: their state."""

    def state(self, ours: Any, theirs: Any) -> Opaque:
        """What was found."""
        return Opaque((ours, theirs))

    def metric(self, state: Opaque) -> Value | Undefined:
        """What was found, as one number."""
        ours, theirs = state.value
        return self.compared(ours, theirs)

    @abstractmethod
    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """The metric of both."""


@dataclass(frozen=True)
class KeyedAnalyzer(_Counted):
    """An analyzer that looks each key up in the other table: a pass of its own over both.

    What is found are the matches, and how many there could be.
    """

    abstract: ClassVar[bool] = True
    #: what there is none of where the metric is undefined
    subject: ClassVar[str] = "keys"

    #: whether rows of both tables must match; otherwise only ours must refer to the other table
    symmetric: ClassVar[bool] = False

    @abstractmethod
    def sides(self, schema: Schema, other: Schema) -> Sides:
        """What of both tables is compared."""

    def against(self, schema: Schema, other: Schema) -> Sides:
        """What of both tables is compared; raise the reason why it cannot be."""
        return self.on(schema).sides(schema, other)

    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """``matches / all``."""
        return ours / theirs if theirs else Undefined(f"there are no {self.subject}")

    def _reads(self, schema: Schema, pairs: Iterable[Counterparts]) -> tuple[str, ...]:
        return reads(schema, self.where, *(pair.ours for pair in pairs))


@dataclass(frozen=True)
class PairedAnalyzer(_Counted):
    """An analyzer that compares an aggregate of each table: ours comes from the shared scan."""

    abstract: ClassVar[bool] = True

    @property
    @abstractmethod
    def ours(self) -> ScanAnalyzer[Any]:
        """What is measured here."""

    @property
    @abstractmethod
    def theirs(self) -> ScanAnalyzer[Any]:
        """What is measured there."""

    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""
        self.ours.check(schema)

    def against(self, schema: Schema, other: Schema) -> None:
        """Raise the reason why two such tables cannot be compared, if there is one."""
        self.ours.check(schema)
        of_table(self.table, lambda: self.theirs.check(other))


def refusal(
    analyzer: Analyzer,
    schema: Schema,
    tables: Mapping[str, Schema | Problem] | None = None,
    *,
    segmented: bool = False,
) -> Problem | None:
    """Why an analyzer cannot be measured, as far as schemas tell.

    `tables` are the others, or why one of them cannot be read; where they are not known yet, only
    our own side is looked at.
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
    schema: Schema, other: Schema, ours: str, theirs: str, table: str, asked: str
) -> Counterparts:
    """Two columns that can be compared; else the error that says why not, and in which table."""
    here = schema.column(ours).require(GROUPABLE, asked)
    there = of_table(table, lambda: other.column(theirs).require(GROUPABLE, asked))
    if not _comparable(here.family, there.family):
        theirs = f"{there.name!r} in {table!r}"
        raise WrongTypeError.unlike(here.name, here.type, theirs, there.type)
    return Counterparts(here, there)


def of_table(table: str, look: Callable[[], Any]) -> Any:
    """What is found in the other table; what is wrong there says where."""
    try:
        return look()
    except AssayError as error:
        raise type(error)(f"in {table!r}: {error}") from error


def texts(names: Any, what: str) -> tuple[str, ...]:
    """Names that were given as one or as several."""
    several = (names,) if isinstance(names, str) else tuple(names)
    wrong = [each for each in several if not isinstance(each, str)]
    if wrong:
        raise ValueError(f"{what} is named by text, not {wrong[0]!r}")
    return several


def _comparable(ours: str, theirs: str) -> bool:
    """Whether values of two kinds can be equal without anybody's text being read as a number."""
    kinds = {ours, theirs}
    return len(kinds) == 1 or kinds <= NUMERIC or kinds <= TEMPORAL or "void" in kinds


def _names(pair: Counterparts) -> tuple[str, str]:
    return pair.ours.name, pair.theirs.name


def _listed(names: Iterable[str]) -> str:
    several = tuple(names)
    more = f", … {len(several) - 6} more" if several[6:] else ""
    return ", ".join(several[:6]) + more
