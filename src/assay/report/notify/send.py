"""Send a notice to the targets of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.errors import AssayError
from assay.report.notify.http_post import NotDeliveredError
from assay.report.notify.notice import NOTIFIED_DECISIONS, Notice, Sent
from assay.report.notify.registry import notifier_class
from assay.suite.target import Target

__all__ = ["notify"]


def notify(
    notice: Notice,
    targets: Iterable[Target],
    *,
    timeout: float = 10.0,
    environment: Mapping[str, str] | None = None,
) -> tuple[Sent, ...]:
    """Send a notice to each target. A failure is returned, not raised.

    Parameters
    ----------
    notice
        The message. Nothing is sent unless its decision is ``hold`` or ``warn``.
    targets
        The kinds and addresses to notify.
    timeout
        Seconds to wait for each target.
    environment
        Variables that addresses may contain; default: those of the process.

    Returns
    -------
    tuple of Sent
        True if each target received the notice.
    """
    return tuple(Sent(target, _send(notice, target, timeout, environment)) for target in targets)


def _send(
    notice: Notice, target: Target, timeout: float, environment: Mapping[str, str] | None
) -> str:
    if notice.decision not in NOTIFIED_DECISIONS:
        return "not needed"
    try:
        notifier = notifier_class(target.kind)(target.address(environment))
        notifier(notice, timeout=timeout)
    except (AssayError, NotDeliveredError) as error:
        return f"not sent: {error}"
    except Exception as error:  # notifiers of other packages can raise anything; it is reported
        return f"not sent: {type(error).__name__}"  # its message may contain the address
    return "sent"
