"""Post a notice as JSON to an address. Redirects are not followed."""

from __future__ import annotations

import json
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from assay.checks.formatting import visible
from assay.report.notify.notice import Notice

__all__ = ["HttpNotifier", "NotDeliveredError"]


class NotDeliveredError(Exception):
    """A notice did not arrive. The message never contains the address, which may hold a token."""


class HttpNotifier:
    """Post the JSON document that `message` returns to a URL."""

    def __init__(self, url: str) -> None:
        self._url = url

    @staticmethod
    def message(notice: Notice) -> dict[str, Any]:
        """Return the JSON document to send."""
        raise NotImplementedError

    def __call__(self, notice: Notice, *, timeout: float) -> None:
        """Send a notice.

        Parameters
        ----------
        timeout
            Seconds to wait for an answer.

        Raises
        ------
        NotDeliveredError
            If the address does not answer, or answers with an error or a redirect.
        """
        body = json.dumps(self.message(notice)).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "assay"}
        if notice.key:
            # headers are ASCII and one line, names of batches may be neither
            key = visible(notice.key).encode("ascii", "backslashreplace")
            headers["Idempotency-Key"] = key.decode()
        request = Request(self._url, body, headers, method="POST")  # noqa: S310 - Target allows http(s)
        try:
            with build_opener(_RejectRedirects).open(request, timeout=timeout):
                pass
        except HTTPError as error:
            error.close()
            raise NotDeliveredError(f"answered {error.code}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise NotDeliveredError(_reason(error, timeout)) from None


class _RejectRedirects(HTTPRedirectHandler):
    """Do not pass an address with a token on to another host."""

    def redirect_request(self, *_: Any) -> None:
        """Return None: the redirect is an error."""


def _reason(error: Exception, timeout: float) -> str:
    """Name an error without its message, which may contain the address."""
    inner = error.reason if isinstance(error, URLError) else error
    if isinstance(inner, TimeoutError):
        return f"no answer within {timeout:g} s"
    reason = inner.strerror if isinstance(inner, OSError) and inner.errno is not None else None
    return reason or type(inner).__name__
