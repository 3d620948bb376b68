"""SQL statements that SQLite and PostgreSQL share: selections, upserts and counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.store.batch import Selection
from assay.store.transactions import Connection
from assay.store.verdict import Decision, MarkKind

__all__ = [
    "MAX_NAMED_KEYS",
    "batch_conditions",
    "count_marked",
    "is_filtered_later",
    "is_one_of",
    "newest_first",
    "put",
    "record_conditions",
    "slot_of",
]

#: more keys than this are not named in a statement: reading all and choosing is faster
MAX_NAMED_KEYS = 1000

_USABLE = tuple(kind.value for kind in MarkKind if kind.usable_for_learning)

# A batch with a *bad* mark is learnable again after a later mark that is usable for learning. It is
# also learnable after a later verdict that did not hold it, which is about a newer version.
_LEARNABLE = f"""NOT EXISTS (
    SELECT 1 FROM marks AS bad
    WHERE bad.dataset = batches.dataset AND bad.key = batches.key AND bad.kind = '{MarkKind.BAD}'
    AND NOT EXISTS (
        SELECT 1 FROM marks AS later
        WHERE later.dataset = bad.dataset AND later.key = bad.key AND later.time > bad.time
        AND later.kind IN ({", ".join(map(repr, _USABLE))}))
    AND NOT EXISTS (
        SELECT 1 FROM verdicts AS later
        WHERE later.dataset = bad.dataset AND later.key = bad.key AND later.time > bad.time
        AND later.decision <> 'hold'))"""  # noqa: S608 - names of our own

Condition = tuple[str, dict[str, Any]]


def is_one_of(column: str, names: Iterable[str]) -> Condition:
    """Return a condition that a column has one of these values."""
    values = {f"{column}_{i}": name for i, name in enumerate(names)}
    return f"{column} IN ({', '.join(':' + name for name in values) or 'NULL'})", values


def slot_of(*, in_quarantine: bool) -> str:
    """Return the place of a batch: a key has one accepted and one quarantined batch."""
    return "quarantined" if in_quarantine else "accepted"


def record_conditions(selection: Selection) -> Condition:
    """Return the conditions on dataset, key and time. Wildcards and `where` are left out."""
    conditions = ["dataset = :dataset"]
    values: dict[str, Any] = {"dataset": selection.dataset}
    for name, condition, value in (
        ("key", "key = :key", selection.key),
        ("but", "key <> :but", selection.but),
        ("since", "time >= :since", selection.since and selection.since.isoformat()),
        ("until", "time < :until", selection.until and selection.until.isoformat()),
    ):
        if value is not None:
            conditions.append(condition)
            values[name] = value
    keys = selection.exact_keys
    if keys is not None and len(keys) <= MAX_NAMED_KEYS:
        condition, names = is_one_of("key", keys)
        conditions.append(condition)
        values |= names
    return " AND ".join(conditions), values


def batch_conditions(selection: Selection) -> Condition:
    """Return the conditions on a batch. Wildcards, `where` and tags are left out."""
    conditions, values = record_conditions(selection)
    status, names = is_one_of("status", selection.statuses)
    conditions, values = f"{conditions} AND {status}", values | names
    slots = {slot_of(in_quarantine=status.in_quarantine) for status in selection.statuses}
    if len(slots) == 1:  # lets the database use its index
        conditions += f" AND slot = '{slots.pop()}'"
    if selection.after is not None:
        conditions, values = (
            f"{conditions} AND change > :after",
            values | {"after": selection.after},
        )
    if selection.learnable:
        conditions += f" AND slot = 'accepted' AND {_LEARNABLE}"
    return conditions, values


def is_filtered_later(selection: Selection) -> bool:
    """Return whether the conditions in SQL select too many rows, which Python filters."""
    return (
        selection.where is not None
        or bool(selection.tags)
        or (bool(selection.keys) and selection.exact_keys is None)
        or len(selection.keys) > MAX_NAMED_KEYS
    )


def newest_first(selection: Selection) -> str:
    """Return ORDER BY and LIMIT for `latest`; nothing if a later filter needs all rows."""
    if selection.latest is None or is_filtered_later(selection):
        return ""
    return f" ORDER BY time DESC, key DESC LIMIT {max(0, selection.latest)}"


def put(connection: Connection, table: str, key: Sequence[str], values: Mapping[str, Any]) -> None:
    """Insert a row, or update the row of the same key."""
    changed = ", ".join(f"{name} = excluded.{name}" for name in values if name not in key)
    connection.execute(
        f"INSERT INTO {table} ({', '.join(values)})"  # noqa: S608 - names of our own
        f" VALUES ({', '.join(':' + name for name in values)})"
        f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}",
        values,
    )


# The statement follows `assay.store.versions`, which says the same in Python. Each verdict is a
# version of its key. `resolves`: the mark ends the wait of a held version. `accepted`: the version
# that was part of the dataset at that time.
_MARKED = f"""
WITH marked AS (
    SELECT DISTINCT key FROM marks WHERE dataset = :dataset{{but}}
), events AS (
    SELECT key, time, 0 AS is_mark, decision AS word FROM verdicts
    WHERE dataset = :dataset AND key IN (SELECT key FROM marked)
    UNION ALL
    SELECT key, time, 1 AS is_mark, kind AS word FROM marks
    WHERE dataset = :dataset AND key IN (SELECT key FROM marked)
), numbered AS (
    SELECT key, is_mark, word,
        ROW_NUMBER() OVER (PARTITION BY key ORDER BY time, is_mark) AS n
    FROM events
), judged AS (
    SELECT key, is_mark, word, n,
        MAX(CASE WHEN is_mark = 0 THEN n END) OVER (PARTITION BY key ORDER BY n) AS verdict
    FROM numbered
), decided AS (
    SELECT judged.key, judged.is_mark, judged.word, judged.n, judged.verdict,
        verdicts_of.word AS decision,
        COUNT(CASE WHEN judged.is_mark = 1 AND judged.word <> '{MarkKind.BAD}' THEN 1 END) OVER (
            PARTITION BY judged.key, judged.verdict ORDER BY judged.n
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
    FROM judged LEFT JOIN numbered AS verdicts_of
    ON verdicts_of.key = judged.key AND verdicts_of.n = judged.verdict
), resolved AS (
    SELECT key, is_mark, word, n, verdict,
        CASE WHEN is_mark = 1 AND word <> '{MarkKind.BAD}' AND decision = 'hold' AND earlier = 0
            THEN 1 ELSE 0 END AS resolves
    FROM decided
), placed AS (
    SELECT key, is_mark, word, n, verdict, resolves,
        MAX(CASE WHEN is_mark = 0 AND word <> 'hold' THEN n
            WHEN resolves = 1 AND word <> '{MarkKind.REJECTED}' THEN verdict END)
            OVER (PARTITION BY key ORDER BY n) AS accepted
    FROM resolved
), targets AS (
    SELECT key, n, word,
        CASE WHEN resolves = 1 THEN verdict
            WHEN word = '{MarkKind.REJECTED}' THEN NULL ELSE accepted END AS target
    FROM placed WHERE is_mark = 1
), last_marks AS (
    SELECT key, target, word, ROW_NUMBER() OVER (PARTITION BY key, target ORDER BY n DESC) AS place
    FROM targets WHERE target IS NOT NULL
)
SELECT numbered.word, last_marks.word, COUNT(*) FROM last_marks JOIN numbered
ON numbered.key = last_marks.key AND numbered.n = last_marks.target
WHERE last_marks.place = 1 AND numbered.is_mark = 0 GROUP BY numbered.word, last_marks.word
"""  # noqa: S608 - names of our own


def count_marked(
    connection: Connection, dataset: str, but: str | None
) -> dict[tuple[Decision, MarkKind], int]:
    """Count the marked versions of batches by decision and last mark."""
    query = _MARKED.format(but="" if but is None else " AND key <> :but")
    values = {"dataset": dataset} | ({} if but is None else {"but": but})
    return {
        (Decision(decision), MarkKind(kind)): int(number)
        for decision, kind, number in connection.execute(query, values)
    }
