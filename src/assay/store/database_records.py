"""Verdicts, marks and derived records of a store in a database."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, TypeVar

from assay.errors import StoreError
from assay.store.batch import BatchStatus, Selection
from assay.store.derived import DerivedRecord
from assay.store.statements import (
    MAX_NAMED_KEYS,
    count_marked,
    is_one_of,
    newest_first,
    put,
    record_conditions,
    slot_of,
)
from assay.store.transactions import DatabaseSession
from assay.store.verdict import Decision, Mark, MarkKind, VerdictCounts, VerdictRecord
from assay.store.versions import count_alarms

__all__ = ["DatabaseRecords"]

D = TypeVar("D", bound=DerivedRecord)

_VERDICT = "key, time, decision, findings, document"


class DatabaseRecords(DatabaseSession):
    """The part of a `DatabaseStore` that does not store measurements."""

    def save(
        self,
        dataset: str,
        key: str,
        record: DerivedRecord,
        status: BatchStatus = BatchStatus.ACCEPTED,
    ) -> None:
        """Store a derived record about a batch, or about the dataset (key ``""``)."""
        values = {
            "dataset": dataset,
            "kind": record.kind,
            "version": record.version,
            "key": key,
            "slot": slot_of(in_quarantine=status.in_quarantine),
            "document": json.dumps(record.to_json()),
        }
        with self._writing() as connection:
            put(connection, "derived", ("dataset", "kind", "key", "slot"), values)

    def derived(
        self,
        record_type: type[D],
        dataset: str,
        keys: Collection[str] | None = None,
        status: BatchStatus = BatchStatus.ACCEPTED,
    ) -> Mapping[str, D]:
        """Return derived records by key: all of a type, or those about some batches."""
        query = (
            "SELECT key, document FROM derived WHERE dataset = :dataset AND kind = :kind"
            " AND version = :version AND slot = :slot"
        )
        values: dict[str, Any] = {
            "dataset": dataset,
            "kind": record_type.kind,
            "version": record_type.version,
            "slot": slot_of(in_quarantine=status.in_quarantine),
        }
        if keys is not None and len(keys) <= MAX_NAMED_KEYS:
            condition, names = is_one_of("key", keys)
            query, values = f"{query} AND {condition}", values | names
        wanted = None if keys is None else set(keys)
        return {
            key: record_type.from_json(json.loads(document))
            for key, document in self._read(query, values)
            if wanted is None or key in wanted
        }

    def add_verdict(self, verdict: VerdictRecord) -> None:
        """Store a verdict. Raises a `StoreError` if a different one has its key and time."""
        values = {
            "dataset": verdict.dataset,
            "key": verdict.key,
            "time": verdict.time.isoformat(),
            "decision": verdict.decision.value,
            "findings": json.dumps([dict(finding) for finding in verdict.findings]),
            "document": json.dumps(dict(verdict.document)),
        }
        query = (
            f"SELECT {_VERDICT} FROM verdicts"  # noqa: S608 - names of our own
            " WHERE dataset = :dataset AND key = :key AND time = :time"
        )
        names = ", ".join(values)
        placeholders = ", ".join(f":{name}" for name in values)
        with self._writing() as connection:
            place = {name: values[name] for name in ("dataset", "key", "time")}
            stored = [_verdict(verdict.dataset, row) for row in connection.execute(query, place)]
            if not stored:
                insert = f"INSERT INTO verdicts ({names}) VALUES ({placeholders})"  # noqa: S608
                connection.execute(insert, values)
            elif not stored[0].is_identical(verdict):
                raise StoreError.verdict_exists(verdict.dataset, verdict.key, verdict.time)

    def verdicts(self, selection: Selection) -> tuple[VerdictRecord, ...]:
        """Return the selected verdicts, oldest first."""
        condition, values = record_conditions(selection)
        query = f"SELECT {_VERDICT} FROM verdicts WHERE {condition}{newest_first(selection)}"  # noqa: S608
        rows = self._read(query, values)
        return selection.about(_verdict(selection.dataset, row) for row in rows)

    def remove_verdicts(self, dataset: str, keys: Collection[str]) -> int:
        """Remove the verdicts on the batches of these keys. Return their number. Marks stay."""
        n_removed = 0
        with self._writing() as connection:
            names = list(dict.fromkeys(keys))
            for start in range(0, len(names), MAX_NAMED_KEYS):
                condition, values = is_one_of("key", names[start : start + MAX_NAMED_KEYS])
                where = f"WHERE dataset = :dataset AND {condition}"
                values["dataset"] = dataset
                ((number,),) = connection.execute(
                    f"SELECT COUNT(*) FROM verdicts {where}",  # noqa: S608 - names of our own
                    values,
                )
                connection.execute(f"DELETE FROM verdicts {where}", values)  # noqa: S608
                n_removed += int(number)
        return n_removed

    def verdict_counts(self, dataset: str, but: str | None = None) -> VerdictCounts:
        """Count the verdicts on a dataset by decision, and the alarms that were false."""
        condition, values = record_conditions(Selection(dataset, but=but))
        query = f"SELECT decision, COUNT(*) FROM verdicts WHERE {condition} GROUP BY decision"  # noqa: S608
        with self._reading() as connection:
            rows = connection.execute(query, values)
            decisions = {Decision(decision): int(number) for decision, number in rows}
            return count_alarms(decisions, count_marked(connection, dataset, but))

    def add_mark(self, mark: Mark) -> None:
        """Store a mark."""
        values = {
            "dataset": mark.dataset,
            "key": mark.key,
            "time": mark.time.isoformat(),
            "kind": mark.kind.value,
            "author": mark.author,
            "reason": mark.reason,
        }
        with self._writing() as connection:
            put(connection, "marks", ("dataset", "key", "time"), values)

    def marks(
        self, selection: Selection, kinds: Collection[MarkKind] | None = None
    ) -> tuple[Mark, ...]:
        """Return the selected marks, oldest first: of all kinds or of some."""
        condition, values = record_conditions(selection)
        if kinds is not None:
            of_kind, names = is_one_of("kind", [kind.value for kind in kinds])
            condition, values = f"{condition} AND {of_kind}", values | names
        query = (
            "SELECT key, time, kind, author, reason FROM marks"  # noqa: S608 - names of our own
            f" WHERE {condition}{newest_first(selection)}"
        )
        return selection.about(
            Mark(
                selection.dataset, key, MarkKind(kind), author, reason, datetime.fromisoformat(time)
            )
            for key, time, kind, author, reason in self._read(query, values)
        )


def _verdict(dataset: str, row: Collection[Any]) -> VerdictRecord:
    key, time, decision, findings, document = row
    return VerdictRecord(
        dataset,
        key,
        Decision(decision),
        tuple(json.loads(findings)),
        datetime.fromisoformat(time),
        json.loads(document),
    )
