"""The judge of relations: columns that were equal, ordered, a sum or correlated, and no longer are.

The relations are chosen from past batches and measured in the scan of the batch
(`assay.learn.relations`). All of them together use one share of the budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.checks.formatting import counted_batches, percent, visible
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode, count_of
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.relations.choose_relations import held_relations
from assay.learn.relations.deviation import Deviation, find_deviation
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.measured import broken_rows
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind
from assay.store.verdict import Decision

__all__ = ["RelationsJudge", "judge_relations"]

_CODES = {
    RelationKind.COMPARISON: CauseCode.ORDER_BROKEN,
    RelationKind.EQUALITY: CauseCode.EQUALITY_BROKEN,
    RelationKind.SUM: CauseCode.SUM_BROKEN,
    RelationKind.DEPENDENCY: CauseCode.DEPENDENCY_BROKEN,
    RelationKind.CORRELATION: CauseCode.CORRELATION_BROKEN,
}
#: comparisons of version 0.1 were stored under this name
_METRICS = {RelationKind.COMPARISON: "order"}


@dataclass(frozen=True)
class RelationsJudge:
    """Reports rows that break a relation between columns that held before."""

    name: str = "relations"
    holds_alone: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each relation that broke."""
        return list(
            judge_relations(
                batch.fingerprint, context.history.relations, context.budget.of_judge(self.name)
            )
        )


def judge_relations(
    batch: Fingerprint, history: Sequence[BatchRelations], budget: Budget
) -> Iterator[Finding]:
    """Warn of relations that are broken now and held in earlier batches.

    A code and its name depend on each other. Only one of these two relations is reported: the one
    that more rows break.
    """
    relations = [
        relation
        for relation in held_relations(history)
        if relation.kind in _CODES and relation in batch.relations
    ]
    deviations: dict[Relation, Deviation] = {}
    for relation in relations:
        now = batch.relations[relation]
        earlier = [of_batch.counts[relation] for of_batch in history if relation in of_batch.counts]
        deviation = find_deviation(relation, now, earlier)
        if deviation is not None and deviation.rate * len(relations) <= budget.warn:
            deviations[relation] = deviation
    for relation, deviation in deviations.items():
        if not _is_less_than_reverse(relation, deviations):
            rate = deviation.rate * len(relations)
            level = Decision.HOLD if rate <= budget.hold else Decision.WARN
            now = batch.relations[relation]
            yield _to_finding(relation, now, deviation, batch, level, min(rate, 1.0))


def _is_less_than_reverse(relation: Relation, deviations: Mapping[Relation, Deviation]) -> bool:
    """Return whether more rows break the dependency in the other direction."""
    reverse = replace(relation, columns=relation.columns[::-1])
    if relation.kind is not RelationKind.DEPENDENCY or reverse not in deviations:
        return False
    n_broken, n_reverse = deviations[relation].n_broken, deviations[reverse].n_broken
    return (n_broken, relation.columns) < (n_reverse, reverse.columns)


def _to_finding(
    relation: Relation,
    now: RelationCounts,
    deviation: Deviation,
    batch: Fingerprint,
    level: Decision,
    rate: float,
) -> Finding:
    reason = f"{_broken(relation, now, deviation, batch)} {_before(relation, deviation)}"
    cause, code = reason, _CODES[relation.kind]
    if deviation.is_swapped:
        one, other = (visible(name) for name in batch.columns if name in relation.columns)
        cause = f"{one} and {other} are swapped: each holds what the other held before."
        code = CauseCode.COLUMNS_SWAPPED
    row_filter = now.row_filter or broken_rows(relation, is_above=deviation.pattern == "above")
    return Finding(
        "relations",
        level,
        reason,
        relation.columns[0],
        _METRICS.get(relation.kind, relation.kind.value),
        actual=deviation.actual,
        low=min(0.0, deviation.usual),
        high=deviation.usual,
        false_alarm_rate=rate,
        severity=abs(deviation.actual - deviation.usual),
        cause=cause,
        cause_code=code,
        related=relation.columns[1:],
        sql=None if row_filter is None else f"SELECT * FROM batch WHERE {row_filter}",  # noqa: S608
        row_filter=row_filter,
    )


def _broken(
    relation: Relation, now: RelationCounts, deviation: Deviation, batch: Fingerprint
) -> str:
    """Return a sentence with the rows that break a relation now."""
    first, second, *more = map(visible, relation.columns)
    count = count_of(deviation.n_broken, now.rows, "sampled rows" if now.sampled else "rows")
    match relation.kind:
        case RelationKind.COMPARISON:
            stats = batch.columns.get(relation.columns[0])
            is_number = stats is not None and stats.kind == "numeric"
            words = ("larger than", "smaller than") if is_number else ("after", "before")
            is_more = words[0] if deviation.pattern == "above" else words[1]
            return f"{count}: {first} is {is_more} {second}."
        case RelationKind.EQUALITY:
            return f"{count}: {second} differs from {first}."
        case RelationKind.SUM:
            parts = ", ".join((second, *more[:-1]))
            return f"{count}: {first} is not the sum of {parts} and {more[-1]}."
        case RelationKind.DEPENDENCY:
            examples = f" ({'; '.join(map(visible, now.examples))})" if now.examples else ""
            return f"{count}: a value of {first} has several values of {second}{examples}."
        case _:
            return (
                f"{first} and {second} no longer rise and fall together: their correlation is"
                f" {now.value:.2f}."
            )


def _before(relation: Relation, deviation: Deviation) -> str:
    """Return a sentence with the rows that broke a relation in earlier batches."""
    batches = counted_batches(deviation.n_batches)
    if relation.kind is RelationKind.CORRELATION:
        return f"Usually it is {deviation.usual:.2f} ({batches})."
    if not deviation.usual:
        return f"No row of {batches} before was like this."
    return f"Usually {percent(deviation.usual)} of the rows are like this ({batches})."
