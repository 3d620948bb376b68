"""Messages to people, when a batch is held or warned of.

A message that does not arrive changes no decision: what became of it is a word that is handed back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from assay.checks.formatting import one_line, visible
from assay.errors import AssayError
from assay.suite.target import Target

__all__ = ["TOLD", "Notice", "Sent", "message", "notify"]

#: decisions that people are told of
TOLD = frozenset({"hold", "warn"})
_WORDS = {"hold": "held", "warn": "warned of"}
#: as many reasons are listed, each of so many characters
_REASONS, _LENGTH = 10, 500


@dataclass(frozen=True)
class Notice:
    """What is to be told of a batch.

    `key` is the same whenever the same is told again, so that receivers can tell. `link` leads to
    more.
    """

    dataset: str
    batch: str
    decision: str
    headline: str
    reasons: tuple[str, ...] = ()
    key: str = ""
    link: str | None = None


@dataclass(frozen=True)
class Sent:
    """What became of a notice.

    `word` is ``sent``, ``sent before``, ``not needed``, or why it did not arrive.
    """

    target: Target
    word: str


def notify(
    notice: Notice,
    targets: Iterable[Target],
    *,
    timeout: float = 10.0,
    environment: Mapping[str, str] | None = None,
) -> tuple[Sent, ...]:
    """Tell each of the targets, and what became of it; never raises for what goes wrong."""
    return tuple(Sent(each, _word(notice, each, timeout, environment)) for each in targets)


def message(notice: Notice, kind: str) -> dict[str, Any]:
    """What is sent: the notice's fields, or a text as Slack and those alike read it."""
    return {"text": _slack(notice)} if kind == "slack" else {"version": 1, **asdict(notice)}


def _word(
    notice: Notice, target: Target, timeout: float, environment: Mapping[str, str] | None
) -> str:
    if notice.decision not in TOLD:
        return "not needed"
    try:
        address = target.address(environment)
        body = json.dumps(message(notice, target.kind)).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "assay"}
        if notice.key:
            # names of batches may hold what no header can
            key = visible(notice.key).encode("ascii", "backslashreplace")
            headers["Idempotency-Key"] = key.decode()
        request = Request(address, body, headers, method="POST")  # noqa: S310 - http and https only
        with build_opener(_NoRedirects).open(request, timeout=timeout):
            return "sent"
    except AssayError as error:
        return f"not sent: {error}"
    except HTTPError as error:
        error.close()
        return f"not sent: answered {error.code}"
    except (OSError, HTTPException, ValueError) as error:
        return f"not sent: {_reason(error, timeout)}"


def _reason(error: Exception, timeout: float) -> str:
    """Why it was not reached. Messages of exceptions may hold the address, and are not shown."""
    inner = error.reason if isinstance(error, URLError) else error
    if isinstance(inner, TimeoutError):
        return f"no answer within {timeout:g} s"
    said = inner.strerror if isinstance(inner, OSError) and inner.errno is not None else None
    return said or type(inner).__name__


class _NoRedirects(HTTPRedirectHandler):
    """A token in an address is for its host alone."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


def _slack(notice: Notice) -> str:
    what = _WORDS.get(notice.decision, notice.decision)
    head = f"*{_escaped(notice.dataset)}* {_escaped(notice.batch)} is {_escaped(what)}:"
    lines = [f"{head} {_escaped(notice.headline)}"]
    lines += [f"• {_escaped(each)}" for each in notice.reasons[:_REASONS]]
    if notice.reasons[_REASONS:]:
        lines.append(f"… and {len(notice.reasons) - _REASONS} more")
    if notice.link:
        lines.append(_link(notice.link))
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Text in which nothing is a command to Slack."""
    line = one_line(text)
    line = line if len(line) <= _LENGTH else f"{line[:_LENGTH]}…"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _link(link: str) -> str:
    web = link.startswith(("https://", "http://")) and not set(link) & set("<>| ")
    return f"<{_escaped(link)}|more>" if web else _escaped(link)
