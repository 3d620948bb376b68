"""A notice is told once: who is about to send it says so in the store, and whether it arrived.

Who has said so looks once more whether somebody else has too; if so, both take it back and try
again after a while, so that of several at once only one tells. What did not arrive may be told
again, by the next who has the same to say.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from uuid import uuid4

from assay.gate.verdict import Verdict
from assay.report.notify import TOLD, Notice, Sent, notify
from assay.store.batch import Selection
from assay.store.protocol import Store
from assay.suite.target import Target

__all__ = ["notice_of", "notify_once"]

_CLAIMED, _SENT, _FAILED = "claimed", "sent", "failed"
#: who has not sent it after so many seconds never will
_LOST = 600
#: how often somebody tries, and the longest pause between, in seconds
_TRIES = 20
_PAUSE = 0.2


def notify_once(
    store: Store,
    notice: Notice,
    targets: Iterable[Target],
    *,
    timeout: float = 10.0,
    environment: Mapping[str, str] | None = None,
) -> tuple[Sent, ...]:
    """Tell each of the targets what it was not told before under the notice's key.

    As `notify`, it never raises for what goes wrong. Where the store cannot remember, it is told:
    twice is better than never.
    """
    found = []
    for target in targets:
        claim = None
        if notice.decision in TOLD and notice.key:
            name = f"notice {_digest(notice.key, target)}"
            claim = _claimed(store, notice.dataset, name)
            if claim == "":
                found.append(Sent(target, "sent before"))
                continue
        (sent,) = notify(notice, [target], timeout=timeout, environment=environment)
        found.append(sent)
        if claim:
            _note(store, notice.dataset, name, claim, _SENT if sent.word == "sent" else _FAILED)
    return tuple(found)


def notice_of(verdict: Verdict, store: Store) -> Notice:
    """What is to be told of a verdict.

    Its key is that of the same trouble: the same batch and columns, and nobody has said a word
    since.
    """
    batch = verdict.batch
    columns = sorted(
        {each.column or "" for each in verdict.alarms if each.level is verdict.decision}
    )
    said = len(store.marks(Selection.one(batch.dataset, batch.key)))
    version = sha256("\0".join([str(said), *columns]).encode()).hexdigest()[:8]
    return Notice(
        batch.dataset,
        batch.key,
        verdict.decision.value,
        verdict.headline,
        tuple(map(str, verdict.alarms)),
        key=f"{batch.dataset}/{batch.key}/{verdict.decision.value}/{version}",
    )


def _claimed(store: Store, dataset: str, name: str) -> str | None:
    """One's own claim if it is to be sent; "" if it was, or another does; None if nobody knows."""
    try:
        for _ in range(_TRIES):
            if _standing(store, dataset, name):
                return ""
            own = f"{time.time_ns():020}-{uuid4().hex}"
            store.note(dataset, name, {own: _CLAIMED})
            # each says so before it looks: of two who both saw nobody else, neither could have
            if _standing(store, dataset, name) == {own}:
                return own
            store.note(dataset, name, {own: _FAILED})
            time.sleep(random.uniform(0, _PAUSE))  # noqa: S311 - so that they do not meet again
    except Exception:  # whatever a store can do: a verdict must not depend on it
        return None
    return None


def _standing(store: Store, dataset: str, name: str) -> set[str]:
    """The claims of those who have sent it, or are at it."""
    late = time.time() - _LOST
    return {
        claim
        for claim, said in store.notes(dataset, name).items()
        if said == _SENT or (said == _CLAIMED and int(claim.partition("-")[0]) / 1e9 > late)
    }


def _note(store: Store, dataset: str, name: str, claim: str, said: str) -> None:
    with suppress(Exception):  # as above
        store.note(dataset, name, {claim: said})


def _digest(key: str, target: Target) -> str:
    """Of the address as it is written: what variables hold is nobody's."""
    return sha256("\0".join((key, target.kind, target.url)).encode()).hexdigest()[:32]
