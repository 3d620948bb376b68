"""The profile of a table, computed from states without reading rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.analyzers import ApproxCountDistinct, Completeness, Maximum, Minimum
from assay.analyzers.metric import Distribution
from assay.analyzers.schema import family
from assay.engine.measurement import Measurement, merge_states
from assay.html.has_page import HasPage
from assay.html.page import HtmlPage
from assay.learn.profile.column_profile import ColumnProfile, kind_of
from assay.learn.profile.exact_buckets import number_of, numeric_buckets, seconds_since_epoch
from assay.learn.profile.profile_statistics import (
    TOP,
    read_frequent,
    read_kinds,
    read_numbers,
    read_period,
    read_rows,
    read_texts,
    read_value,
    value_counts,
)
from assay.text import count_noun

if TYPE_CHECKING:
    from assay.learn.profile.observations import Observation

__all__ = ["COLLECTIONS", "Profile", "profile_of"]

#: families whose values have a number of entries
COLLECTIONS = frozenset({"array", "map"})


@dataclass(frozen=True, repr=False)
class Profile(Mapping[str, ColumnProfile], HasPage):
    """The profiles of a table's columns, by name.

    Profiles of disjoint data can be added, since the states beneath them can be merged.

    Parameters
    ----------
    rows
        The number of rows.
    columns
        The profile of each column.
    types
        Spark's type of each column.
    measurement
        The states from which the profile was computed.
    left_out
        The number of columns for each name that several columns have. They have no profile.
    table
        The name of the table, if it is known.
    """

    rows: int
    columns: Mapping[str, ColumnProfile]
    types: Mapping[str, str]
    measurement: Measurement
    left_out: Mapping[str, int] = field(default_factory=dict)
    table: str | None = None

    def __getitem__(self, name: str) -> ColumnProfile:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"Profile({count_noun(len(self), 'column')}, {count_noun(self.rows, 'row')})"

    @property
    def observations(self) -> tuple[Observation, ...]:
        """The oddities of the table: placeholders, outliers, mixed types, repeated rows."""
        from assay.learn.profile.observations import find_observations

        return find_observations(self)

    @property
    def repeated_share(self) -> float | None:
        """The share of rows that repeat an earlier row; None if it was not measured.

        It is an estimate from about 350 distinct rows, and exact for tables with fewer rows.
        """
        rows = read_rows(self.measurement, self.rows)
        return None if rows is None or not rows.total else (rows.total - len(rows)) / rows.total

    @property
    def page(self) -> HtmlPage:
        """The page of the profile as a value."""
        from assay.learn.profile.page import profile_page

        return profile_page(self)

    def __add__(self, other: Profile) -> Profile:
        """Return the profile of both tables together. It has the columns that both have."""
        states = self.measurement.states
        common = [analyzer for analyzer in states if analyzer in other.measurement.states]
        types = {name: kind for name, kind in self.types.items() if name in other.types}
        merged = profile_of(merge_states([states, other.measurement.states], common), types)
        return replace(merged, left_out=self.left_out, table=self.table)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON can hold it."""
        columns = [column.to_dict() for column in self.columns.values()]
        return {
            "rows": self.rows,
            "repeated_share": self.repeated_share,
            "columns": columns,
            "observations": [vars(observation) for observation in self.observations],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Return the profile as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def show(self, width: int | None = None) -> None:
        """Print one line for each column, and what is worth a look.

        Parameters
        ----------
        width
            The number of characters of a line; by default the width of the terminal.
        """
        from rich.console import Console

        from assay.learn.profile.terminal import print_observations, print_profile

        out = Console(highlight=False, width=width)
        print_profile(self, out)
        print_observations(self.observations, out)


def profile_of(measured: Measurement, types: Mapping[str, str]) -> Profile:
    """Compute the profile of a table from a measurement, without reading rows.

    Parameters
    ----------
    measured
        A measurement of some of the analyzers that `profile_analyzers` returns. The profile has
        only what was measured.
    types
        The columns to profile, with Spark's type of each.
    """
    columns = {name: _profile_column(measured, name, kind) for name, kind in types.items()}
    rows = max((column.rows for column in columns.values()), default=0)
    return Profile(rows, columns, types, measured)


def _profile_column(measured: Measurement, name: str, type_name: str) -> ColumnProfile:
    completeness: Any = measured.states.get(Completeness(name))
    rows, present = (
        (completeness.rows, completeness.matches) if completeness is not None else (0, 0)
    )
    looks = read_kinds(measured, name)
    values = read_value(measured, value_counts(name))
    # The sketch counts exactly as long as it has not dropped a value.
    exact = isinstance(values, Distribution) and values.other == 0 and len(values) < TOP
    exact = exact and values.total == present
    distinct = len(values) if exact else read_value(measured, ApproxCountDistinct(name)) or 0
    kind = kind_of(looks)
    temporal = kind in {"date", "timestamp"}
    is_collection = family(type_name) in COLLECTIONS
    numbers, period = read_numbers(measured, name), read_period(measured, name)
    if exact and numbers is not None:
        buckets = numeric_buckets(values.counts, number_of)
        numbers = replace(numbers, buckets=buckets or numbers.buckets)
    if exact and temporal:
        period = numeric_buckets(values.counts, seconds_since_epoch) or period
    return ColumnProfile(
        name,
        type_name,
        rows,
        present,
        min(int(distinct), present),
        kind,
        looks,
        None if is_collection else numbers,
        read_texts(measured, name),
        read_value(measured, Minimum(name)) if temporal else None,
        read_value(measured, Maximum(name)) if temporal else None,
        values,
        exact,
        period if temporal else None,
        numbers if is_collection else None,
        read_frequent(measured, name),
    )
