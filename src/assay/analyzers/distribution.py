"""Compare the distribution of a column with that of another batch or of another table.

The state of a distribution depends on the column's type and on the distance:

======================================  =============================================
column and distance                     state
======================================  =============================================
numbers                                 quantile sketch
numbers, ``cohen_d``                    moments
other types                             sketch of the most frequent values
strings, ``pattern_…``                  sketch of the most frequent shapes
======================================  =============================================

>>> DistributionDistance("country", "l1", table="last_month").key
"DistributionDistance(country, 'l1', table='last_month')"
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from assay.analyzers.aggregate_expr import AggregateExpr, check_choice
from assay.analyzers.analyzer import COLUMN, NAMED, ScanAnalyzer
from assay.analyzers.batch_profiles import ValueProfile
from assay.analyzers.custom import Opaque
from assay.analyzers.frequent import Frequent, ShapeProfile
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.moments import Moments, StandardDeviation
from assay.analyzers.other_table import PairedAnalyzer, of_table
from assay.analyzers.schema import NUMERIC, Schema
from assay.analyzers.sketches import ApproxQuantiles, Quantiles
from assay.analyzers.state import State
from assay.errors import InvalidValueError, NotComputableError, WrongTypeError, nearest

__all__ = [
    "DISTANCES",
    "NUMERIC_DISTANCES",
    "ColumnDistribution",
    "DistanceName",
    "DistributionDistance",
    "distance_between",
    "distribution_of",
]

#: Distances of Tables 3 and 4 of avh-kdd23.
DistanceName = Literal[
    "chi_squared",
    "cohen_d",
    "cosine",
    "earth_mover",
    "jensen_shannon",
    "kolmogorov_smirnov",
    "kullback_leibler",
    "l1",
    "l_inf",
    "pattern_chi_squared",
    "pattern_cosine",
    "pattern_jensen_shannon",
    "pattern_kullback_leibler",
    "pattern_l1",
    "pattern_l_inf",
]
DISTANCES: tuple[DistanceName, ...] = get_args(DistanceName)
#: distances that are defined for numbers only
NUMERIC_DISTANCES = frozenset({"cohen_d", "earth_mover", "kolmogorov_smirnov"})
_PATTERN = "pattern_"
Kind = Literal["values", "patterns", "moments"]


@dataclass(frozen=True)
class ColumnDistribution(ScanAnalyzer[Any]):
    """Describe the distribution of a column, so that two of them can be compared.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.
    of
        ``"values"``: the values, or the quantiles of numbers. ``"patterns"``: the shapes of
        strings. ``"moments"``: the mean and the standard deviation of numbers.

    Notes
    -----
    The metric is the number of values. Nulls are ignored, and so is NaN among numbers. Up to about
    750 distinct values and 200 distinct numbers, the state is exact.

    Examples
    --------
    >>> ColumnDistribution("sku", "patterns").key
    "ColumnDistribution(sku, of='patterns')"
    """

    column: str = field(metadata=COLUMN)
    of: Kind = "values"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("of", self.of, get_args(Kind))

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the aggregates of the sketch or of the moments."""
        return self._described_by(schema).aggregate_exprs(schema)

    def state(self, values: Sequence[Any], schema: Schema) -> State:
        """Create the state from the sketch or from the moments."""
        state: State = self._described_by(schema).state(values, schema)
        return state

    def metric(self, state: State) -> Value | Undefined:
        """Return the number of values."""
        match state:
            case Quantiles() | Moments():
                return state.n
            case Frequent():
                items = state.kept()
                return sum(items.counts.values()) + items.other
            case _:
                return Undefined("its state is of another kind")

    def _described_by(self, schema: Schema) -> ScanAnalyzer[Any]:
        is_numeric = schema.column(self.column).family in NUMERIC
        match self.of:
            case "moments":
                return StandardDeviation(self.column, where=self.where)
            case "patterns":
                return ShapeProfile(self.column, where=self.where)
            case "values" if is_numeric:
                return ApproxQuantiles(self.column, where=self.where)
            case "values":
                return ValueProfile(self.column, where=self.where)


def distribution_of(
    column: str, distance: DistanceName, where: str | None = None
) -> ColumnDistribution:
    """Return the analyzer of the distribution that a distance compares.

    Raises
    ------
    ValueError
        If the distance is unknown.
    """
    _require_distance(distance)
    kind: Kind = "patterns" if distance.startswith(_PATTERN) else "values"
    return ColumnDistribution(column, "moments" if distance == "cohen_d" else kind, where=where)


