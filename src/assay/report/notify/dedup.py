"""Send each notice once, even if several processes judge the same batch.

A process claims a notice in the store before it sends it, and records whether it arrived. It then
looks whether another process has claimed the notice too. If so, both withdraw and try again after
a random pause, so that only one sends. A notice that did not arrive is sent again by the next
process that has it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from uuid import uuid4

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
#: attempts to claim a notice, and the longest pause between two
_MAX_ATTEMPTS, _MAX_PAUSE_SECONDS = 20, 0.2


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
            if claim == "":
                results.append(Sent(target, "sent before"))
                continue
        (result,) = notify(notice, [target], timeout=timeout, environment=environment)
        results.append(result)
        if claim:
            outcome = _SENT if result.word == "sent" else _FAILED
            _record(store, notice.dataset, name, {claim: outcome})
    return tuple(results)


def notice_of(verdict: Verdict, store: Store) -> Notice:
    """Create the notice of a verdict.

    Two notices have the same key if batch, decision and columns are the same, and nobody has
    marked the batch between them.
    """
    batch = verdict.batch
    columns = sorted(
        {alarm.column or "" for alarm in verdict.alarms if alarm.level is verdict.decision}
    )
    n_marks = len(store.marks(Selection.one(batch.dataset, batch.key)))
    version = sha256("\0".join([str(n_marks), *columns]).encode()).hexdigest()[:8]
    return Notice(
        batch.dataset,
        batch.key,
        verdict.decision.value,
        verdict.headline,
        tuple(map(str, verdict.alarms)),
        key=f"{batch.dataset}/{batch.key}/{verdict.decision.value}/{version}",
    )


def _claim(store: Store, dataset: str, name: str) -> str | None:
    """Claim a notice.

    Returns the claim, "" if the notice was sent or another process sends it, and None if the store
    cannot tell.
    """
    try:
        for _ in range(_MAX_ATTEMPTS):
            if _valid_claims(store, dataset, name):
                return ""
            claim = f"{time.time_ns():020}-{uuid4().hex}"
            store.note(dataset, name, {claim: _CLAIMED})
            # every process writes its claim before it looks: at most one sees only its own
            if _valid_claims(store, dataset, name) == {claim}:
                return claim
            store.note(dataset, name, {claim: _FAILED})
            time.sleep(random.uniform(0, _MAX_PAUSE_SECONDS))  # noqa: S311 - spreads attempts
    except Exception:  # a database can raise anything, and a verdict must not depend on it
        return None
    return None


def _valid_claims(store: Store, dataset: str, name: str) -> set[str]:
    """Return the claims of processes that have sent the notice, or are sending it."""
    oldest = time.time() - _CLAIM_SECONDS
    return {
        claim
        for claim, outcome in store.notes(dataset, name).items()
        if outcome == _SENT or (outcome == _CLAIMED and int(claim.partition("-")[0]) / 1e9 > oldest)
    }


def _record(store: Store, dataset: str, name: str, outcome: Mapping[str, str]) -> None:
    with suppress(Exception):  # a database can raise anything, and the notice is sent already
        store.note(dataset, name, outcome)


def _digest(key: str, target: Target) -> str:
    """Hash a target by its address as written: values of environment variables stay out."""
    return sha256("\0".join((key, target.kind, target.url)).encode()).hexdigest()[:32]
