"""Choose the relations to measure in the next batch, from the statistics of past batches.

Comparing all pairs of columns would be expensive, and most relations hold by chance. The
statistics of the last batch show which ones may hold:

- Two columns with equal checksums may be equal in every row.
- If the sum of a column is that of others, its values may be their sums.
- A column of codes has at least as many distinct values as one that depends on it.
- Numbers with a common range, or with similar names, may be ordered or correlated.

At most 30 relations are measured. One that does not hold is dropped, and another is tried. The
search ends after 10 batches, so that later batches measure what held.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations, permutations
from statistics import median

import numpy as np

from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind

__all__ = [
    "MAX_RELATIONS",
    "MIN_ROWS",
    "choose_relations",
    "first_that_hold",
    "has_held",
    "held_relations",
]

#: The largest number of relations of each kind in a batch.
MAX_RELATIONS: Mapping[RelationKind, int] = {
    RelationKind.EQUALITY: 5,
    RelationKind.SUM: 5,
    RelationKind.COMPARISON: 8,
    RelationKind.CORRELATION: 5,
    RelationKind.DEPENDENCY: 4,
    RelationKind.KEY: 2,
}
#: New relations are tried in this number of batches with the same columns.
_MAX_SEARCHED_BATCHES = 10
#: A relation that more rows break than this share does not hold.
_MAX_BROKEN = 0.05
#: A comparison is of use if one column is larger in far more than half of the rows.
_MIN_IMBALANCE = 0.3
_MIN_CORRELATION = 0.8
#: Columns of a wide table that are compared with each other: those in front.
_MAX_COLUMNS = 60
#: Columns whose sums are compared. Their triples are searched.
_MAX_SUMMED_COLUMNS = 40
#: In smaller batches, relations hold by chance.
MIN_ROWS = 20
_MIN_DISTINCT_NUMBERS = 10
#: Two sums are equal up to rounding.
_MAX_SUM_ERROR = 1e-9
#: A column is a code if each value has at least 2 rows on average, and each number 10.
_MAX_DISTINCT_SHARE, _MAX_DISTINCT_NUMBERS = 0.5, 0.1
#: Sketches of distinct values have errors of about 2 %.
_DISTINCT_ERROR = 1.05
#: A part of a key has nearly no nulls.
_MIN_COMPLETENESS = 0.95
#: Without a key, chance would make at least this number of pairs of rows equal.
_MIN_EXPECTED_COLLISIONS = 5.0


def choose_relations(
    last: Fingerprint | None, history: Sequence[BatchRelations], *, n_rounds: int = 1
) -> tuple[Relation, ...]:
    """Return the relations to measure in the next batch.

    Parameters
    ----------
    last
        The statistics of the last batch; None before the first one.
    history
        The relations of earlier batches, oldest first.
    n_rounds
        The number of batches whose relations are tried in the next batch, all at once.
    """
    if last is None or last.rows < MIN_ROWS:
        return tuple(history[-1].counts) if history else ()
    tested = {relation for batch in history for relation in batch.counts}
    held = [r for r in held_relations(history) if last.columns.keys() >= set(r.columns)]
    schema = BatchRelations.schema_of(last)
    n_searched = sum(batch.schema == schema for batch in history)
    candidates = _find(last) if n_searched < _MAX_SEARCHED_BATCHES else {}
    chosen: list[Relation] = []
    for kind, limit in MAX_RELATIONS.items():
        of_kind = [relation for relation in held if relation.kind is kind]
        of_kind += [relation for relation in candidates.get(kind, ()) if relation not in tested]
        chosen += of_kind[: n_rounds * limit]
    return tuple(chosen)


def held_relations(history: Sequence[BatchRelations]) -> list[Relation]:
    """Return the relations that held in most of the batches in which they were measured.

    The relations of one kind that were measured in most batches come first.
    """
    n_measured = Counter(relation for batch in history for relation in batch.counts)
    held = [relation for relation in n_measured if has_held(relation, history)]
    held.sort(key=lambda relation: (-n_measured[relation], relation))
    return [
        relation
        for kind, limit in MAX_RELATIONS.items()
        for relation in [r for r in held if r.kind is kind][:limit]
    ]


def first_that_hold(tried: BatchRelations) -> BatchRelations:
    """Return the first relations of each kind that hold, and all that do not.

    Those that hold can be measured in the next batch, and the others need not be tried again.
    """
    holds = {relation: has_held(relation, [tried]) for relation in tried.counts}
    first = {
        relation
        for kind, limit in MAX_RELATIONS.items()
        for relation in [r for r in holds if r.kind is kind and holds[r]][:limit]
    }
    counts = {r: counts for r, counts in tried.counts.items() if r in first or not holds[r]}
    return replace(tried, counts=counts)


def has_held(relation: Relation, history: Iterable[BatchRelations]) -> bool:
    """Return whether a relation held in most of the batches in which it was measured."""
    counts = [batch.counts[relation] for batch in history if relation in batch.counts]
    return bool(counts) and _typically_holds(relation.kind, counts)


def _typically_holds(kind: RelationKind, counts: Sequence[RelationCounts]) -> bool:
    if kind is RelationKind.COMPARISON:
        shares = [c.share_above for c in counts if not math.isnan(c.share_above)]
        return bool(shares) and abs(median(shares) - 0.5) >= _MIN_IMBALANCE
    if kind is RelationKind.CORRELATION:
        return abs(median(c.value for c in counts)) >= _MIN_CORRELATION
    shares = [c.share for c in counts if not math.isnan(c.share)]
    if kind is RelationKind.KEY:
        return bool(shares) and not any(shares)
    return bool(shares) and median(shares) <= _MAX_BROKEN


def _find(last: Fingerprint) -> dict[RelationKind, list[Relation]]:
    """Return the relations that may hold, the most likely ones of each kind first."""
    columns = dict(list(last.columns.items())[:_MAX_COLUMNS])
    varying = {
        name: stats
        for name, stats in columns.items()
        if stats["distinct"] > 1 and stats["values"] >= MIN_ROWS
    }
    equal = list(_equal_columns(last.columns))
    same = {frozenset(relation.columns) for relation in equal}
    pairs = [pair for pair in _similar_numbers(varying) if frozenset(pair) not in same]
    return {
        RelationKind.EQUALITY: equal,
        RelationKind.SUM: list(_sums(last.columns)),
        RelationKind.COMPARISON: [
            Relation(RelationKind.COMPARISON, tuple(sorted(pair))) for pair in pairs
        ],
        RelationKind.CORRELATION: [
            Relation(RelationKind.CORRELATION, tuple(sorted(pair)))
            for pair in pairs
            if min(varying[name]["distinct"] for name in pair) >= _MIN_DISTINCT_NUMBERS
        ],
        RelationKind.DEPENDENCY: list(_dependencies(varying, same)),
        RelationKind.KEY: list(_keys(varying)),
    }


def _equal_columns(columns: Mapping[str, ColumnStats]) -> Iterator[Relation]:
    by_content: dict[tuple[str, str], str] = {}
    for name, stats in columns.items():
        if stats["distinct"] <= 1 or not stats.digest:
            continue
        other = by_content.setdefault((stats.kind, stats.digest), name)
        if other != name:
            yield Relation(RelationKind.EQUALITY, (other, name))


def _sums(columns: Mapping[str, ColumnStats]) -> Iterator[Relation]:
    """Find totals: columns whose sum is the sum of two or three others."""
    sums = {
        name: stats["sum"]
        for name, stats in columns.items()
        if stats.kind == "numeric" and stats["distinct"] > 2 and stats["sum"] > 0
    }
    names = list(sums)[:_MAX_SUMMED_COLUMNS]
    totals = np.array([sums[name] for name in names])
    if len(names) < 3 or not np.isfinite(totals).all():
        return
    by_sum = np.argsort(totals)
    ordered = totals[by_sum]
    for size in (2, 3):
        parts = np.array(list(combinations(range(len(names)), size)), np.int64).reshape(-1, size)
        targets = totals[parts].sum(axis=1)
        low = np.searchsorted(ordered, targets * (1 - _MAX_SUM_ERROR))
        high = np.searchsorted(ordered, targets * (1 + _MAX_SUM_ERROR), side="right")
        for place in np.flatnonzero(high > low).tolist():
            for at in range(int(low[place]), int(high[place])):
                total = int(by_sum[at])
                if total not in parts[place]:
                    summed = (names[part] for part in parts[place].tolist())
                    yield Relation(RelationKind.SUM, (names[total], *summed))


def _similar_numbers(columns: Mapping[str, ColumnStats]) -> list[tuple[str, str]]:
    """Return pairs of numeric columns, those with similar ranges and names first."""
    ranges = {name: _range(stats) for name, stats in columns.items() if stats.kind == "numeric"}
    scores: dict[tuple[str, str], float] = {}
    for one, other in combinations(ranges, 2):
        overlap = _overlap(ranges[one], ranges[other])
        if overlap > 0:
            scores[one, other] = overlap + _name_similarity(one, other)
    return sorted(scores, key=lambda pair: (-scores[pair], pair))


def _range(stats: ColumnStats) -> tuple[float, float]:
    """Return the range of the middle 90 % of the numbers."""
    if stats.sample is None or not stats.sample.total:
        return stats["min"], stats["max"]
    low, high = stats.sample.quantiles(np.array([0.05, 0.95]))
    return float(low), float(high)


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the length of the common range, as a share of the length of both."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    both = max(one[1], other[1]) - min(one[0], other[0])
    return common / both if common > 0 and both > 0 else 0.0


@lru_cache(maxsize=20_000)
def _name_similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def _dependencies(
    columns: Mapping[str, ColumnStats], same: set[frozenset[str]]
) -> Iterator[Relation]:
    """Find codes whose values may have one value of another column, such as a name.

    Columns with about the same number of values come first: each is then a code of the other.
    """
    codes = {
        name: stats["distinct"]
        for name, stats in columns.items()
        if stats.kind == "categorical"
        or stats["distinct"] <= _MAX_DISTINCT_NUMBERS * stats["values"]
    }
    scores: dict[tuple[str, str], float] = {}
    for code, name in permutations(codes, 2):
        is_repeated = 2 < codes[code] <= _MAX_DISTINCT_SHARE * columns[code]["values"]
        if (
            is_repeated
            and codes[name] <= codes[code] * _DISTINCT_ERROR
            and frozenset((code, name)) not in same
        ):
            scores[code, name] = codes[name] / codes[code] + _name_similarity(code, name)
    for pair in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        yield Relation(RelationKind.DEPENDENCY, pair)


def _keys(columns: Mapping[str, ColumnStats]) -> Iterator[Relation]:
    """Find pairs of columns that may be a key, those with the fewest combinations first.

    A pair is left out if it has too many combinations: chance repeats none of them.
    """
    parts = {
        name: stats["distinct"]
        for name, stats in columns.items()
        if stats["distinct"] < _MAX_DISTINCT_SHARE * stats["values"]
        and stats["values"] >= _MIN_COMPLETENESS * stats["rows"]
        and (stats.kind == "categorical" or stats["integers"] == stats["values"])
    }
    pairs = []
    for one, other in combinations(parts, 2):
        rows, n_pairs = columns[one]["rows"], parts[one] * parts[other]
        if rows <= n_pairs and rows * rows / (2 * n_pairs) >= _MIN_EXPECTED_COLLISIONS:
            pairs.append((n_pairs, one, other))
    for _, one, other in sorted(pairs):
        yield Relation(RelationKind.KEY, (one, other))
