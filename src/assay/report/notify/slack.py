"""Notify by Slack, or by a service that reads the same messages."""

from __future__ import annotations

from typing import Any

from assay.checks.formatting import one_line
from assay.report.notify.http_post import HttpNotifier
from assay.report.notify.notice import Notice

__all__ = ["SlackNotifier"]

_DECISIONS = {"hold": "held", "warn": "accepted with a warning"}
#: reasons that are listed, and characters of each
_MAX_REASONS, _MAX_CHARACTERS = 10, 500


class SlackNotifier(HttpNotifier):
    """Post a notice as a Slack message."""

    @staticmethod
    def message(notice: Notice) -> dict[str, Any]:
        """Return the message in Slack's format. Names and values are escaped."""
        decision = _DECISIONS.get(notice.decision, notice.decision)
        head = f"*{_escape(notice.dataset)}* {_escape(notice.batch)} is {_escape(decision)}:"
        lines = [f"{head} {_escape(notice.headline)}"]
        repeats_headline = notice.reasons[:1] == (notice.headline,)
        reasons = notice.reasons[repeats_headline:]
        lines += [f"• {_escape(reason)}" for reason in reasons[:_MAX_REASONS]]
        n_more = len(reasons) - _MAX_REASONS
        if n_more > 0:
            lines.append(f"… and {n_more} more")
        if notice.link:
            lines.append(_format_link(notice.link))
        return {"text": "\n".join(lines)}


def _escape(text: str) -> str:
    """Escape what Slack reads as a command, a mention or a link."""
    line = one_line(text)
    line = line if len(line) <= _MAX_CHARACTERS else f"{line[:_MAX_CHARACTERS]}…"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _format_link(link: str) -> str:
    is_web = link.startswith(("https://", "http://")) and not set(link) & set("<>| ")
    return f"<{_escape(link)}|more>" if is_web else _escape(link)
