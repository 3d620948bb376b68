"""Notices arrive, contain no commands and no secrets, and failures are returned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.report.notify import Notice, Sent, message, notify
from assay.suite import Target
from tests.report.receiver import Receiver, receiving

NOTICE = Notice(
    "orders",
    "date=2026-11-14",
    "hold",
    "3 of 12 constraints are not met",
    ("is_complete(id) does not hold: Completeness(id) is 0.5, expected == 1.0.",),
    key="orders/date=2026-11-14/hold",
    link="https://assay.example.org/orders/42",
)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


def test_a_notice_arrives_at_each_target(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://127.0.0.1:{receiver.server_port}"
    monkeypatch.setenv("ASSAY_HOOK", f"{url}/token")
    targets = (Target("webhook", "${env:ASSAY_HOOK}"), Target("slack", f"{url}/slack"))
    assert notify(NOTICE, targets) == tuple(Sent(target, "sent") for target in targets)
    (path, headers, webhook), (_, _, slack) = receiver.seen
    assert path == "/token"
    assert headers["Content-Type"] == "application/json"
    assert headers["Idempotency-Key"] == NOTICE.key
    assert webhook == {
        "version": 1,
        "dataset": "orders",
        "batch": "date=2026-11-14",
        "decision": "hold",
        "headline": "3 of 12 constraints are not met",
        "reasons": list(NOTICE.reasons),
        "key": "orders/date=2026-11-14/hold",
        "link": "https://assay.example.org/orders/42",
    }
    assert slack == {
        "text": (
            "*orders* date=2026-11-14 is held: 3 of 12 constraints are not met\n"
            "• is_complete(id) does not hold: Completeness(id) is 0.5, expected == 1.0.\n"
            "<https://assay.example.org/orders/42|more>"
        )
    }


def test_a_key_becomes_one_header(receiver: Receiver) -> None:
    notice = replace(NOTICE, key="a\r\nX-Evil: 1\x00 ü")
    (sent,) = notify(notice, [Target("webhook", f"http://127.0.0.1:{receiver.server_port}/")])
    assert sent.word == "sent"
    ((_, headers, body),) = receiver.seen
    assert headers["Idempotency-Key"] == "a\\r\\nX-Evil: 1\\x00 \\xfc"
    assert "X-Evil" not in headers
    assert body["key"] == notice.key


def test_accepted_batches_are_not_notified(receiver: Receiver) -> None:
    accepted = Notice("orders", "b", "accept", "all is well")
    (sent,) = notify(accepted, [Target("webhook", f"http://127.0.0.1:{receiver.server_port}/")])
    assert sent.word == "not needed"
    assert receiver.seen == []


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("/status/500/s3cr3t", "not sent: answered 500"),
        ("/status/302/s3cr3t", "not sent: answered 302"),
        ("/status/0/s3cr3t", "not sent: RemoteDisconnected"),
        ("/status/1/s3cr3t", "not sent: no answer within 0.2 s"),
    ],
)
def test_a_failure_is_returned_without_the_address(
    receiver: Receiver, path: str, word: str
) -> None:
    (sent,) = notify(
        NOTICE, [Target("slack", f"http://127.0.0.1:{receiver.server_port}{path}")], timeout=0.2
    )
    assert sent.word == word
    assert len(receiver.seen) == 1, "no redirect is followed"
    assert "s3cr3t" not in repr(sent)


@pytest.mark.parametrize(
    ("url", "environment", "word"),
    [
        ("${env:NO_SUCH}", {}, "not sent: slack: the environment variable NO_SUCH"),
        (
            "${env:URL}",
            {"URL": "s3cr3t"},
            "not sent: slack: ${env:URL}",
        ),
        ("${env:URL}", {"URL": "ftp://s3cr3t"}, "not sent: slack: ${env:URL}"),
        ("http://127.0.0.1:1/s3cr3t", None, "not sent: Connection refused"),
        (f"http://{'a' * 70}.example/s3cr3t", None, "not sent: UnicodeError"),
        ("http://no-such-host.invalid/s3cr3t", None, "not sent: "),
    ],
)
def test_a_wrong_address_is_a_reason_without_the_address(
    url: str, environment: Any, word: str
) -> None:
    (sent,) = notify(NOTICE, [Target("slack", url)], timeout=2, environment=environment)
    assert sent.word.startswith(word)
    assert "s3cr3t" not in repr(sent)


@given(*[st.text(max_size=30)] * 4)
def test_names_and_values_cannot_be_commands(
    dataset: str, batch: str, headline: str, reason: str
) -> None:
    assume(headline != reason)  # a headline that repeats the first reason is shown once
    notice = Notice(dataset, batch, "warn", headline, (reason,) * 12, link=reason)
    text = message(notice, "slack")["text"]
    assert "<" not in text.replace(f"<{reason}|more>", "")
    assert "&" not in text.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")
    assert text.count("\n") == 11 + bool(reason)
    assert "… and 2 more" in text
    json.dumps(message(notice, "webhook"))


def test_mentions_and_links_in_data_are_escaped() -> None:
    notice = Notice("<!channel>", "b&c", "hold", "a\nb <http://x|y>", link="javascript:alert(1)")
    assert message(notice, "slack")["text"] == (
        "*&lt;!channel&gt;* b&amp;c is held: a b &lt;http://x|y&gt;\njavascript:alert(1)"
    )


class Recorder:
    notices: ClassVar[list[Notice]] = []

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, notice: Notice, *, timeout: float) -> None:
        if self.url.endswith("s3cr3t"):
            raise RuntimeError(self.url)
        self.notices.append(notice)


def test_a_notifier_of_another_package_is_a_kind_of_target(monkeypatch: pytest.MonkeyPatch) -> None:
    def plugins(group: str) -> tuple[tuple[str, Any], ...]:
        return (("pager", Recorder),) if group == "assay.notifiers" else ()

    monkeypatch.setattr("assay.suite.target.load_plugins", plugins)
    monkeypatch.setattr("assay.report.notify.registry.load_plugins", plugins)
    targets = [Target("pager", "https://a.org/1"), Target("pager", "https://a.org/s3cr3t")]

    sent = notify(NOTICE, targets)

    assert [result.word for result in sent] == ["sent", "not sent: RuntimeError"]
    assert Recorder.notices == [NOTICE]


def test_a_slack_message_begins_with_the_worst_problem_and_says_it_once() -> None:
    worst, other = "carrier: upper case became lower case.", "note: it is gone."
    notice = Notice("orders", "1", "hold", worst, (worst, other))

    assert message(notice, "slack")["text"] == f"*orders* 1 is held: {worst}\n• {other}"
