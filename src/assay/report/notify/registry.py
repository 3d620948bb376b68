"""The notifiers: one line per kind.

Other packages add a notifier by an entry point in the group ``assay.notifiers``. Its name is the
kind that a suite's ``notify`` section uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from assay.plugins import load_plugins
from assay.report.notify.notice import Notice
from assay.report.notify.slack import SlackNotifier
from assay.report.notify.webhook import WebhookNotifier

__all__ = ["NOTIFIERS", "Notifier", "message", "notifier_class"]


class Notifier(Protocol):
    """Deliver notices to one address."""

    def __init__(self, url: str) -> None: ...

    def __call__(self, notice: Notice, *, timeout: float) -> None:
        """Deliver a notice within `timeout` seconds; raise an exception if it does not arrive."""
        ...


#: The built-in notifiers by kind.
NOTIFIERS: Mapping[str, type[Notifier]] = {
    "webhook": WebhookNotifier,
    "slack": SlackNotifier,
}


def notifier_class(kind: str) -> type[Notifier]:
    """Return the notifier of a kind.

    Raises
    ------
    KeyError
        If neither Assay nor an installed package has a notifier of this kind.

    Examples
    --------
    >>> notifier_class("slack").__name__
    'SlackNotifier'
    """
    notifiers: dict[str, type[Notifier]] = {**dict(load_plugins("assay.notifiers")), **NOTIFIERS}
    return notifiers[kind]


def message(notice: Notice, kind: str) -> dict[str, Any]:
    """Return the JSON document that a webhook or Slack receives."""
    return SlackNotifier.message(notice) if kind == "slack" else WebhookNotifier.message(notice)
