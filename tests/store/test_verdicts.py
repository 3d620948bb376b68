"""Verdicts, marks, and what follows from them for learning, in every store."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import StoreError
from assay.store import (
    BatchStatus,
    Decision,
    Mark,
    MarkKind,
    MemoryStore,
    Selection,
    Store,
    VerdictCounts,
    VerdictRecord,
)
from tests.store.examples import START, batch, sized

ACCEPT, WARN, HOLD = Decision.ACCEPT, Decision.WARN, Decision.HOLD
EXPECTED, BAD, NEW_NORMAL = MarkKind.EXPECTED, MarkKind.BAD, MarkKind.NEW_NORMAL
RELEASED, REJECTED = MarkKind.RELEASED, MarkKind.REJECTED
Word = Decision | MarkKind

datasets: Iterator[int] = count()


def speak(store: Store, dataset: str, words: Sequence[Word], key: str = "day=01") -> None:
    """Add verdicts and marks about a batch, a minute apart."""
    for minute, word in enumerate(words):
        time = START + timedelta(minutes=minute)
        if isinstance(word, Decision):
            store.add_verdict(VerdictRecord(dataset, key, word, time=time))
        else:
            store.add_mark(Mark(dataset, key, word, "ann", "so", time))


def learnable(store: Store, **conditions: object) -> list[str]:
    selection = Selection("orders", learnable=True, **conditions)  # type: ignore[arg-type]
    return [stored.key for stored in store.batches(selection)]


def test_a_stored_verdict_never_changes(store: Store) -> None:
    finding = {"reason": "odd", "observed": math.nan}
    first = VerdictRecord("orders", "a", HOLD, (finding,), START, {"limits": [1, 2]})
    store.add_verdict(first)
    store.add_verdict(first)  # identical, so nothing changes
    for other in (
        VerdictRecord("orders", "a", ACCEPT, (finding,), START, {"limits": [1, 2]}),
        VerdictRecord("orders", "a", HOLD, (), START, {"limits": [1, 2]}),
        VerdictRecord("orders", "a", HOLD, (finding,), START, {}),
    ):
        with pytest.raises(StoreError, match="never changes"):
            store.add_verdict(other)
    (stored,) = store.verdicts(Selection("orders"))
    assert stored.is_identical(first)
    assert stored.document == {"limits": [1, 2]}


def test_the_newest_records_are_selected(store: Store) -> None:
    for day in range(1, 6):
        time = START + timedelta(days=day)
        store.write(batch(day), sized(day))
        store.add_verdict(VerdictRecord("orders", batch(day).key, ACCEPT, time=time))
        store.add_mark(Mark("orders", batch(day).key, EXPECTED, time=time))
    newest = Selection("orders", latest=2)
    assert [stored.key for stored in store.batches(newest)] == ["day=04", "day=05"]
    assert [recorded.metric.value for recorded in store.metrics(newest)] == [4, 5]
    assert [verdict.key for verdict in store.verdicts(newest)] == ["day=04", "day=05"]
    assert [mark.key for mark in store.marks(newest)] == ["day=04", "day=05"]
    before = Selection("orders", latest=2, until=START + timedelta(days=4), but="day=03")
    assert [stored.key for stored in store.batches(before)] == ["day=02", "day=04"]
    by_part = Selection("orders", latest=1, where="day < '03'")
    assert [stored.key for stored in store.batches(by_part)] == ["day=02"]
    assert [verdict.key for verdict in store.verdicts(by_part)] == ["day=02"]
    assert store.batches(Selection("orders", latest=0)) == ()


def test_records_of_the_same_time_are_selected_by_key(store: Store) -> None:
    for key in ("b", "a", "_", "B"):
        store.add_verdict(VerdictRecord("orders", key, ACCEPT, time=START))
    (verdict,) = store.verdicts(Selection("orders", latest=1))
    assert verdict.key == "b"


def test_times_with_and_without_microseconds_are_compared(store: Store) -> None:
    moments = [START, START + timedelta(microseconds=5), START + timedelta(seconds=1)]
    for n, time in enumerate(moments):
        store.add_verdict(VerdictRecord("orders", str(n), ACCEPT, time=time))
    after = Selection("orders", since=moments[1])
    assert [verdict.key for verdict in store.verdicts(after)] == ["1", "2"]
    before = Selection("orders", until=moments[1])
    assert [verdict.key for verdict in store.verdicts(before)] == ["0"]


def test_marks_are_selected_by_kind(store: Store) -> None:
    speak(store, "orders", [EXPECTED, BAD, NEW_NORMAL])
    everything = Selection("orders")
    assert [mark.kind for mark in store.marks(everything, kinds=(BAD,))] == [BAD]
    assert [mark.kind for mark in store.marks(everything)] == [EXPECTED, BAD, NEW_NORMAL]
    assert store.marks(everything, kinds=()) == ()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], True),
        ([BAD], False),
        ([ACCEPT, BAD], False),
        ([BAD, EXPECTED], True),
        ([BAD, ACCEPT], True),
        ([BAD, HOLD], False),
        ([BAD, HOLD, REJECTED], False),
        ([BAD, HOLD, RELEASED], True),
        ([WARN, HOLD, REJECTED], True),
        ([HOLD, RELEASED, BAD], False),
        ([BAD, NEW_NORMAL, BAD], False),
    ],
)
def test_only_a_batch_whose_last_mark_is_bad_is_not_learned_from(
    store: Store, words: Sequence[Word], expected: bool
) -> None:
    store.write(batch(1), sized(1))
    store.write(batch(2), sized(2))
    speak(store, "orders", words)
    assert learnable(store) == (["day=01", "day=02"] if expected else ["day=02"])


def test_quarantined_batches_are_not_learned_from(store: Store) -> None:
    store.write(batch(1), sized(1))
    store.write(batch(2, BatchStatus.HELD), sized(2))
    assert learnable(store, status=tuple(BatchStatus)) == ["day=01"]


def test_as_many_learnable_batches_are_selected_as_are_asked_for(store: Store) -> None:
    for day in range(1, 6):
        store.write(batch(day), sized(day))
    speak(store, "orders", [BAD], "day=04")
    assert learnable(store, latest=2) == ["day=03", "day=05"]
    assert learnable(store, latest=2, but="day=05") == ["day=02", "day=03"]


def test_alarms_are_counted_by_version(store: Store) -> None:
    speak(store, "orders", [HOLD, RELEASED, HOLD, REJECTED, ACCEPT])
    speak(store, "orders", [WARN, EXPECTED], "day=02")
    speak(store, "orders", [WARN, EXPECTED, BAD], "day=03")
    speak(store, "posts", [HOLD])
    assert store.verdict_counts("orders") == VerdictCounts(5, 2, 2, 2, 1, 2)
    assert store.verdict_counts("orders", but="day=01") == VerdictCounts(2, 0, 2, 1, 0, 1)
    assert store.verdict_counts("nothing") == VerdictCounts()


WORDS = st.lists(st.sampled_from([*Decision, *MarkKind]), max_size=7)


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40
)
@given(first=WORDS, second=WORDS)
def test_all_stores_agree_on_verdicts_and_marks(
    store: Store, first: list[Word], second: list[Word]
) -> None:
    """The stores in databases decide in SQL what the memory store decides in Python."""
    dataset = f"orders {next(datasets)}"
    oracle = MemoryStore()
    for one in (store, oracle):
        for key, words in (("day=01", first), ("day=02", second)):
            one.write(batch(int(key[-1]), dataset=dataset), sized(1))
            speak(one, dataset, words, key)
    assert store.verdict_counts(dataset) == oracle.verdict_counts(dataset)
    assert store.verdict_counts(dataset, "day=01") == oracle.verdict_counts(dataset, "day=01")
    selection = Selection(dataset, learnable=True)
    assert store.batches(selection) == oracle.batches(selection)
