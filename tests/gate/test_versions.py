"""What is said of one version of a batch is not said of another."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from assay import Gate
from assay.engine.measurement import Measurement
from assay.gate.history import _new_normals
from assay.gate.recorded import load_track_record
from assay.gate.verdict import TrackRecord
from assay.store import Batch, Decision, Mark, MarkKind, MemoryStore, Selection, VerdictRecord
from assay.store.versions import versions
from tests.gate.learnable import marked_bad

START = datetime(2026, 11, 1, tzinfo=UTC)
ACCEPT, WARN, HOLD = Decision.ACCEPT, Decision.WARN, Decision.HOLD


def said(words: Sequence[Decision | MarkKind]) -> tuple[list[VerdictRecord], list[Mark]]:
    """Of one key, a word a minute."""
    verdicts, marks = [], []
    for at, word in enumerate(words):
        time = START + timedelta(minutes=at)
        if isinstance(word, Decision):
            verdicts.append(VerdictRecord("d", "k", word, time=time))
        else:
            marks.append(Mark("d", "k", word, "ann", "so", time))
    return verdicts, marks


@pytest.mark.parametrize(
    ("words", "found", "here"),
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
def test_a_mark_is_of_the_version_that_it_was_said_of(
    words: Sequence[Decision | MarkKind],
    found: list[tuple[Decision | None, MarkKind | None]],
    here: int | None,
) -> None:
    told = versions(*said(words))
    assert [
        (each.verdict and each.verdict.decision, each.mark and each.mark.kind) for each in told
    ] == found
    assert [at for at, each in enumerate(told) if each.here] == ([] if here is None else [here])


@pytest.fixture
def gate() -> Gate:
    """Before a dataset of five batches."""
    store = MemoryStore()
    for at in range(5):
        store.write(Batch("d", f"k{at}", START + timedelta(days=at)), Measurement({}, {}))
    return Gate("d", store)


def test_of_a_bad_batch_nothing_is_learned_whatever_becomes_of_its_next_version(gate: Gate) -> None:
    gate.mark("k2", "bad", author="ann", reason="it was wrong")
    gate.refuse("k2", "it is no table")
    assert marked_bad(gate.store, "d") == {"k2"}
    gate.reject("k2", author="ann", reason="it is no table")
    assert marked_bad(gate.store, "d") == {"k2"}
    gate.mark("k2", "expected", author="ann", reason="it was right after all")
    assert marked_bad(gate.store, "d") == frozenset()


def began(gate: Gate) -> dict[str | None, int]:
    return _new_normals(gate.store, "d", gate.store.batches(Selection("d")))


def test_the_new_normal_is_taken_back_by_what_is_said_later(gate: Gate) -> None:
    gate.mark("k2", "new normal", author="ann", reason="another source")
    assert began(gate) == {None: 2}
    # what is held beside it says nothing of it
    gate.refuse("k2", "it is no table")
    gate.reject("k2", author="ann", reason="it is no table")
    assert began(gate) == {None: 2}
    gate.mark("k2", "expected", author="ann", reason="a mistake")
    assert began(gate) == {}


def test_the_new_normal_is_forgotten_with_the_version_that_it_was_said_of(gate: Gate) -> None:
    gate.mark("k2", "new normal", author="ann", reason="another source")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    gate.store.add_verdict(VerdictRecord("d", "k2", ACCEPT, time=tomorrow))
    assert began(gate) == {}


def test_alarms_are_counted_by_version() -> None:
    def record(*words: Decision | MarkKind) -> TrackRecord:
        store = MemoryStore()
        verdicts, marks = said(words)
        for verdict in verdicts:
            store.add_verdict(verdict)
        for mark in marks:
            store.add_mark(mark)
        return load_track_record(store, "d")

    assert record(HOLD, MarkKind.RELEASED) == TrackRecord(1, 1, 0, 1)
    # the version that is held now is another one, of which nobody has said anything
    assert record(HOLD, MarkKind.RELEASED, HOLD) == TrackRecord(2, 2, 0, 1)
    assert record(HOLD, MarkKind.REJECTED, ACCEPT) == TrackRecord(2, 1, 0, 0)
    assert record(WARN, HOLD, MarkKind.REJECTED, MarkKind.EXPECTED) == TrackRecord(2, 1, 1, 1)
