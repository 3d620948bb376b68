"""What is asked of every batch, so that learners can tell it from others: part of the one scan.

>>> asked = fingerprint_analyzers(Schema.of(amount="double", code="string", tags="array<string>"))
>>> [each.key for each in asked if "tags" in each.key]
['Completeness(tags)', 'ApproxCountDistinct(tags)', 'Checksum(tags)']
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.analyzers import (
    ApproxCountDistinct,
    ApproxQuantiles,
    CharacterProfile,
    Checksum,
    Completeness,
    EmptyStringCount,
    IntegerCount,
    Maximum,
    Minimum,
    NegativeCount,
    NullSignature,
    ShapeProfile,
    Size,
    StandardDeviation,
    Sum,
    ValueProfile,
    ZerosCount,
)
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import COMPARABLE, GROUPABLE, NUMERIC, TEXT, Column, Schema

__all__ = ["fingerprint_analyzers"]


def fingerprint_analyzers(schema: Schema, private: Collection[str] = ()) -> tuple[Analyzer, ...]:
    """The analyzers of a fingerprint. Of `private` columns no value is remembered, only hashes.

    Columns that share a name cannot be told apart from one batch to the next: they are left out.
    """
    for name in private:
        schema.column(name)
    names = schema.names
    asked: list[Analyzer] = [Size(), NullSignature()]
    for column in schema.columns:
        if names.count(column.name) == 1:
            asked += _of_column(column, hidden=column.name in private)
    return tuple(asked)


def _of_column(column: Column, *, hidden: bool) -> Iterator[Analyzer]:
    name, family = column.name, column.family
    yield Completeness(name)
    if family in GROUPABLE and "collate" not in column.type:
        yield from (ApproxCountDistinct(name), Checksum(name))
    if family in COMPARABLE:
        yield ValueProfile(name, hidden=hidden)
    if family in NUMERIC:
        yield from (Minimum(name), Maximum(name), Sum(name), StandardDeviation(name))
        yield from (ZerosCount(name), NegativeCount(name), IntegerCount(name))
        yield ApproxQuantiles(name)
    if family in TEXT:
        yield from (CharacterProfile(name), EmptyStringCount(name))
        if not hidden:
            yield ShapeProfile(name)
