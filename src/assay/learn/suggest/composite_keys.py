"""Suggest keys of several columns for tables in which no single column is a key.

One scan estimates the number of distinct combinations of candidate columns. As with all
suggestions, the table is then checked exactly.
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
from assay.learn.suggest.confidence import laplace_confidence
from assay.learn.suggest.rules.rule import HLL_ERROR, MIN_ROWS
from assay.learn.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["composite_keys"]

#: columns to combine, those with the most distinct values first
_MAX_COLUMNS = 14
_KEY_SIZES = (2, 3)
#: combinations to measure, and keys to suggest
_MAX_CANDIDATES = 100
_MAX_KEYS = 3
#: pairs of equal rows that independent columns would have by chance, at least
_MIN_EXPECTED_COLLISIONS = 5.0
#: longer strings are texts and not parts of keys
_MAX_MEAN_LENGTH = 40
_KEY_FAMILIES = frozenset({"integral", "string", "date", "timestamp", "timestamp_ntz"})


def composite_keys(df: DataFrame, profile: Profile) -> list[Suggestion]:
    """Suggest combinations of two or three columns that are distinct in every row.

    Distinct combinations are evidence only if chance would repeat some. Among ``n`` rows with
    ``D = Π d`` equally likely combinations, chance gives about ``n² / 2D`` equal pairs.
    Combinations with fewer than 5 such pairs are not tried.

    Parameters
    ----------
    df
        The table. It is scanned once.
    profile
        The profile of the table.
    """
    candidates = list(_candidates(profile))[:_MAX_CANDIDATES]
    if not candidates:
        return []
    distinct_counts = _count_distinct(df, candidates)
    required = (1 - HLL_ERROR) * profile.rows
    keys: list[tuple[str, ...]] = []
    for names, distinct in distinct_counts.items():
        if distinct >= required and not any(set(key) <= set(names) for key in keys):
            keys.append(names)
    return [_suggest_key(names, profile) for names in keys[:_MAX_KEYS]]


def _candidates(profile: Profile) -> Iterator[tuple[str, ...]]:
    """Yield combinations, small ones first, then those with the fewest possible values."""
    eligible = filter(_is_eligible, profile.values())
    columns = sorted(eligible, key=lambda column: -column.distinct)[:_MAX_COLUMNS]
    for size in _KEY_SIZES:
        possible = {
            tuple(column.name for column in group): prod(column.distinct for column in group)
            for group in combinations(columns, size)
        }
        for names, count in sorted(possible.items(), key=lambda pair: pair[1]):
            collisions = profile.rows**2 / (2 * count)
            if count >= profile.rows and collisions >= _MIN_EXPECTED_COLLISIONS:
                yield names


def _is_eligible(column: ColumnProfile) -> bool:
    if column.nulls or column.distinct < 2 or family(column.type) not in _KEY_FAMILIES:
        return False
    return column.texts is None or column.texts.mean_length <= _MAX_MEAN_LENGTH


def _count_distinct(df: DataFrame, groups: list[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """Estimate the number of distinct combinations of each group of columns in one scan."""
    from pyspark.sql import functions as F

    schema: Schema = schema_of(df)
    groups_by_name = {f"__assay_key_{number}": group for number, group in enumerate(groups)}
    hashes = [
        F.expr(f"xxhash64({', '.join(schema.column(name).plain for name in group)})").alias(key)
        for key, group in groups_by_name.items()
    ]
    keys = unambiguous(df, schema).select(*hashes)
    measured = measure(keys, map(ApproxCountDistinct, groups_by_name))
    return {
        group: int(measured.number(ApproxCountDistinct(key)))
        for key, group in groups_by_name.items()
    }


def _suggest_key(names: tuple[str, ...], profile: Profile) -> Suggestion:
    counts = " × ".join(f"{profile[name].distinct:,}" for name in names)
    return Suggestion(
        "composite_key",
        names,
        ConstraintCall.of("is_primary_key", *names),
        f"{profile.rows:,} rows have as many different combinations of {' and '.join(names)}"
        f" ({counts} are possible)",
        laplace_confidence(profile.rows),
        Level.ERROR if profile.rows >= MIN_ROWS else Level.WARNING,
    )
