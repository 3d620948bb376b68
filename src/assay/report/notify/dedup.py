"""Send each notice once, even if several processes judge the same batch.

A process claims a notice in the store before it sends it, and records whether it arrived. A notice
that did not arrive is sent again by the next process that has it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar

from assay.gate.verdict import Verdict
from assay.report.notify.notice import NOTIFIED_DECISIONS, Notice, Sent
from assay.report.notify.send import notify
from assay.store.batch import Selection
from assay.store.protocol import Store
from assay.suite.target import Target

__all__ = ["notice_of", "notify_once"]

_CLAIMED, _SENT, _FAILED = "claimed", "sent", "failed"
#: a process that has not sent its notice after this time is taken to have died
_CLAIM_SECONDS = 600


def notify_once(
    store: Store,
    notice: Notice,
    targets: Iterable[Target],
    *,
    timeout: float = 10.0,
    environment: Mapping[str, str] | None = None,
) -> tuple[Sent, ...]:
    """Send a notice to each target that has not received one with the same key.

    Parameters are those of `assay.report.notify.notify`. A failure is returned, not raised. If
    the store cannot be read or written, the notice is sent: twice is better than never.
    """
    results = []
    for target in targets:
        claim = None
        if notice.decision in NOTIFIED_DECISIONS and notice.key:
            name = f"notice {_digest(notice.key, target)}"
            claim = _claim(store, notice.dataset, name)
            if claim is False:
                results.append(Sent(target, "sent before"))
                continue
        (result,) = notify(notice, [target], timeout=timeout, environment=environment)
        results.append(result)
        if claim:
            outcome = _SENT if result.word == "sent" else _FAILED
            _record(store, notice.dataset, name, outcome)
    return tuple(results)


def notice_of(verdict: Verdict, store: Store) -> Notice:
    """Create the notice of a verdict.

    Two notices have the same key if batch, decision and columns are the same, and the batch got no
    mark between them.
    """
    batch = verdict.batch
    columns = sorted(
        {alarm.column or "" for alarm in verdict.alarms if alarm.level is verdict.decision}
    )
    reasons = tuple(map(str, verdict.problems))
    n_marks = len(store.marks(Selection.one(batch.dataset, batch.key)))
    version = sha256("\0".join([str(n_marks), *columns]).encode()).hexdigest()[:8]
    return Notice(
        batch.dataset,
        batch.key,
        verdict.decision.value,
        reasons[0] if reasons else verdict.headline,
        reasons,
        key=f"{batch.dataset}/{batch.key}/{verdict.decision.value}/{version}",
    )


@dataclass(frozen=True)
class _NoticeRecord:
    """The state of a notice: sent, not sent, or being sent since a time in seconds."""

    kind: ClassVar[str] = "notice"
    version: ClassVar[int] = 1

    state: str
    since: float = 0.0

    def to_json(self) -> Any:
        return {"state": self.state, "since": self.since}

    @classmethod
    def from_json(cls, document: Any) -> _NoticeRecord:
        return cls(document["state"], document.get("since", 0.0))

    @property
    def stands(self) -> bool:
        """True if the notice was sent, or another process is sending it."""
        is_young = self.since > time.time() - _CLAIM_SECONDS
        return self.state == _SENT or (self.state == _CLAIMED and is_young)


def _claim(store: Store, dataset: str, name: str) -> bool | None:
    """Claim a notice.

    Returns False if the notice was sent or another process sends it, and None if the store cannot
    tell.
    """
    try:
        # transactions run one after another: only one process finds no claim
        with store.transaction():
            record = store.derived(_NoticeRecord, dataset, [name]).get(name)
            if record is not None and record.stands:
                return False
            store.save(dataset, name, _NoticeRecord(_CLAIMED, time.time()))
            return True
    except Exception:  # a database can raise anything, and a verdict must not depend on it
        return None


def _record(store: Store, dataset: str, name: str, state: str) -> None:
    with suppress(Exception):  # a database can raise anything, and the notice is sent already
        store.save(dataset, name, _NoticeRecord(state, time.time()))


def _digest(key: str, target: Target) -> str:
    """Hash a target by its address as written: values of environment variables stay out."""
    return sha256("\0".join((key, target.kind, target.url)).encode()).hexdigest()[:32]
