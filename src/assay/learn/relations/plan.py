"""Plan which relations the scan of the next batch measures, and with which samples.

Dates and times are compared from the first batch on. Other relations are chosen from past batches.

>>> schema = Schema.of(ordered="date", shipped="date", price="double")
>>> [analyzer.predicate for analyzer in plan_relations(schema)]
['`ordered` <= `shipped`', '`shipped` <= `ordered`']
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import COMPARABLE, NUMERIC, Column, Schema
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.sample_rates import MAX_KEY_VALUES
from assay.learn.relations.choose_relations import choose_relations
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.measured import relation_analyzers, sum_tolerance
from assay.learn.relations.relation import Relation, RelationKind

__all__ = ["plan_relations"]

#: Columns with dates or times that are compared with each other: 12 counts in the scan.
_MAX_TIMES = 4
#: types that can be compared without a cast
_TIMES = ("date", "timestamp", "timestamp_ntz")
#: The largest expected number of sampled pairs. The sketch counts about 1,500 exactly.
_MAX_SAMPLED = 1000
#: Rows of a large batch in which dependencies between few values are counted.
_SAMPLED_ROWS = 20_000


def plan_relations(
    schema: Schema,
    private: Collection[str] = (),
    last: Fingerprint | None = None,
    history: Sequence[BatchRelations] = (),
    *,
    n_rounds: int = 1,
) -> tuple[Analyzer, ...]:
    """Return the analyzers of the relations of the next batch.

    Columns that share a name are left out, and private ones.

    Parameters
    ----------
    schema
        The columns of the table.
    private
        Columns that are left out.
    last
        The statistics of the last batch; None before the first one.
    history
        The relations of earlier batches, oldest first.
    n_rounds
        The number of batches whose relations are tried in the next batch, all at once.
    """
    columns = {
        column.name: column
        for column in schema.columns
        if column.name not in private and schema.names.count(column.name) == 1
    }
    chosen = dict.fromkeys(
        (
            *_times(columns.values()),
            *(
                relation
                for relation in choose_relations(last, history, n_rounds=n_rounds)
                if _fits(relation, columns)
            ),
        )
    )
    return tuple(
        dict.fromkeys(
            analyzer for relation in chosen for analyzer in _analyzers_of(relation, last, columns)
        )
    )


def _times(columns: Collection[Column]) -> Iterator[Relation]:
    """Return the comparisons of the first columns with dates or times of one type."""
    for family in _TIMES:
        names = [column.name for column in columns if column.family == family]
        if len(names) > 1:
            for pair in combinations(names[:_MAX_TIMES], 2):
                yield Relation(RelationKind.COMPARISON, tuple(sorted(pair)))
            return


def _fits(relation: Relation, columns: dict[str, Column]) -> bool:
    """Return whether the types of the columns allow to measure the relation."""
    types = [columns[name] for name in relation.columns if name in columns]
    if len(types) < len(relation.columns):
        return False
    match relation.kind:
        case RelationKind.EQUALITY:
            return len({column.type for column in types}) == 1 and types[0].family in COMPARABLE
        case RelationKind.DEPENDENCY | RelationKind.KEY:
            return all(c.family in COMPARABLE and "collate" not in c.type for c in types)
        case RelationKind.COMPARISON if types[0].family in _TIMES:
            return types[0].family == types[1].family
        case _:
            return all(column.family in NUMERIC for column in types)


def _analyzers_of(
    relation: Relation, last: Fingerprint | None, columns: dict[str, Column]
) -> tuple[Analyzer, ...]:
    if last is None or not last.columns.keys() >= set(relation.columns):
        return relation_analyzers(relation)
    first = last.columns[relation.columns[0]]
    match relation.kind:
        case RelationKind.SUM:
            are_whole = all(
                last.columns[name]["integers"] == last.columns[name]["values"]
                for name in relation.columns
            )
            tolerance = sum_tolerance(first["sd"], are_whole=are_whole)
            return relation_analyzers(relation, tolerance=tolerance)
        case RelationKind.KEY:
            return relation_analyzers(
                relation,
                one_in=_one_in(last.rows / _MAX_SAMPLED),
                key_one_in=_one_in(last.rows / MAX_KEY_VALUES),
            )
        case RelationKind.DEPENDENCY if first["distinct"] > _MAX_SAMPLED:
            return relation_analyzers(relation, one_in=_one_in(first["distinct"] / _MAX_SAMPLED))
        case RelationKind.DEPENDENCY:
            by = max(
                (name for name in columns if name in last.columns),
                key=lambda name: last.columns[name].numbers.get("distinct", 0.0),
            )
            can_sample = columns[by].family in COMPARABLE and "collate" not in columns[by].type
            if can_sample and last.columns[by]["distinct"] > _SAMPLED_ROWS:
                return relation_analyzers(
                    relation, one_in=_one_in(last.rows / _SAMPLED_ROWS), by=by
                )
        case _:
            pass
    return relation_analyzers(relation)


def _one_in(ratio: float) -> int:
    return 1 << max(0, math.ceil(math.log2(ratio))) if ratio > 1 else 1
