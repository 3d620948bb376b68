"""Verdicts and marks apply to one version of a batch only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assay import Gate
from assay.engine.measurement import Measurement
from assay.gate.budget.track_record import TrackRecord, load_track_record
from assay.gate.history.new_normal import new_normals
from assay.gate.history.released import load_marked
from assay.store import Batch, Decision, Mark, MarkKind, MemoryStore, Selection, VerdictRecord
from assay.store.versions import versions
from tests.gate.learnable import marked_bad

START = datetime(2026, 11, 1, tzinfo=UTC)
ACCEPT, WARN, HOLD = Decision.ACCEPT, Decision.WARN, Decision.HOLD


def history_of(words: Sequence[Decision | MarkKind]) -> tuple[list[VerdictRecord], list[Mark]]:
    """Create verdicts and marks of one key, one per minute."""
    verdicts, marks = [], []
    for at, word in enumerate(words):
        time = START + timedelta(minutes=at)
        if isinstance(word, Decision):
            verdicts.append(VerdictRecord("d", "k", word, time=time))
        else:
            marks.append(Mark("d", "k", word, "ann", "so", time))
    return verdicts, marks


@pytest.mark.parametrize(
    ("words", "expected", "current"),
    [
        ([ACCEPT], [(ACCEPT, None)], 0),
        ([HOLD], [(HOLD, None)], None),
        ([HOLD, MarkKind.RELEASED], [(HOLD, MarkKind.RELEASED)], 0),
        ([HOLD, MarkKind.REJECTED], [(HOLD, MarkKind.REJECTED)], None),
        (
            [WARN, MarkKind.BAD, HOLD, MarkKind.REJECTED],
            [(WARN, MarkKind.BAD), (HOLD, MarkKind.REJECTED)],
            0,
        ),
        (
            [WARN, MarkKind.BAD, HOLD, MarkKind.EXPECTED],
            [(WARN, MarkKind.BAD), (HOLD, MarkKind.EXPECTED)],
            1,
        ),
        (
            [WARN, HOLD, MarkKind.REJECTED, MarkKind.EXPECTED],
            [(WARN, MarkKind.EXPECTED), (HOLD, MarkKind.REJECTED)],
            0,
        ),
        ([WARN, MarkKind.NEW_NORMAL, ACCEPT], [(WARN, MarkKind.NEW_NORMAL), (ACCEPT, None)], 1),
        (
            [MarkKind.BAD, HOLD, MarkKind.REJECTED],
            [(None, MarkKind.BAD), (HOLD, MarkKind.REJECTED)],
            0,
        ),
        ([MarkKind.BAD, MarkKind.REJECTED], [(None, MarkKind.BAD), (None, MarkKind.REJECTED)], 0),
        ([MarkKind.NEW_NORMAL, MarkKind.EXPECTED], [(None, MarkKind.EXPECTED)], 0),
    ],
)
def test_a_mark_belongs_to_the_version_that_was_current(
    words: Sequence[Decision | MarkKind],
    expected: list[tuple[Decision | None, MarkKind | None]],
    current: int | None,
) -> None:
    version_list = versions(*history_of(words))
    assert [
        (version.verdict and version.verdict.decision, version.mark and version.mark.kind)
        for version in version_list
    ] == expected
    assert [place for place, version in enumerate(version_list) if version.accepted] == (
        [] if current is None else [current]
    )


@pytest.fixture
def gate() -> Gate:
    """Create a gate whose dataset has five batches."""
    store = MemoryStore()
    for at in range(5):
        store.write(Batch("d", f"k{at}", START + timedelta(days=at)), Measurement({}, {}))
    return Gate("d", store)


def test_a_bad_batch_is_not_learned_from_whatever_happens_to_its_next_version(gate: Gate) -> None:
    gate.mark("k2", "bad", author="ann", reason="it was wrong")
    gate.refuse("k2", "it is not a table")
    assert marked_bad(gate.store, "d") == {"k2"}
    gate.reject("k2", author="ann", reason="it is not a table")
    assert marked_bad(gate.store, "d") == {"k2"}
    gate.mark("k2", "expected", author="ann", reason="it was right after all")
    assert marked_bad(gate.store, "d") == frozenset()


def began(gate: Gate) -> dict[str | None, int]:
    batches = gate.store.batches(Selection("d"))
    marked = load_marked(gate.store, "d", [batch.key for batch in batches])
    return new_normals(gate.store, batches, marked)


def test_the_marks_of_any_number_of_batches_are_two_queries(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(5):
        gate.mark(f"k{at}", "new normal", author="ann", reason="another source")
    queries: list[str] = []
    for name in ("verdicts", "marks"):
        query = getattr(gate.store, name)

        def counted(*args: Any, name: str = name, query: Any = query) -> Any:
            queries.append(name)
            return query(*args)

        monkeypatch.setattr(gate.store, name, counted)
    assert len(load_marked(gate.store, "d", [f"k{at}" for at in range(5)])) == 5
    assert queries == ["marks", "verdicts"]


def test_a_later_mark_revokes_the_new_normal(gate: Gate) -> None:
    gate.mark("k2", "new normal", author="ann", reason="another source")
    assert began(gate) == {None: 2}
    # another version that is held does not matter
    gate.refuse("k2", "it is not a table")
    gate.reject("k2", author="ann", reason="it is not a table")
    assert began(gate) == {None: 2}
    gate.mark("k2", "expected", author="ann", reason="a mistake")
    assert began(gate) == {}


def test_the_new_normal_ends_with_its_version(gate: Gate) -> None:
    gate.mark("k2", "new normal", author="ann", reason="another source")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    gate.store.add_verdict(VerdictRecord("d", "k2", ACCEPT, time=tomorrow))
    assert began(gate) == {}


def test_false_alarms_are_counted_by_version() -> None:
    def record(*words: Decision | MarkKind) -> TrackRecord:
        store = MemoryStore()
        verdicts, marks = history_of(words)
        for verdict in verdicts:
            store.add_verdict(verdict)
        for mark in marks:
            store.add_mark(mark)
        return load_track_record(store, "d")

    assert record(HOLD, MarkKind.RELEASED) == TrackRecord(1, 1, 0, 1, 1)
    # the version that is held now is another one, which no one has decided yet
    assert record(HOLD, MarkKind.RELEASED, HOLD) == TrackRecord(2, 2, 0, 1, 1)
    assert record(HOLD, MarkKind.REJECTED, ACCEPT) == TrackRecord(2, 1, 0, 0, 0, 1)
    assert record(WARN, HOLD, MarkKind.REJECTED, MarkKind.EXPECTED) == TrackRecord(2, 1, 1, 1, 0, 1)
