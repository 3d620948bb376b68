"""Messages arrive, hold no command and no secret, and change nothing if they do not arrive."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
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


def test_it_arrives(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{receiver.server_port}"
    monkeypatch.setenv("ASSAY_HOOK", f"{url}/token")
    targets = (Target("webhook", "${env:ASSAY_HOOK}"), Target("slack", f"{url}/slack"))
    assert notify(NOTICE, targets) == tuple(Sent(each, "sent") for each in targets)
    (path, headers, told), (_, _, said) = receiver.seen
    assert path == "/token"
    assert headers["Content-Type"] == "application/json"
    assert headers["Idempotency-Key"] == NOTICE.key
    assert told == {
        "version": 1,
        "dataset": "orders",
        "batch": "date=2026-11-14",
        "decision": "hold",
        "headline": "3 of 12 constraints are not met",
        "reasons": list(NOTICE.reasons),
        "key": "orders/date=2026-11-14/hold",
        "link": "https://assay.example.org/orders/42",
    }
    assert said == {
        "text": (
            "*orders* date=2026-11-14 is held: 3 of 12 constraints are not met\n"
            "• is_complete(id) does not hold: Completeness(id) is 0.5, expected == 1.0.\n"
            "<https://assay.example.org/orders/42|more>"
        )
    }


def test_a_key_is_one_header_whatever_it_holds(receiver: Receiver) -> None:
    told = replace(NOTICE, key="a\r\nX-Evil: 1\x00 ü")
    (sent,) = notify(told, [Target("webhook", f"http://127.0.0.1:{receiver.server_port}/")])
    assert sent.word == "sent"
    ((_, headers, body),) = receiver.seen
    assert headers["Idempotency-Key"] == "a\\r\\nX-Evil: 1\\x00 \\xfc"
    assert "X-Evil" not in headers
    assert body["key"] == told.key


def test_good_batches_are_nobodys_news(receiver: Receiver) -> None:
    fine = Notice("orders", "b", "accept", "all is well")
    (sent,) = notify(fine, [Target("webhook", f"http://127.0.0.1:{receiver.server_port}/")])
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
def test_failures_are_words(receiver: Receiver, path: str, word: str) -> None:
    (sent,) = notify(
        NOTICE, [Target("slack", f"http://127.0.0.1:{receiver.server_port}{path}")], timeout=0.2
    )
    assert sent.word == word
    assert len(receiver.seen) == 1, "no redirect is followed"
    assert "s3cr3t" not in repr(sent)


@pytest.mark.parametrize(
    ("url", "environment", "word"),
    [
        ("${env:NO_SUCH}", {}, "not sent: slack: the environment variable NO_SUCH is not set."),
        (
            "${env:URL}",
            {"URL": "s3cr3t"},
            "not sent: slack: ${env:URL} is no http or https address.",
        ),
        ("${env:URL}", {"URL": "ftp://s3cr3t"}, "not sent: slack: ${env:URL} is no http or https"),
        ("http://127.0.0.1:1/s3cr3t", None, "not sent: Connection refused"),
        (f"http://{'a' * 70}.example/s3cr3t", None, "not sent: UnicodeError"),
        ("http://no-such-host.invalid/s3cr3t", None, "not sent: "),
    ],
)
def test_addresses_that_do_not_work(url: str, environment: Any, word: str) -> None:
    (sent,) = notify(NOTICE, [Target("slack", url)], timeout=2, environment=environment)
    assert sent.word.startswith(word)
    assert "s3cr3t" not in repr(sent)


@given(*[st.text(max_size=30)] * 4)
def test_data_is_no_command(dataset: str, batch: str, headline: str, reason: str) -> None:
    notice = Notice(dataset, batch, "warn", headline, (reason,) * 12, link=reason)
    said = message(notice, "slack")["text"]
    assert "<" not in said.replace(f"<{reason}|more>", "")
    assert "&" not in said.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")
    assert said.count("\n") == 11 + bool(reason)
    assert "… and 2 more" in said
    json.dumps(message(notice, "webhook"))


def test_mentions_and_links_of_the_data_are_text() -> None:
    notice = Notice("<!channel>", "b&c", "hold", "a\nb <http://x|y>", link="javascript:alert(1)")
    assert message(notice, "slack")["text"] == (
        "*&lt;!channel&gt;* b&amp;c is held: a b &lt;http://x|y&gt;\njavascript:alert(1)"
    )
