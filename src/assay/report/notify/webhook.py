"""Notify by a webhook: a JSON document with the fields of the notice."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from assay.report.notify.http_post import HttpNotifier
from assay.report.notify.notice import Notice

__all__ = ["WebhookNotifier"]

_VERSION = 1


class WebhookNotifier(HttpNotifier):
    """Post the fields of a notice as JSON."""

    @staticmethod
    def message(notice: Notice) -> dict[str, Any]:
        """Return the fields, and the version of the document."""
        return {"version": _VERSION, **asdict(notice)}
