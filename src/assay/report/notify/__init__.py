"""Notify people when a batch is held or raises a warning.

A message that does not arrive changes no decision. Each notifier is one module and one line in
`assay.report.notify.registry`; other packages add notifiers by entry points in the group
``assay.notifiers``.
"""

from assay.report.notify.dedup import notice_of, notify_once
from assay.report.notify.notice import Notice, Sent
from assay.report.notify.registry import NOTIFIERS, Notifier, message, notifier_class
from assay.report.notify.send import notify

__all__ = [
    "NOTIFIERS",
    "Notice",
    "Notifier",
    "Sent",
    "message",
    "notice_of",
    "notifier_class",
    "notify",
    "notify_once",
]
