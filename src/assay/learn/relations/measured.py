"""Measure relations in the scan of a batch, and read the counts from its states.

Comparisons, equalities and sums are counts of rows (`Compliance`). Dependencies and keys are
counts of pairs of values (`PairProfile`). Repeated pairs of a key are counted in a larger sample
(`RepeatedValueCount`).

>>> [analyzer] = relation_analyzers(Relation(RelationKind.EQUALITY, ("a", "b")))
>>> analyzer.predicate
'`a` <=> `b`'
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.analyzers import Compliance, Correlation, PairProfile, RepeatedValueCount
from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.analyzer import Analyzer, ScanAnalyzer
from assay.analyzers.metric import Undefined
from assay.analyzers.schema import quote
from assay.analyzers.state import State
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind

__all__ = [
    "broken_rows",
    "counts_of_pairs",
    "relation_analyzers",
    "relations_of",
    "sum_tolerance",
]

_NAME = r"`((?:[^`]|``)+)`"
_AS_NUMBER = rf"cast\({_NAME} AS double\)"
_COMPARISON = re.compile(f"{_NAME} <= {_NAME}")
_EQUALITY = re.compile(f"{_NAME} <=> {_NAME}")
_PART = rf"coalesce\({_AS_NUMBER}, 0D\)"
_SUM = re.compile(rf"abs\({_AS_NUMBER} - \((?P<parts>{_PART}(?: \+ {_PART})+)\)\) <= \S+")

#: a time in a pair, with the offset of UTC or without
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z?)")
#: texts in a pair that Spark writes in another way: other times, and those that are cut
_HAS_OTHER_TEXT = re.compile(r"^\d{4}-\d\d-\d\dT|…")

#: values that a cause shows
_MAX_EXAMPLES = 3


def sum_tolerance(deviation: float, *, are_whole: bool) -> float:
    """Return the largest error of a sum that is rounding.

    Parameters
    ----------
    deviation
        The standard deviation of the total. A thousandth of it has no practical effect.
    are_whole
        True if the numbers are whole, so that no error is rounding.
    """
    return 0.5 if are_whole or not deviation > 0 else float(f"{deviation / 1000:.1g}")


def relation_analyzers(
    relation: Relation,
    *,
    tolerance: float = 0.0,
    one_in: int = 1,
    by: str | None = None,
    key_one_in: int = 0,
) -> tuple[Analyzer, ...]:
    """Return the analyzers that count the rows in which a relation holds.

    Parameters
    ----------
    relation
        The relation.
    tolerance
        Of a sum: the largest rounding error.
    one_in, by
        Of a dependency or a key: the sample (`PairProfile`).
    key_one_in
        Of a key: the larger sample (`RepeatedValueCount`), or 0 for none.
    """
    first, second = relation.columns[:2]
    match relation.kind:
        case RelationKind.COMPARISON:
            one, other = quote(first), quote(second)
            return (
                Compliance(f"{one} <= {other}", nulls="ignore"),
                Compliance(f"{other} <= {one}", nulls="ignore"),
            )
        case RelationKind.CORRELATION:
            return (Correlation(first, second),)
        case RelationKind.DEPENDENCY:
            return (PairProfile(first, second, one_in=one_in, by=by or first),)
        case RelationKind.KEY:
            repeated = RepeatedValueCount((first, second), one_in=max(1, key_one_in))
            profile = PairProfile(first, second, one_in=one_in)
            return (profile, repeated) if key_one_in else (profile,)
        case RelationKind.EQUALITY:
            predicate = f"{quote(first)} <=> {quote(second)}"
        case RelationKind.SUM:
            total, *parts = (f"cast({quote(name)} AS double)" for name in relation.columns)
            # a part without a value adds nothing, as in the sum of a column
            summed = " + ".join(f"coalesce({part}, 0D)" for part in parts)
            predicate = f"abs({total} - ({summed})) <= {tolerance!r}D"
    return (Compliance(predicate, nulls="ignore"),)


def broken_rows(relation: Relation, *, is_above: bool = True) -> str | None:
    """Return the SQL condition of the rows that break a relation, or None if it needs all rows."""
    first, second = map(quote, relation.columns[:2])
    match relation.kind:
        case RelationKind.COMPARISON:
            return f"{first} {'>' if is_above else '<'} {second}"
        case RelationKind.EQUALITY:
            return f"NOT ({first} <=> {second})"
        case _:
            return None


def relations_of(states: Mapping[Analyzer, State]) -> dict[Relation, RelationCounts]:
    """Return the relations that were measured, with their counts."""
    n_wrong: dict[tuple[str, str], tuple[int, int]] = {}
    counts: dict[Relation, RelationCounts] = {}
    repeated: dict[Relation, RelationCounts] = {}
    for analyzer, state in states.items():
        if analyzer.where is not None:
            continue
        if isinstance(analyzer, Compliance) and analyzer.nulls == "ignore":
            match = _COMPARISON.fullmatch(analyzer.predicate)
            if match is not None:
                counted: Any = state
                one, other = map(_unquoted, match.groups())
                n_wrong[one, other] = counted.rows - counted.matches, counted.rows
            else:
                counts |= _of_condition(analyzer.predicate, state)
        elif isinstance(analyzer, RepeatedValueCount):
            repeated |= _of_key(analyzer, state)
        elif isinstance(analyzer, ScanAnalyzer):
            counts |= _of_columns(analyzer, state)
    for relation, exact in repeated.items():
        sampled = counts.get(relation, exact)
        counts[relation] = replace(exact, examples=sampled.examples, row_filter=sampled.row_filter)
    return counts | dict(_comparisons(n_wrong))


def _of_key(analyzer: RepeatedValueCount, state: Any) -> Mapping[Relation, RelationCounts]:
    counts = RepeatedValueCount.counts_of(state)
    if counts is None or len(analyzer.columns) != 2:
        return {}
    n_pairs, n_distinct = counts
    relation = Relation(RelationKind.KEY, tuple(analyzer.columns))
    return {relation: RelationCounts(n_pairs, n_pairs - n_distinct, sampled=analyzer.one_in > 1)}


def _comparisons(
    n_wrong: Mapping[tuple[str, str], tuple[int, int]],
) -> Iterator[tuple[Relation, RelationCounts]]:
    """Join the two directions of each pair. The columns of a comparison are ordered by name."""
    for (one, other), (n_above, rows) in n_wrong.items():
        if one < other and (other, one) in n_wrong:
            relation = Relation(RelationKind.COMPARISON, (one, other))
            yield relation, RelationCounts(rows, n_above, n_wrong[other, one][0])


def _of_condition(predicate: str, state: Any) -> Mapping[Relation, RelationCounts]:
    equality, total = _EQUALITY.fullmatch(predicate), _SUM.fullmatch(predicate)
    if equality is not None:
        columns = tuple(map(_unquoted, equality.groups()))
        relation = Relation(RelationKind.EQUALITY, columns)
    elif total is not None:
        parts = re.findall(_AS_NUMBER, total["parts"])
        columns = (_unquoted(total.group(1)), *map(_unquoted, parts))
        relation = Relation(RelationKind.SUM, columns)
    else:
        return {}
    return {relation: RelationCounts(state.rows, state.rows - state.matches)}


def _of_columns(analyzer: Analyzer, state: Any) -> Mapping[Relation, RelationCounts]:
    if isinstance(analyzer, Correlation):
        coefficient = analyzer.metric(state)
        if isinstance(coefficient, Undefined):
            return {}
        relation = Relation(RelationKind.CORRELATION, (analyzer.first, analyzer.second))
        return {relation: RelationCounts(state.n, value=float(coefficient))}  # type: ignore[arg-type]
    if isinstance(analyzer, PairProfile):
        kept = state.kept()
        if kept.groups is None:  # there are too many pairs
            return {}
        pairs = {analyzer.pair_of(item): count for item, count in kept.counts.items()}
        columns = (analyzer.first, analyzer.second)
        return counts_of_pairs(pairs, columns, is_key=analyzer.by is None, one_in=analyzer.one_in)
    return {}


def counts_of_pairs(
    pairs: Mapping[tuple[str, str], int],
    columns: tuple[str, str],
    *,
    is_key: bool,
    one_in: int = 1,
) -> dict[Relation, RelationCounts]:
    """Return whether pairs of values are a key, or whether the second depends on the first.

    A row breaks a key if an earlier row has its pair of values. A row breaks a dependency if its
    first value has another second value more often. Rows whose first value is unique do not count.
    """
    if is_key:
        rows = sum(pairs.values())
        repeated = sorted(pair for pair, count in pairs.items() if count > 1)
        relation = Relation(RelationKind.KEY, columns)
        counts = RelationCounts(
            rows,
            rows - len(pairs),
            sampled=one_in > 1,
            examples=tuple(f"{one}, {other}" for one, other in repeated[:_MAX_EXAMPLES]),
            row_filter=_rows_with(columns, repeated[:_MAX_EXAMPLES]),
        )
        return {relation: counts}
    by_first: dict[str, Counter[str]] = defaultdict(Counter)
    for (one, other), count in pairs.items():
        by_first[one][other] += count
    rows = sum(n for others in by_first.values() if (n := others.total()) > 1)
    several = {one: others for one, others in by_first.items() if len(others) > 1}
    broken = sum(sum(others.values()) - max(others.values()) for others in several.values())
    most = sorted(several, key=lambda one: (-sum(several[one].values()), one))[:_MAX_EXAMPLES]
    examples = tuple(
        f"{one}: {', '.join(name for name, _ in several[one].most_common(_MAX_EXAMPLES))}"
        for one in most
    )
    relation = Relation(RelationKind.DEPENDENCY, columns)
    counts = RelationCounts(
        rows,
        broken,
        sampled=one_in > 1,
        examples=examples,
        row_filter=_rows_with(columns[:1], [(one,) for one in most]),
    )
    return {relation: counts}


def _rows_with(columns: Sequence[str], values: Sequence[Sequence[str]]) -> str | None:
    """Return the SQL condition of the rows with some values; None for cut texts."""
    rows = [
        [_has_value(name, text) for name, text in zip(columns, row, strict=True)] for row in values
    ]
    conditions = [[part for part in row if part is not None] for row in rows]
    if not rows or any(len(row) < len(columns) for row in conditions):
        return None
    return " OR ".join(f"({' AND '.join(row)})" for row in conditions)


def _has_value(name: str, text: str) -> str | None:
    """Return the SQL condition of the rows whose value has a text; None if it is not known."""
    time = _TIME.fullmatch(text)
    if time is not None:
        kind = "timestamp" if time[1] else "timestamp_ntz"
        return f"try_cast({quote(name)} AS {kind}) = {kind}{sql_string(text)}"
    if _HAS_OTHER_TEXT.search(text):
        return None
    return f"cast({quote(name)} AS string) = {sql_string(text)}"


def _unquoted(name: str) -> str:
    return name.replace("``", "`")
