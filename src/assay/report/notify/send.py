"""Send a notice to the targets of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.errors import AssayError, CheckError, require_instance
from assay.errors.base import type_name
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
        The outcome for each target. It is true if the target received the notice.

    Raises
    ------
    CheckError
        If an argument is not a notice or a list of targets.

    Examples
    --------
    >>> notice = Notice("orders", "2026-11-14", "accept", "accepted")
    >>> [sent.word for sent in notify(notice, [Target("slack", "https://example.org/token")])]
    ['not needed']
    """
    require_instance(notice, Notice, "invalid notice", "a Notice")
    targets = _require_targets(targets)
    return tuple(Sent(target, _send(notice, target, timeout, environment)) for target in targets)


def _require_targets(targets: object) -> tuple[Target, ...]:
    """Return the targets; raise an error that does not show their addresses otherwise."""
    listed = tuple(targets) if isinstance(targets, Iterable) else (targets,)
    if not all(isinstance(target, Target) for target in listed):
        wrong = type_name(next(target for target in listed if not isinstance(target, Target)))
        expected = "a list of targets, such as [Target('slack', url)]"
        raise CheckError(f"invalid targets: expected {expected}, got {wrong}.")
    return listed


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