def _require_distance(name: str) -> None:
    """Raise ValueError unless this is the name of a distance."""
    if name not in DISTANCES:
        likely = nearest(str(name), DISTANCES)
        hint = f"did you mean {likely!r}?" if likely else f"there are: {', '.join(DISTANCES)}"
        raise InvalidValueError(f"no distance is called {name!r}; {hint}")


def distance_between(distance: DistanceName, this: State, before: State) -> float:
    """Return a distance between two distributions; NaN if one of them has no values.

    Raises
    ------
    NotComputableError
        If the states are of different kinds, because the type of the column changed.
    """
    from assay.analyzers import distance_formulas
    from assay.analyzers.two_distributions import (
        IndexedCounts,
        align_counts,
        bin_counts,
        cumulative_shares,
    )

    match this, before:
        case Moments(), Moments():
            return distance_formulas.standardized_difference(_moments(this), _moments(before))
        case Quantiles(), Quantiles():
            ours, theirs = _sample(this), _sample(before)
            if not ours.total or not theirs.total:
                return math.nan
            if distance in NUMERIC_DISTANCES:
                curves = cumulative_shares(ours, theirs)
                number: float = getattr(distance_formulas, distance)(curves)
                return number
            counts = bin_counts(ours, theirs)
        case Frequent(), Frequent():
            now, then = this.kept(), before.kept()
            counts = align_counts(now.counts, IndexedCounts(then.counts), (now.other, then.other))
        case _:
            raise NotComputableError.changed_type(distance)
    of_counts: float = getattr(distance_formulas, distance.removeprefix(_PATTERN))(counts)
    return of_counts


def _moments(state: Moments) -> tuple[float, float, float]:
    if not state.n:
        return 0.0, math.nan, math.nan
    deviation: Any = state.metric()
    mean = float(state.sums[0].fraction() / state.n) if state.finite else math.nan
    return float(state.n), mean, float(deviation)


def _sample(state: Quantiles) -> Any:
    import numpy as np

    from assay.analyzers.two_distributions import WeightedSample

    pairs = [(value, weight) for value, weight in state.weighted() if math.isfinite(value)]
    values = np.array([value for value, _ in pairs], np.float64)
    return WeightedSample(values, np.array([weight for _, weight in pairs], np.float64))


@dataclass(frozen=True)
class DistributionDistance(PairedAnalyzer):
    """Measure the distance between the distribution of a column and that of another table.

    Parameters
    ----------
    column
        Name of a column that both tables have; nested fields as ``address.zip``.
    distance
        For every column: *l1*, *l_inf*, *cosine*, *chi_squared*, *jensen_shannon*,
        *kullback_leibler*. For numbers: *earth_mover*, *kolmogorov_smirnov*, *cohen_d*. For
        strings, each of the first six with *pattern_* in front.
    table
        The name under which the other table is given.

    Notes
    -----
    These are the distances of Tables 3 and 4 of avh-kdd23. The module
    `assay.analyzers.distance_formulas` has the formulas.
    Numbers are counted in 20 bins with equal shares of the other table. Nulls are ignored.
    Undefined if one of the tables has no values.

    Examples
    --------
    >>> DistributionDistance("amount", "earth_mover", table="backup").key
    "DistributionDistance(amount, 'earth_mover', table='backup')"
    """

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)
    distance: DistanceName
    table: str = field(metadata=NAMED)

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_distance(self.distance)

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        if self.distance in NUMERIC_DISTANCES:
            schema.column(self.column).require(NUMERIC, self.distance)
        super().check(schema)

    def against(self, schema: Schema, other: Schema) -> None:
        """Raise an error if two tables of these schemas cannot be compared."""
        super().against(schema, other)
        theirs = of_table(self.table, lambda: other.column(self.column))
        ours = schema.column(self.column)
        if (ours.family in NUMERIC) is not (theirs.family in NUMERIC):
            there = f"{theirs.name!r} in {self.table!r}"
            raise WrongTypeError.unlike(ours.name, ours.type, there, theirs.type)

    @property
    def ours(self) -> ScanAnalyzer[Any]:
        """The distribution in this table."""
        return distribution_of(self.column, self.distance, self.where)

    @property
    def theirs(self) -> ScanAnalyzer[Any]:
        """The distribution in the other table."""
        return distribution_of(self.column, self.distance)

    def state_of(self, ours: State, theirs: State) -> Opaque:
        """Create the state from the states of both tables. It contains none of their values."""
        return Opaque((distance_between(self.distance, ours, theirs), None))

    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """Return the distance."""
        return Undefined("one of the tables has no values") if math.isnan(ours) else float(ours)
