"""A notice is sent once by several processes, and again if it did not arrive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.gate import Finding
from assay.report.notify import Notice, notice_of, notify_once
from assay.store import Batch, Decision, EmbeddedStore, Mark, MarkKind, MemoryStore
from assay.suite import Target
from tests.gate.verdicts import verdict_of
from tests.report.receiver import Receiver, receiving

NOTICE = Notice("orders", "1", "hold", "it is held", key="orders/1/hold/0")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


def words(store: Any, notice: Notice, *targets: Target) -> list[str]:
    return [sent.word for sent in notify_once(store, notice, targets, timeout=2)]


def test_a_notice_is_sent_once_to_each_target(receiver: Receiver) -> None:
    store = MemoryStore()
    one, other = Target("webhook", receiver.url("/a")), Target("slack", receiver.url("/b"))
    assert words(store, NOTICE, one) == ["sent"]
    assert words(store, NOTICE, one, other) == ["sent before", "sent"]
    assert words(store, replace(NOTICE, key="orders/1/warn/0"), one) == ["sent"]
    assert [path for path, _, _ in receiver.seen] == ["/a", "/b", "/a"]


def test_a_notice_that_is_not_needed_is_not_recorded(receiver: Receiver) -> None:
    store, target = MemoryStore(), Target("webhook", receiver.url())
    assert words(store, replace(NOTICE, decision="accept"), target) == ["not needed"]
    assert words(store, NOTICE, target) == ["sent"]


def test_a_notice_that_did_not_arrive_is_sent_again(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, target = MemoryStore(), Target("webhook", "${env:ASSAY_HOOK}")
    monkeypatch.setenv("ASSAY_HOOK", receiver.url("/status/500"))
    assert words(store, NOTICE, target) == ["not sent: answered 500"]
    monkeypatch.setenv("ASSAY_HOOK", receiver.url())
    assert words(store, NOTICE, target) == ["sent"]
    assert words(store, NOTICE, target) == ["sent before"]


def test_a_claim_of_a_dead_process_expires(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, target = MemoryStore(), Target("webhook", receiver.url())

    def dies(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("assay.report.notify.dedup.notify", dies)
        with pytest.raises(KeyboardInterrupt):
            words(store, NOTICE, target)
    assert words(store, NOTICE, target) == ["sent before"]
    monkeypatch.setattr("assay.report.notify.dedup._CLAIM_SECONDS", 0)
    assert words(store, NOTICE, target) == ["sent"]


def test_one_of_many_concurrent_processes_sends(receiver: Receiver, tmp_path: Path) -> None:
    EmbeddedStore(tmp_path)
    target, outcomes = Target("webhook", receiver.url()), []
    barrier = threading.Barrier(6)

    def send() -> None:
        store = EmbeddedStore(tmp_path)
        barrier.wait()
        outcomes.extend(words(store, NOTICE, target))

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["sent", *["sent before"] * 5]
    assert len(receiver.seen) == 1


def test_a_failing_store_does_not_stop_a_notice(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, target = MemoryStore(), Target("webhook", receiver.url())

    def fails(*_: Any) -> Any:
        raise OSError("the disk is full")

    monkeypatch.setattr(store, "save", fails)
    assert words(store, NOTICE, target) == ["sent"]
    assert words(store, NOTICE, target) == ["sent"]


def test_the_key_of_a_notice_changes_with_columns_and_marks() -> None:
    store = MemoryStore()
    nulls = Finding("limits", Decision.HOLD, "nulls rose.", "amount")
    batch = Batch("orders", "1")
    held = verdict_of(batch, Decision.HOLD, (nulls,))
    key = notice_of(held, store).key
    assert key.startswith("orders/1/hold/")
    noise = Finding("novelty", Decision.WARN, "0.123 is odd.", "note")
    assert notice_of(verdict_of(batch, Decision.HOLD, (nulls, noise), again=True), store).key == key
    other = replace(nulls, column="status")
    assert notice_of(verdict_of(batch, Decision.HOLD, (nulls, other)), store).key != key
    store.add_mark(Mark("orders", "1", MarkKind.REJECTED, "ada", "no"))
    assert notice_of(held, store).key != key


def test_the_former_module_warns_and_still_works() -> None:
    from assay.report import dedup

    with pytest.deprecated_call():
        assert dedup.notify_once is notify_once
