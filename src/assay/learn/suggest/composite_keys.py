"""Keys of several columns, where no single one is a key.

One more scan estimates how many different combinations candidates have; whether one is a key is
then tried exactly, as everything is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from assay.analyzers import ApproxCountDistinct
from assay.analyzers.schema import Schema, family
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.engine.frame import schema_of, unambiguous
from assay.engine.measure import measure
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.confidence import seen_always
from assay.learn.suggest.rules.rule import FEW_ROWS
from assay.learn.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["composite_keys"]

_COLUMNS = 14
_SIZES = (2, 3)
_CANDIDATES = 100
_SUGGESTED = 3
#: an estimate of all-different combinations is off by more only once in 400 times
_HLL_ERROR = 0.05
#: were the columns independent, chance alone would repeat so many combinations at least
_BY_CHANCE = 5.0
_KEYS = frozenset({"integral", "string", "date", "timestamp", "timestamp_ntz"})


def composite_keys(df: DataFrame, profile: Profile) -> list[Suggestion]:
    """Combinations of two or three columns that have as many different values as there are rows.

    Uniqueness proves nothing where chance would give it: of ``n`` rows with ``D = Π d`` equally
    likely combinations about ``n² / 2D`` pairs would be alike. Only where that is not few does a
    combination without repetition look like a key.
    """
    candidates = list(_candidates(profile))[:_CANDIDATES]
    if not candidates:
        return []
    found = _distinct(df, candidates)
    enough = (1 - _HLL_ERROR) * profile.rows
    keys: list[tuple[str, ...]] = []
    for names, distinct in found.items():
        if distinct >= enough and not any(set(key) <= set(names) for key in keys):
            keys.append(names)
    return [_said(names, profile) for names in keys[:_SUGGESTED]]


def _candidates(profile: Profile) -> Iterator[tuple[str, ...]]:
    """The smallest first; of those, the ones that chance would repeat most often."""
    able = sorted(filter(_able, profile.values()), key=lambda each: -each.distinct)[:_COLUMNS]
    for size in _SIZES:
        possible = {
            tuple(each.name for each in group): prod(each.distinct for each in group)
            for group in combinations(able, size)
        }
        for names, number in sorted(possible.items(), key=lambda pair: pair[1]):
            if number >= profile.rows and profile.rows**2 / (2 * number) >= _BY_CHANCE:
                yield names


def _able(column: ColumnProfile) -> bool:
    if column.nulls or column.distinct < 2 or family(column.type) not in _KEYS:
        return False
    return column.texts is None or column.texts.mean_length <= 40


def _distinct(df: DataFrame, groups: list[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """How many different combinations each group of columns has, about: one scan."""
    from pyspark.sql import functions as F

    schema: Schema = schema_of(df)
    names = {f"__assay_key_{i}": group for i, group in enumerate(groups)}
    hashes = [
        F.expr(f"xxhash64({', '.join(schema.column(each).plain for each in group)})").alias(name)
        for name, group in names.items()
    ]
    measured = measure(unambiguous(df, schema).select(*hashes), map(ApproxCountDistinct, names))
    return {group: int(measured.number(ApproxCountDistinct(name))) for name, group in names.items()}


def _said(names: tuple[str, ...], profile: Profile) -> Suggestion:
    parts = " × ".join(f"{profile[name].distinct:,}" for name in names)
    return Suggestion(
        "composite_key",
        names,
        ConstraintCall.of("is_primary_key", *names),
        f"{profile.rows:,} rows have as many different combinations of {' and '.join(names)}"
        f" ({parts} are possible)",
        seen_always(profile.rows),
        Level.ERROR if profile.rows >= FEW_ROWS else Level.WARNING,
    )
