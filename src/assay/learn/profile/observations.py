"""Find what is odd in a profile: placeholders, outliers, mixed types, repeated rows.

An observation is a hint, not a verdict. It needs neither history nor constraints. Observers of one
column are in `text_observers`, `spelling_observers`, `date_observers` and `number_observers`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.date_observers import DATE_OBSERVERS
from assay.learn.profile.known_values import Observer
from assay.learn.profile.number_observers import NUMBER_OBSERVERS
from assay.learn.profile.profile import Profile
from assay.learn.profile.spelling_observers import SPELLING_OBSERVERS
from assay.learn.profile.text_observers import TEXT_OBSERVERS

__all__ = ["OBSERVERS", "Observation", "find_observations"]

#: the observers of a column by the code of their observation, in the order of the report
OBSERVERS: Mapping[str, Observer] = {
    **TEXT_OBSERVERS,
    **SPELLING_OBSERVERS,
    **DATE_OBSERVERS,
    **NUMBER_OBSERVERS,
}
#: tables with fewer rows are counted exactly
_MAX_EXACT_ROWS = 700


@dataclass(frozen=True)
class Observation:
    """Something odd about a column, or about the table if `column` is empty.

    `code` is a stable name of the observation, `sentence` describes it.
    """

    column: str
    code: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.column}: {self.sentence}" if self.column else self.sentence


def find_observations(profile: Profile) -> tuple[Observation, ...]:
    """Find what is odd about a table, column by column.

    Parameters
    ----------
    profile
        The profile of the table.
    """
    observations = [Observation("", code, sentence) for code, sentence in _observe_table(profile)]
    if profile.rows:
        for column in profile.values():
            observations += (
                Observation(column.name, code, sentence)
                for code, sentence in _observe_column(column)
            )
    return tuple(observations)


def _observe_table(profile: Profile) -> Iterator[tuple[str, str]]:
    for name, count in profile.left_out.items():
        yield "ambiguous", f"{count} columns are called {name!r}, and are left out"
    if not profile.rows:
        yield "no_rows", "it has columns and no rows"
        return
    sentence = _describe_repeated_rows(profile)
    if sentence:
        yield "repeated_rows", sentence


def _describe_repeated_rows(profile: Profile) -> str:
    """Describe repeated rows, unless chance explains them.

    Among ``n`` rows with ``D`` equally likely combinations of values, chance repeats the share
    ``1 - D/n (1 - exp(-n/D))``. It is near 0 for many combinations.
    """
    share = profile.repeated_share
    if not share:
        return ""
    combinations = prod(max(1, column.distinct) for column in profile.values())
    per_row = combinations / profile.rows
    by_chance = 1 - per_row * -math.expm1(-1 / per_row)
    if per_row < 1 and share > by_chance / 2:
        return ""
    if profile.rows < _MAX_EXACT_ROWS:
        count = round(share * profile.rows)
        verb = "repeats" if count == 1 else "repeat"
        return f"{count:,} of {profile.rows:,} rows {verb} an earlier row"
    return f"about {100 * share:.2g} % of the rows repeat an earlier row"


def _observe_column(column: ColumnProfile) -> Iterator[tuple[str, str]]:
    if not column.name.strip() or column.name != column.name.strip():
        yield "name", f"its name, {column.name!r}, begins or ends with a space"
    if not column.present:
        yield "no_values", "has no values"
        return
    for code, observe in OBSERVERS.items():
        sentence = observe(column)
        if sentence:
            yield code, sentence
